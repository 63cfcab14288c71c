// Shares and dates: the same figure everywhere, for every reader.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { Collector } from "./collector.mjs";
import {
  binary,
  collector,
  downloaded,
  eventually,
  failures,
  focusChart,
  noon,
  open,
  page,
  step,
  text,
  visit,
  writtenDate,
} from "./session.mjs";

const periods = 32;
const perPeriod = 400;
const day = 86_400;
// `periods` periods are over.
const start = noon.beginOf(-periods);
const dateOf = (period) => noon.dateOf(period - 1 - periods);
const dateText = (period) => writtenDate(dateOf(period));

/**
 * Pairs of devices that join at the given periods. They hold the state or not by a fair coin, and so send fair signs. One
 * sends the opposite of the other, so that the share is half in every run, and no run finds a difference by chance.
 */
function fairLines(joined, last = periods) {
  return joined.flatMap((period) => {
    const bits = [...randomBytes(last + 1 - period)].map((byte) => byte & 1);
    return [0, 1].flatMap((plus) => {
      const client = randomBytes(16).toString("hex");
      const signs = bits.map((bit) => (bit === plus ? "+" : "-")).join("");
      return [JSON.stringify({ client, view: 0, period }), JSON.stringify({ client, index: period, signs })];
    });
  });
}

/** Goes to the first or the last period with a key, and returns what the page says of it. */
const shareAt = async (key) => {
  const date = dateText(key === "Home" ? 1 : periods);
  await focusChart();
  await page.keyboard.press(key);
  const readout = page.getByTestId("readout").filter({ hasText: date });
  await readout.waitFor();
  return readout.innerText();
};

step("a steady share in a growing fleet is steady on every screen", async () => {
  const body = {
    periods: periods + 1,
    max_changes: 1,
    epsilon: "4",
    period_seconds: day,
    start,
    time_zone: noon.zone,
  };
  await collector.put("growing", body);
  await collector.put("full", body);
  const joined = Array.from({ length: (periods * perPeriod) / 2 }, (_, i) => 1 + (i % periods));
  await collector.post("growing", fairLines(joined));
  await collector.post("full", fairLines(joined.map(() => 1)));
  const { periods: rows } = await collector.call("v1/metrics/growing/estimates");
  assert.equal(rows.length, periods);
  for (const { share, stddev, devices, period } of rows) {
    assert.equal(devices, perPeriod * period);
    assert.ok(stddev > 0 && Math.abs(share - 0.5) < 1e-6, `${share} in period ${period}`);
  }
  // The count has grown thirtyfold. The share has not moved.
  await visit("metric/growing");
  assert.match(await text("[data-testid=verdict]"), /Within the noise/);
  // The law of this plan has zeros, and these devices send none.
  await page.getByText("These figures are doubtful. The share of zero symbols is too small").waitFor();
  const inPercent = page.locator(".sentence .hint").filter({ hasText: "That is" });
  const headline = /That is ([\d.]+% ± [\d.]+)/.exec(await inPercent.innerText())[1];
  await page.getByLabel("Share", { exact: true }).check();
  await page.waitForFunction(() => /as=share/.test(location.hash));
  const [share] = headline.split(" ");
  await page
    .getByTestId("say")
    .filter({ hasText: new RegExp(`^${share} of ${(periods * perPeriod).toLocaleString("en")} active devices`) })
    .waitFor();
  // The saved chart has the scale of the one on the screen.
  const drawn = (await downloaded("SVG"))[1].toString();
  assert.match(drawn, /share of devices, online estimate, 95% ranges/);
  assert.match(drawn, />[1-9]0%</);
  const early = /(\d+)(\.\d+)?%/.exec(await shareAt("Home"))[1];
  assert.ok(Number(early) > 25 && Number(early) < 75, `${early}% in the first period`);
  // Compare says the same, with the same devices under it.
  await visit("compare?first=growing&second=full");
  await page.getByText("cannot be told apart").waitFor();
  const compared = await shareAt("End");
  assert.ok(compared.includes(`growing ${headline}`), `${compared} has no ${headline}`);
  assert.match(await shareAt("Home"), /growing (2[5-9]|[3-6]\d|7[0-5])(\.\d)?%/);
  // So does the list.
  await visit("?search=growing");
  await page.getByText(headline).waitFor();
  await page.getByText(`${(periods * perPeriod).toLocaleString("en")} active`).waitFor();
  const [noise, asShare] = await page
    .locator(".row-value > *:not(strong)")
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect()));
  assert.ok(noise.bottom <= asShare.top, "the noise and the share are on lines of their own");
});

step("a metric without an end says whom its share counts, and when devices rest", async () => {
  const body = {
    periods: 8,
    max_changes: 1,
    epsilon: "2",
    period_seconds: day,
    start: noon.beginOf(-11),
    time_zone: noon.zone,
    description: "Is it switched on?",
    seasons: { every: 4, rest: 8 },
  };
  const { live_seasons: live } = await collector.put("endless", body);
  assert.deepEqual(
    live.map(({ from }) => from),
    [5, 9],
  );
  for (const { season, from } of live) {
    await collector.post(`endless/seasons/${season}`, fairLines(Array(1000).fill(1), 12 - from));
  }
  const { periods: rows } = await collector.call("v1/metrics/endless/estimates");
  const known = rows.filter(({ share }) => share !== null);
  assert.equal(rows.at(-1).period, 11);
  assert.ok(known.length >= 4);
  for (const { share } of known) assert.ok(Math.abs(share - 0.5) < 1e-6, `${share}`);
  await visit("metric/endless");
  await page
    .getByTestId("say")
    .filter({ hasText: /^50% of all devices/ })
    .waitFor();
  await page.getByText("Healthy. Reports come in as they should.").waitFor();
  await visit("?search=endless");
  const row = page.locator(".ledger > li", { has: page.getByRole("link", { name: "endless", exact: true }) });
  await row.getByText("without an end, 1 day each").waitFor();
  await row.getByText("for a season of 8 periods").waitFor();
  await row.locator(".row-value strong").getByText("50%", { exact: true }).waitFor();
});

step("a frame shows the figure and the chart, and nothing around them", async () => {
  await visit("embed/growing?as=share");
  await page
    .getByTestId("say")
    .filter({ hasText: /^\d+% of [\d,]+ active devices/ })
    .waitFor();
  await page.locator(".chart canvas").waitFor();
  assert.equal(await page.getByRole("navigation").count(), 0);
  assert.equal(await page.getByRole("link", { name: "growing" }).getAttribute("target"), "_blank");
});

step("only the pages that the operator names may frame it", async () => {
  const frames = (url) => `<!doctype html><iframe src="${url}/#/embed/framed" title="framed"></iframe>`;
  const wiki = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(frames(request.url === "/allowed" ? allowing.url : collector.url));
  }).listen(0, "127.0.0.1");
  await once(wiki, "listening");
  const url = `http://127.0.0.1:${wiki.address().port}`;
  const allowing = new Collector(binary, ["--frame-ancestor", url]);
  await allowing.start();
  const definition = { periods: 8, max_changes: 1, epsilon: "1", clock: "manual" };
  for (const each of [allowing, collector]) await each.put("framed", definition);
  const reader = await open({}, { url: "http://127.0.0.1:" });
  const title = reader.frameLocator("iframe").getByRole("link", { name: "framed" });
  await reader.goto(`${url}/allowed`);
  await title.waitFor();
  assert.deepEqual(failures, []);
  await reader.goto(`${url}/refused`);
  await eventually(() => assert.match(failures.join(), /frame-ancestors/));
  assert.equal(await title.count(), 0);
  failures.length = 0;
  await reader.close();
  await allowing.remove();
  wiki.close();
});

step("readers in New York, London and Tokyo read the same dates", async () => {
  for (const timezoneId of ["America/New_York", "Europe/London", "Asia/Tokyo"]) {
    const reader = await open({ timezoneId });
    await visit("metric/growing", reader);
    await reader.getByText(`Period ${periods} of ${periods + 1}, ${dateText(periods)}`).waitFor();
    await reader.getByText(`Dates are in the time zone of the metric, ${noon.zone}`).waitFor();
    await reader.close();
  }
  const csv = await collector.call("v1/metrics/growing/estimates", { accept: "text/csv" });
  const begin = new Date((start + (periods - 1) * day) * 1000).toISOString().replace(".000", "");
  const last = dateOf(periods);
  assert.match(csv.split("\n").at(-2), new RegExp(`^${periods},${begin},.*,${last},${last}$`));
});

step("the strip of completeness has a scale, and says what is under the pointer", async () => {
  await visit("metric/growing");
  const strip = page.getByTestId("completeness");
  await strip.getByText("100%", { exact: true }).waitFor();
  await page.getByText("All reports due are in, in every period shown").waitFor();
  // What loads late may move the strip away from the pointer.
  await eventually(async () => {
    await strip.locator(".hover-area").nth(3).hover();
    await page.getByText(`100% of the reports due are in, ${dateText(4)}`).waitFor({ timeout: 2000 });
  });
});
