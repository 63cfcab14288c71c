import assert from "node:assert/strict";
import { test } from "node:test";
import type { Planned } from "../collector/api";
import { horizonText, lastDay, predictedShare, smallestChange } from "./outlook";

test("a horizon is a length and a last day", () => {
  assert.equal(horizonText(256, 86_400), "256 days");
  assert.equal(horizonText(1, 604_800), "1 week");
  assert.equal(horizonText(24, 7200), "24 periods");
  assert.equal(horizonText(24, null), null);
  const start = Date.parse("2026-11-18T05:00:00Z") / 1000;
  assert.equal(lastDay(256, 86_400, start, "America/New_York"), "Aug 1, 2027");
  assert.equal(lastDay(1, 86_400, start, "America/New_York"), "Nov 18, 2026");
});

test("errors are those of the recommended protocol", () => {
  const planned = {
    recommended: "b",
    protocols: [
      { name: "a", predicted_rmse: 1 },
      { name: "b", predicted_rmse: 50 },
    ],
  } as Planned;
  assert.equal(predictedShare(planned, 1000), 0.05);
  assert.equal(predictedShare({ ...planned, recommended: null }, 1000), null);
  assert.ok(Math.abs(smallestChange(0.01) - 0.0277) < 1e-4);
});
