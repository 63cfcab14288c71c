import { Sparkline } from "../../chart/sparkline";
import { getEstimates, periodsGone, type Estimates, type Metric } from "../../collector/api";
import { healthOf } from "../../estimates/health";
import { isSilent, sayingOf } from "../../estimates/known";
import { TestBadge } from "../../parts/badge";
import { useLoad } from "../../state/connection";
import { href } from "../../state/route";
import { compact, count, duration, many } from "../../words";

/** A metric at a glance. */
export function MetricRow({ metric, tick }: { metric: Metric; tick: number }) {
  const { plan } = metric;
  const gone = periodsGone(metric);
  const { data } = useLoad<Estimates>(metric.name, metric.devices === 0 ? 0 : tick, (signal) =>
    getEstimates(metric.name, "online", 0.95, "pointwise", signal),
  );
  const periods = data?.periods ?? [];
  const last = periods[periods.length - 1];
  const said = last ? sayingOf(last) : null;
  const health = healthOf(metric, periods);
  const silent = last && (last.estimate === null || isSilent(last)) ? "not known" : "too few to say";
  const unknown = metric.devices === 0 ? "no devices yet" : gone === 0 ? "not yet known" : silent;
  return (
    <li>
      <div class="row-name">
        <h2>
          <a href={href(["metric", metric.name])}>{metric.name}</a> <TestBadge metric={metric} />
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
            <span>{unknown}</span>
          )}
        </p>
      </div>
      <dl class="row-facts">
        <div>
          <dt>Privacy budget</dt>
          <dd>
            ε = {plan.epsilon} <small>for all {many(plan.periods, "period")}</small>
          </dd>
        </div>
        <div>
          <dt>Periods over</dt>
          <dd>
            {count(gone)}{" "}
            <small>
              of {count(plan.periods)}
              {metric.period_seconds ? `, ${duration(metric.period_seconds)} each` : ""}
            </small>
            <progress value={gone} max={plan.periods} aria-label="Periods over" />
          </dd>
        </div>
        <div>
          <dt>Devices</dt>
          <dd>
            {count(metric.devices)} <small>{compact(metric.reports ?? 0)} reports in</small>
          </dd>
        </div>
        <div>
          <dt>Health</dt>
          <dd>
            <span class={`dot ${health.state}`} aria-hidden="true" /> {health.word}
            <small>{health.why}</small>
          </dd>
        </div>
      </dl>
    </li>
  );
}
