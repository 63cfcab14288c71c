// The latest estimate in words, and whether it moved.
import { useMemo } from "preact/hooks";
import type { Metric, PeriodEstimate } from "../../collector/api";
import { movement } from "../../estimates/movement";
import { count, duration, many, percent, periodDate, roundLike, roundNoise, saying } from "../../words";

export const halfWidth = (at: PeriodEstimate) =>
  at.upper === null || at.estimate === null ? null : at.upper - at.estimate;

export function inWords(metric: Metric, at: PeriodEstimate): string {
  const said = saying(at.estimate, halfWidth(at), metric.devices);
  return said ? `${said.value} of ${said.of}, give or take ${said.giveOrTake}` : "Too few devices to say";
}

export function Sentence({ metric, last, level }: { metric: Metric; last: PeriodEstimate; level: number }) {
  const said = saying(last.estimate, halfWidth(last), metric.devices);
  const date = periodDate(metric, last.period);
  return (
    <div class="sentence">
      {said ? (
        <p class="say" data-testid="say">
          <strong>{said.value}</strong> of {said.of}, <span class="give">give or take {said.giveOrTake}</span>
        </p>
      ) : (
        <p class="say" data-testid="say">
          Too few devices to say: the noise is as wide as the answer could be.
        </p>
      )}
      <p class="hint">
        Period {count(last.period)} of {count(metric.plan.periods)}
        {date && `, ${date}`}. The range holds with {percent(level)} confidence
        {said && last.estimate !== null
          ? `; that is ${percent(Math.min(1, Math.max(0, last.estimate / metric.devices)))} of the devices`
          : ""}
        .
      </p>
    </div>
  );
}

export function Verdict({ periods, level, metric }: { periods: PeriodEstimate[]; level: number; metric: Metric }) {
  const found = useMemo(() => movement(periods, level), [periods, level]);
  if (!found) return null;
  const since = (
    metric.period_seconds ? duration(found.lag * metric.period_seconds) : many(found.lag, "period")
  ).replace(/^1 /, "");
  const change = count(roundLike(Math.abs(found.change), found.noise));
  const up = found.change > 0;
  return (
    <div class={`verdict ${found.real ? "real" : "noise"}`} data-testid="verdict" role="status">
      <span class="verdict-mark" aria-hidden="true">
        {found.real ? (up ? "↗" : "↘") : "≈"}
      </span>
      <div>
        <p class="verdict-word">
          {found.real ? `Really ${up ? "up" : "down"} over the last ${since}` : "Within the noise"}
        </p>
        <p>
          {found.real
            ? `By ${change}; noise alone would hardly move it by more than ${count(roundNoise(found.noise))}.${found.lag > 1 ? " Over shorter times nothing stands out from the noise." : ""}`
            : `The largest recent movement, ${up ? "up" : "down"} ${change} over the last ${since}, is nothing that noise alone could not do (up to ${count(roundNoise(found.noise))}).`}
        </p>
      </div>
    </div>
  );
}
