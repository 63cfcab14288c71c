// The latest estimate in words, and whether it moved.
import { useMemo } from "preact/hooks";
import type { Metric, NumberValue, PeriodEstimate } from "../../collector/api";
import { halfWidth, isDeserted, isSilent, sayingOf } from "../../estimates/known";
import { meanText } from "../../estimates/mean";
import { movement } from "../../estimates/movement";
import { periodDate, periodsAsTime } from "../../dates";
import { count, many, percent, percentLike, pointsLike, roundNoise, type Saying } from "../../words";

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

/** The devices that a row counts, in words. */
export const who = (metric: Metric, { devices }: PeriodEstimate) =>
  `${count(devices)} ${metric.inactive_after ? "active" : "enrolled"} device${devices === 1 ? "" : "s"}`;

/** Says which period it is. */
export const when = (metric: Metric, { period }: PeriodEstimate) => {
  const date = periodDate(metric, period);
  const of = metric.seasons ? "" : ` of ${count(metric.plan.periods)}`;
  return `period ${count(period)}${of}${date ? `, ${date}` : ""}`;
};

interface SentenceProps {
  metric: Metric;
  periods: PeriodEstimate[];
  level: number;
  as: "count" | "share";
}

/** The count, or the share, at the end of the last period; if it is not known, why, and what was known last. */
export function Sentence({ metric, periods, level, as }: SentenceProps) {
  const last = periods[periods.length - 1]!;
  const said = sayingOf(last);
  const known = said ? last : [...periods].reverse().find((at) => sayingOf(at));
  const capital = when(metric, last).replace(/^p/, "P");
  return (
    <div class="sentence">
      <p class="say" data-testid="say">
        {said ? (
          <>
            <strong>{as === "share" ? said.share : said.value}</strong> of {who(metric, last)},{" "}
            <span class="give">give or take {as === "share" ? said.points : said.giveOrTake}</span>
          </>
        ) : (
          `${whyUnknown(metric, last)}.`
        )}
      </p>
      <p class="hint">
        {capital}. {said && (as === "share" ? `About ${counted(said)}` : `That is ${said.share} ± ${said.points}`)}
        {said && ` (${percent(level)} confidence).`}
        {said?.beyond && ` The estimate itself is ${said.beyond}. Noise can take it below 0 or above all devices.`}
        {!said && known && ` Last known, in ${when(metric, known)}: ${counted(sayingOf(known)!)}.`}
      </p>
    </div>
  );
}

/** The share of all devices at the end of the last period, of a metric without an end. */
export function ShareSentence({ metric, at, level }: { metric: Metric; at: PeriodEstimate; level: number }) {
  const capital = when(metric, at).replace(/^p/, "P");
  const half = at.share === null || at.share_upper === null ? null : at.share_upper - at.share;
  return (
    <div class="sentence">
      <p class="say" data-testid="say">
        {at.share === null || half === null ? (
          `${whyUnknown(metric, at)}.`
        ) : (
          <>
            <strong>{percentLike(at.share, half)}</strong> of all devices,{" "}
            <span class="give">give or take {pointsLike(half)}</span>
          </>
        )}
      </p>
      <p class="hint">
        {capital} ({percent(level)} confidence). {at.estimate !== null && `${inWords(metric, at)} `}
        This counts the devices taking part in the period.
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
  const change = `${percentLike(Math.abs(found.change), found.noise).replace("%", "")} points`;
  const noise = pointsLike(found.noise);
  const up = found.change > 0;
  return (
    <div class={`verdict ${found.real ? "real" : "noise"}`} data-testid="verdict" role="status">
      <span class="verdict-mark" aria-hidden="true">
        {found.real ? (up ? "↗" : "↘") : "≈"}
      </span>
      <div>
        <p class="verdict-word">
          {found.real ? `The share is really ${up ? "up" : "down"} over the last ${since}` : "Within the noise"}
        </p>
        <p>
          {found.real
            ? `By ${change}. Noise alone rarely moves it by more than ${noise}.${found.lag > 1 ? " Over shorter times nothing stands out from the noise." : ""}`
            : `The largest recent movement of the share is ${up ? "up" : "down"} by ${change} over the last ${since}. Noise alone moves such a difference by up to ${noise}.`}
        </p>
      </div>
    </div>
  );
}
