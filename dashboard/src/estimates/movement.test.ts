import assert from "node:assert/strict";
import { test } from "node:test";
import type { PeriodEstimate } from "../collector/api";
import { movement, twoSidedQuantile } from "./movement";

const at = (period: number, estimate: number | null, stddev: number | null = 10, devices = 1000): PeriodEstimate => ({
  period,
  estimate,
  stddev,
  lower: null,
  upper: null,
  share: estimate === null ? null : estimate / devices,
  share_lower: null,
  share_upper: null,
  reports: 1,
  expected: 1,
  devices,
});

test("quantiles of the normal distribution", () => {
  assert.ok(Math.abs(twoSidedQuantile(0.05) - 1.959964) < 1e-5);
  assert.ok(Math.abs(twoSidedQuantile(1e-6) - 4.891638) < 1e-5);
});

test("a step far beyond the noise is real, at the shortest lag that shows it", () => {
  const periods = Array.from({ length: 64 }, (_, i) => at(i + 1, i < 60 ? 100 : 400));
  const found = movement(periods, 0.95)!;
  assert.equal(found.real, true);
  assert.equal(found.lag, 4);
  assert.ok(Math.abs(found.change - 0.3) < 1e-9);
});

test("a slow rise is found over a long lag only", () => {
  const found = movement(
    Array.from({ length: 64 }, (_, i) => at(i + 1, 2 * i)),
    0.95,
  )!;
  assert.deepEqual([found.real, found.lag], [true, 32]);
});

test("a fleet that grows at a steady share does not move", () => {
  const periods = Array.from({ length: 64 }, (_, i) => at(i + 1, 50 * (i + 1), 1 + i / 10, 100 * (i + 1)));
  const found = movement(periods, 0.95)!;
  assert.deepEqual([found.real, found.change], [false, 0]);
});

test("nothing to compare", () => {
  assert.equal(movement([], 0.95), null);
  assert.equal(movement([at(1, 5)], 0.95), null);
  assert.equal(movement([at(1, null, null), at(2, null, null)], 0.95), null);
});

test("a population that stands still is called moving in fewer than 5% of all looks", () => {
  let seed = 1;
  const uniform = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  let alarms = 0;
  for (let look = 0; look < 4000; ++look) {
    const periods = Array.from({ length: 33 }, (_, i) => at(i + 1, 1000 + 10 * normal()));
    if (movement(periods, 0.95)!.real) ++alarms;
  }
  assert.ok(alarms < 200, `${alarms} of 4000`);
  assert.ok(alarms > 40, `${alarms} of 4000: the test would never find anything`);
});
