// Each segment as a line, and the newest figure of each.
import { useMemo, useState } from "preact/hooks";
import { getValues, periodsGone, type Estimates, type Metric, type ValueQuery } from "../../collector/api";
import { Plot, type Drawing } from "../../chart/plot";
import { drawingSvg } from "../../chart/svg";
import { curveColours, type Curve } from "../../estimates/labels";
import { axisText, meanText, numberOf } from "../../estimates/mean";
import { segmentCurves, largest } from "../../estimates/segments";
import { verticalRange, type Series } from "../../estimates/series";
import { ConfidenceChoice } from "../../parts/estimate_choices";
import { Failed, Waiting } from "../../parts/notices";
import { useLoad } from "../../state/connection";
import { href } from "../../state/route";
import { periodDate, periodTick } from "../../dates";
import { count, percent, percentLike, shareSaid } from "../../words";
import { ChartKeys } from "./chart_keys";
import { ValueDownloads } from "./files";
import { marksOf, Notes } from "./notes";
import { Ranges } from "./ranges";
import { firstAsked, zoomTo, type Selection } from "./selection";

interface Props {
  metric: Metric;
  selection: Selection;
  tick: number;
}

export function SegmentsView({ metric, selection, tick }: Props) {
  const { values } = metric.plan.segment!;
  const query = {
    by: "segment",
    from: firstAsked(selection, values.length),
    to: periodsGone(metric),
    level: selection.level,
  };
  const { data, error } = useLoad<Estimates>(
    `${metric.name} ${JSON.stringify(query)}`,
    tick,
    (signal) => getValues(metric.name, query, signal),
    `${metric.name} by segment`,
  );
  const all = useMemo(() => segmentCurves(data?.periods ?? []), [data]);
  if (error) return <Failed message={error} />;
  if (!data) return <Waiting what="the segments" />;
  return <Lines metric={metric} selection={selection} all={all} query={query} />;
}

/** One curve in the unit of the chart. */
function seriesOf({ rows }: Curve, isNumber: boolean): Series {
  const none = rows.map(() => null);
  return {
    period: rows.map(({ period }) => period),
    estimate: rows.map((at) => (isNumber ? (at.mean ?? null) : at.share)),
    lower: rows.map((at) => (isNumber ? (at.mean_lower ?? null) : at.share_lower)),
    upper: rows.map((at) => (isNumber ? (at.mean_upper ?? null) : at.share_upper)),
    lowerAll: none,
    upperAll: none,
    complete: none,
    truth: null,
  };
}

interface LinesProps {
  metric: Metric;
  selection: Selection;
  all: Curve[];
  query: ValueQuery;
}

function Lines({ metric, selection, all, query }: LinesProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const number = numberOf(metric);
  const segments = metric.plan.segment!;
  const curves = largest(all);
  const names = curves.map(({ label }) => label);
  const colours = curveColours(names, segments.values);
  const drawing = useMemo<Drawing>(() => {
    const series = curves.map((curve) => seriesOf(curve, number !== null));
    const top = number ? Math.max(Math.abs(number.low), Math.abs(number.high)) : 1;
    return {
      period: series[0]?.period ?? [],
      areas: series.map(({ lower, upper }, i) => ({ lower, upper, colour: colours[i]!, strength: "1c" })),
      lines: series.map(({ estimate }, i) => ({ values: estimate, colour: colours[i]! })),
      range: (from, to) => {
        const each = series.map((one) => verticalRange(one, from, to, top));
        return [Math.min(...each.map(([low]) => low)), Math.max(...each.map(([, high]) => high))];
      },
    };
  }, [all]);
  const last = periodsGone(metric);
  const row = hovered ?? drawing.period.length - 1;
  const period = drawing.period[row];
  if (period === undefined) return <p>Nothing is known yet, because no period is over.</p>;
  const figure = (value: number) => (number ? axisText(value) : percent(value).replace("-", "−"));
  return (
    <section class="figure" aria-label="By segment" data-testid="by-segment">
      <div class="controls">
        <ConfidenceChoice value={selection.level} />
        <Ranges last={last} selection={selection} zoom={(from, to) => zoomTo(from, to, last)} />
      </div>
      <p class="readout" aria-live={hovered === null ? "off" : "polite"} data-testid="readout">
        <b>{periodDate(metric, period) ?? `Period ${count(period)}`}</b>
        {curves.map(({ label, rows }, i) => (
          <span key={label}>
            {label} <b style={{ color: `var(--${colours[i]})` }}>{said(metric, rows[row])}</b>
          </span>
        ))}
      </p>
      <Plot
        drawing={drawing}
        from={selection.from}
        to={selection.to}
        label={(at) => periodTick(metric, at)}
        figure={figure}
        onZoom={(from, to) => zoomTo(from, to, last)}
        onHover={setHovered}
        summary={`${number ? "Means" : "Shares"} by ${segments.name} and period: ${names.join(", ")}.`}
        marks={marksOf(metric)}
      />
      <ul class="key" aria-label="Key">
        {names.map((name, i) => (
          <li key={name}>
            <i class="swatch line" style={{ borderColor: `var(--${colours[i]})` }} /> {name}
          </li>
        ))}
        <li>Shaded: {percent(selection.level)} range of one period</li>
      </ul>
      <Notes metric={metric} from={selection.from} to={selection.to} compares={false} />
      {all.length > curves.length && (
        <p class="hint">
          The {curves.length} largest of {count(all.length)} segments have lines; the table has all.
        </p>
      )}
      <div class="scroll segments-table" tabIndex={0} role="region" aria-label="Segments in figures">
        <table>
          <caption>
            {periodDate(metric, period) ?? `Period ${count(period)}`}. A small segment has few devices and much noise.
          </caption>
          <thead>
            <tr>
              <th scope="col">{segments.name}</th>
              <th scope="col">Devices</th>
              <th scope="col">{number ? "Mean" : "Share"}</th>
            </tr>
          </thead>
          <tbody>
            {all.map(({ label, rows }) => (
              <tr key={label}>
                <th scope="row">
                  <a href={href(["metric", metric.name], { segment: label })}>{label}</a>
                </th>
                <td>{count(rows[row]?.devices ?? 0)}</td>
                <td>{said(metric, rows[row], true)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">The attribute “{segments.name}” is public: devices state it when they join.</p>
      <ChartKeys metric={metric} />
      <ValueDownloads
        metric={metric}
        query={query}
        of={`by-${segments.name}`}
        svg={() =>
          drawingSvg({
            drawing,
            metric,
            from: selection.from,
            to: selection.to,
            words: `${number ? "means" : "shares"} by ${segments.name}, ${percent(selection.level)} ranges`,
            figure,
            names,
          })
        }
      />
    </section>
  );
}

function said(metric: Metric, at: Curve["rows"][number] | undefined, withNoise = false): string {
  const number = numberOf(metric);
  if (!at) return "not known";
  if (number) {
    if (at.mean == null || at.mean_upper == null) return "not known";
    const half = meanText(at.mean_upper - at.mean, number);
    return withNoise ? `${meanText(at.mean, number)} ± ${half}` : meanText(at.mean, number);
  }
  if (at.share === null || at.share_upper === null) return "not known";
  const half = at.share_upper - at.share;
  return withNoise ? shareSaid(at.share, half) : percentLike(at.share, half);
}
