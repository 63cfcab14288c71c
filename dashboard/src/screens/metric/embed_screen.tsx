// One metric in few words and one chart, for a frame in another page.
import "./metric_screen.css";
import { useMemo, useState } from "preact/hooks";
import { Chart } from "../../chart/chart";
import { getMetric, metricPath, periodsGone, type Metric } from "../../collector/api";
import { periodTick } from "../../dates";
import { asMeans, axisText, numberOf } from "../../estimates/mean";
import { greyNoisy, seriesOf } from "../../estimates/series";
import { asShares } from "../../estimates/shares";
import { useBands } from "../../estimates/use_bands";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { useEvents, useLoad } from "../../state/connection";
import { href } from "../../state/route";
import { percent } from "../../words";
import { marksOf } from "./notes";
import { useSelection } from "./selection";
import { MeanSentence, Sentence } from "./summary";
import { Warnings } from "./warnings";

export function EmbedScreen({ name }: { name: string }) {
  const tick = useEvents(`${metricPath(name)}/events`, 400);
  const { data: metric, error } = useLoad<Metric>(name, tick, (signal) => getMetric(name, signal));
  const labelled = metric?.plan.value && metric.plan.value.kind !== "number";
  return (
    <div class="embed">
      <Title title={name}>
        <a href={href(["metric", name])} target="_blank" rel="noopener">
          {name}
        </a>
      </Title>
      {metric?.description && <p class="lead">{metric.description}</p>}
      {error && <Failed message={error} />}
      {!metric && !error && <Waiting what="the metric" />}
      {metric && labelled && <p>Labels and distributions are on the page of the metric.</p>}
      {metric && !labelled && (periodsGone(metric) < 1 || metric.devices === 0) && <p>Nothing is known yet.</p>}
      {metric && !labelled && periodsGone(metric) > 0 && metric.devices > 0 && <Figure metric={metric} tick={tick} />}
    </div>
  );
}

function Figure({ metric, tick }: { metric: Metric; tick: number }) {
  const selection = useSelection(periodsGone(metric));
  const [, setHovered] = useState<number | null>(null);
  const { data, error } = useBands(metric.name, { ...selection, shown: "pointwise" }, tick);
  const number = numberOf(metric);
  const share = !number && selection.as === "share";
  const rows = data && (number ? asMeans(data.pointwise) : data.pointwise);
  const series = useMemo(() => {
    if (!rows) return null;
    const full = rows.periods.map(({ devices }) => (number ? number.high - number.low : share ? 1 : devices));
    return greyNoisy(seriesOf((share ? asShares(rows) : rows).periods, null, null), full);
  }, [data, share]);
  if (error) return <Failed message={error} />;
  const last = rows?.periods[rows.periods.length - 1];
  if (!rows || !series || !last) return <Waiting what="estimates" />;
  const most = Math.max(...rows.periods.map(({ devices }) => devices));
  const top = number ? Math.max(Math.abs(number.low), Math.abs(number.high)) : share ? 1 : most;
  return (
    <>
      {number ? (
        <MeanSentence metric={metric} number={number} at={last} level={selection.level} />
      ) : (
        <Sentence metric={metric} periods={rows.periods} level={selection.level} as={selection.as} />
      )}
      <Warnings estimates={rows} />
      <Chart
        series={series}
        devices={top}
        from={selection.from}
        to={selection.to}
        label={(period) => periodTick(metric, period)}
        figure={number ? axisText : share ? (value) => percent(value).replace("-", "−") : undefined}
        onZoom={() => {}}
        onHover={setHovered}
        marks={marksOf(metric)}
        summary={`${metric.name} by period, with ${percent(selection.level)} ranges`}
      />
      <p class="hint" id="chart-keys">
        Shaded: the {percent(selection.level)} range for one period. Arrow keys read period by period.
      </p>
    </>
  );
}
