import { useMemo, useState } from "preact/hooks";
import { Chart } from "../../chart/chart";
import { Completeness } from "../../chart/completeness";
import { Key } from "../../chart/key";
import { getMetric, metricPath, type Metric, type PlaygroundRun } from "../../collector/api";
import { seriesOf } from "../../estimates/series";
import { useBands } from "../../estimates/use_bands";
import { Fact } from "../../parts/fact";
import { Failed, Waiting } from "../../parts/notices";
import { useEvents, useLoad } from "../../state/connection";
import { href } from "../../state/route";
import { periodTick } from "../../dates";
import { count, many, percent, roundNoise } from "../../words";

/** A simulated fleet as it goes on, beside the truth. */
export function Run({ run }: { run: PlaygroundRun }) {
  const tick = useEvents(`${metricPath(run.metric)}/events`, 150);
  const { data: metric, error } = useLoad<Metric>(run.metric, tick, (signal) => getMetric(run.metric, signal));
  const { data: bands } = useBands(run.metric, { estimator: "online", level: 0.95, shown: "both" }, tick);
  const [hovered, setHovered] = useState<number | null>(null);
  const series = useMemo(
    () => bands && seriesOf(bands.pointwise.periods, bands.simultaneous?.periods ?? null, run.truth),
    [bands, run],
  );
  if (error) return <Failed message={error} />;
  if (!metric || !series) return <Waiting what="the run" />;
  const errors = series.period.flatMap((_, i) =>
    series.estimate[i] === null ? [] : [series.estimate[i]! - series.truth![i]!],
  );
  const inside = series.period.filter(
    (_, i) => series.truth![i]! >= series.lower[i]! && series.truth![i]! <= series.upper[i]!,
  ).length;
  const rmse = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / Math.max(1, errors.length));
  const row = hovered ?? series.period.length - 1;
  const to = metric.plan.periods;
  return (
    <section class="figure" aria-label="The run">
      <dl class="run-facts" data-testid="run">
        <Fact label="Period">
          {count(series.period[row] ?? 0)} of {count(to)}
        </Fact>
        <Fact label="Truth">
          <span class="key-truth">{row >= 0 ? count(series.truth![row]!) : "not yet known"}</span>
        </Fact>
        <Fact label="Estimate">
          <span class="key-estimate">
            {row >= 0 && series.estimate[row] !== null ? count(series.estimate[row]!) : "not yet known"}
          </span>
        </Fact>
        <Fact label="Typical error so far">
          {errors.length
            ? `${count(roundNoise(rmse))}, ${percent(roundNoise(rmse) / Math.max(1, metric.devices))}`
            : "not yet known"}
        </Fact>
        <Fact label="Truth inside its range">{errors.length ? percent(inside / errors.length) : "not yet known"}</Fact>
      </dl>
      <Chart
        series={series}
        devices={metric.devices}
        from={1}
        to={to}
        label={(period) => periodTick(metric, period)}
        onZoom={() => {}}
        onHover={setHovered}
        summary={`Estimate and truth by period, ${series.period.length} of ${many(to, "period")}. The truth was inside its 95% range in ${percent(inside / Math.max(1, errors.length))} of them.`}
      />
      <Completeness series={series} from={1} to={to} />
      <Key shown="both" level={0.95} truth />
      <p class="hint" id="chart-keys">
        The run goes on when you leave this page, and it is a metric like any other:{" "}
        <a href={href(["metric", run.metric])}>{run.metric}</a>. Arrow keys read period by period.
      </p>
    </section>
  );
}
