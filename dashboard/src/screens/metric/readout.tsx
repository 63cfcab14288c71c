import type { Metric, PeriodEstimate } from "../../collector/api";
import { periodDate } from "../../dates";
import { count, percent, percentLike, pointsLike, roundLike, roundNoise, shareSaid } from "../../words";
import { notesAt } from "./notes";
import { who } from "./summary";
import { halfWidth } from "../../estimates/known";
import { meanText, numberOf } from "../../estimates/mean";

/** One period in figures: the latest, or the one under the pointer. */
export function Readout({
  metric,
  at,
  all,
  share,
  hovering,
}: {
  metric: Metric;
  at: PeriodEstimate;
  all?: PeriodEstimate;
  /** Shows shares instead of counts. */
  share: boolean;
  hovering: boolean;
}) {
  const date = periodDate(metric, at.period);
  const halfOf = (row: PeriodEstimate) =>
    share ? (row.share === null || row.share_upper === null ? null : row.share_upper - row.share) : halfWidth(row);
  const value = share ? at.share : at.estimate;
  const half = halfOf(at);
  const wide = all && halfOf(all);
  const number = numberOf(metric);
  // One figure is rounded one way, here as in the headline.
  const shown = (value: number) =>
    number ? meanText(value, number) : share ? percentLike(value, half!) : count(roundLike(value, half!));
  const noise = (value: number) =>
    number ? meanText(value, number) : share ? pointsLike(value) : count(roundNoise(value));
  return (
    <p class="readout" aria-live={hovering ? "polite" : "off"} data-testid="readout">
      <b>{date ?? `Period ${count(at.period)}`}</b>
      {date && <span>period {count(at.period)}</span>}
      {value === null || half === null ? (
        <span>not known from the reports that are in</span>
      ) : (
        <>
          <span class="key-estimate">{shown(value)}</span>
          <span>
            ± {noise(half)}
            {wide && " for one period"}
          </span>
          {wide && <span>± {noise(wide)} for the whole curve</span>}
        </>
      )}
      {!number && at.share !== null && half !== null && (
        <span>
          {share ? `of ${who(metric, at)}` : `${shareSaid(at.share, at.share_upper! - at.share)} of ${who(metric, at)}`}
        </span>
      )}
      {at.expected > 0 && (
        <span>
          {percent(at.reports / at.expected)} of {count(at.expected)} reports in
        </span>
      )}
      {notesAt(metric, at.period).map((note) => (
        <span key={note} class="note">
          {note}
        </span>
      ))}
    </p>
  );
}
