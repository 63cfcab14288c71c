// The form of a new metric and the planner, for people who do not know protocols.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { binary, collector, open, page, step, visit, writtenDate } from "./session.mjs";

step("the form says what a metric would give before anybody makes it", async () => {
  const fresh = await open();
  await visit("new?periods=64", fresh);
  await fresh.getByTestId("admin").getByText("Creating a metric needs the admin token.").waitFor();
  const start = `${new Date().getUTCFullYear() + 1}-02-01`;
  const dayAfter = (days) => writtenDate(Date.parse(start) + days * 86_400_000);
  await fresh.getByLabel("The first period begins").fill(`${start}T00:00`);
  await fresh.getByLabel("Time zone").selectOption("UTC");
  await fresh
    .getByTestId("horizon")
    .filter({ hasText: `64 days, until ${dayAfter(63)}` })
    .waitFor();
  await fresh.getByLabel("A period lasts").selectOption("604800");
  await fresh
    .getByTestId("horizon")
    .filter({ hasText: `64 weeks, until ${dayAfter(7 * 64 - 1)}` })
    .waitFor();
  await fresh.getByLabel("Devices that you expect").fill("40000");
  const { protocols, recommended } = await collector.call("v1/plan?users=40000&periods=64&changes=4&epsilon=1");
  const share = protocols.find(({ name }) => name === recommended).predicted_rmse / 40_000;
  const said = (of) => `${Number((100 * of).toPrecision(2))} points`;
  const outlook = fresh.getByTestId("outlook");
  await outlook.getByText(`± ${said(1.96 * share)}`).waitFor();
  await outlook.getByText(said(1.96 * Math.SQRT2 * share), { exact: true }).waitFor();
  await fresh.getByLabel("Devices that you expect").fill("40");
  await fresh.getByTestId("outlook-warning").waitFor();
  // Specialists find the protocol where others do not stumble over it.
  assert.equal(await fresh.getByLabel("Protocol").isVisible(), false);
  await fresh.getByText("Protocol, for specialists").click();
  assert.equal(await fresh.getByLabel("Protocol").isVisible(), true);
  await fresh.close();
});

step("a daily habit with few changes gets a warning", async () => {
  await visit("new?periods=64");
  await page.getByLabel("What does it ask?").fill("Is dark mode switched on?");
  await page.getByTestId("outlook").waitFor();
  assert.equal(await page.getByTestId("habit").count(), 0);
  await page.getByLabel("What does it ask?").fill("Did you play a game today?");
  await page.getByTestId("habit").getByText("at most 4 changes in 64 periods").waitFor();
  await page.getByLabel("Changes counted, at most").fill("16");
  await page.getByTestId("habit").waitFor({ state: "detached" });
});

step("without an admin token nobody can create a metric, and the form says so first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "futurerand-open-"));
  const child = spawn(binary, ["serve", "--data", join(folder, "data"), "--create", "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let url = "";
  for await (const line of createInterface({ input: child.stderr })) {
    url = /listening on (http:\/\/[\d.]+:\d+)/.exec(line)?.[1] ?? "";
    if (url) break;
  }
  child.stderr.resume();
  const visitor = await open({}, { url });
  await visitor.goto(`${url}/#/new`);
  await visitor.getByTestId("no-admin").getByText("Nobody can create a metric here.").waitFor();
  assert.ok(await visitor.getByRole("button", { name: "Create the metric" }).isDisabled());
  assert.equal(await visitor.getByLabel("Admin token").count(), 0);
  await visitor.close();
  const gone = once(child, "exit");
  child.kill();
  await gone;
  rmSync(folder, { recursive: true, force: true });
});

step("a collector that is busy, or whose connection breaks, is asked again", async () => {
  const json = { error: { code: "busy", message: "busy" } };
  const answers = [
    (route) => route.fulfill({ status: 429, headers: { "retry-after": "1" }, json }),
    (route) => route.fulfill({ status: 503, json }),
    (route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" }),
    (route) => route.abort("connectionreset"),
  ];
  let seen = false;
  const answer = (route) => (seen ? (answers.shift() ?? (() => route.continue()))(route) : answers[0](route));
  await page.route(/v1\/plan\?/, answer);
  await visit("planner?users=1000&periods=128");
  await page.getByText("The collector is busy. The page asks again for the plan.").waitFor();
  seen = true;
  await page.getByTestId("too-noisy").waitFor();
  assert.equal(answers.length, 0);
  await page.unroute(/v1\/plan\?/, answer);
});

step("an answer slower than the news is shown all the same", async () => {
  // The page looks for news every five seconds.
  const late = async (route) => {
    await new Promise((done) => setTimeout(done, 7000));
    await route.continue().catch(() => {}); // the page may have given it up
  };
  await page.route(/growing\/estimates/, late);
  await visit("metric/growing");
  await page.getByTestId("say").waitFor();
  await page.unroute(/growing\/estimates/, late);
});

step("the planner speaks of dates and changes, and folds the protocols away", async () => {
  await visit("planner?users=40000&periods=64");
  const terms = page.getByTestId("terms");
  await terms.getByText(/^64 days, from today until [A-Z][a-z]{2} \d+, \d{4}$/).waitFor();
  await page.getByLabel("a week", { exact: true }).check();
  await terms.getByText(/^64 weeks/).waitFor();
  await terms.getByText(/[\d.]+ points between two periods/).waitFor();
  assert.equal(await page.getByRole("table").isVisible(), false);
  await page.getByText("All protocols, for specialists").click();
  await page.getByRole("table").waitFor();
  await page.getByRole("link", { name: "Create such a metric" }).click();
  assert.equal(await page.getByLabel("A period lasts").inputValue(), "604800");
  assert.equal(await page.getByLabel("Devices that you expect").inputValue(), "40000");
});
