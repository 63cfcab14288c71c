// The cost of a metric without an end: in any window as long as the rest, and in a life of three years.

/** Returns the most seasons of one device that `window` periods in a row meet. */
export const seasonsIn = (window: number, season: number, rest: number) =>
  1 + Math.floor((window + season - 2) / (season + rest));

const yearSeconds = 365 * 86_400;

export interface SeasonCost {
  window: number;
  inWindow: number;
  inLife: number;
}

/** Returns the seasons of both, or null unless all are whole numbers in their range. */
export function seasonCost(season: number, rest: number, periodSeconds: number): SeasonCost | null {
  const isCount = (n: number, least: number) => Number.isInteger(n) && n >= least;
  if (!isCount(season, 1) || !isCount(rest, 0) || !isCount(periodSeconds, 1)) return null;
  const window = rest > 0 ? rest : season;
  const life = 3 * Math.max(1, Math.floor(yearSeconds / periodSeconds));
  return { window, inWindow: seasonsIn(window, season, rest), inLife: seasonsIn(life, season, rest) };
}
