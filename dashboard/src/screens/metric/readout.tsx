import type { Metric, PeriodEstimate } from "../../collector/api";
import { count, percent, periodDate } from "../../words";
import { halfWidth } from "./summary";

/** One period in figures: the latest, or the one under the pointer. */
export function Readout({
  metric,
  at,
  all,
  hovering,
}: {
  metric: Metric;
  at: PeriodEstimate;
  all?: PeriodEstimate;
  hovering: boolean;
}) {
  const date = periodDate(metric, at.period);
  const half = halfWidth(at);
  const wide = all && halfWidth(all);
  return (
    <p class="readout" aria-live={hovering ? "polite" : "off"} data-testid="readout">
      <b>{date ?? `Period ${count(at.period)}`}</b>
      {date && <span>period {count(at.period)}</span>}
      {at.estimate === null || half === null ? (
        <span>not known from the reports that are in</span>
      ) : (
        <>
          <span class="key-estimate">{count(at.estimate)}</span>
          <span>
            ± {count(half)}
            {wide && " for one period"}
          </span>
          {wide && <span>± {count(wide)} for the whole curve</span>}
        </>
      )}
      {at.expected > 0 && (
        <span>
          {percent(at.reports / at.expected)} of {count(at.expected)} reports in
        </span>
      )}
    </p>
  );
}
