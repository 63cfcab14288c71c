// Estimates as columns, the way charts and files want them.
import type { PeriodEstimate } from "../collector/api";

export type Column = (number | null)[];

export interface Series {
  period: number[];
  estimate: Column;
  /** Bands that hold for each period on its own, and for all periods at once. */
  lower: Column;
  upper: Column;
  lowerAll: Column;
  upperAll: Column;
  /** Reports in, as a share of those due. */
  complete: Column;
  truth: Column | null;
}

export function seriesOf(
  pointwise: PeriodEstimate[],
  simultaneous: PeriodEstimate[] | null,
  truth: number[] | null,
): Series {
  const all = simultaneous?.length === pointwise.length ? simultaneous : null;
  const none = () => pointwise.map(() => null);
  return {
    period: pointwise.map((at) => at.period),
    estimate: pointwise.map((at) => at.estimate),
    lower: pointwise.map((at) => at.lower),
    upper: pointwise.map((at) => at.upper),
    lowerAll: all ? all.map((at) => at.lower) : none(),
    upperAll: all ? all.map((at) => at.upper) : none(),
    complete: pointwise.map((at) => (at.expected > 0 ? Math.min(1, at.reports / at.expected) : null)),
    truth: truth && pointwise.map((at) => truth[at.period - 1] ?? null),
  };
}

/**
 * The vertical range for periods from..to. Early periods have few reports and bands wider than the
 * population; they must not squeeze the rest, so nothing beyond 0..devices counts, nor a band that is
 * more than half of it.
 */
export function verticalRange(series: Series, from: number, to: number, devices: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  const take = (value: number | null | undefined, beyond = 0) => {
    if (value === null || value === undefined) return;
    const inside = Math.min(Math.max(value, -beyond * devices), (1 + beyond) * devices);
    low = Math.min(low, inside);
    high = Math.max(high, inside);
  };
  for (let i = 0; i < series.period.length; ++i) {
    const period = series.period[i]!;
    if (period < from || period > to) continue;
    // An estimate may pass the ends a little, by noise, and is shown where it is.
    take(series.estimate[i], 0.1);
    take(series.truth?.[i]);
    for (const [lower, upper] of [
      [series.lower[i], series.upper[i]],
      [series.lowerAll[i], series.upperAll[i]],
    ]) {
      if (lower === null || upper === null || lower === undefined || upper === undefined) continue;
      if (upper - lower > devices / 2) continue;
      take(lower);
      take(upper);
    }
  }
  if (low > high) return [0, Math.max(devices, 1)];
  const margin = Math.max((high - low) * 0.06, devices * 0.005, 1);
  // A base at zero, unless that would flatten what there is to see.
  const base = low < (high - low) * 1.5 ? Math.min(0, low) : low - margin;
  return [base, high + margin];
}
