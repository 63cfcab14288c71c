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

/** How far past none and all the chart reaches, as a share of the devices. */
const farthest = 0.25;

/** Returns how many estimates of the periods from..to lie outside the chart. */
export function beyondChart(
  series: Series,
  from: number,
  to: number,
  devices: number,
): { below: number; above: number } {
  const shown = series.estimate.filter((at, i) => at !== null && series.period[i]! >= from && series.period[i]! <= to);
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
