import assert from "node:assert/strict";
import { test } from "node:test";
import type { Metric, PeriodEstimate } from "../collector/api";
import { isDeserted, sayingOf } from "./known";

const metric: Metric = {
  name: "m",
  plan: { protocol: "innovation", periods: 64, max_changes: 2, initial: "zero", epsilon: "1", views: [] },
  current_period: 40,
  devices: 1000,
};
const at = (more: Partial<PeriodEstimate>): PeriodEstimate => ({
  period: 39,
  estimate: 500,
  stddev: 20,
  lower: 460,
  upper: 540,
  share: 0.5,
  share_lower: 0.46,
  share_upper: 0.54,
  reports: 900,
  expected: 1000,
  devices: 1000,
  ...more,
});

test("a period without any of its reports is not known, whatever is carried over", () => {
  assert.equal(sayingOf(at({}))?.value, "500");
  assert.equal(sayingOf(at({ reports: 0 })), null);
  assert.equal(sayingOf(at({ estimate: null, stddev: null, lower: null, upper: null })), null);
  // Some views have nothing due at some periods, and are known all the same.
  assert.equal(sayingOf(at({ reports: 0, expected: 0 }))?.value, "500");
});

test("active devices are what an estimate is a part of", () => {
  const active = { ...metric, inactive_after: 3 };
  assert.equal(sayingOf(at({ reports: 800, expected: 800, devices: 800 }))?.of, "800 devices");
  assert.equal(isDeserted(active, at({ devices: 800 })), false);
  const nobody = at({ estimate: null, stddev: null, lower: null, upper: null, reports: 0, expected: 0, devices: 0 });
  assert.equal(isDeserted(active, nobody), true);
  assert.equal(isDeserted(metric, nobody), false);
});
