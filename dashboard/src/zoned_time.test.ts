import assert from "node:assert/strict";
import { test } from "node:test";
import { instantOf, timeZones, wallTime } from "./zoned_time";

const seconds = (iso: string) => Date.parse(iso) / 1000;

test("midnight in a zone is an instant", () => {
  assert.equal(instantOf("2026-01-31T00:00", "UTC"), seconds("2026-01-31T00:00:00Z"));
  assert.equal(instantOf("2026-01-31T00:00", "Europe/Berlin"), seconds("2026-01-30T23:00:00Z"));
  assert.equal(instantOf("2026-07-31T00:00", "Europe/Berlin"), seconds("2026-07-30T22:00:00Z"));
  assert.equal(instantOf("2026-07-31T00:00", "Asia/Kolkata"), seconds("2026-07-30T18:30:00Z"));
  assert.equal(instantOf("2026-07-31T00:00", "America/Los_Angeles"), seconds("2026-07-31T07:00:00Z"));
});

test("near a change of clocks", () => {
  assert.equal(instantOf("2026-03-29T00:30", "Europe/Berlin"), seconds("2026-03-28T23:30:00Z"));
  assert.equal(instantOf("2026-03-29T03:30", "Europe/Berlin"), seconds("2026-03-29T01:30:00Z"));
  assert.equal(instantOf("2026-10-25T04:00", "Europe/Berlin"), seconds("2026-10-25T03:00:00Z"));
});

test("a wall clock and back", () => {
  const noon = new Date("2026-05-05T12:00:00Z");
  for (const zone of timeZones().slice(0, 400)) {
    assert.equal(instantOf(wallTime(noon, zone), zone) * 1000, noon.getTime(), zone);
  }
  assert.ok(Number.isNaN(instantOf("", "UTC")));
});
