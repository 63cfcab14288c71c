import assert from "node:assert/strict";
import { test } from "node:test";
import type { PeriodEstimate } from "../collector/api";
import { curveColours, curvesOf, leaderOf, mostCurves, stackOf } from "./labels";

const row = (label: string, period: number, share: number | null, stddev = 10): PeriodEstimate => ({
  period,
  label,
  estimate: share === null ? null : share * 1000,
  stddev,
  lower: null,
  upper: null,
  share,
  share_lower: share === null ? null : share - 0.0196,
  share_upper: share === null ? null : share + 0.0196,
  reports: 1000,
  expected: 1000,
  devices: 1000,
});

test("rows become curves in the order of the answer", () => {
  const curves = curvesOf([row("b", 1, 0.1), row("a", 1, 0.2), row("b", 2, 0.3), row("a", 2, 0.4)]);
  assert.deepEqual(
    curves.map(({ label, rows }) => [label, rows.map(({ share }) => share)]),
    [
      ["b", [0.1, 0.3]],
      ["a", [0.2, 0.4]],
    ],
  );
  assert.deepEqual(curvesOf([]), []);
});

test("a label keeps its colour when the order changes, and no two share one", () => {
  const plan = ["a", "b", "c"];
  const one = curveColours(["a", "b", "c"], plan);
  const other = curveColours(["c", "a", "b"], plan);
  assert.deepEqual([other[1], other[2], other[0]], one);
  const many = Array.from({ length: 40 }, (_, i) => `label ${i}`);
  for (let from = 0; from + mostCurves <= 40; ++from) {
    const shown = many.filter((_, i) => (i * 7 + from) % 40 < mostCurves);
    assert.equal(new Set(curveColours(shown, many)).size, shown.length);
  }
});

test("a stack reaches from nothing to all, whatever the noise", () => {
  const two = curvesOf([row("a", 1, 0.3), row("b", 1, -0.1), row("a", 2, 0.9), row("b", 2, 0.6)]);
  const close = (found: unknown, wanted: number) => assert.ok(Math.abs(Number(found) - wanted) < 1e-9, `${found}`);
  const [a, b, rest] = stackOf(two, false);
  assert.equal(a!.lower[0], 0);
  close(a!.upper[0], 0.3);
  close(b!.upper[0], 0.3); // a negative share has no height
  close(rest!.upper[0], 1);
  close(a!.upper[1], 0.9 / 1.5); // more than all is scaled
  close(rest!.lower[1], 1);
  const whole = stackOf(two, true);
  assert.equal(whole.length, 2);
  close(whole[0]!.upper[0], 1);
  close(whole[1]!.upper[1], 1);
  assert.deepEqual(stackOf(curvesOf([row("a", 1, null)]), true)[0], { lower: [null], upper: [null] });
});

test("a label leads only if noise could not have put it first", () => {
  // The noise of a difference is 1.96 * sqrt(2) * 10 of 1,000 devices: 2.77%.
  const close = leaderOf([row("a", 1, 0.5), row("b", 1, 0.473)], 0.95);
  assert.equal(close?.first.label, "a");
  assert.equal(close?.close?.label, "b");
  const clear = leaderOf([row("b", 1, 0.472), row("a", 1, 0.5)], 0.95);
  assert.equal(clear?.first.label, "a");
  assert.equal(clear?.close, null);
  assert.ok(Math.abs(clear!.noise - 0.0196) < 1e-9);
  assert.equal(leaderOf([row("a", 1, null)], 0.95), null);
  assert.equal(
    leaderOf([{ ...row("a", 1, 0.5), share_upper: 1.01 }], 0.95),
    null,
    "the noise is as wide as the answer",
  );
});
