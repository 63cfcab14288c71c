import assert from "node:assert/strict";
import { test } from "node:test";
import { beginDate, endDate, periodDate, periodsAsTime, periodTick } from "./dates";

const day = 86_400;
const at = (text: string) => Date.parse(text) / 1000;

test("days are those of the metric's time zone", () => {
  const newYork = { start: at("2026-11-09T05:00:00Z"), period_seconds: day, time_zone: "America/New_York" };
  assert.equal(periodDate(newYork, 1), "Nov 9, 2026");
  assert.equal(periodTick(newYork, 1), "Nov 9");
  const weeks = { start: at("2026-11-09"), period_seconds: 7 * day };
  assert.equal(periodDate(weeks, 1), "Nov 9–15, 2026");
  assert.equal(periodDate(weeks, 4), "Nov 30 – Dec 6, 2026");
  assert.equal(periodDate(weeks, 8), "Dec 28, 2026 – Jan 3, 2027");
  assert.equal(beginDate(weeks, 8), "Dec 28, 2026");
  assert.equal(endDate(weeks, 8), "Jan 3, 2027");
});

test("no day is skipped where clocks change", () => {
  const clock = { start: at("2026-10-25T04:00:00Z"), period_seconds: day, time_zone: "America/New_York" };
  for (let period = 1; period <= 400; ++period) {
    const expected = new Date(Date.UTC(2026, 9, 24 + period));
    assert.match(periodDate(clock, period)!, new RegExp(` ${expected.getUTCDate()}, ${expected.getUTCFullYear()}$`));
  }
});

test("shorter periods have times", () => {
  const hours = { start: at("2026-11-09T14:00:00Z"), period_seconds: 3600, time_zone: "Asia/Kolkata" };
  assert.equal(periodDate(hours, 1), "Nov 9, 2026, 19:30–20:30");
  assert.equal(periodDate(hours, 5), "Nov 9, 2026, 23:30 – Nov 10, 2026, 00:30");
  assert.equal(periodDate({ start: null, period_seconds: null }, 3), null);
  assert.equal(beginDate({}, 1), null);
});

test("periods as a length of time", () => {
  assert.equal(periodsAsTime({ period_seconds: 3600 }, 48), "2 days");
  assert.equal(periodsAsTime({}, 1), "1 period");
});
