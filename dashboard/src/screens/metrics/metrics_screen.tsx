import "./metrics_screen.css";
import { useState, useEffect } from "preact/hooks";
import { getEstimates, getMetrics, periodsGone, type Estimates, type Metric } from "../../collector/api";
import { useLoad } from "../../state/connection";
import { healthOf } from "../../estimates/health";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { href } from "../../state/route";
import { Sparkline } from "../../chart/sparkline";
import { compact, count, duration, saying } from "../../words";

export function MetricsScreen() {
  // Counters move without an event of their own.
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTick((n) => n + 1), 5000);
    return () => clearInterval(timer);
  }, []);
  const { data: metrics, error } = useLoad("metrics", tick, getMetrics);
  return (
    <div class="wide">
      <header class="screen-head">
        <Title title="Metrics">Metrics</Title>
        <p class="lead">
          Each asks one yes-or-no question of many devices. No device ever tells its answer; the count is known all the
          same.
        </p>
        <a class="button" href={href(["new"])}>
          New metric
        </a>
      </header>
      {error && <Failed message={error} />}
      {!metrics && !error && <Waiting what="metrics" />}
      {metrics?.length === 0 && <Empty />}
      {metrics && metrics.length > 0 && (
        <ul class="ledger">
          {metrics.map((metric) => (
            <Row key={metric.name} metric={metric} tick={tick} />
          ))}
        </ul>
      )}
    </div>
  );
}

const Empty = () => (
  <div class="empty">
    <h2>Nothing is being counted yet</h2>
    <p>
      Create a metric here, or from a terminal, and point devices at this collector. The{" "}
      <a href={href(["planner"])}>planner</a> says how many devices a question needs.
    </p>
    <a class="button primary" href={href(["new"])}>
      Create the first metric
    </a>
  </div>
);

function Row({ metric, tick }: { metric: Metric; tick: number }) {
  const { plan } = metric;
  const gone = periodsGone(metric);
  const { data } = useLoad<Estimates>(metric.name, metric.devices === 0 ? 0 : tick, (signal) =>
    getEstimates(metric.name, "online", 0.95, "pointwise", signal),
  );
  const periods = data?.periods ?? [];
  const last = periods[periods.length - 1];
  const said = last
    ? saying(last.estimate, last.upper === null ? null : last.upper - last.estimate!, metric.devices)
    : null;
  const health = healthOf(metric, periods);
  return (
    <li>
      <div class="row-name">
        <h2>
          <a href={href(["metric", metric.name])}>{metric.name}</a>
        </h2>
        <p>{metric.description || "No description."}</p>
      </div>
      <div class="row-trend">
        <Sparkline periods={periods} horizon={plan.periods} />
        <p class="row-value">
          {said ? (
            <>
              <strong>{said.value}</strong> <span>± {said.giveOrTake}</span>
            </>
          ) : (
            <span>{metric.devices === 0 ? "no devices yet" : "too few to say"}</span>
          )}
        </p>
      </div>
      <dl class="row-facts">
        <div>
          <dt>Privacy budget</dt>
          <dd>
            ε = {plan.epsilon} <small>for all {count(plan.periods)} periods</small>
          </dd>
        </div>
        <div>
          <dt>Periods gone</dt>
          <dd>
            {count(gone)}{" "}
            <small>
              of {count(plan.periods)}
              {metric.period_seconds ? `, ${duration(metric.period_seconds)} each` : ""}
            </small>
            <progress value={gone} max={plan.periods} aria-label="periods gone" />
          </dd>
        </div>
        <div>
          <dt>Devices</dt>
          <dd>{count(metric.devices)}</dd>
        </div>
        <div>
          <dt>Health</dt>
          <dd title={health.why}>
            <span class={`dot ${health.state}`} aria-hidden="true" /> {health.word}
            <small>
              {compact(metric.reports ?? 0)} reports in, {compact(metric.duplicates ?? 0)} duplicates,{" "}
              {compact(metric.rejected ?? 0)} rejected
            </small>
          </dd>
        </div>
      </dl>
    </li>
  );
}
