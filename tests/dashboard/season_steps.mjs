// The form of a metric without an end.
import assert from "node:assert/strict";
import { open, step, visit } from "./session.mjs";

step("the form of a metric without an end states both figures", async () => {
  const fresh = await open();
  await visit("new?periods=90&rest=90&epsilon=1", fresh);
  assert.equal(await fresh.getByTestId("season-cost").count(), 0);
  await fresh.getByLabel("Without an end").check();
  const cost = fresh.getByTestId("season-cost");
  await cost.filter({ hasText: /ε\s=\s1 in any 90 periods in a row, and ε\s=\s7 in a life of three years/ }).waitFor();
  await fresh.getByLabel("A device rests for").fill("0");
  await cost.filter({ hasText: /ε\s=\s2 in any 90 periods in a row, and ε\s=\s14 in a life/ }).waitFor();
  await fresh.close();
});
