// What can be said of one period.
import type { Metric, PeriodEstimate } from "../collector/api";
import { saying } from "../words";

export const halfWidth = (at: PeriodEstimate) =>
  at.upper === null || at.estimate === null ? null : at.upper - at.estimate;

/** Reports were due, and none is in: whatever an estimator carries over from before is no news of this period. */
export const isSilent = ({ reports, expected }: PeriodEstimate) => expected > 0 && reports === 0;

/** Returns how many devices a period's estimate speaks of: every active device owes a report in every period. */
export const devicesOf = (metric: Metric, at: PeriodEstimate) => (metric.inactive_after ? at.expected : metric.devices);

/** Devices had joined, and all of them are gone. */
export const isDeserted = (metric: Metric, at: PeriodEstimate) => metric.devices > 0 && devicesOf(metric, at) === 0;

/** Returns null if there is nothing to say. */
export const sayingOf = (metric: Metric, at: PeriodEstimate) =>
  isSilent(at) ? null : saying(at.estimate, halfWidth(at), devicesOf(metric, at));
