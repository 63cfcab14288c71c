import { useMemo, useState } from "preact/hooks";
import {
  advanceMetric, ApiError, call, estimatesPath, getEstimates, getMetric, metricPath, periodsGone,
  type Band, type Estimates, type Estimator, type Metric, type PeriodEstimate,
} from "./api";
import { Chart } from "./chart";
import { Completeness } from "./completeness";
import { useEvents, useLoad } from "./connection";
import { healthOf } from "./health";
import { movement } from "./movement";
import { Choices, download, Failed, Fact, Title, Waiting } from "./parts";
import { href, keepInLink, useRoute } from "./route";
import { seriesOf, type Series } from "./series";
import { chartSvg } from "./svg";
import { readToken } from "./token";
import { viewName } from "./view_name";
import { count, duration, many, percent, periodDate, periodTick, roundLike, roundNoise, saying } from "./words";

const estimators: { value: Estimator; label: string; hint: string }[] = [
  { value: "online", label: "Online", hint: "Each period from the reports due by its end: what was known then." },
  { value: "hindsight", label: "Hindsight", hint: "Past periods improved by what came later." },
  { value: "trend", label: "Trend", hint: "Assumes that the count moves in small random steps: a narrower band if that is so." },
];
type Shown = Band | "both";
const bands: { value: Shown; label: string; hint: string }[] = [
  { value: "pointwise", label: "Each period", hint: "Holds for any one period." },
  { value: "simultaneous", label: "All at once", hint: "Holds for all periods together." },
  { value: "both", label: "Both", hint: "The inner band for each period, the outer for all at once." },
];
const levels = ["0.8", "0.95", "0.99"];

const oneOf = <T extends string>(values: readonly T[], text: string | null, otherwise: T): T =>
  values.includes(text as T) ? (text as T) : otherwise;

export interface View {
  estimator: Estimator;
  shown: Shown;
  level: number;
  from: number;
  to: number;
}

/** Everything about the view that its link keeps. */
function useView(gone: number): View {
  const { query } = useRoute();
  const number = (key: string, otherwise: number) => Number(query.get(key)) || otherwise;
  return {
    estimator: oneOf(estimators.map((e) => e.value), query.get("estimator"), "online"),
    shown: oneOf(bands.map((b) => b.value), query.get("band"), "both"),
    level: Number(oneOf(levels, query.get("level"), "0.95")),
    from: Math.max(1, number("from", 1)),
    // Without an end the view follows the metric as it grows.
    to: Math.min(Math.max(2, gone), number("to", Math.max(2, gone))),
  };
}

export function MetricView({ name }: { name: string }) {
  const tick = useEvents(`${metricPath(name)}/events`, 400);
  const { data: metric, error } = useLoad<Metric>(name, tick, (signal) => getMetric(name, signal));
  return (
    <div class="wide">
      <header class="view-head metric-head">
        <p class="crumb">
          <a href={href([])}>Metrics</a>
        </p>
        <Title title={name}>{name}</Title>
        {metric && <p class="lead">{metric.description || "No description."}</p>}
      </header>
      {error && <Failed message={error} />}
      {!metric && !error && <Waiting what="the metric" />}
      {metric && <Loaded metric={metric} tick={tick} />}
    </div>
  );
}

function Loaded({ metric, tick }: { metric: Metric; tick: number }) {
  const gone = periodsGone(metric);
  const view = useView(gone);
  const estimates = useBands(metric.name, view, tick);
  if (metric.devices === 0 || gone < 1) return <Beginning metric={metric} />;
  return (
    <>
      {estimates.error && <Failed message={estimates.error} />}
      {!estimates.data && !estimates.error && <Waiting what="estimates" />}
      {estimates.data && <Estimated metric={metric} view={view} pointwise={estimates.data.pointwise} simultaneous={estimates.data.simultaneous} />}
      <Below metric={metric} periods={estimates.data?.pointwise.periods ?? []} />
    </>
  );
}

interface Both {
  pointwise: Estimates;
  simultaneous: Estimates | null;
}

export function useBands(name: string, { estimator, level, shown }: Pick<View, "estimator" | "level" | "shown">, tick: number) {
  const load = async (signal: AbortSignal) => {
    const ask = (band: Band) => getEstimates(name, estimator, level, band, signal);
    const [pointwise, simultaneous] = await Promise.all([ask("pointwise"), shown === "pointwise" ? null : ask("simultaneous")]);
    return { pointwise, simultaneous };
  };
  return useLoad<Both>(`${name} ${estimator} ${level} ${shown}`, tick, load, name);
}

function Beginning({ metric }: { metric: Metric }) {
  return (
    <div class="empty">
      <h2>{metric.current_period === 0 ? "It has not begun" : metric.devices === 0 ? "No device has enrolled yet" : "The first period is still running"}</h2>
      <p>
        {metric.devices === 0
          ? "Devices join with the public plan of this metric, and their first reports are due when a period ends."
          : `${many(metric.devices, "device")} enrolled. The first estimate comes with the end of the first period.`}
      </p>
      <pre class="code">futurerand swarm --to {location.origin} --metric {metric.name}</pre>
      <Below metric={metric} periods={[]} />
    </div>
  );
}

interface EstimatedProps {
  metric: Metric;
  view: View;
  pointwise: Estimates;
  simultaneous: Estimates | null;
}

function Estimated({ metric, view, pointwise, simultaneous }: EstimatedProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const series = useMemo(() => {
    const all = seriesOf(pointwise.periods, simultaneous?.periods ?? null, null);
    return view.shown === "simultaneous" ? { ...all, lower: all.estimate, upper: all.estimate } : all;
  }, [pointwise, simultaneous, view.shown]);
  const last = pointwise.periods[pointwise.periods.length - 1];
  if (!last) return <Beginning metric={metric} />;
  const zoom = (from: number, to: number) => {
    const [least, most] = [Math.max(1, from), Math.min(last.period, to)];
    const all = least <= 1 && most >= last.period;
    if (most - least >= 2) keepInLink({ from: least <= 1 ? undefined : least, to: all || most >= last.period ? undefined : most });
  };
  const summary = `Estimated number of devices by period, ${count(view.from)} to ${count(view.to)}, with ${percent(view.level)} bands. ${inWords(metric, last)}`;
  return (
    <>
      <section class="now" aria-label="Now">
        <Sentence metric={metric} last={last} level={view.level} />
        <Verdict periods={pointwise.periods} level={view.level} metric={metric} />
      </section>
      <section class="figure" aria-label="Over time">
        <div class="controls">
          <Choices name="estimator" label="Estimate" value={view.estimator} choices={estimators} onChange={(value) => keepInLink({ estimator: value })} />
          <Choices name="band" label="Band" value={view.shown} choices={bands} onChange={(value) => keepInLink({ band: value })} />
          <Choices
            name="level"
            label="Sure by"
            value={String(view.level)}
            choices={levels.map((level) => ({ value: level, label: percent(Number(level)) }))}
            onChange={(value) => keepInLink({ level: value })}
          />
          <Ranges last={last.period} view={view} zoom={zoom} />
        </div>
        <Readout metric={metric} at={pointwise.periods[hovered ?? -1] ?? last} all={simultaneous?.periods[hovered ?? pointwise.periods.length - 1]} hovering={hovered !== null} />
        <Chart series={series} devices={metric.devices} from={view.from} to={view.to} label={(period) => periodTick(metric, period)} onZoom={zoom} onHover={setHovered} summary={summary} />
        <Completeness series={series} from={view.from} to={view.to} />
        <Key shown={view.shown} level={view.level} />
        <p class="hint" id="chart-keys">
          Drag across the chart to zoom, double-click for all of it. On the keyboard: arrows read period by period, + and − zoom, 0 shows all.
        </p>
        <p class="hint">{estimators.find((e) => e.value === view.estimator)!.hint} {pointwise.assumption && `Assumptions: ${pointwise.assumption}.`}</p>
        <Take metric={metric} view={view} series={series} />
        <Table metric={metric} periods={pointwise.periods} view={view} />
      </section>
    </>
  );
}

const halfWidth = (at: PeriodEstimate) => (at.upper === null || at.estimate === null ? null : at.upper - at.estimate);

function inWords(metric: Metric, at: PeriodEstimate): string {
  const said = saying(at.estimate, halfWidth(at), metric.devices);
  return said ? `${said.value} of ${said.of}, give or take ${said.giveOrTake}` : "Too few devices to say";
}

function Sentence({ metric, last, level }: { metric: Metric; last: PeriodEstimate; level: number }) {
  const said = saying(last.estimate, halfWidth(last), metric.devices);
  const date = periodDate(metric, last.period);
  return (
    <div class="sentence">
      {said ? (
        <p class="say" data-testid="say">
          <strong>{said.value}</strong> of {said.of}, <span class="give">give or take {said.giveOrTake}</span>
        </p>
      ) : (
        <p class="say" data-testid="say">Too few devices to say: the noise is as wide as the answer could be.</p>
      )}
      <p class="hint">
        Period {count(last.period)} of {count(metric.plan.periods)}
        {date && `, ${date}`}. The range holds with {percent(level)} confidence{said && last.estimate !== null ? `; that is ${percent(Math.min(1, Math.max(0, last.estimate / metric.devices)))} of the devices` : ""}.
      </p>
    </div>
  );
}

function Verdict({ periods, level, metric }: { periods: PeriodEstimate[]; level: number; metric: Metric }) {
  const found = useMemo(() => movement(periods, level), [periods, level]);
  if (!found) return null;
  const since = (metric.period_seconds ? duration(found.lag * metric.period_seconds) : many(found.lag, "period")).replace(/^1 /, "");
  const change = count(roundLike(Math.abs(found.change), found.noise));
  const up = found.change > 0;
  return (
    <div class={`verdict ${found.real ? "real" : "noise"}`} data-testid="verdict" role="status">
      <span class="verdict-mark" aria-hidden="true">
        {found.real ? (up ? "↗" : "↘") : "≈"}
      </span>
      <div>
        <p class="verdict-word">{found.real ? `Really ${up ? "up" : "down"} over the last ${since}` : "Within the noise"}</p>
        <p>
          {found.real
            ? `By ${change}; noise alone would hardly move it by more than ${count(roundNoise(found.noise))}.${found.lag > 1 ? " Over shorter times nothing stands out from the noise." : ""}`
            : `The largest recent movement, ${up ? "up" : "down"} ${change} over the last ${since}, is nothing that noise alone could not do (up to ${count(roundNoise(found.noise))}).`}
        </p>
      </div>
    </div>
  );
}

function Ranges({ last, view, zoom }: { last: number; view: View; zoom: (from: number, to: number) => void }) {
  const spans = [16, 64, 256, 1024].filter((span) => span < last);
  if (spans.length === 0) return null;
  const all = view.from === 1 && view.to >= last;
  return (
    <div class="choices ranges" role="group" aria-label="Range">
      <span class="legend">Last</span>
      <div class="choices-row">
        {spans.map((span) => (
          <button key={span} type="button" aria-pressed={view.to >= last && view.from === last - span + 1} onClick={() => zoom(last - span + 1, last)}>
            {span}
          </button>
        ))}
        <button type="button" aria-pressed={all} onClick={() => zoom(1, last)}>
          All
        </button>
      </div>
    </div>
  );
}

function Readout({ metric, at, all, hovering }: { metric: Metric; at: PeriodEstimate; all?: PeriodEstimate; hovering: boolean }) {
  const date = periodDate(metric, at.period);
  const half = halfWidth(at);
  const wide = all && halfWidth(all);
  return (
    <p class="readout" aria-live={hovering ? "polite" : "off"} data-testid="readout">
      <b>{date ?? `Period ${count(at.period)}`}</b>
      {date && <span>period {count(at.period)}</span>}
      {at.estimate === null || half === null ? (
        <span>not determined by the reports that are in</span>
      ) : (
        <>
          <span class="key-estimate">{count(at.estimate)}</span>
          <span>± {count(half)}</span>
          {wide && <span>± {count(wide)} for all at once</span>}
        </>
      )}
      {at.expected > 0 && (
        <span>
          {percent(at.reports / at.expected)} of {count(at.expected)} reports in
        </span>
      )}
    </p>
  );
}

export function Key({ shown, level, truth }: { shown: Shown; level: number; truth?: boolean }) {
  return (
    <ul class="key" aria-label="Key">
      <li><i class="swatch line" /> Estimate</li>
      {truth && <li><i class="swatch truth" /> Truth</li>}
      {shown !== "simultaneous" && <li><i class="swatch band" /> {percent(level)}, each period</li>}
      {shown !== "pointwise" && <li><i class="swatch band-all" /> {percent(level)}, all at once</li>}
      <li><i class="swatch reports" /> Reports in, of those due</li>
    </ul>
  );
}

function Take({ metric, view, series }: { metric: Metric; view: View; series: Series }) {
  const [said, setSaid] = useState("");
  const path = estimatesPath(metric.name, view.estimator, view.level, view.shown === "simultaneous" ? "simultaneous" : "pointwise");
  const file = `${metric.name}-${view.estimator}`;
  const fetched = async (type: string, ending: string) => {
    try {
      download(`${file}.${ending}`, type, await (await call(path, { accept: type })).text());
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      setSaid("The link is copied. It keeps this view.");
    } catch {
      setSaid(`Copy the address of this page: it keeps the view.`);
    }
  };
  return (
    <div class="take">
      <span class="legend">Take it with you</span>
      <button type="button" onClick={() => fetched("text/csv", "csv")}>CSV</button>
      <button type="button" onClick={() => fetched("application/json", "json")}>JSON</button>
      <button type="button" onClick={() => download(`${file}.svg`, "image/svg+xml", chartSvg(series, metric, view))}>SVG</button>
      <button type="button" onClick={copy}>Copy link</button>
      <span role="status" class="hint">{said}</span>
    </div>
  );
}

const shownRows = 24;

function Table({ metric, periods, view }: { metric: Metric; periods: PeriodEstimate[]; view: View }) {
  const [open, setOpen] = useState(false);
  const rows = open ? periods.filter((at) => at.period >= view.from && at.period <= view.to).slice(-shownRows).reverse() : [];
  const cell = (value: number | null) => (value === null ? "–" : count(value));
  return (
    <details class="figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Estimates as a table">
        <table>
          <caption>The latest {shownRows} periods of the view; the files above have all of them.</caption>
          <thead>
            <tr>
              {["Period", "Estimate", "Lower", "Upper", "Std. deviation", "Reports in", "Due"].map((head) => <th key={head} scope="col">{head}</th>)}
            </tr>
          </thead>
          <tbody>
            {rows.map((at) => (
              <tr key={at.period}>
                <th scope="row">{periodDate(metric, at.period) ?? count(at.period)}</th>
                {[at.estimate, at.lower, at.upper, at.stddev, at.reports, at.expected].map((value, i) => <td key={i}>{cell(value)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Below({ metric, periods }: { metric: Metric; periods: PeriodEstimate[] }) {
  const { plan } = metric;
  const total = plan.views.reduce((sum, view) => sum + view.weight, 0);
  const health = healthOf(metric, periods);
  const left = plan.periods - periodsGone(metric);
  return (
    <div class="columns">
      <section>
        <h2>Devices per view</h2>
        <p class="hint">Each device drew one view when it joined, whatever its value, and reports only that.</p>
        <table class="views">
          <thead>
            <tr><th scope="col">Reports</th><th scope="col">Devices</th><th scope="col">Share</th></tr>
          </thead>
          <tbody>
            {plan.views.map((view, i) => {
              const devices = metric.views?.[i]?.devices;
              const share = devices !== undefined && metric.devices > 0 ? devices / metric.devices : view.weight / total;
              return (
                <tr key={i}>
                  <th scope="row">{viewName(view)}</th>
                  <td>{devices === undefined ? "–" : count(devices)}</td>
                  <td><meter min={0} max={1} value={share} aria-label={`${percent(share)} of the devices`} /> {percent(share)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      <section>
        <h2>Health</h2>
        <p class="hint"><span class={`dot ${health.state}`} aria-hidden="true" /> {health.word}. {health.why}</p>
        <dl class="facts">
          <Fact label="Reports in">{count(metric.reports ?? 0)}</Fact>
          <Fact label="Duplicates since the start">{count(metric.duplicates ?? 0)}</Fact>
          <Fact label="Rejected since the start">{count(metric.rejected ?? 0)}</Fact>
          <Fact label="Devices">{count(metric.devices)}</Fact>
        </dl>
        {metric.clock === "manual" && left > 0 && <Advance metric={metric} />}
      </section>
      <section>
        <h2>Privacy</h2>
        <p class="hint">
          All that a device ever sends here is worth ε = {plan.epsilon}, over all {count(plan.periods)} periods together.
        </p>
        <dl class="facts">
          <Fact label="Protocol">{plan.protocol}</Fact>
          <Fact label="Changes counted, at most">{count(plan.max_changes)}</Fact>
          <Fact label="Periods to come">{count(left)}</Fact>
          {metric.period_seconds && <Fact label="A period lasts">{duration(metric.period_seconds)}</Fact>}
        </dl>
        <a class="more" href={href(["metric", metric.name, "protection"])}>What is protected, and what is not</a>
      </section>
    </div>
  );
}

/** A clock that is moved by hand: the next period, with the token of this tab. */
function Advance({ metric }: { metric: Metric }) {
  const [said, setSaid] = useState("");
  const token = readToken();
  if (!token) return null;
  const advance = () =>
    advanceMetric(metric.name, token).then(
      () => setSaid("The next period runs."),
      (error: unknown) => setSaid(error instanceof ApiError ? error.message : String(error)),
    );
  return (
    <p>
      <button type="button" onClick={advance}>End period {count(metric.current_period)}</button> <span role="status" class="hint">{said}</span>
    </p>
  );
}
