import { useMemo, useState } from "preact/hooks";
import {
  getEstimates, getMetric, metricPath, periodsGone,
  type Band, type Estimates, type Estimator, type Metric, type PeriodEstimate,
} from "./api";
import { Chart } from "./chart";
import { Completeness } from "./completeness";
import { useEvents, useLoad } from "./connection";
import { MetricFacts } from "./metric_facts";
import { Table, Take } from "./metric_files";
import { halfWidth, inWords, Sentence, Verdict } from "./metric_summary";
import { Choices, Failed, Title, Waiting } from "./parts";
import { href, keepInLink, useRoute } from "./route";
import { seriesOf } from "./series";
import { count, many, percent, periodDate, periodTick } from "./words";

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
      <MetricFacts metric={metric} periods={estimates.data?.pointwise.periods ?? []} />
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
      <MetricFacts metric={metric} periods={[]} />
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
