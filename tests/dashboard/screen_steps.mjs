// The other screens, for an analyst, an engineer and a visitor.
import assert from "node:assert/strict";
import { Collector } from "./collector.mjs";
import { Fleet } from "./fleet.mjs";
import { metric } from "./metric_steps.mjs";
import { binary, changed, collector, eventually, open, page, pictures, step, text, visit } from "./session.mjs";

step("a metric for tests has a badge, and takes a simulated fleet", async () => {
  await collector.put("trial", { periods: 16, max_changes: 1, epsilon: "1", clock: "manual", test: true });
  await visit("metric/trial");
  assert.equal(await text(".empty .code"), `futurerand swarm --to ${collector.url} --metric trial`);
  await page.getByText("Demonstration").waitFor();
});

step("a metric starts at a time in a zone", async () => {
  await visit("new?periods=30");
  await page.getByLabel("Name", { exact: true }).fill("daily");
  // It is in the next year, so that it is ahead whenever this runs.
  const year = new Date().getUTCFullYear() + 1;
  await page.getByLabel("The first period begins").fill(`${year}-02-01T00:00`);
  await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await page.getByRole("button", { name: "Create the metric" }).click();
  await page.getByRole("heading", { name: `It starts on Feb 1, ${year} (Asia/Tokyo)` }).waitFor();
  await page.getByText(`Mar 2, ${year}`).waitFor(); // its end
  await visit("?search=daily");
  await page.getByText(`starts Feb 1, ${year}`).first().waitFor();
  assert.equal(await page.getByText("100%").count(), 0);
  const { start, period_seconds, plan, time_zone } = await collector.call("v1/metrics/daily");
  assert.equal(time_zone, "Asia/Tokyo");
  assert.equal(start, Date.parse(`${year}-01-31T15:00:00Z`) / 1000);
  assert.deepEqual([period_seconds, plan.periods], [86_400, 30]);
});

// Begins a metric with a manual clock. Returns a check of whether a box is offered for a protocol and a number of
// periods.
const begin = async (name, periods, box) => {
  await visit(`new?periods=${periods}`);
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("A period lasts").selectOption("manual");
  await page.getByText("Protocol, for specialists").click();
  return async (protocol, periods, yes) => {
    await page.getByLabel("Protocol").selectOption(protocol);
    await page.getByLabel("Periods", { exact: true }).fill(String(periods));
    await box.waitFor({ state: yes ? "visible" : "detached" });
  };
};

const create = async () => {
  await page.getByRole("button", { name: "Create the metric" }).click();
  await page.getByRole("heading", { name: "No device has joined yet" }).waitFor();
};

step("a metric clips contributions unless it is created without the cap", async () => {
  const box = page.getByLabel("Cap", { exact: true });
  const make = async (name, checked) => {
    const offered = await begin(name, 4096, box);
    await offered("innovation", 4096, true);
    await offered("hybrid", 64, false);
    await offered("", 64, false);
    await offered("innovation", 64, true);
    assert.ok(await box.isChecked());
    await page.screenshot({ path: `${pictures}/cap.png`, fullPage: true });
    if (!checked) await box.uncheck();
    await create();
    const { plan, transcript_cap } = await collector.call(`v1/metrics/${name}`);
    assert.deepEqual([plan.protocol, transcript_cap], ["innovation", checked]);
    const fleet = new Fleet(plan, 400, () => 0.5);
    await collector.post(name, fleet.enrolments());
    for (let i = 0; i < 40; ++i) await collector.advance(name);
    await collector.post(name, fleet.reports(40));
    await visit(`metric/${name}`);
    await page.getByText("Move the newest period by at most").waitFor();
  };
  await make("uncapped", false);
  assert.equal(await page.getByTestId("capped").count(), 0);
  await make("capped", true);
  const { transcript_cap } = await collector.call("v1/metrics/capped/estimates");
  assert.equal(transcript_cap.rate, 0.0001);
  const said = await text("[data-testid=capped]");
  assert.match(said, /contribution is clipped at a level that one honest device in 10,000 exceeds in a period/);
  const bound = Number(/by at most ([\d.]+) devices/.exec(said)[1]);
  assert.ok(bound >= transcript_cap.bias_at_most && bound < 1.2 * transcript_cap.bias_at_most, said);
  await page.screenshot({ path: `${pictures}/capped.png`, fullPage: true });
  await visit("metric/capped?estimator=trend");
  await page.getByText("Devices that were active in that period").waitFor();
  assert.equal(await page.getByTestId("capped").count(), 1);
});

step("the planner takes any number, and hands on exactly what is shown", async () => {
  await visit("planner?users=1000");
  await page.getByTestId("too-noisy").waitFor();
  await visit("planner?periods=180");
  const first = await text("[data-testid=prediction]");
  await page.waitForFunction(() => !document.querySelector("[data-testid=too-noisy]"));
  assert.equal(await page.getByLabel("Periods", { exact: true }).inputValue(), "180");
  await page.getByLabel("Devices, slider").press("End");
  await changed("[data-testid=prediction]", first);
  await page.getByLabel("Privacy budget ε", { exact: true }).fill("1.3");
  await page.getByLabel("Changes of a device, at most", { exact: true }).fill("a few");
  await page.getByText("Expected a whole number from 1 to 256.").waitFor();
  await page.getByLabel("Changes of a device, at most", { exact: true }).fill("7");
  await page.waitForFunction(() => /epsilon=1\.3/.test(location.hash) && /changes=7/.test(location.hash));
  // Protocols with privacy over the whole sequence come first.
  const { protocols } = await collector.call("v1/plan?users=100000000&periods=180&changes=7&epsilon=1.3");
  await page.getByText("All protocols, for specialists").click();
  await page.locator("tbody").nth(1).waitFor();
  const names = new Set(protocols.filter((each) => each.sequence_private !== false).map((each) => each.name));
  await eventually(async () => {
    const listed = await page.locator("tbody").first().locator("tr:not(.group) th").allInnerTexts();
    assert.deepEqual(new Set(listed.map((cell) => cell.split("\n")[0])), names);
  });
  await page.getByRole("link", { name: "Create such a metric" }).click();
  const values = ["Periods", "Changes counted, at most", "Privacy budget ε"];
  const found = await Promise.all(values.map((label) => page.getByLabel(label, { exact: true }).inputValue()));
  assert.deepEqual(found, ["180", "7", "1.3"]);
});

step("the playground runs a fleet to its end, near the truth", async () => {
  await visit("playground");
  await page.getByLabel("Devices", { exact: true }).press("End");
  await page.getByLabel("Periods", { exact: true }).press("Home");
  await page.getByRole("button", { name: "Run the fleet" }).click();
  await page.getByTestId("run").getByText("32 of 32").waitFor({ timeout: 300_000 });
  const truth = Number((await text("[data-testid=run] .key-truth")).replace(/,/g, ""));
  const name = await page.locator(".figure .hint a").innerText();
  const { periods: rows } = await collector.call(`v1/metrics/${name}/estimates`);
  // The fleet of a playground has real noise. Seven standard deviations are exceeded three times in 10^12 runs.
  assert.ok(Math.abs(rows.at(-1).estimate - truth) < 7 * rows.at(-1).stddev, `${rows.at(-1).estimate} for ${truth}`);
  await page.screenshot({ path: `${pictures}/playground.png` });
  await page.getByRole("link", { name: "Planner" }).click();
  await page.getByRole("link", { name: "Playground", exact: true }).click();
  assert.equal(await page.locator(".figure .hint a").innerText(), name, "the run is forgotten");
  await assert.rejects(
    collector.call("v1/playground", {
      method: "POST",
      body: '{"users":1000000000}',
    }),
    /400/,
  );
});

step("without --demo there is no playground", async () => {
  const plain = new Collector(binary, []);
  await plain.start();
  const visitor = await open({}, plain);
  await visit("playground", visitor, plain);
  await visitor.getByText("The playground needs futurerand serve --demo").waitFor();
  assert.equal(await visitor.getByRole("link", { name: "Playground", exact: true }).count(), 0);
  await visitor.close();
  await plain.remove();
});

step("4096 periods are on the screen before the reader looks away", async () => {
  const hour = 3600;
  const body = {
    periods: 4096,
    max_changes: 4,
    epsilon: "1",
    period_seconds: hour,
    start: Math.floor(Date.now() / 1000) - 4000 * hour,
    description: "Is a VPN connected at the end of the hour?",
  };
  const { plan } = await collector.put("vpn", body);
  const long = new Fleet(plan, 400, () => 0.5);
  await collector.post("vpn", long.enrolments());
  await collector.post("vpn", long.reports(4000));
  const times = [];
  for (let i = 0; i < 3; ++i) {
    const fresh = await open();
    const start = performance.now();
    await visit("metric/vpn", fresh);
    await fresh.locator(".chart canvas").waitFor();
    times.push(performance.now() - start);
    await fresh.close();
  }
  // It takes half a second on a quiet machine. This one may be busy: only the minute that waitFor allows is a limit.
  console.log(`first view of 4,000 periods: ${times.map(Math.round).join(", ")} ms`);
});

step("the list is searched, and two metrics are compared in one chart", async () => {
  const body = { periods: 128, max_changes: 2, epsilon: "1.5", clock: "manual", description: "Is the night light on?" };
  const { plan } = await collector.put("night-light", body);
  const other = new Fleet(plan, 8000, (share) => 0.35 - 0.1 * share);
  await collector.post("night-light", other.enrolments());
  for (let i = 0; i < 112; ++i) await collector.advance("night-light");
  await collector.post("night-light", other.reports(112));
  await visit("");
  await page.getByLabel("Search").fill("vpn HOUR");
  await eventually(async () => assert.deepEqual(await page.locator(".ledger h2 a").allInnerTexts(), ["vpn"]));
  await page.getByLabel("Search").fill("no such words");
  await page.getByText("No metric has these words").waitFor();
  await page.getByRole("link", { name: "Compare two metrics" }).click();
  await page.getByLabel("First metric").selectOption(metric);
  await page.getByLabel("Second metric").selectOption("vpn");
  await page.getByText("Too few devices to compare: vpn has 400.").waitFor();
  await page.getByLabel("Second metric").selectOption("night-light");
  // The truth is 66% and 25% of the devices, and the noise is some ten percent, the same in each run.
  await page.getByText(`${metric} is really higher`).waitFor();
  await page.locator(".chart canvas").waitFor();
  await page.getByLabel("Second metric").selectOption(metric);
  await page.getByTestId("difference").filter({ hasText: "cannot be told apart" }).waitFor();
  await page.waitForFunction(() => /first=dark-mode.*second=dark-mode/.test(location.hash));
});

step("a metric that is not there, and the theme that the reader chose", async () => {
  await visit("metric/nothing");
  await page.getByRole("alert").filter({ hasText: "there is no metric 'nothing'" }).waitFor();
  const before = await page.evaluate(() => document.documentElement.dataset.theme);
  await page.getByRole("button", { name: "Dark theme" }).click();
  await page.reload();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), before === "dark" ? "light" : "dark");
  assert.equal(await page.getByText("The collector does not answer.").count(), 0);
  await page.getByRole("button", { name: "Light theme" }).click();
});
