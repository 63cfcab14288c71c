import assert from "node:assert/strict";
import { test } from "node:test";
import type { PeriodEstimate, SegmentDifference } from "../collector/api";
import { gapOf, gapRange, gapSeries, isClear, largest, segmentCurves } from "./segments";

const row = (period: number, segment: string, devices: number) =>
  ({ period, segment, devices, share: 0.5, share_lower: 0.4, share_upper: 0.6 }) as PeriodEstimate;

test("rows become curves by segment, and the largest are kept in the metric's order", () => {
  const rows = [row(1, "a", 1), row(1, "b", 5), row(1, "c", 9), row(2, "a", 7), row(2, "b", 5), row(2, "c", 9)];
  const curves = segmentCurves(rows);
  assert.deepEqual(
    curves.map(({ label, rows: own }) => [label, own.length]),
    [
      ["a", 2],
      ["b", 2],
      ["c", 2],
    ],
  );
  assert.deepEqual(
    largest(curves, 2).map(({ label }) => label),
    ["a", "c"],
  );
});

test("a difference is clear when its range excludes none", () => {
  const at = { period: 3, share_difference: 0.08, share_lower: 0.05, share_upper: 0.11 } as SegmentDifference;
  assert.ok(isClear(gapOf(at, false)!));
  assert.ok(!isClear(gapOf({ ...at, share_difference: 0.01, share_upper: 0.04 }, false)!));
  assert.equal(gapOf({ ...at, share_difference: null }, false), null);
  assert.equal(gapOf(at, true), null);
  assert.deepEqual(gapSeries([at], false).estimate, [0.08]);
  const [low, high] = gapRange(gapSeries([at], false), 1, 9, 1);
  assert.ok(low < 0 && low > -0.02 && high > 0.11 && high < 0.13);
  assert.deepEqual(gapRange(gapSeries([], false), 1, 9, 1), [-0.06, 0.06]);
  assert.ok(Math.abs(gapSeries([at], false).lower[0]! - 0.05) < 1e-12);
});
