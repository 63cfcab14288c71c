// How a metric is doing, in a word.
import type { Metric, PeriodEstimate } from "../collector/api";
import { percent } from "../words";

export interface Health {
  state: "good" | "warn" | "idle";
  word: string;
  why: string;
}

export function healthOf(metric: Metric, periods: PeriodEstimate[]): Health {
  if (metric.devices === 0) return { state: "idle", word: "Waiting for devices", why: "No device has enrolled yet." };
  const { reports = 0, rejected = 0 } = metric;
  if (rejected > 0 && rejected > 0.01 * (reports + rejected)) {
    return {
      state: "warn",
      word: "Rejects reports",
      why: `${percent(rejected / (reports + rejected))} of what came in was rejected.`,
    };
  }
  // The newest periods may still be coming in.
  const settled = periods.filter((at) => at.expected > 0).slice(-10, -2);
  const due = settled.reduce((sum, at) => sum + at.expected, 0);
  const missing = due > 0 ? 1 - settled.reduce((sum, at) => sum + at.reports, 0) / due : 0;
  if (missing > 0.05)
    return {
      state: "warn",
      word: "Reports missing",
      why: `${percent(missing)} of the reports due lately are missing.`,
    };
  if (metric.current_period > metric.plan.periods)
    return { state: "idle", word: "Complete", why: "All periods are over." };
  return { state: "good", word: "Healthy", why: "Reports come in as they should." };
}
