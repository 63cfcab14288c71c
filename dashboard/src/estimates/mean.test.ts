import assert from "node:assert/strict";
import { test } from "node:test";
import { asMeans, meanText, numberOf } from "./mean";

test("means take the place of counts", () => {
  const at = { period: 1, estimate: 5, stddev: 1, lower: 3, upper: 7, share: 0.5, share_lower: 0.3, share_upper: 0.7 };
  const mean = { mean: 60, mean_stddev: 2, mean_lower: 56, mean_upper: 64, reports: 10, expected: 10, devices: 10 };
  const [first] = asMeans({ periods: [{ ...at, ...mean }] }).periods;
  assert.deepEqual([first!.estimate, first!.stddev, first!.lower, first!.upper], [60, 2, 56, 64]);
});

test("a mean has the digits of a thousandth of its range, and its unit", () => {
  assert.equal(meanText(42.123, { kind: "number", low: 0, high: 100, unit: "ms" }), "42.1 ms");
  assert.equal(meanText(0.42123, { kind: "number", low: 0, high: 1 }), "0.421");
  assert.equal(meanText(42123, { kind: "number", low: 0, high: 100000 }), "42123");
});

test("yes/no has no range", () => {
  const plan = {
    protocol: "innovation",
    periods: 8,
    max_changes: 1,
    initial: "unknown" as const,
    epsilon: "1",
    views: [],
  };
  assert.equal(numberOf({ plan }), null);
});
