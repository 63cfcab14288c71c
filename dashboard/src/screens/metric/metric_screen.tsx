import "./metric_screen.css";
import { useMemo, useState } from "preact/hooks";
import { getMetric, metricPath, periodsGone, type Estimates, type Metric } from "../../collector/api";
import { Chart } from "../../chart/chart";
import { ChartKeys } from "./chart_keys";
import { Completeness } from "../../chart/completeness";
import { useEvents, useLoad } from "../../state/connection";
import { Key } from "../../chart/key";
import { useBands } from "../../estimates/use_bands";
import { Beginning } from "./beginning";
import { MetricFacts } from "./facts";
import { Downloads, Table } from "./files";
import { Life } from "./life";
import { Ranges } from "./ranges";
import { Readout } from "./readout";
import { Warnings } from "./warnings";
import { DistributionView } from "./distribution_view";
import { LabelsView } from "./labels_view";
import { estimators, ranges } from "../../estimates/options";
import { TestBadge } from "../../parts/badge";
import { useSelection, zoomTo, type Selection } from "./selection";
import { inWords, MeanSentence, Sentence, Verdict } from "./summary";
import { Choices } from "../../parts/choices";
import { ConfidenceChoice, EstimatorChoice } from "../../parts/estimate_choices";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { href, keepInLink } from "../../state/route";
import { asMeans, numberOf } from "../../estimates/mean";
import { beyondChart, seriesOf, type Series } from "../../estimates/series";
import { count, many, percent, periodTick, roundedUp } from "../../words";

export function MetricScreen({ name }: { name: string }) {
  const tick = useEvents(`${metricPath(name)}/events`, 400);
  const [changes, setChanges] = useState(0);
  const { data: metric, error } = useLoad<Metric>(name, tick + changes, (signal) => getMetric(name, signal));
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
      {metric && <Life metric={metric} changed={() => setChanges(changes + 1)} />}
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
  const estimates = useBands(metric.name, selection, tick);
  const number = numberOf(metric);
  return (
    <>
      {estimates.error && <Failed message={estimates.error} />}
      {!estimates.data && !estimates.error && <Waiting what="estimates" />}
      {estimates.data && (
        <Estimated
          metric={metric}
          selection={selection}
          pointwise={number ? asMeans(estimates.data.pointwise) : estimates.data.pointwise}
          simultaneous={
            number && estimates.data.simultaneous ? asMeans(estimates.data.simultaneous) : estimates.data.simultaneous
          }
        />
      )}
      <MetricFacts metric={metric} periods={estimates.data?.pointwise.periods ?? []} />
    </>
  );
}

interface EstimatedProps {
  metric: Metric;
  selection: Selection;
  pointwise: Estimates;
  simultaneous: Estimates | null;
}

function Estimated({ metric, selection, pointwise, simultaneous }: EstimatedProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const series = useMemo(() => {
    const all = seriesOf(pointwise.periods, simultaneous?.periods ?? null, null);
    return selection.shown === "simultaneous" ? { ...all, lower: all.estimate, upper: all.estimate } : all;
  }, [pointwise, simultaneous, selection.shown]);
  const last = pointwise.periods[pointwise.periods.length - 1];
  if (!last) return <Beginning metric={metric} />;
  const zoom = (from: number, to: number) => zoomTo(from, to, last.period);
  const number = numberOf(metric);
  const what = number ? "mean" : "number of devices";
  const summary = `Estimated ${what} by period, ${count(selection.from)} to ${count(selection.to)}, with ${percent(selection.level)} ranges.${number ? "" : ` ${inWords(metric, last)}`}`;
  const top = number ? Math.max(Math.abs(number.low), Math.abs(number.high)) : metric.devices;
  return (
    <>
      <section class="now" aria-label="Now">
        {number ? (
          <MeanSentence metric={metric} number={number} at={last} level={selection.level} />
        ) : (
          <>
            <Sentence metric={metric} periods={pointwise.periods} level={selection.level} />
            <Verdict periods={pointwise.periods} level={selection.level} metric={metric} />
          </>
        )}
        <Warnings estimates={pointwise} />
      </section>
      <section class="figure" aria-label="Over time">
        <div class="controls">
          <EstimatorChoice value={selection.estimator} />
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
          hovering={hovered !== null}
        />
        <Chart
          series={series}
          devices={top}
          from={selection.from}
          to={selection.to}
          label={(period) => periodTick(metric, period)}
          onZoom={zoom}
          onHover={setHovered}
          summary={summary}
        />
        <Completeness series={series} from={selection.from} to={selection.to} />
        <Key shown={selection.shown} level={selection.level} />
        {!number && <Beyond series={series} selection={selection} devices={metric.devices} />}
        <ChartKeys metric={metric} />
        <p class="hint">
          {estimators.find((e) => e.value === selection.estimator)!.hint}{" "}
          {pointwise.counted && `Counted: ${pointwise.counted}. `}
          {pointwise.assumption && `Assumption: ${pointwise.assumption}.`}
          {pointwise.one_device_moves_at_most != null &&
            ` A device that lies moves the newest period by at most ${pointwise.one_device_moves_at_most.toFixed(1)} devices.`}
          {pointwise.transcript_cap && <Capped cap={pointwise.transcript_cap} />}
        </p>
        <p class="hint">
          <a href={href(["compare"], { first: metric.name })}>Compare with another metric</a>
        </p>
        <Downloads metric={metric} selection={selection} series={series} />
        <Table metric={metric} periods={pointwise.periods} selection={selection} />
      </section>
    </>
  );
}

function Capped({ cap }: { cap: NonNullable<Estimates["transcript_cap"]> }) {
  return (
    <span data-testid="capped">
      {" "}
      Capped: no device counts for more than one honest device in {count(1 / cap.rate)} says of itself in a period. If
      all are honest, that changes the newest period by at most {roundedUp(cap.bias_at_most)} devices.
    </span>
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
