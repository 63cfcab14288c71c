// A metric of numbers is shown as its mean, in its unit.
import type { DistributionValue, Estimates, Metric, NumberValue, PeriodEstimate } from "../collector/api";

/** The range of a number; null for yes/no. */
export function numberOf({ plan }: Pick<Metric, "plan">): NumberValue | null {
  return plan.value?.kind === "number" ? plan.value : null;
}

/** Puts the means in the place of the counts. */
export function asMeans(estimates: Estimates): Estimates {
  const toMean = (at: PeriodEstimate): PeriodEstimate => ({
    ...at,
    estimate: at.mean ?? null,
    stddev: at.mean_stddev ?? null,
    lower: at.mean_lower ?? null,
    upper: at.mean_upper ?? null,
  });
  return { ...estimates, periods: estimates.periods.map(toMean) };
}

/** A mean with as many digits as a thousandth of the range needs, and its unit. */
export function meanText(value: number, { low, high, unit }: NumberValue | DistributionValue): string {
  const digits = Math.min(12, Math.max(0, Math.ceil(-Math.log10((high - low) / 1000))));
  return value.toFixed(digits) + (unit ? ` ${unit}` : "");
}

const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

/** A value for an axis, where room is scarce. */
export const axisText = (value: number) => short.format(value).replace("-", "\u2212");

/** The range and unit of a metric with a mean. */
export const scaleOf = ({ plan: { value } }: Metric): NumberValue | DistributionValue | null =>
  value?.kind === "number" || value?.kind === "distribution" ? value : null;
