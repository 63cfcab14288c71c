import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aroundPeriod,
  dayOfPeriod,
  hasDays,
  inOrder,
  latestStretches,
  periodOfDay,
  stretchNamed,
  stretchText,
} from "./stretches";

test("stretches are read from a link", () => {
  assert.deepEqual(stretchNamed("8..14", 20), { from: 8, to: 14 });
  assert.equal(stretchText({ from: 8, to: 14 }), "8..14");
  for (const wrong of [null, "", "8", "0..3", "9..8", "8..21", "x..2", "1..2..3"]) {
    assert.equal(stretchNamed(wrong, 20), null, String(wrong));
  }
});

test("equally long stretches end with the newest period, or meet at a note", () => {
  assert.deepEqual(latestStretches(30), { before: { from: 17, to: 23 }, after: { from: 24, to: 30 } });
  assert.deepEqual(latestStretches(5), { before: { from: 2, to: 3 }, after: { from: 4, to: 5 } });
  assert.equal(latestStretches(1), null);
  assert.deepEqual(aroundPeriod(4, 30), { before: { from: 1, to: 3 }, after: { from: 4, to: 6 } });
  assert.deepEqual(aroundPeriod(30, 30), { before: { from: 29, to: 29 }, after: { from: 30, to: 30 } });
  assert.equal(aroundPeriod(1, 30), null);
  assert.equal(aroundPeriod(31, 30), null);
  assert.ok(inOrder({ from: 1, to: 3 }, { from: 4, to: 6 }));
  assert.ok(!inOrder({ from: 1, to: 4 }, { from: 4, to: 6 }));
});

// Weeks from Monday, 2026-10-19 in New York. Clocks change on November 1.
const clock = {
  start: Date.parse("2026-10-19T04:00:00Z") / 1000,
  period_seconds: 604_800,
  time_zone: "America/New_York",
};

test("days are those of the metric's zone, also after clocks change", () => {
  assert.ok(hasDays(clock));
  assert.ok(!hasDays({ start: 0, period_seconds: 3600 }));
  assert.ok(!hasDays({}));
  for (const [period, first, last] of [
    [1, "2026-10-19", "2026-10-25"],
    [2, "2026-10-26", "2026-11-01"],
    [4, "2026-11-09", "2026-11-15"],
  ] as const) {
    assert.equal(dayOfPeriod(clock, period, "first"), first);
    assert.equal(dayOfPeriod(clock, period, "last"), last);
    assert.equal(periodOfDay(clock, first, 9), period);
    assert.equal(periodOfDay(clock, last, 9), period);
  }
  assert.equal(periodOfDay(clock, "2026-01-01", 9), 1);
  assert.equal(periodOfDay(clock, "2030-01-01", 9), 9);
  assert.equal(periodOfDay(clock, "", 9), null);
});
