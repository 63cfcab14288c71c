// What can be said of one period.
import type { Metric, PeriodEstimate } from "../collector/api";
import { saying } from "../words";

/** No period is to come. A metric without an end is over once it is closed. */
export const isOver = ({ current_period, plan, seasons, state }: Metric) =>
  seasons ? state === "closed" : current_period > plan.periods;

export const halfWidth = (at: PeriodEstimate) =>
  at.upper === null || at.estimate === null ? null : at.upper - at.estimate;

/** Reports were due, and none is in: whatever an estimator carries over from before is no news of this period. */
export const isSilent = ({ reports, expected }: PeriodEstimate) => expected > 0 && reports === 0;

/** Devices had joined, and none of them is active. */
export const isDeserted = (metric: Metric, at: PeriodEstimate) =>
  Boolean(metric.inactive_after) && metric.devices > 0 && at.devices === 0;

/** Returns null if there is nothing to say. */
export const sayingOf = (at: PeriodEstimate) => (isSilent(at) ? null : saying(at.estimate, halfWidth(at), at.devices));
