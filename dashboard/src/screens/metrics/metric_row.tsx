import { Sparkline } from "../../chart/sparkline";
import {
  getEstimates,
  getValues,
  periodsGone,
  type Estimates,
  type Metric,
  type PeriodEstimate,
} from "../../collector/api";
import { healthOf } from "../../estimates/health";
import { halfWidth, isSilent, sayingOf } from "../../estimates/known";
import { asMeans, meanText } from "../../estimates/mean";
import { asShares } from "../../estimates/shares";
import { TestBadge } from "../../parts/badge";
import { useLoad } from "../../state/connection";
import { href } from "../../state/route";
import { beginDate, endDate } from "../../dates";
import { count, duration, many, percentLike, pointsLike } from "../../words";

/** Fetches one curve: the count, the mean, or the leading label. The reader has to name a text first. */
async function glance(metric: Metric, signal: AbortSignal): Promise<Estimates> {
  const { value } = metric.plan;
  if (value?.kind === "text") return { periods: [] };
  if (value?.kind === "category") return getValues(metric.name, { top: 1 }, signal);
  const estimates = await getEstimates(metric.name, "online", 0.95, "pointwise", null, signal);
  // The devices that take part in a season are no count of all.
  if (metric.seasons && !value) return asShares(estimates);
  return value ? asMeans(estimates) : estimates;
}

interface Figure {
  value: string;
  giveOrTake: string;
  /** Of a count: the same as a share. */
  share?: string;
  points?: string;
}

/** Says the latest figure of that curve, and its noise; null if there is nothing to say. */
function figureOf({ plan: { value }, seasons }: Metric, at: PeriodEstimate): Figure | null {
  const half = halfWidth(at);
  if (!value && seasons) {
    if (at.share === null || half === null || isSilent(at)) return null;
    return { value: percentLike(at.share, half), giveOrTake: pointsLike(half) };
  }
  if (!value) return sayingOf(at);
  if (at.estimate === null || half === null || isSilent(at)) return null;
  if (value.kind === "number" || value.kind === "distribution") {
    return { value: meanText(at.estimate, value), giveOrTake: meanText(half, value) };
  }
  const noise = half / at.devices;
  return { value: `${at.label} ${percentLike(at.share ?? 0, noise)}`, giveOrTake: pointsLike(noise) };
}

/** A metric at a glance. */
export function MetricRow({ metric, tick }: { metric: Metric; tick: number }) {
  const { plan } = metric;
  const gone = periodsGone(metric);
  const { data } = useLoad<Estimates>(metric.name, metric.devices === 0 ? 0 : tick, (signal) => glance(metric, signal));
  const periods = data?.periods ?? [];
  const last = periods[periods.length - 1];
  const said = last ? figureOf(metric, last) : null;
  const health = healthOf(metric, periods);
  const silent = last && (last.estimate === null || isSilent(last)) ? "not known" : "too few to say";
  const known = plan.value?.kind === "text" ? "asked by text" : silent;
  const start = metric.state === "waiting" ? beginDate(metric, 1) : null;
  const unknown = start
    ? `starts ${start}`
    : metric.devices === 0
      ? "no devices yet"
      : gone === 0
        ? "not yet known"
        : known;
  return (
    <li>
      <div class="row-name">
        <h2>
          <a href={href(["metric", metric.name])}>{metric.name}</a> <TestBadge metric={metric} />
        </h2>
        <p>{metric.description || "No description."}</p>
      </div>
      <div class="row-trend">
        <Sparkline
          periods={periods}
          from={metric.seasons ? (periods[0]?.period ?? 1) : 1}
          to={metric.seasons ? gone : plan.periods}
        />
        <p class="row-value">
          {said ? (
            <>
              <strong>{said.value}</strong> <span>± {said.giveOrTake}</span>
              {said.share && (
                <small>
                  {said.share} ± {said.points}
                </small>
              )}
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
            ε = {plan.epsilon}{" "}
            <small>
              for {metric.seasons ? "a season of" : "all"} {many(plan.periods, "period")}
            </small>
          </dd>
        </div>
        <div>
          <dt>Periods over</dt>
          <dd>
            {count(gone)}{" "}
            {metric.seasons ? (
              <small>without an end{metric.period_seconds && `, ${duration(metric.period_seconds)} each`}</small>
            ) : (
              <>
                <small>
                  of {count(plan.periods)}
                  {metric.period_seconds
                    ? `, ${duration(metric.period_seconds)} each, until ${endDate(metric, plan.periods)}`
                    : ""}
                </small>
                <progress value={gone} max={plan.periods} aria-label="Periods over" />
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Devices</dt>
          <dd>
            {metric.inactive_after && last ? (
              <>
                {count(last.devices)} active{" "}
                <small>
                  {metric.group
                    ? `in the group, by ${count(metric.devices)} that drew this metric`
                    : `of ${count(metric.devices)} enrolled`}
                </small>
              </>
            ) : (
              <>
                {count(metric.devices)} <small>enrolled</small>
              </>
            )}
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
