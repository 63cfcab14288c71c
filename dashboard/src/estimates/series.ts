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
  /** The reports that are in, as a share of those due. */
  complete: Column;
  truth: Column | null;
  /** Estimates that are too noisy to be useful, which the others then leave out. */
  noisy?: Column;
  /** Another metric beside this one, with its range for one period. */
  second?: { estimate: Column; lower: Column; upper: Column };
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

/** Parts those estimates whose range covers at least half of `full`, all that there could be, from the others. */
export function greyNoisy(series: Series, full: number[]): Series {
  const isNoisy = series.period.map((_, i) => {
    const [lower, upper] = [series.lower[i] ?? null, series.upper[i] ?? null];
    return lower !== null && upper !== null && upper - lower >= full[i]! / 2;
  });
  const calm = (column: Column): Column => column.map((value, i) => (isNoisy[i] ? null : value));
  return {
    ...series,
    estimate: calm(series.estimate),
    lower: calm(series.lower),
    upper: calm(series.upper),
    lowerAll: calm(series.lowerAll),
    upperAll: calm(series.upperAll),
    noisy: series.estimate.map((value, i) => (isNoisy[i] ? value : null)),
  };
}

/** How far past none and all the chart reaches, as a share of the devices. */
const farthest = 0.25;

/** Returns how many estimates of the periods from..to lie outside the chart. */
export function beyondChart(
  series: Series,
  from: number,
  to: number,
  devices: number,
): { below: number; above: number } {
  const all = series.estimate.map((at, i) => at ?? series.noisy?.[i] ?? null);
  const shown = all.filter((at, i) => at !== null && series.period[i]! >= from && series.period[i]! <= to);
  return {
    below: shown.filter((at) => at! < -farthest * devices).length,
    above: shown.filter((at) => at! > (1 + farthest) * devices).length,
  };
}

/**
 * Returns the vertical range for periods from..to. Early periods have few reports and bands wider than the
 * population; they must not squeeze the rest, so no band counts beyond 0..devices or if it is more than
 * half of that, and no estimate that `beyondChart` counts.
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
    // Noise may take an estimate past the ends, and it is shown where it is, unless that is far out.
    take(series.estimate[i], farthest);
    take(series.noisy?.[i], farthest);
    take(series.truth?.[i]);
    take(series.second?.estimate[i], farthest);
    for (const [lower, upper] of [
      [series.lower[i], series.upper[i]],
      [series.lowerAll[i], series.upperAll[i]],
      [series.second?.lower[i], series.second?.upper[i]],
    ]) {
      if (lower === null || upper === null || lower === undefined || upper === undefined) continue;
      if (upper - lower > devices / 2) continue;
      take(lower);
      take(upper);
    }
  }
  if (low > high) return [0, Math.max(devices, 1)];
  const margin = Math.max((high - low) * 0.06, devices * 0.005);
  // The base is at zero, unless that would flatten what there is to see.
  const base = low < (high - low) * 1.5 ? Math.min(0, low) : low - margin;
  return [base, high + margin];
}
