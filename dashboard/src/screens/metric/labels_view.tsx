// A metric of labels or texts: who leads, the top labels over time, and one period.
import "./values.css";
import { useMemo, useState } from "preact/hooks";
import {
  getValues,
  periodsGone,
  type CategoryValue,
  type Estimates,
  type Metric,
  type TextValue,
  type ValueQuery,
} from "../../collector/api";
import { Completeness } from "../../chart/completeness";
import { Plot, type Drawing } from "../../chart/plot";
import { drawingSvg } from "../../chart/svg";
import { curveColours, curvesOf, mostCurves, shareSeries, stackOf, type Curve } from "../../estimates/labels";
import { verticalRange } from "../../estimates/series";
import { Failed, Waiting } from "../../parts/notices";
import { useLoad } from "../../state/connection";
import { periodDate, periodTick } from "../../dates";
import { count, percent, percentLike } from "../../words";
import { Candidates } from "./candidates";
import { ChartKeys } from "./chart_keys";
import { AboutFigures } from "./about_figures";
import { MetricFacts } from "./facts";
import { ValueDownloads } from "./files";
import { LabelSentence } from "./label_sentence";
import { OnePeriod } from "./one_period";
import { firstAsked, useSelection, useValueSelection, zoomTo, type Selection, type ValueSelection } from "./selection";
import { TextChoice } from "./text_choice";
import { bandOf, ValueControls } from "./value_controls";
import { Warnings } from "./warnings";
import { BeforeAfter, canCompare, spansOf, useComparison } from "./before_after";
import { marksOf, Notes } from "./notes";
import { SegmentChoice, segmentQuery, useSegment } from "./segment_choice";

interface LabelsProps {
  metric: Metric;
  value: CategoryValue | TextValue;
  tick: number;
}

const labelsOf = (value: CategoryValue | TextValue) =>
  value.kind === "text" ? [] : value.other === undefined ? value.labels : [...value.labels, value.other];

export function LabelsView({ metric, value, tick }: LabelsProps) {
  const gone = periodsGone(metric);
  const selection = useSelection(gone);
  const values = useValueSelection(gone);
  const chosen = useSegment(metric);
  const labels = labelsOf(value);
  const texts = value.kind === "text" ? values.texts.slice(0, mostCurves) : null;
  const query: ValueQuery = {
    from: firstAsked(selection, mostCurves),
    to: gone,
    level: selection.level,
    band: bandOf(selection),
    window: values.window,
    ...(labels.length > mostCurves && { top: mostCurves }),
    ...segmentQuery(chosen),
  };
  const load = async (signal: AbortSignal): Promise<Estimates | null> => {
    if (!texts) return getValues(metric.name, query, signal);
    const answers = await Promise.all(texts.map((label) => getValues(metric.name, { ...query, label }, signal)));
    return answers[0] ? { ...answers[0], periods: answers.flatMap(({ periods }) => periods) } : null;
  };
  const key = JSON.stringify([metric.name, query, texts]);
  const { data, error } = useLoad(key, tick, load, `${metric.name} ${texts?.join("\n")}`);
  const curves = useMemo(() => curvesOf(data?.periods ?? []), [data]);
  const names = curves.map(({ label }) => label);
  const colours = new Map(curveColours(names, labels).map((colour, i) => [names[i]!, colour]));
  return (
    <>
      <SegmentChoice metric={metric} chosen={chosen} compares={false} />
      {texts && <TextChoice texts={texts} candidates={metric.candidates ?? []} />}
      {texts && metric.candidates && (
        <Candidates metric={metric} tick={tick} level={selection.level} window={values.window} />
      )}
      {error && <Failed message={error} />}
      {!data && !error && texts?.length !== 0 && <Waiting what="estimates" />}
      {data && (
        <>
          <section class="now" aria-label="Now">
            <LabelSentence metric={metric} curves={curves} level={selection.level} window={values.window} />
            <Warnings estimates={data} />
          </section>
          <OverTime
            metric={metric}
            labels={labels}
            curves={curves}
            colours={[...colours.values()]}
            selection={selection}
            values={values}
            query={query}
            answer={data}
            tick={tick}
          />
        </>
      )}
      {value.kind === "category" && (
        <OnePeriod
          metric={metric}
          selection={selection}
          values={values}
          tick={tick}
          colours={colours}
          segment={segmentQuery(chosen)}
        />
      )}
      <MetricFacts metric={metric} periods={curves[0]?.rows ?? []} segment={chosen.segment} />
    </>
  );
}

interface OverTimeProps {
  metric: Metric;
  labels: string[];
  curves: Curve[];
  /** By curve. */
  colours: string[];
  selection: Selection;
  values: ValueSelection;
  query: ValueQuery;
  answer: Estimates;
  tick: number;
}

function OverTime({ metric, labels, curves, colours, selection, values, query, answer, tick }: OverTimeProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const asked: Record<string, string | number> =
    labels.length === 0 ? { label: curves[0]?.label ?? "" } : labels.length > mostCurves ? { top: mostCurves } : {};
  const comparison = useComparison(metric, selection.level, tick, {
    ...asked,
    ...(query.segment && { segment: query.segment }),
  });
  const stacked = values.look === "stack" && labels.length > 0;
  const whole = labels.length > 0 && curves.length === labels.length;
  const drawing = useMemo(() => (stacked ? stackDrawing : lineDrawing)(curves, colours, whole), [curves, stacked]);
  const first = curves[0];
  if (!first) {
    return (
      <p class="notice" data-testid="no-label">
        No label stands out from the noise yet. More devices or a mean of several periods make the noise smaller.
      </p>
    );
  }
  const last = periodsGone(metric);
  const series = shareSeries(first);
  const row = hovered ?? first.rows.length - 1;
  return (
    <section class="figure" aria-label="Over time">
      <ValueControls metric={metric} selection={selection} values={values} last={last} stacks={labels.length > 0} />
      <Readout metric={metric} curves={curves} colours={colours} row={row} hovering={hovered !== null} />
      <Plot
        drawing={drawing}
        from={selection.from}
        to={selection.to}
        label={(period) => periodTick(metric, period)}
        figure={(share) => percent(share).replace("-", "−")}
        onZoom={(from, to) => zoomTo(from, to, last)}
        onHover={setHovered}
        onDrag={comparison.choosing ? (from, to) => comparison.take(comparison.choosing!, { from, to }) : undefined}
        marks={marksOf(metric)}
        spans={spansOf(comparison, null)}
        summary={`Shares of ${curves.map(({ label }) => label).join(", ")} by period, ${count(selection.from)} to ${count(selection.to)}.`}
      />
      <Completeness
        series={series}
        from={selection.from}
        to={selection.to}
        label={(period) => periodDate(metric, period) ?? `Period ${count(period)}`}
      />
      <ul class="key" aria-label="Key">
        {curves.map(({ label }, i) => (
          <li key={label}>
            <i class="swatch line" style={{ borderColor: `var(--${colours[i]})` }} /> {label}
          </li>
        ))}
        {stacked && !whole && (
          <li>
            <i class="swatch reports" /> All other labels
          </li>
        )}
        {!stacked && <li>Shaded: {percent(selection.level)} range</li>}
      </ul>
      <Notes metric={metric} from={selection.from} to={selection.to} compares={canCompare(metric)} />
      <BeforeAfter metric={metric} comparison={comparison} />
      <p class="hint">
        {stacked
          ? "Noise can make a share negative or the sum larger than all. Such a share is drawn as 0, and the stack is scaled to 100%. "
          : ""}
        {labels.length > curves.length &&
          `The ${curves.length} largest of ${count(labels.length)} labels. Each stands out from the noise at the end of the range. `}
      </p>
      <AboutFigures estimates={answer} />
      <ChartKeys metric={metric} />
      <ValueDownloads
        metric={metric}
        query={labels.length > 0 ? query : { ...query, label: first.label }}
        svg={() =>
          drawingSvg({
            drawing,
            metric,
            from: selection.from,
            to: selection.to,
            words: stacked ? "shares, scaled to 100%" : `shares, ${percent(selection.level)} ranges`,
            figure: (share) => percent(share),
            names: curves.map(({ label }) => label),
          })
        }
      />
    </section>
  );
}

function lineDrawing(curves: Curve[], colours: string[]): Drawing {
  const series = curves.map(shareSeries);
  return {
    period: series[0]?.period ?? [],
    areas: series.map(({ lower, upper }, i) => ({ lower, upper, colour: colours[i]!, strength: "22" })),
    lines: series.map(({ estimate }, i) => ({ values: estimate, colour: colours[i]! })),
    range: (from, to) => {
      const each = series.map((one) => verticalRange(one, from, to, 1));
      return [Math.min(...each.map(([low]) => low)), Math.max(...each.map(([, high]) => high))];
    },
  };
}

function stackDrawing(curves: Curve[], colours: string[], whole: boolean): Drawing {
  const layers = stackOf(curves, whole);
  const named = layers.map((layer, i) => ({ ...layer, colour: colours[i] ?? "edge" }));
  return {
    period: curves[0]?.rows.map((at) => at.period) ?? [],
    areas: named.map((layer) => ({ ...layer, strength: layer.colour === "edge" ? "30" : "a6" })),
    markLatest: false,
    lines: named.map(({ upper, colour }) => ({ values: upper, colour, width: 1.5 })),
    range: () => [0, 1],
  };
}

interface ReadoutProps {
  metric: Metric;
  curves: Curve[];
  colours: string[];
  row: number;
  hovering: boolean;
}

function Readout({ metric, curves, colours, row, hovering }: ReadoutProps) {
  const period = curves[0]?.rows[row]?.period;
  if (period === undefined) return null;
  const date = periodDate(metric, period);
  return (
    <p class="readout" aria-live={hovering ? "polite" : "off"} data-testid="readout">
      <b>{date ?? `Period ${count(period)}`}</b>
      {curves.map(({ label, rows }, i) => {
        const { share, share_upper } = rows[row]!;
        return (
          <span key={label}>
            {label}{" "}
            {share === null || share_upper === null ? (
              "not known"
            ) : (
              <b style={{ color: `var(--${colours[i]})` }}>{percentLike(share, share_upper - share)}</b>
            )}
          </span>
        );
      })}
    </p>
  );
}
