// Segments: as lines, one by itself, two against each other, in the form, and in the protection view.
import assert from "node:assert/strict";
import { Fleet } from "./fleet.mjs";
import { collector, downloaded, fillToken, page, step, text, visit } from "./session.mjs";

const segment = { name: "platform", values: ["linux", "mac", "windows", "other"] };
const periods = 24;
const gone = 20;
const sizes = { linux: 4000, mac: 600, windows: 4000 };
const shares = { linux: 0.6, mac: 0.6, windows: 0.3 };

step("segments are lines in one chart, and a small one is noisy", async () => {
  const body = { periods, max_changes: 1, epsilon: "4", clock: "manual", segment, description: "Is it switched on?" };
  const { plan } = await collector.put("platforms", body);
  assert.deepEqual(plan.segment, segment);
  const fleets = Object.keys(sizes).map((name) => ({ name, fleet: new Fleet(plan, sizes[name], () => shares[name]) }));
  for (const { name, fleet } of fleets) {
    const lines = fleet.enrolments().map((line) => JSON.stringify({ ...JSON.parse(line), segment: name }));
    await collector.post("platforms", lines);
  }
  for (let i = 0; i < gone; ++i) await collector.advance("platforms");
  for (const { fleet } of fleets) await collector.post("platforms", fleet.reports(gone));
  await visit("metric/platforms");
  await page.getByLabel("platform").selectOption("Each as a line");
  const table = page.getByTestId("by-segment").getByRole("table");
  await table.getByRole("row", { name: /^linux 4,000 \d+% ± \d+$/ }).waitFor();
  await table.getByRole("row", { name: /^mac 600 \d+% ± \d+$/ }).waitFor();
  await table.getByRole("row", { name: /^other 0 not known$/ }).waitFor();
  const { periods: rows } = await collector.call("v1/metrics/platforms/estimates?by=segment");
  for (const { segment: name, share, stddev, devices } of rows.slice(-4)) {
    if (name === "other") continue;
    // The noise is the same in each run; other noise exceeds six standard deviations twice in a billion runs.
    assert.ok(Math.abs(share - shares[name]) < (6 * stddev) / devices, `${share} of ${name}`);
  }
  await page.waitForFunction(() => /by=segment/.test(location.hash));
  const [file, csv] = await downloaded("CSV");
  assert.equal(file, "platforms-by-platform.csv");
  const lines = csv.toString().trim().split("\n");
  assert.ok(lines[0].startsWith("period,segment,"), lines[0]);
  assert.equal(lines.length, 1 + gone * segment.values.length);
  const drawn = (await downloaded("SVG"))[1].toString();
  for (const name of segment.values) assert.ok(drawn.includes(`>${name}<`), name);
  // Nothing is known of the fourth: it has no curve.
  assert.equal(drawn.match(/<polyline/g).length, 3);
  assert.ok(/>\d+%</.test(drawn));
});

step("one segment is a metric of its own, and two are compared with a range", async () => {
  await page.getByTestId("by-segment").getByRole("link", { name: "linux" }).click();
  await page.getByTestId("say").filter({ hasText: "of 4,000 active devices" }).waitFor();
  assert.match(page.url(), /segment=linux/);
  await page.getByLabel("against").selectOption("windows");
  await page
    .getByTestId("say")
    .filter({ hasText: /^linux is \d+ points above windows, give or take \d+$/ })
    .waitFor();
  const answer = await collector.call("v1/metrics/platforms/estimates?segment=linux&against=windows");
  const last = answer.periods.at(-1);
  const size = Math.round(100 * last.share_difference);
  assert.ok((await text("[data-testid=say]")).includes(`${size} points`), `${size}`);
  assert.ok(Math.abs(last.share_difference - 0.3) < 6 * last.share_stddev);
  const [file, csv] = await downloaded("CSV");
  assert.equal(file, "platforms-linux-less-windows.csv");
  assert.match(csv.toString().split("\n")[0], /share_difference/);
  assert.match((await downloaded("SVG"))[1].toString(), /linux less windows, 95% ranges/);
  await page.getByLabel("against").selectOption("mac");
  await page
    .getByTestId("say")
    .filter({ hasText: /^linux (and mac cannot be told apart|is \d+)/ })
    .waitFor();
  // The change between two stretches, of one segment.
  await visit("metric/platforms?segment=windows&before=3..9&after=11..17");
  const [row] = (await collector.call("v1/metrics/platforms/difference?before=3..9&after=11..17&segment=windows")).rows;
  await page.getByTestId("change").getByText(row.sentence).waitFor();
  await visit("metric/platforms?segment=amiga");
  await page.getByTestId("say").filter({ hasText: "of 8,600 active devices" }).waitFor();
});

step("a segment is public, and the page says so", async () => {
  await visit("metric/platforms/protection");
  const notice = page.getByTestId("public-segment");
  await notice.getByText("“platform” is not protected.").waitFor();
  assert.match(await notice.innerText(), /linux, mac, windows, other.*costs no ε/s);
  await visit("new?periods=8");
  await page.getByLabel("Name", { exact: true }).fill("by-country");
  await page.getByLabel("A period lasts").selectOption("manual");
  await page.getByText("Results by segment").click();
  await page.getByLabel("Name of the attribute").fill("country");
  await page.getByLabel("Its values, one per line").fill("de\n fr \n\nother");
  await page.getByTestId("outlook").getByText("one of 3 segments of equal size").waitFor();
  await fillToken();
  await page.getByRole("button", { name: "Create the metric" }).click();
  await page.getByRole("heading", { name: "No device has joined yet" }).waitFor();
  const { plan } = await collector.call("v1/metrics/by-country");
  assert.deepEqual(plan.segment, { name: "country", values: ["de", "fr", "other"] });
});
