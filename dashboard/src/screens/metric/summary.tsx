// The latest estimate in words, and whether it moved.
import { useMemo } from "preact/hooks";
import type { Metric, NumberValue, PeriodEstimate } from "../../collector/api";
import { halfWidth, isDeserted, isSilent, sayingOf } from "../../estimates/known";
import { meanText } from "../../estimates/mean";
import { movement } from "../../estimates/movement";
import { count, many, percent, periodDate, periodsAsTime, roundLike, roundNoise, type Saying } from "../../words";

const counted = ({ value, of, giveOrTake }: Saying) => `${value} of ${of}, give or take ${giveOrTake}`;

/** Why there is no number. */
function whyUnknown(metric: Metric, at: PeriodEstimate): string {
  if (isDeserted(metric, at)) return `Not known: none of the ${many(metric.devices, "device")} that joined is active`;
  if (isSilent(at)) return `Not known: none of the ${count(at.expected)} reports due is in`;
  if (at.reports < at.expected / 2) {
    return `Not known: ${percent(at.reports / at.expected)} of the reports due are in`;
  }
  const half = halfWidth(at);
  if (half === null) return "Not known: the reports that are in do not determine it";
  return `Too few devices to say: the noise, ± ${count(roundNoise(half))}, is as wide as the answer could be`;
}

export function inWords(metric: Metric, at: PeriodEstimate): string {
  const said = sayingOf(at);
  return `${said ? counted(said) : whyUnknown(metric, at)}.`;
}

/** Says which period it is. */
export const when = (metric: Metric, { period }: PeriodEstimate) => {
  const date = periodDate(metric, period);
  return `period ${count(period)} of ${count(metric.plan.periods)}${date ? `, ${date}` : ""}`;
};

/** The count at the end of the last period; if it is not known, why, and what was known last. */
export function Sentence({ metric, periods, level }: { metric: Metric; periods: PeriodEstimate[]; level: number }) {
  const last = periods[periods.length - 1]!;
  const said = sayingOf(last);
  const known = said ? last : [...periods].reverse().find((at) => sayingOf(at));
  const capital = when(metric, last).replace(/^p/, "P");
  return (
    <div class="sentence">
      <p class="say" data-testid="say">
        {said ? (
          <>
            <strong>{said.value}</strong> of {said.of}, <span class="give">give or take {said.giveOrTake}</span>
          </>
        ) : (
          `${whyUnknown(metric, last)}.`
        )}
      </p>
      <p class="hint">
        {capital}. {said && `About ${said.share} of devices (${percent(level)} confidence).`}
        {said?.beyond && ` The estimate itself is ${said.beyond}: noise can take it below none or above all.`}
        {!said && known && ` Last known, in ${when(metric, known)}: ${counted(sayingOf(known)!)}.`}
      </p>
    </div>
  );
}

/** The mean of a number at the end of the last period. */
export function MeanSentence(props: { metric: Metric; number: NumberValue; at: PeriodEstimate; level: number }) {
  const { metric, number, at, level } = props;
  const half = halfWidth(at);
  const capital = when(metric, at).replace(/^p/, "P");
  return (
    <div class="sentence">
      <p class="say" data-testid="say">
        {at.estimate === null || half === null ? (
          `${whyUnknown(metric, at)}.`
        ) : (
          <>
            <strong>{meanText(at.estimate, number)}</strong> on average,{" "}
            <span class="give">give or take {meanText(half, number)}</span>
          </>
        )}
      </p>
      <p class="hint">
        {capital}. The mean of {many(at.devices, "device")} ({percent(level)} confidence).
      </p>
    </div>
  );
}

export function Verdict({ periods, level, metric }: { periods: PeriodEstimate[]; level: number; metric: Metric }) {
  const found = useMemo(() => movement(periods, level), [periods, level]);
  const last = periods[periods.length - 1];
  // Without a count for now, a verdict on where it went would contradict the headline.
  if (!found || !last || !sayingOf(last)) return null;
  const since = periodsAsTime(metric, found.lag).replace(/^1 /, "");
  const change = count(roundLike(Math.abs(found.change), found.noise));
  const noise = count(roundNoise(found.noise));
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
            ? `By ${change}; noise alone would hardly move it by more than ${noise}.${found.lag > 1 ? " Over shorter times nothing stands out from the noise." : ""}`
            : `The largest recent movement, ${up ? "up" : "down"} by ${change} over the last ${since}, is nothing that noise alone could not do: it moves such a difference by up to ${noise}.`}
        </p>
      </div>
    </div>
  );
}
