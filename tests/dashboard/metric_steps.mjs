// One metric, from its creation to its end.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Fleet } from "./fleet.mjs";
import { changed, collector, downloaded, focusChart, open, page, step, text, visit } from "./session.mjs";

export const metric = "dark-mode";
const periods = 128;
const devices = 24_000;
const chunk = 16;
const curve = (x) => 0.04 + 0.62 / (1 + Math.exp(-11 * (x - 0.55)));
let fleet;

/** Ends the next `count` periods, and brings in what is due. */
async function stream(count) {
  const end = fleet.period + count;
  for (let i = 0; i < count; ++i) await collector.advance(metric);
  await collector.post(metric, fleet.reports(end));
}

step("an empty collector says so", async () => {
  await visit("");
  await page.getByText("Nothing is being counted yet").waitFor();
});

step("a metric is created from the page, with the token only", async () => {
  await visit("new");
  await page.getByLabel("What does it ask?").fill("Is dark mode switched on?");
  await page.getByLabel("Name", { exact: true }).fill(metric);
  await page.getByLabel("Periods", { exact: true }).fill(String(periods));
  await page.getByLabel("A period lasts").selectOption("manual");
  await page.getByLabel("Changes counted, at most").fill("2");
  await page.getByLabel("Privacy budget ε").fill("1.5");
  await page.getByLabel("Admin token").fill("not the token");
  await page.getByRole("button", { name: "Create the metric" }).click();
  await page.getByRole("alert").filter({ hasText: "The admin token is wrong." }).waitFor();
  await page.getByLabel("Admin token").fill(collector.token);
  await page.getByRole("button", { name: "Create the metric" }).click();
  await page.getByRole("heading", { name: "No device has joined yet" }).waitFor();
  // Reports count for good: simulated ones are not for a real metric.
  assert.equal(await text(".empty .code"), `${collector.url}/v1/metrics/${metric}`);
  assert.equal(await page.getByText("swarm").count(), 0);
  assert.equal(await page.getByText("Demonstration").count(), 0);
  const { plan } = await collector.call(`v1/metrics/${metric}`);
  assert.equal(plan.epsilon, "1.5");
  fleet = new Fleet(plan, devices, curve);
});

step("a fleet streams, and the page follows by itself", async () => {
  await collector.post(metric, fleet.enrolments());
  await page.getByText("The first period is still running").waitFor();
  await stream(chunk);
  await page
    .getByTestId("say")
    .filter({ hasText: `of ${devices.toLocaleString("en")} active devices` })
    .waitFor();
  const early = await text("[data-testid=say]");
  while (fleet.period < 7 * chunk) await stream(chunk);
  await page.getByText(`Period ${7 * chunk} of ${periods}`).waitFor();
  await changed("[data-testid=say]", early);

  const { periods: rows } = await collector.call(`v1/metrics/${metric}/estimates`);
  const last = rows.at(-1);
  // The page asks for the estimates once it hears of the period: its figure follows its period.
  await page.waitForFunction(
    ({ estimate, upper }) => {
      const figure = document.querySelector("[data-testid=say] strong"); // none while a period is not known
      const said = Number(figure?.textContent.replace(/,/g, "") ?? NaN);
      return Math.abs(said - estimate) <= (upper - estimate) / 10;
    },
    last,
    { timeout: 60_000 },
  );
  const truth = devices * curve(last.period / periods);
  // The noise is the same in each run; other noise exceeds six standard deviations twice in a billion runs.
  assert.ok(Math.abs(last.estimate - truth) < 6 * last.stddev, `${last.estimate} +- ${last.stddev} for ${truth}`);
  assert.match(await text("[data-testid=verdict]"), /The share is really up/);
  await page.getByText(/That is [\d.]+% ± [\d.]+ \(95% confidence\)/).waitFor();
  await page.getByText("Healthy. Reports come in as they should.").waitFor();
  await page.getByText("Lines since the collector started").waitFor();
});

step("files hold what the API says", async () => {
  const fetched = async (button) => {
    const [name, bytes] = await downloaded(button);
    return [name, bytes.toString()];
  };
  const path = `v1/metrics/${metric}/estimates?estimator=online&level=0.95&band=pointwise`;
  assert.deepEqual(await fetched("CSV"), [`${metric}-online.csv`, await collector.call(path, { accept: "text/csv" })]);
  assert.deepEqual(JSON.parse((await fetched("JSON"))[1]), await collector.call(path));
  const [name, svg] = await fetched("SVG");
  assert.equal(name, `${metric}-online.svg`);
  assert.match(svg, /^<svg [^]*<polyline points="[\d., ]{500,}"[^]*<\/svg>\n$/);
  const [picture, png] = await downloaded("PNG");
  assert.equal(picture, `${metric}-online.png`);
  assert.equal(png.toString("latin1", 1, 4), "PNG");
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1920, 960]);
});

step("a link keeps what is shown, and the keyboard reads the chart", async () => {
  await page.getByLabel("Hindsight").check();
  await page.getByRole("button", { name: "64", exact: true }).click();
  const chart = page.locator(".chart .u-over");
  await chart.scrollIntoViewIfNeeded();
  const area = await chart.boundingBox();
  await page.mouse.move(area.x + area.width * 0.25, area.y + 80);
  await page.mouse.down();
  await page.mouse.move(area.x + area.width * 0.75, area.y + 80, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(() => /estimator=hindsight.*from=\d+.*to=\d+/.test(location.hash));
  const link = page.url();
  const other = await open();
  await other.goto(link);
  assert.equal(await other.getByLabel("Hindsight").isChecked(), true);
  await focusChart(other);
  const start = await other.getByTestId("readout").innerText();
  await other.keyboard.press("Home");
  await other.keyboard.press("ArrowRight");
  await changed("[data-testid=readout]", start, other);
  await other.keyboard.press("0");
  await other.waitForFunction(() => !/from=/.test(location.hash));
  await other.close();
});

step("the page says when the collector is gone, and goes on when it is back", async () => {
  await collector.kill("SIGKILL");
  await page.getByText("The collector does not answer.").waitFor();
  assert.match(await text("[data-testid=say]"), /devices/);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const sign = await page.locator(".gone").boundingBox();
  assert.ok(sign.y >= 0 && sign.y < 100, "the sign scrolls away");
  // An empty screen names the awaited answer, instead of "loading".
  await page.getByRole("link", { name: "Planner" }).click();
  await page.getByText("will appear when the collector answers").waitFor();
  await page.goBack();
  await collector.start();
  await page.getByText("The collector does not answer.").waitFor({ state: "detached" });
  await page.getByText(`Period ${fleet.period} of ${periods}`).waitFor();
  await stream(chunk / 2);
  await page.getByText(`Period ${fleet.period} of ${periods}`).waitFor();
});

step("the certificate is computed in the browser, by the code that devices run", async () => {
  await visit(`metric/${metric}/protection`);
  await page.getByTestId("certified").waitFor();
  const { plan } = await collector.call(`v1/metrics/${metric}`);
  const reportsInnovation = plan.views.some(({ kind }) => kind === "innovation");
  assert.equal(await page.getByRole("heading", { name: "When nothing changes" }).count(), reportsInnovation ? 1 : 0);
  // The digest is over the plan's one spelling, the collector's.
  const digest = createHash("sha256").update(JSON.stringify(plan)).digest("hex");
  assert.equal((await text("[data-testid=digest]")).trim(), `sha256:${digest}`);
  // The lines of a demonstration device have one sign for each period, for any value.
  const lines = page.getByLabel("The lines that are sent");
  await lines.waitFor();
  const first = await lines.textContent();
  await page.getByRole("button", { name: "Holds the state, 2: no" }).click();
  await page.getByRole("button", { name: "Holds the state, 2: yes" }).waitFor();
  assert.equal(JSON.parse(first.trim().split("\n")[0]).period, 1);
  await page.getByRole("button", { name: "Draw new noise" }).click();
  await page.waitForFunction((old) => document.querySelector(".device .code")?.textContent !== old, first);
});

step("the visitor's browser is a device: it joins, observes, sends, and is counted once", async () => {
  await collector.put("visitors", { periods: 8, max_changes: 2, epsilon: "1", clock: "manual", protocol: "repeated" });
  await visit("metric/visitors/protection");
  await page.getByRole("button", { name: "Join with this browser" }).click();
  // It asks first, and joins nothing before the visitor agrees.
  const question = page.getByRole("group", { name: "Do you agree?" });
  await question.getByText("never your answer").waitFor();
  await question.getByRole("button", { name: "Not now" }).click();
  assert.equal((await collector.call("v1/metrics/visitors")).devices, 0);
  await page.getByRole("button", { name: "Join with this browser" }).click();
  await question.getByRole("button", { name: "Agree and join" }).click();
  await page.getByTestId("own-state").getByText("period 1 of 8").waitFor();
  await page.getByTestId("left").filter({ hasText: '"view":0,"period":1' }).waitFor();
  await page.getByRole("button", { name: "I hold the state: no" }).click();
  for (const period of [2, 3]) {
    await collector.advance("visitors");
    await page.getByTestId("own-state").getByText(`period ${period} of 8`).waitFor();
  }
  await page.getByTestId("left").filter({ hasText: '"index":2,"signs"' }).waitFor();
  assert.equal((await collector.call("v1/metrics/visitors")).devices, 1);
  // A returning visitor continues as the same device.
  await visit("metric/visitors");
  await page.getByRole("link", { name: "What is protected, and what is not" }).waitFor();
  await visit("metric/visitors/protection");
  await page.getByRole("button", { name: "Join with this browser" }).click();
  await page.getByTestId("own-state").waitFor();
  await collector.advance("visitors");
  await page.getByTestId("left").filter({ hasText: '"index":3,"signs"' }).waitFor();
  const { devices, rejected } = await collector.call("v1/metrics/visitors");
  assert.deepEqual({ devices, rejected }, { devices: 1, rejected: 0 });
  // The visitor sees all of it, and may switch it off, which is remembered.
  await page.getByText("All that this browser ever sent").click();
  await page.getByTestId("history").filter({ hasText: '"index":1,"signs"' }).waitFor();
  await page.getByRole("button", { name: "On: switch off" }).click();
  await page.getByRole("button", { name: "Off: take part again" }).waitFor();
  const { accepted } = await collector.call("v1/metrics/visitors");
  await collector.advance("visitors");
  await visit("metric/visitors");
  await page.getByRole("link", { name: "What is protected, and what is not" }).waitFor();
  await visit("metric/visitors/protection");
  await page.getByRole("button", { name: "Join with this browser" }).click();
  await question.waitFor();
  assert.equal((await collector.call("v1/metrics/visitors")).accepted, accepted);
});

step("a fleet that falls silent is not known, and the page says what was", async () => {
  const { plan } = await collector.put("silent", { periods: 32, max_changes: 1, epsilon: "1", clock: "manual" });
  const quiet = new Fleet(plan, 4000, () => 0.5);
  await collector.post("silent", quiet.enrolments());
  for (let i = 0; i < 8; ++i) await collector.advance("silent");
  await collector.post("silent", quiet.reports(8));
  for (let i = 0; i < 16; ++i) await collector.advance("silent");
  await visit("metric/silent");
  await page
    .getByTestId("say")
    .filter({ hasText: /^Not known: none of the 4,000 devices that joined is active\.$/ })
    .waitFor();
  await page.getByText(/Last known, in period \d+ of 32: [\d,]+ of 4,000 devices, give or take/).waitFor();
  assert.equal(await page.getByTestId("verdict").count(), 0);
  await page.getByText("Reports missing.").waitFor();
  await page.getByText("All reports due are in, in the 8 periods with active devices").waitFor();
});

step("few devices: what lies outside the chart is told in words", async () => {
  // Every device reports at every period, so that each estimate is determined, and hardly one is near the truth.
  const body = { periods: 64, max_changes: 4, epsilon: "0.05", clock: "manual", protocol: "repeated" };
  const { plan } = await collector.put("few", body);
  const few = new Fleet(plan, 12, () => 0.5);
  await collector.post("few", few.enrolments());
  for (let i = 0; i < 32; ++i) await collector.advance("few");
  await collector.post("few", few.reports(32));
  await visit("metric/few");
  await page
    .getByTestId("say")
    .filter({ hasText: /^Too few devices to say: the noise, ± [\d,]+, is/ })
    .waitFor();
  assert.match(await text("[data-testid=warning]"), /the estimate is too noisy to be useful: with 12 devices/);
  const { periods: rows } = await collector.call("v1/metrics/few/estimates");
  const below = rows.filter(({ estimate }) => estimate < -0.25 * 12).length;
  const above = rows.filter(({ estimate }) => estimate > 1.25 * 12).length;
  assert.match(
    await text("[data-testid=beyond]"),
    new RegExp(`^Outside the chart: ${below} estimates? below and ${above} above`),
  );
});
