// Shares of each period's devices, and two metrics in one chart at the times they speak of.
import type { Estimates, Metric, PeriodEstimate } from "../collector/api";
import { twoSidedQuantile } from "./movement";
import type { Column, Series } from "./series";

export interface Estimated {
  metric: Metric;
  periods: PeriodEstimate[];
}

/** Puts shares of each period's devices in the place of the counts. */
export function asShares(estimates: Estimates): Estimates {
  const toShare = (at: PeriodEstimate): PeriodEstimate => ({
    ...at,
    estimate: at.share,
    stddev: at.stddev === null || at.devices === 0 ? null : at.stddev / at.devices,
    lower: at.share_lower,
    upper: at.share_upper,
  });
  return { ...estimates, periods: estimates.periods.map(toShare) };
}

export const byDate = (first: Metric, second: Metric) =>
  [first, second].every(({ start, period_seconds }) => start != null && period_seconds != null);

/** Returns where the end of a period of `second` lies among the periods of `first`. */
export function periodOf(first: Metric, second: Metric, period: number): number {
  if (!byDate(first, second)) return period;
  return (second.start! + period * second.period_seconds! - first.start!) / first.period_seconds!;
}

/** Returns both on one axis of the first one's periods, sorted, with null where one says nothing. */
export function sharesOf(first: Estimated, second: Estimated): Series {
  const firstAt = new Map(first.periods.map((at) => [at.period, at]));
  const secondAt = new Map(second.periods.map((at) => [periodOf(first.metric, second.metric, at.period), at]));
  const period = [...new Set([...firstAt.keys(), ...secondAt.keys()])].sort((a, b) => a - b);
  const column = (rows: Map<number, PeriodEstimate>, key: "share" | "share_lower" | "share_upper"): Column =>
    period.map((x) => rows.get(x)?.[key] ?? null);
  const none = period.map(() => null);
  return {
    period,
    estimate: column(firstAt, "share"),
    lower: column(firstAt, "share_lower"),
    upper: column(firstAt, "share_upper"),
    lowerAll: none,
    upperAll: none,
    complete: none,
    truth: null,
    second: {
      estimate: column(secondAt, "share"),
      lower: column(secondAt, "share_lower"),
      upper: column(secondAt, "share_upper"),
    },
  };
}

export interface Difference {
  /** The period of the first, and of the second, that are compared. */
  periods: [number, number];
  shares: [number, number];
  /** What noise alone may do to the difference of the two shares. */
  noise: number;
}

/**
 * Compares them at the latest time that both know of: the last period of each that ends by then. The noise of two metrics
 * is drawn independently, also on a device that takes part in both.
 */
export function latestDifference(first: Estimated, second: Estimated, level: number): Difference | null {
  const known = ({ periods }: Estimated) => periods.filter((at) => at.share !== null && at.stddev !== null).reverse();
  const [ones, others] = [known(first), known(second)];
  const endOf = (at: PeriodEstimate) => periodOf(first.metric, second.metric, at.period);
  if (!ones[0] || !others[0]) return null;
  // Rounding of dates must not part periods that end together.
  const end = Math.min(ones[0].period, endOf(others[0])) + 1e-9;
  const [one, other] = [ones.find((at) => at.period <= end), others.find((at) => endOf(at) <= end)];
  if (!one || !other) return null;
  return {
    periods: [one.period, other.period],
    shares: [one.share!, other.share!],
    noise: twoSidedQuantile(1 - level) * Math.hypot(one.stddev! / one.devices, other.stddev! / other.devices),
  };
}
