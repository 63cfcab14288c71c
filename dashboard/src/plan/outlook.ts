// What a plan promises, in the terms of people who do not know protocols.
import type { Planned } from "../collector/api";
import { dateText, wallClock } from "../dates";
import { many } from "../words";

const lengths: [number, string][] = [
  [604_800, "week"],
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];

/** Says how long that is: "256 days"; null if the clock is moved by hand. */
export function horizonText(periods: number, seconds: number | null): string | null {
  if (seconds === null || !(periods >= 1)) return null;
  const named = lengths.find(([length]) => length === seconds);
  return named ? many(periods, named[1]) : many(periods, "period");
}

/** Says the last day: "August 1, 2027". The start is in seconds since 1970. */
export function lastDay(periods: number, seconds: number, start: number, zone = "UTC"): string {
  return dateText(wallClock((start + periods * seconds - 1) * 1000, zone));
}

/** The typical error of one period, as a share of the devices or of the range; null if it is not known. */
export function predictedShare(planned: Planned, users: number): number | null {
  const best = planned.protocols.find(({ name }) => name === planned.recommended);
  return best?.predicted_rmse == null ? null : best.predicted_rmse / users;
}

/** Returns the half-width of a 95% range. */
export const rangeOf = (error: number) => 1.96 * error;

/**
 * Returns how large a change must be to stand out from the noise with 95% confidence, between two periods. Errors of
 * two periods are never negatively correlated, so independent ones bound it from above (estimates/movement.ts).
 */
export const smallestChange = (error: number) => 1.96 * Math.SQRT2 * error;
