// What can be said of one period.
import type { Metric, PeriodEstimate } from "../collector/api";
import { saying } from "../words";

export const halfWidth = (at: PeriodEstimate) =>
  at.upper === null || at.estimate === null ? null : at.upper - at.estimate;

/** Reports were due, and none is in: whatever an estimator carries over from before is no news of this period. */
export const isSilent = ({ reports, expected }: PeriodEstimate) => expected > 0 && reports === 0;

/** Null if there is nothing to say. */
export const sayingOf = (metric: Metric, at: PeriodEstimate) =>
  isSilent(at) ? null : saying(at.estimate, halfWidth(at), metric.devices);
