// The end of a metric: closed, archived, brought back and deleted from the page.
import assert from "node:assert/strict";
import { collector, page, step, visit } from "./session.mjs";

const names = async (query = "") => (await collector.call(`v1/metrics${query}`)).metrics.map((each) => each.name);

/** Presses a button of the end and answers its question. */
async function decide(button, answer) {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("button", { name: answer }).click();
}

step("a metric is closed, archived, brought back and deleted, each after a question", async () => {
  await collector.put("ending", { periods: 8, max_changes: 1, epsilon: "1", clock: "manual" });
  await visit("metric/ending");
  // A reader sees no button for ending a metric.
  await page.getByRole("link", { name: "Operate this metric" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /Close|Delete|Archive/ }).count(), 0);
  await page.evaluate(() => globalThis.sessionStorage.removeItem("admin-token"));
  await visit("metric/ending/operate");
  await page.getByText("Only operators may change a metric.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Delete it" }).count(), 0);
  await page.getByLabel("Admin token").fill("not the token");
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByText("Delete ending for good?").waitFor();
  await page.getByRole("button", { name: "No, leave it" }).click();
  await page.getByRole("button", { name: "Close it now" }).click();
  await page.getByRole("button", { name: "Yes, close it" }).click();
  await page.getByRole("alert").filter({ hasText: "The admin token is wrong." }).waitFor();
  assert.equal((await collector.call("v1/metrics/ending")).state, "open");
  await page.getByRole("button", { name: "Use another token" }).click();
  await page.getByLabel("Admin token").fill(collector.token);
  await page.getByRole("button", { name: "Go on" }).click();
  await decide("Close it now", "Yes, close it");
  await page.getByRole("button", { name: "Archive it" }).waitFor();
  assert.equal((await collector.call("v1/metrics/ending")).state, "closed");
  await decide("Archive it", "Yes, archive it");
  await page.getByRole("button", { name: "Bring it back" }).waitFor();
  assert.ok(!(await names()).includes("ending"));
  await visit("?archived=true");
  await page.getByRole("link", { name: "ending", exact: true }).first().click();
  await page.getByRole("link", { name: "Operate this metric" }).click();
  await decide("Bring it back", "Yes, show it");
  await page.getByRole("button", { name: "Archive it" }).waitFor();
  assert.ok((await names()).includes("ending"));
  await decide("Delete it", "Yes, delete it");
  await page.getByRole("heading", { name: "Metrics", exact: true }).waitFor();
  assert.ok(!(await names("?archived=all")).includes("ending"));
});
