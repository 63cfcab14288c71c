// How a metric is doing: what an operator must act on, or that there is nothing to do.
import type { Metric, PeriodEstimate } from "../collector/api";
import { beginDate } from "../dates";
import { many, percent } from "../words";
import { isDeserted, isOver } from "./known";

export interface Health {
  state: "good" | "warn" | "idle";
  word: string;
  why: string;
}

/** Lines that come before their period is over are no fault: their device sends them again. */
export function healthOf(metric: Metric, periods: PeriodEstimate[]): Health {
  const over = isOver(metric);
  const start = metric.current_period === 0 ? beginDate(metric, 1) : null;
  if (start) return { state: "idle", word: "Not begun", why: `It starts on ${start}.` };
  if (metric.devices === 0) {
    return over
      ? { state: "warn", word: "No devices", why: "All periods are over, and no device has ever joined." }
      : { state: "idle", word: "Waiting for devices", why: "No device has joined yet." };
  }
  const { accepted = 0, rejected = 0 } = metric;
  const refused = rejected / Math.max(1, accepted + rejected);
  if (refused > 0.01) {
    return {
      state: "warn",
      word: "Refuses lines",
      why: `${percent(refused)} of the lines that came since the collector started were refused. The answer to each request says why.`,
    };
  }
  const last = periods[periods.length - 1];
  if (last && isDeserted(metric, last)) {
    return {
      state: "warn",
      word: "Reports missing",
      why: `No device is active: each of the ${many(metric.devices, "device")} that joined owes reports for longer than the metric allows.`,
    };
  }
  // The newest periods may still be coming in.
  const settled = periods.filter((at) => at.expected > 0).slice(-10, -2);
  const due = settled.reduce((sum, at) => sum + at.expected, 0);
  const missing = due > 0 ? 1 - settled.reduce((sum, at) => sum + at.reports, 0) / due : 0;
  if (missing > 0.05) {
    return {
      state: "warn",
      word: "Reports missing",
      why: `${percent(missing)} of the reports due lately are missing: devices are off, or no longer there.`,
    };
  }
  if (over && metric.seasons) return { state: "idle", word: "Closed", why: "No season begins any more." };
  if (over) return { state: "idle", word: "Complete", why: `All ${many(metric.plan.periods, "period")} are over.` };
  return { state: "good", word: "Healthy", why: "Reports come in as they should." };
}
