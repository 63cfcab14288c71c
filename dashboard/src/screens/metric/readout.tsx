import type { Metric, PeriodEstimate } from "../../collector/api";
import { count, percent, periodDate } from "../../words";
import { halfWidth } from "../../estimates/known";
import { meanText, numberOf } from "../../estimates/mean";

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
  const number = numberOf(metric);
  const shown = (value: number) => (number ? meanText(value, number) : count(value));
  return (
    <p class="readout" aria-live={hovering ? "polite" : "off"} data-testid="readout">
      <b>{date ?? `Period ${count(at.period)}`}</b>
      {date && <span>period {count(at.period)}</span>}
      {at.estimate === null || half === null ? (
        <span>not known from the reports that are in</span>
      ) : (
        <>
          <span class="key-estimate">{shown(at.estimate)}</span>
          <span>
            ± {shown(half)}
            {wide && " for one period"}
          </span>
          {wide && <span>± {shown(wide)} for the whole curve</span>}
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
