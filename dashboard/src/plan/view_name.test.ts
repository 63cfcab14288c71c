import assert from "node:assert/strict";
import { test } from "node:test";
import { viewName } from "./view_name";

test("a view is named by what it reports, and how often", () => {
  const view = (signs: number, order = 0) => ({
    kind: "snapshot" as const,
    order,
    weight: 1,
    law: { shape: "single" as const, signs },
  });
  assert.equal(viewName(view(1), 64), "Value, once");
  assert.equal(viewName(view(1, 2), 64), "Value, once, at a multiple of 4");
  assert.equal(viewName(view(4, 2), 64), "Value, 4 times, 16 periods apart");
  assert.equal(viewName(view(3), 64), "Value, 2 or 3 times, 22 periods apart");
  assert.equal(viewName(view(16, 2), 64), "Value, every 4 periods");
  assert.equal(viewName({ ...view(4), kind: "innovation" }, 64), "What is new about the value, every period");
  assert.equal(viewName({ ...view(1), kind: "once" }, 64), "Value, once, on joining");
  assert.equal(
    viewName({ ...view(4), kind: "pulse", law: { shape: "pulse", signs: 68, window: 4, pulses: 2 } }, 64),
    "A pulse or none, every period, window 4",
  );
  assert.equal(viewName({ ...view(4, 1), kind: "changes" }, 64), "Change, every 2 periods");
});
