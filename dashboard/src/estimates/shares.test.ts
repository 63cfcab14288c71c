import assert from "node:assert/strict";
import { test } from "node:test";
import type { Metric, PeriodEstimate } from "../collector/api";
import { latestDifference, periodOf, sharesOf } from "./shares";

const metric = (more: Partial<Metric>): Metric => ({
  name: "m",
  plan: { protocol: "hybrid", periods: 64, max_changes: 2, initial: "zero", epsilon: "1", views: [] },
  current_period: 40,
  devices: 100,
  ...more,
});
const at = (period: number, devices: number, estimate: number | null, stddev = 1): PeriodEstimate => {
  const share = (count: number) => (estimate === null ? null : (estimate + count) / devices);
  return {
    period,
    estimate,
    stddev,
    lower: estimate === null ? null : estimate - 2,
    upper: estimate === null ? null : estimate + 2,
    share: share(0),
    share_lower: share(-2),
    share_upper: share(2),
    reports: 1,
    expected: 1,
    devices,
  };
};
const day = 86_400;

test("clocks on the wall are compared by date", () => {
  const days = metric({ start: 10 * day, period_seconds: day });
  const hours = metric({ start: 12 * day, period_seconds: 3600 });
  assert.equal(periodOf(days, hours, 24), 3);
  assert.equal(periodOf(days, hours, 12), 2.5);
  assert.equal(periodOf(days, metric({ start: null, period_seconds: null }), 12), 12);
});

test("shares are those of each period", () => {
  // The metrics count all that ever joined; each period has its own devices.
  const first = { metric: metric({ devices: 900 }), periods: [at(1, 100, 10), at(2, 100, 20)] };
  const second = { metric: metric({ devices: 900 }), periods: [at(2, 200, 20), at(3, 200, null)] };
  const series = sharesOf(first, second);
  assert.deepEqual(series.period, [1, 2, 3]);
  assert.deepEqual(series.estimate, [0.1, 0.2, null]);
  assert.deepEqual(series.second!.estimate, [null, 0.1, null]);
  assert.deepEqual(series.second!.upper, [null, 0.11, null]);
});

test("the difference is that of the latest period which both know", () => {
  const first = { metric: metric({ devices: 100 }), periods: [at(1, 100, 10), at(2, 100, 50), at(3, 100, null)] };
  const second = { metric: metric({ devices: 200 }), periods: [at(1, 200, 20), at(2, 200, 40, 4), at(3, 200, 60)] };
  const found = latestDifference(first, second, 0.95)!;
  assert.deepEqual(found.periods, [2, 2]);
  assert.deepEqual(found.shares, [0.5, 0.2]);
  // 1.96 times the root of 0.01^2 + 0.02^2.
  assert.ok(Math.abs(found.noise - 1.959964 * Math.sqrt(0.0005)) < 1e-6);
  const ahead = {
    metric: metric({ devices: 100 }),
    periods: [at(1, 100, 10), at(2, 100, 50), at(3, 100, 60), at(4, 100, 90)],
  };
  assert.deepEqual(latestDifference(ahead, second, 0.95)!.periods, [3, 3]);
  assert.equal(latestDifference(first, { metric: metric({ devices: 0 }), periods: [] }, 0.95), null);
});
