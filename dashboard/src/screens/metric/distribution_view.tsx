// A distribution: its median and quartiles over time as a fan, the mean, a heat map, and one period.
import "./values.css";
import { useMemo, useState } from "preact/hooks";
import { getValues, periodsGone, type DistributionValue, type Estimates, type Metric } from "../../collector/api";
import { Completeness } from "../../chart/completeness";
import { Plot, type Drawing } from "../../chart/plot";
import { drawingSvg } from "../../chart/svg";
import { shareSeries } from "../../estimates/labels";
import { axisText, meanText } from "../../estimates/mean";
import { fanOf, fanRange, quantiles, type Fan } from "../../estimates/quantiles";
import type { Column } from "../../estimates/series";
import { Failed, Waiting } from "../../parts/notices";
import { useLoad } from "../../state/connection";
import { periodDate, periodTick } from "../../dates";
import { count, many, percent } from "../../words";
import { ChartKeys } from "./chart_keys";
import { Heat } from "./heat";
import { AboutFigures } from "./about_figures";
import { MetricFacts } from "./facts";
import { ValueDownloads } from "./files";
import { OnePeriod } from "./one_period";
import { firstAsked, useSelection, useValueSelection, zoomTo } from "./selection";
import { when } from "./summary";
import { bandOf, ValueControls } from "./value_controls";
import { Warnings } from "./warnings";
import { BeforeAfter, canCompare, spansOf, useComparison } from "./before_after";
import { marksOf, Notes } from "./notes";
import { SegmentChoice, segmentQuery, useSegment } from "./segment_choice";

interface DistributionProps {
  metric: Metric;
  value: DistributionValue;
  tick: number;
}

interface Both {
  fan: Estimates;
  means: Estimates;
}

export function DistributionView({ metric, value, tick }: DistributionProps) {
  const gone = periodsGone(metric);
  const selection = useSelection(gone);
  const values = useValueSelection(gone);
  const [hovered, setHovered] = useState<number | null>(null);
  const chosen = useSegment(metric);
  const common = {
    from: firstAsked(selection, quantiles.length),
    to: gone,
    level: selection.level,
    band: bandOf(selection),
    window: values.window,
    ...segmentQuery(chosen),
  };
  const query = { ...common, quantile: quantiles.join(",") };
  const { data, error } = useLoad<Both>(
    `${metric.name} ${JSON.stringify(common)}`,
    tick,
    async (signal) => {
      const [fan, means] = await Promise.all([
        getValues(metric.name, query, signal),
        getValues(metric.name, common, signal),
      ]);
      return { fan, means };
    },
    metric.name,
  );
  const fan = useMemo(() => fanOf(data?.fan.periods ?? []), [data]);
  const means = useMemo(() => data?.means.periods.map((at) => at.mean ?? null) ?? [], [data]);
  const drawing = useMemo(() => fanDrawing(fan, means, value), [fan, means]);
  const figure = (at: number) => meanText(at, value);
  const comparison = useComparison(metric, selection.level, tick, segmentQuery(chosen));
  const row = hovered ?? fan.period.length - 1;
  const last = fan.median[fan.median.length - 1];
  return (
    <>
      <SegmentChoice metric={metric} chosen={chosen} compares={false} />
      {error && <Failed message={error} />}
      {!data && !error && <Waiting what="estimates" />}
      {data && last && (
        <>
          <section class="now" aria-label="Now">
            <MedianSentence metric={metric} value={value} fan={fan} means={data.means} level={selection.level} />
            <Warnings estimates={data.means} />
          </section>
          <section class="figure" aria-label="Over time">
            <ValueControls metric={metric} selection={selection} values={values} last={gone} />
            <Readout metric={metric} fan={fan} means={means} row={row} figure={figure} hovering={hovered !== null} />
            <Plot
              drawing={drawing}
              from={selection.from}
              to={selection.to}
              label={(period) => periodTick(metric, period)}
              figure={axisText}
              onZoom={(from, to) => zoomTo(from, to, gone)}
              onHover={setHovered}
              onDrag={
                comparison.choosing ? (from, to) => comparison.take(comparison.choosing!, { from, to }) : undefined
              }
              marks={marksOf(metric)}
              spans={spansOf(comparison, "mean")}
              summary={`Median, quartiles and mean by period, ${count(selection.from)} to ${count(selection.to)}${value.unit ? `, in ${value.unit}` : ""}.`}
            />
            <Completeness
              series={shareSeries({ label: "", rows: fan.median })}
              from={selection.from}
              to={selection.to}
              label={(period) => periodDate(metric, period) ?? `Period ${count(period)}`}
            />
            <ul class="key" aria-label="Key">
              <li>
                <i class="swatch line" /> Median
              </li>
              <li>
                <i class="swatch dotted" /> {percent(selection.level)} range of the median
              </li>
              <li>
                <i class="swatch band" /> Half of the devices (quartiles)
              </li>
              <li>
                <i class="swatch band-all" /> 80% of the devices
              </li>
              <li>
                <i class="swatch mean" /> Mean
              </li>
            </ul>
            <Notes metric={metric} from={selection.from} to={selection.to} compares={canCompare(metric)} />
            <BeforeAfter metric={metric} comparison={comparison} />
            <p class="hint">Values between the ends of a bucket are taken as evenly spread.</p>
            <AboutFigures estimates={data.fan} />
            <ChartKeys metric={metric} />
            <ValueDownloads
              metric={metric}
              query={query}
              svg={() =>
                drawingSvg({
                  drawing,
                  metric,
                  from: selection.from,
                  to: selection.to,
                  words: `median with ${percent(selection.level)} range, quartiles, 80% of the devices, mean`,
                  figure: axisText,
                  names: [],
                })
              }
            />
          </section>
          <Heat metric={metric} value={value} selection={selection} values={values} tick={tick} />
        </>
      )}
      <OnePeriod
        metric={metric}
        selection={selection}
        values={values}
        tick={tick}
        unit={value.unit}
        segment={segmentQuery(chosen)}
      />
      <MetricFacts metric={metric} periods={fan.median} segment={chosen.segment} />
    </>
  );
}

function fanDrawing(fan: Fan, means: Column, value: DistributionValue): Drawing {
  const [p10 = [], p25 = [], p50 = [], p75 = [], p90 = []] = fan.values;
  const end = (key: "value_lower" | "value_upper") => fan.median.map((at) => at[key] ?? null);
  const dotted = { colour: "estimate", width: 1, dash: [2, 3] };
  return {
    period: fan.period,
    areas: [
      { lower: p10, upper: p90, colour: "band-all" },
      { lower: p25, upper: p75, colour: "band" },
    ],
    lines: [
      { values: p50, colour: "estimate" },
      { values: end("value_lower"), ...dotted },
      { values: end("value_upper"), ...dotted },
      { values: means, colour: "second", width: 1.75, dash: [9, 3] },
    ],
    range: (from, to) => fanRange(fan, means, value, from, to),
  };
}

interface SentenceProps {
  metric: Metric;
  value: DistributionValue;
  fan: Fan;
  means: Estimates;
  level: number;
}

function MedianSentence({ metric, value, fan, means, level }: SentenceProps) {
  const at = fan.median[fan.median.length - 1]!;
  const mean = means.periods[means.periods.length - 1];
  const known = at.value != null && at.value_lower != null && at.value_upper != null;
  return (
    <div class="sentence">
      <p class="say" data-testid="say">
        {known ? (
          <>
            The median is <strong>{meanText(at.value!, value)}</strong>,{" "}
            <span class="give">
              between {meanText(at.value_lower!, { ...value, unit: "" })} and {meanText(at.value_upper!, value)}
            </span>
          </>
        ) : (
          "The median is not known."
        )}
      </p>
      <p class="hint">
        {when(metric, at).replace(/^p/, "P")}. Half of {many(at.devices, "device")} are below it ({percent(level)}{" "}
        confidence).
        {mean?.mean != null &&
          mean.mean_upper != null &&
          ` The mean is ${meanText(mean.mean, value)}, give or take ${meanText(mean.mean_upper - mean.mean, value)}.`}
      </p>
    </div>
  );
}

interface ReadoutProps {
  metric: Metric;
  fan: Fan;
  means: Column;
  row: number;
  figure: (at: number) => string;
  hovering: boolean;
}

function Readout({ metric, fan, means, row, figure, hovering }: ReadoutProps) {
  const at = fan.median[row];
  if (!at) return null;
  const [, p25, p50, p75] = fan.values.map((column) => column[row]);
  return (
    <p class="readout" aria-live={hovering ? "polite" : "off"} data-testid="readout">
      <b>{periodDate(metric, at.period) ?? `Period ${count(at.period)}`}</b>
      {p25 == null || p50 == null || p75 == null ? (
        <span>not known from the reports that are in</span>
      ) : (
        <>
          <span>
            median <span class="key-estimate">{figure(p50)}</span>
          </span>
          <span>
            half of the devices from {figure(p25)} to {figure(p75)}
          </span>
        </>
      )}
      {means[row] != null && <span>mean {figure(means[row]!)}</span>}
    </p>
  );
}
