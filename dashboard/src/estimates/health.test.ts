import assert from "node:assert/strict";
import { test } from "node:test";
import type { Metric, PeriodEstimate } from "../collector/api";
import { healthOf } from "./health";

const metric = (counts: Partial<Metric>): Metric => ({
  name: "m",
  plan: { protocol: "hybrid", periods: 64, max_changes: 2, initial: "zero", epsilon: "1", views: [] },
  current_period: 40,
  devices: 100,
  accepted: 1000,
  ...counts,
});
const periods = (reports: number): PeriodEstimate[] =>
  Array.from({ length: 39 }, (_, i) => ({
    period: i + 1,
    estimate: 50,
    stddev: 1,
    lower: 48,
    upper: 52,
    share: 0.5,
    share_lower: 0.48,
    share_upper: 0.52,
    reports,
    expected: 50,
    devices: 100,
  }));

test("lines that came early are no alarm", () => {
  assert.equal(healthOf(metric({ early: 900, rejected: 0 }), periods(50)).state, "good");
});

test("refused lines and missing reports are", () => {
  assert.equal(healthOf(metric({ rejected: 9 }), periods(50)).state, "good");
  assert.match(healthOf(metric({ rejected: 30 }), periods(50)).why, /since the collector started/);
  assert.equal(healthOf(metric({}), periods(46)).word, "Reports missing");
  assert.equal(healthOf(metric({}), periods(48)).word, "Healthy");
});

test("before the first device and after the last period", () => {
  assert.equal(healthOf(metric({ devices: 0 }), []).word, "Waiting for devices");
  assert.equal(healthOf(metric({ devices: 0, current_period: 65 }), []).state, "warn");
  assert.equal(healthOf(metric({ current_period: 65 }), periods(50)).word, "Complete");
});

test("a metric without an end is healthy beyond its first season, until it is closed", () => {
  const endless = metric({ seasons: { every: 16, rest: 64 }, current_period: 200, state: "open" });
  assert.equal(healthOf(endless, periods(50)).word, "Healthy");
  assert.equal(healthOf({ ...endless, devices: 0 }, []).word, "Waiting for devices");
  assert.equal(healthOf({ ...endless, state: "closed" }, periods(50)).word, "Closed");
});
