// Drives the page in a browser against the real collector: page_test.mjs FUTURERAND PICTURES
// FUTURERAND_IMAGES=FOLDER also writes the pictures of the README.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Collector } from "./collector.mjs";
import { axe, chromium } from "./dashboard.mjs";
import { Fleet } from "./fleet.mjs";

const [binary, pictures] = process.argv.slice(2);
const images = process.env.FUTURERAND_IMAGES;
const collector = new Collector(binary);
const periods = 128;
const devices = 24_000;
const chunk = 16;
const metric = "dark-mode";
const curve = (x) => 0.04 + 0.62 / (1 + Math.exp(-11 * (x - 0.55)));
const screens = ["", `metric/${metric}`, `metric/${metric}/protection`, "planner", "playground", "new"];

let browser;
let page;
let fleet;
const foreign = [];
const failures = [];

async function open(options = {}) {
  const opened = await browser.newPage({
    viewport: { width: 1280, height: 860 },
    acceptDownloads: true,
    ...options,
  });
  opened.setDefaultTimeout(60_000);
  opened.on(
    "request",
    (request) =>
      request.url().startsWith(collector.url) || request.url().startsWith("blob:") || foreign.push(request.url()),
  );
  opened.on("pageerror", (error) => failures.push(error.message));
  opened.on(
    "console",
    (message) => /Content Security Policy|Refused to/.test(message.text()) && failures.push(message.text()),
  );
  return opened;
}

const visit = (screen, on = page) => on.goto(`${collector.url}/#/${screen}`);
const text = (selector) => page.locator(selector).innerText();

/** The next `count` periods end, and what is due comes in. */
async function stream(count) {
  const end = fleet.period + count;
  for (let i = 0; i < count; ++i)
    await collector.call(`v1/metrics/${metric}/advance`, {
      method: "POST",
      admin: true,
    });
  await collector.post(metric, fleet.reports(end));
}

/** Steps build on one another: after one has failed the others would only wait in vain. */
let broken = false;
const step = (name, run) =>
  test(name, async (context) => {
    if (broken) return context.skip("an earlier step failed");
    broken = true;
    await run();
    broken = false;
  });

before(async () => {
  mkdirSync(pictures, { recursive: true });
  await collector.start();
  const executablePath =
    process.env.CHROMIUM ??
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-quic",
      "--no-first-run",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  page = await open();
});

after(async () => {
  await browser?.close();
  await collector.remove();
});

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
  await page.getByRole("alert").filter({ hasText: "That did not work" }).waitFor();
  await page.getByLabel("Admin token").fill(collector.token);
  await page.getByRole("button", { name: "Create the metric" }).click();
  await page.getByRole("heading", { name: "No device has enrolled yet" }).waitFor();
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
    .filter({ hasText: `of ${devices.toLocaleString("en")} devices` })
    .waitFor();
  const early = await text("[data-testid=say]");
  while (fleet.period < 7 * chunk) await stream(chunk);
  await page.getByText(`Period ${7 * chunk} of ${periods}`).waitFor();
  await page.waitForFunction((before) => document.querySelector("[data-testid=say]").innerText !== before, early);

  const { periods: rows } = await collector.call(`v1/metrics/${metric}/estimates`);
  const last = rows.at(-1);
  const said = Number((await text("[data-testid=say] strong")).replace(/,/g, ""));
  assert.ok(Math.abs(said - last.estimate) <= (last.upper - last.estimate) / 10, `${said} for ${last.estimate}`);
  const truth = devices * curve(last.period / periods);
  // Six standard deviations: fails once in a billion runs.
  assert.ok(Math.abs(last.estimate - truth) < 6 * last.stddev, `${last.estimate} +- ${last.stddev} for ${truth}`);
  assert.match(await text("[data-testid=verdict]"), /Really up/);
});

step("files hold what the API says", async () => {
  const fetched = async (button) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: button, exact: true }).click(),
    ]);
    return [download.suggestedFilename(), readFileSync(await download.path(), "utf8")];
  };
  const path = `v1/metrics/${metric}/estimates?estimator=online&level=0.95&band=pointwise`;
  assert.deepEqual(await fetched("CSV"), [`${metric}-online.csv`, await collector.call(path, { accept: "text/csv" })]);
  assert.deepEqual(JSON.parse((await fetched("JSON"))[1]), await collector.call(path));
  const [name, svg] = await fetched("SVG");
  assert.equal(name, `${metric}-online.svg`);
  assert.match(svg, /^<svg [^]*<polyline points="[\d., ]{500,}"[^]*<\/svg>\n$/);
});

step("a link keeps what is shown, and the keyboard reads the chart", async () => {
  await page.getByLabel("Hindsight").check();
  await page.getByRole("button", { name: "64", exact: true }).click();
  const area = await page.locator(".chart .u-over").boundingBox();
  await page.mouse.move(area.x + area.width * 0.25, area.y + 80);
  await page.mouse.down();
  await page.mouse.move(area.x + area.width * 0.75, area.y + 80, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(() => /estimator=hindsight.*from=\d+.*to=\d+/.test(location.hash));
  const link = page.url();
  const other = await open();
  await other.goto(link);
  assert.equal(await other.getByLabel("Hindsight").isChecked(), true);
  await other.getByRole("application").focus();
  const start = await other.getByTestId("readout").innerText();
  await other.keyboard.press("Home");
  await other.keyboard.press("ArrowRight");
  await other.waitForFunction((before) => document.querySelector("[data-testid=readout]").innerText !== before, start);
  await other.keyboard.press("0");
  await other.waitForFunction(() => !/from=/.test(location.hash));
  await other.close();
});

step("the page says when the collector is gone, and goes on when it is back", async () => {
  await collector.kill("SIGKILL");
  await page.getByText("The collector does not answer.").waitFor();
  assert.match(await text("[data-testid=say]"), /devices/);
  await collector.start();
  await page.getByText("The collector does not answer.").waitFor({ state: "detached" });
  await stream(chunk / 2);
  await page.getByText(`Period ${fleet.period} of ${periods}`).waitFor();
});

step("the certificate is recomputed in the browser", async () => {
  await visit(`metric/${metric}/protection`);
  await page.getByTestId("certified").waitFor();
  const first = await text(".device .code");
  await page.getByRole("button", { name: "Draw new noise" }).click();
  assert.notEqual(await text(".device .code"), first);
});

step("the planner answers to its sliders", async () => {
  await visit("planner");
  const first = await text("[data-testid=prediction]");
  await page.getByLabel("Devices", { exact: true }).press("End");
  await page.waitForFunction(
    (before) => document.querySelector("[data-testid=prediction]").innerText !== before,
    first,
  );
  const { protocols } = await collector.call("v1/plan?users=100000000&periods=256&changes=4&epsilon=1");
  assert.ok(protocols.length >= 8);
});

step("the playground runs a fleet to its end, near the truth", async () => {
  await visit("playground");
  await page.getByLabel("Devices", { exact: true }).press("End");
  await page.getByLabel("Periods", { exact: true }).press("Home");
  await page.getByRole("button", { name: "Run the fleet" }).click();
  await page.getByTestId("run").getByText("32 of 32").waitFor({ timeout: 60_000 });
  const truth = Number((await text("[data-testid=run] .key-truth")).replace(/,/g, ""));
  const name = await page.locator(".figure .hint a").innerText();
  const { periods: rows } = await collector.call(`v1/metrics/${name}/estimates`);
  // Six standard deviations: fails once in a billion runs.
  assert.ok(Math.abs(rows.at(-1).estimate - truth) < 6 * rows.at(-1).stddev, `${rows.at(-1).estimate} for ${truth}`);
  await page.screenshot({ path: `${pictures}/playground.png` });
  await assert.rejects(
    collector.call("v1/playground", {
      method: "POST",
      body: '{"users":1000000000}',
    }),
    /400/,
  );
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
  console.log(`first view of 4,000 periods: ${times.map(Math.round).join(", ")} ms`);
  // Half a second on a quiet machine; this one may be busy, and only a collapse should fail.
  assert.ok(Math.min(...times) < 10_000, times.join(", "));
});

for (const theme of ["light", "dark"]) {
  step(`every screen fits every width and passes axe, ${theme}`, async () => {
    for (const width of [360, 1280, 2560]) {
      const shot = await open({
        viewport: {
          width,
          height: width < 500 ? 780 : width > 2000 ? 1440 : 860,
        },
        colorScheme: theme,
      });
      for (const [i, screen] of screens.entries()) {
        await visit(screen, shot);
        await shot.locator("h1").waitFor();
        await shot.locator(".waiting").waitFor({ state: "detached" });
        await shot.evaluate(() => document.fonts.ready);
        await shot.waitForTimeout(250);
        await shot.screenshot({
          path: `${pictures}/${i}-${width}-${theme}.png`,
          fullPage: true,
        });
        const overflow = await shot.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${screen} is ${overflow} px too wide at ${width} px`);
        if (width === 2560) continue;
        // By evaluate, which the content security policy of the page does not hold back.
        await shot.evaluate(readFileSync(axe, "utf8"));
        const { violations } = await shot.evaluate(() => globalThis.axe.run());
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        assert.deepEqual(
          serious.map(({ id, nodes }) => `${screen}: ${id} ${nodes[0].html}`),
          [],
        );
      }
      await shot.close();
    }
  });
}

step("pictures for the README", async () => {
  if (!images) return;
  mkdirSync(images, { recursive: true });
  for (const [name, screen, theme, width, height] of [
    ["metric-light", `metric/${metric}?estimator=hindsight`, "light", 1280, 860],
    ["metric-dark", `metric/${metric}?estimator=hindsight`, "dark", 1280, 860],
    ["metrics", "", "light", 1280, 560],
    ["planner", "planner", "dark", 1280, 860],
    ["phone", `metric/${metric}`, "light", 360, 720],
  ]) {
    const shot = await open({
      viewport: { width, height },
      colorScheme: theme,
    });
    await visit(screen, shot);
    await shot.locator(".waiting").waitFor({ state: "detached" });
    await shot.waitForTimeout(600);
    await shot.screenshot({ path: `${images}/${name}.png` });
    await shot.close();
  }
});

step("nothing was asked of another host, and nothing broke", () => {
  assert.deepEqual(foreign, []);
  assert.deepEqual(failures, []);
});
