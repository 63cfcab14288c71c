// A metric without an end: one curve, who takes part, its panels, and both figures of its promise.
import assert from "node:assert/strict";
import { collector, open, page, step, visit } from "./session.mjs";

const hour = 3600;

/** Four hours on and four off; a season begins every two hours. Period 11 has just begun. */
async function createTides() {
  const start = Math.floor(Date.now() / 1000) - 10 * hour - 60;
  await collector.put("tides", {
    periods: 4,
    max_changes: 1,
    epsilon: "1",
    period_seconds: hour,
    start,
    grace_periods: 24,
    test: true,
    seasons: { every: 2, rest: 4 },
  });
  // Season s has the periods 2s - 3 to 2s. Each has twenty devices that report in all its periods so far.
  for (let season = 1; season <= 7; ++season) {
    const joined = Math.max(1, 4 - 2 * season);
    const lines = [];
    for (let i = 0; i < 20; ++i) {
      const client = (season * 100 + i).toString(16).padStart(32, "0");
      const due = Math.min(4, 10 - (2 * season - 4)) - joined + 1;
      lines.push(JSON.stringify({ client, view: 0, period: joined }));
      if (due > 0)
        lines.push(JSON.stringify({ client, index: joined, signs: (i % 2 ? "+-+-" : "-+-+").slice(0, due) }));
    }
    await collector.post(`tides/seasons/${season}`, lines);
  }
}

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

step("a metric without an end is one curve, and shows its panels on demand", async () => {
  await createTides();
  await visit("metric/tides");
  const panels = page.getByTestId("panels");
  await panels.getByText("40 devices of about 80 take part at a time").waitFor();
  await page.locator(".chart canvas").first().waitFor();
  await panels.getByText("Panels by age").click();
  await panels.getByText("Panels agree").waitFor();
  await panels.getByRole("row").nth(2).waitFor();
  assert.equal(await panels.getByRole("row").count(), 3);
  const { periods } = await collector.call("v1/metrics/tides/estimates?from=1");
  assert.deepEqual(
    periods.map(({ period, devices }) => [period, devices]),
    Array.from({ length: 10 }, (_, i) => [i + 1, 40]),
  );
  // Both figures, wherever either is.
  const both = /ε\s=\s1\..*three years costs at most\s+ε\s=\s3,?\d*/s;
  assert.match(await page.locator("main").innerText(), both);
  assert.doesNotMatch(await page.locator("main").innerText(), /periods are over/);
});

step("the list has both figures of a metric without an end", async () => {
  await visit("?search=tides");
  const row = page.locator("li").filter({ has: page.getByRole("link", { name: "tides" }) });
  await row.getByText(/in any 4 hours, ε\s=\s[\d]+ in three years/).waitFor();
  await row.getByText(/without an end/).waitFor();
  assert.doesNotMatch(await row.innerText(), /for all|until/);
});

step("the protection of a metric without an end has both figures", async () => {
  await visit("metric/tides/protection");
  const windows = page.getByTestId("windows");
  await windows.getByText(/In any 4 hours in a row/).waitFor();
  const said = await windows.innerText();
  const { epsilon_in_any: promises } = await collector.call("v1/metrics/tides");
  assert.equal(promises[0].epsilon, "1");
  assert.ok(said.includes(`(ε\u00a0=\u00a0${promises[0].epsilon})`), said);
  assert.ok(said.includes(`(ε\u00a0=\u00a0${promises[2].epsilon})`), said);
});
