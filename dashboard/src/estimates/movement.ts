// Did the population move lately, or is that the noise?
//
// The latest share is compared with those 1, 2, 4, ... periods earlier. Shares, because a growing fleet has more of
// everything. The errors of two periods
// never correlate negatively: every report measures a count or the difference of two, so the matrix of
// the least-squares problem has no positive element off its diagonal, and the inverse of such a matrix
// has no negative element. (With innovation each period adds its noise to those before it, by weights that
// are not negative.) Dividing by the devices of each period keeps that. The standard deviation of a difference is therefore at most that of
// independent errors. Several comparisons share the chance of a false alarm (Bonferroni): at level 0.95
// a population that stands still is called moving in at most 5% of all looks.
import type { PeriodEstimate } from "../collector/api";

export interface Movement {
  real: boolean;
  /** Periods between the two estimates that are compared. */
  lag: number;
  /** Of the share. */
  change: number;
  /** What noise alone may do to this difference. */
  noise: number;
}

export function movement(periods: PeriodEstimate[], level: number): Movement | null {
  const known = periods.filter((at) => at.share !== null && at.stddev !== null && at.devices > 0);
  const last = known[known.length - 1];
  if (!last) return null;
  const byPeriod = new Map(known.map((at) => [at.period, at]));
  const lags: number[] = [];
  for (let lag = 1; lag < last.period; lag *= 2) if (byPeriod.has(last.period - lag)) lags.push(lag);
  if (lags.length === 0) return null;
  const z = twoSidedQuantile((1 - level) / lags.length);
  let strongest: (Movement & { ratio: number }) | null = null;
  for (const lag of lags) {
    const before = byPeriod.get(last.period - lag)!;
    const change = last.share! - before.share!;
    const noise = z * Math.hypot(last.stddev! / last.devices, before.stddev! / before.devices);
    const ratio = noise > 0 ? Math.abs(change) / noise : 0;
    // The shortest lag that stands out is the latest movement; without one, the nearest to it.
    if (ratio > 1) return { real: true, lag, change, noise };
    if (!strongest || ratio > strongest.ratio) strongest = { real: false, lag, change, noise, ratio };
  }
  return strongest && { real: false, lag: strongest.lag, change: strongest.change, noise: strongest.noise };
}

/** Returns the z with P(|Z| > z) = missed for a standard normal Z. */
export function twoSidedQuantile(missed: number): number {
  let low = 0;
  let high = 40;
  for (let i = 0; i < 60; ++i) {
    const middle = (low + high) / 2;
    if (erfc(middle / Math.SQRT2) > missed) low = middle;
    else high = middle;
  }
  return high;
}

/** Returns erfc(x) for x >= 0, to 1.2e-7 relative: a Chebyshev fit (Numerical Recipes, erfcc). */
function erfc(x: number): number {
  const t = 1 / (1 + x / 2);
  const fit = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ];
  return t * Math.exp(-x * x + fit.reduceRight((sum, c) => sum * t + c, 0));
}
