import "./metric_screen.css";
import { useMemo, useState } from "preact/hooks";
import { getMetric, metricPath, periodsGone, type Estimates, type Metric } from "../../collector/api";
import { Chart, drawingOf } from "../../chart/chart";
import { drawingSvg } from "../../chart/svg";
import { ChartKeys } from "./chart_keys";
import { Completeness } from "../../chart/completeness";
import { useEvents, useLoad } from "../../state/connection";
import { Key } from "../../chart/key";
import { useBands } from "../../estimates/use_bands";
import { Beginning } from "./beginning";
import { MetricFacts } from "./facts";
import { Downloads, Table } from "./files";
import { Panels } from "./panels";
import { Ranges } from "./ranges";
import { Readout } from "./readout";
import { Warnings } from "./warnings";
import { BeforeAfter, canCompare, spansOf, useComparison } from "./before_after";
import { marksOf, Notes } from "./notes";
import { PairView } from "./pair_view";
import { SegmentChoice, useSegment } from "./segment_choice";
import { SegmentsView } from "./segments_view";
import { DistributionView } from "./distribution_view";
import { LabelsView } from "./labels_view";
import { estimators, figures, ranges } from "../../estimates/options";
import { TestBadge } from "../../parts/badge";
import { useSelection, zoomTo, type Selection } from "./selection";
import { AboutFigures } from "./about_figures";
import { inWords, MeanSentence, Sentence, ShareSentence, Verdict } from "./summary";
import { Choices } from "../../parts/choices";
import { ConfidenceChoice, EstimatorChoice } from "../../parts/estimate_choices";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { href, keepInLink } from "../../state/route";
import { asMeans, axisText, numberOf } from "../../estimates/mean";
import { asShares } from "../../estimates/shares";
import { beyondChart, greyNoisy, seriesOf, type Series } from "../../estimates/series";
import { periodDate, periodTick } from "../../dates";
import { compact, count, many, percent } from "../../words";

export function MetricScreen({ name }: { name: string }) {
  const tick = useEvents(`${metricPath(name)}/events`, 400);
  const { data: metric, error } = useLoad<Metric>(name, tick, (signal) => getMetric(name, signal));
  return (
    <div class="wide">
      <header class="screen-head metric-head">
        <p class="crumb">
          <a href={href([])}>Metrics</a>
        </p>
        <Title title={name}>{name}</Title>
        {metric && (
          <p class="lead">
            {metric.description || "No description."} <TestBadge metric={metric} />
          </p>
        )}
      </header>
      {error && <Failed message={error} />}
      {!metric && !error && <Waiting what="the metric" />}
      {metric && <Loaded metric={metric} tick={tick} />}
      {metric && (
        <p class="hint operator">
          <a href={href(["metric", name, "operate"])}>Operate this metric</a>, or note what happened on a date
        </p>
      )}
    </div>
  );
}

function Loaded({ metric, tick }: { metric: Metric; tick: number }) {
  const { value } = metric.plan;
  if (metric.devices === 0 || periodsGone(metric) < 1) return <Beginning metric={metric} />;
  switch (value?.kind) {
    case "category":
    case "text":
      return <LabelsView metric={metric} value={value} tick={tick} />;
    case "distribution":
      return <DistributionView metric={metric} value={value} tick={tick} />;
    default:
      return <CountView metric={metric} tick={tick} />;
  }
}

function CountView({ metric, tick }: { metric: Metric; tick: number }) {
  const gone = periodsGone(metric);
  const selection = useSelection(gone);
  const chosen = useSegment(metric);
  const estimates = useBands(metric.name, { ...selection, segment: chosen.segment }, tick);
  const choice = <SegmentChoice metric={metric} chosen={chosen} compares />;
  const periods = estimates.data?.pointwise.periods ?? [];
  if (chosen.each || (chosen.segment !== null && chosen.against !== null)) {
    return (
      <>
        {choice}
        {chosen.each ? (
          <SegmentsView metric={metric} selection={selection} tick={tick} />
        ) : (
          <PairView
            metric={metric}
            selection={selection}
            segment={chosen.segment!}
            against={chosen.against!}
            tick={tick}
          />
        )}
        <MetricFacts metric={metric} periods={periods} segment={chosen.segment} />
      </>
    );
  }
  const as = (data: Estimates) => (numberOf(metric) ? asMeans(data) : data);
  return (
    <>
      {choice}
      {estimates.error && <Failed message={estimates.error} />}
      {!estimates.data && !estimates.error && <Waiting what="estimates" />}
      {estimates.data && (
        <Estimated
          metric={metric}
          selection={selection}
          pointwise={as(estimates.data.pointwise)}
          simultaneous={estimates.data.simultaneous && as(estimates.data.simultaneous)}
          tick={tick}
          segment={chosen.segment}
        />
      )}
      <MetricFacts metric={metric} periods={periods} segment={chosen.segment} />
    </>
  );
}

interface EstimatedProps {
  metric: Metric;
  selection: Selection;
  pointwise: Estimates;
  simultaneous: Estimates | null;
  tick: number;
  segment: string | null;
}

function Estimated({ metric, selection, pointwise, simultaneous, tick, segment }: EstimatedProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const comparison = useComparison(metric, selection.level, tick, segment === null ? {} : { segment });
  const number = numberOf(metric);
  const share = !number && selection.as === "share";
  const series = useMemo(() => {
    const [one, atOnce] = [pointwise, simultaneous].map((each) => each && (share ? asShares(each) : each).periods);
    const all = seriesOf(one!, atOnce ?? null, null);
    const full = pointwise.periods.map(({ devices }) => (number ? number.high - number.low : share ? 1 : devices));
    const shown = greyNoisy(all, full);
    return selection.shown === "simultaneous" ? { ...shown, lower: shown.estimate, upper: shown.estimate } : shown;
  }, [pointwise, simultaneous, selection.shown, share]);
  const noisy = series.noisy!.some((value) => value !== null);
  const last = pointwise.periods[pointwise.periods.length - 1];
  if (!last) return <Beginning metric={metric} />;
  const zoom = (from: number, to: number) => zoomTo(from, to, last.period);
  const what = number ? "mean" : share ? "share of devices" : "number of devices";
  const summary = `Estimated ${what} by period, ${count(selection.from)} to ${count(selection.to)}, with ${percent(selection.level)} ranges.${number ? "" : ` ${inWords(metric, last)}`}`;
  const most = Math.max(...pointwise.periods.map(({ devices }) => devices));
  const top = number ? Math.max(Math.abs(number.low), Math.abs(number.high)) : share ? 1 : most;
  const figure = number ? axisText : share ? (value: number) => percent(value).replace("-", "−") : compact;
  const svg = () =>
    drawingSvg({
      drawing: drawingOf(series, top),
      metric,
      from: selection.from,
      to: selection.to,
      words: `${segment === null ? "" : `${segment}, `}${what}, ${selection.estimator} estimate, ${percent(selection.level)} ranges`,
      figure,
      names: [],
    });
  return (
    <>
      <section class="now" aria-label="Now">
        {number ? (
          <MeanSentence metric={metric} number={number} at={last} level={selection.level} />
        ) : (
          <>
            {metric.seasons ? (
              <ShareSentence metric={metric} at={last} level={selection.level} />
            ) : (
              <Sentence metric={metric} periods={pointwise.periods} level={selection.level} as={selection.as} />
            )}
            <Verdict periods={pointwise.periods} level={selection.level} metric={metric} />
          </>
        )}
        <Warnings estimates={pointwise} />
      </section>
      <section class="figure" aria-label="Over time">
        <div class="controls">
          {!number && (
            <Choices
              name="as"
              label="Show"
              value={selection.as}
              choices={figures}
              onChange={(value) => keepInLink({ as: value === "count" ? undefined : value })}
            />
          )}
          {!metric.seasons && <EstimatorChoice value={selection.estimator} />}
          <Choices
            name="band"
            label="Range"
            value={selection.shown}
            choices={ranges}
            onChange={(value) => keepInLink({ band: value })}
          />
          <ConfidenceChoice value={selection.level} />
          <Ranges last={last.period} selection={selection} zoom={zoom} />
        </div>
        <Readout
          metric={metric}
          at={pointwise.periods[hovered ?? -1] ?? last}
          all={simultaneous?.periods[hovered ?? pointwise.periods.length - 1]}
          share={share}
          hovering={hovered !== null}
        />
        <Chart
          series={series}
          devices={top}
          from={selection.from}
          to={selection.to}
          label={(period) => periodTick(metric, period)}
          figure={figure}
          onZoom={zoom}
          onDrag={comparison.choosing ? (from, to) => comparison.take(comparison.choosing!, { from, to }) : undefined}
          onHover={setHovered}
          summary={summary}
          marks={marksOf(metric)}
          spans={spansOf(comparison, number ? "mean" : share ? "share" : "estimate")}
        />
        <Completeness
          series={series}
          from={selection.from}
          to={selection.to}
          label={(period) => periodDate(metric, period) ?? `Period ${count(period)}`}
        />
        <Key shown={selection.shown} level={selection.level} noisy={noisy} />
        <Notes metric={metric} from={selection.from} to={selection.to} compares={canCompare(metric)} />
        <BeforeAfter metric={metric} comparison={comparison} />
        {!number && <Beyond series={series} selection={selection} devices={top} />}
        {metric.seasons && <Panels metric={metric} at={last} level={selection.level} alarm={pointwise.alarm} />}
        <ChartKeys metric={metric} />
        <AboutFigures estimates={pointwise} estimator={estimators.find((e) => e.value === selection.estimator)!.hint} />
        <p class="hint compare-link">
          <a href={href(["compare"], { first: metric.name })}>Compare with another metric</a>
        </p>
        <Downloads metric={metric} selection={selection} segment={segment} svg={svg} />
        <Table metric={metric} periods={pointwise.periods} selection={selection} />
      </section>
    </>
  );
}

/** Says what the chart cannot show without squeezing the rest. */
function Beyond({ series, selection, devices }: { series: Series; selection: Selection; devices: number }) {
  const { below, above } = beyondChart(series, selection.from, selection.to, devices);
  if (below + above === 0) return null;
  return (
    <p class="hint warned" data-testid="beyond">
      Outside the chart: {many(below, "estimate")} below and {count(above)} above it. Noise can take an estimate below
      none or above all; the table and the files have the figures.
    </p>
  );
}
