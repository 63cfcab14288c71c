// Metrics of labels, numbers and texts: the page shows the collector's answers.
import assert from "node:assert/strict";
import { collector, downloaded, eventually, fillToken, page, step, text, visit } from "./session.mjs";
import { runFleet } from "./value_fleet.mjs";

const [devices, periods] = [720, 8];
const plan = { periods: 12, max_changes: 1, epsilon: "12" };
const rank = (device) => (device + 0.5) / devices;
/** A share has as many decimals as its noise allows: words.ts has the same rule. */
const digitsFor = (noise) => [0.02, 0.002, 0.0002].filter((limit) => noise < limit).length;
const asPercent = ({ share, share_upper }) =>
  `${(share * 100).toFixed(digitsFor(share_upper - share))}%`.replace(/^-0(\.0+)?%$/, "0%").replace("-", "\u2212");
const rowsOf = async (name, query) => (await collector.call(`v1/metrics/${name}/estimates?${query}`)).periods;

step("metrics of labels, numbers and texts are created from the page", async () => {
  const make = async (name, kind, fill, message) => {
    await visit("new?periods=12");
    await page.getByLabel("Name", { exact: true }).fill(name);
    await page.getByLabel("A period lasts").selectOption("manual");
    await page.getByLabel("Kind of answer").selectOption(kind);
    for (const [label, text] of fill) {
      const field = page.getByLabel(label, { exact: true });
      if (label === "Buckets") await field.selectOption(text);
      else await field.fill(text);
    }
    await fillToken();
    await page.getByRole("button", { name: "Create the metric" }).click();
    if (message) return page.getByRole("alert").filter({ hasText: message }).waitFor();
    await page.getByRole("heading", { name: "No device has joined yet" }).waitFor();
    return (await collector.call(`v1/metrics/${name}`)).plan.value;
  };
  const labels = ["Labels, one per line", "cat\n dog \n\nhamster"];
  await make("pets", "category", [["Labels, one per line", "cat\ncat"]], "cat");
  assert.deepEqual(await make("pets", "category", [labels, ["Label for all others", "another"]]), {
    kind: "category",
    labels: ["cat", "dog", "hamster"],
    other: "another",
  });
  await page.getByRole("link", { name: "What is protected, and what is not" }).click();
  await page.getByTestId("row").filter({ hasText: "says yes to about half of the 4 labels" }).waitFor();
  assert.equal(await page.getByText("Be a device").count(), 0);
  const range = [
    ["Lowest value", "-5"],
    ["Highest value", "2.5"],
    ["Unit", "s"],
  ];
  assert.deepEqual(await make("delays", "distribution", [...range, ["Buckets", "16"]]), {
    kind: "distribution",
    low: -5,
    high: 2.5,
    unit: "s",
    buckets: 16,
  });
  assert.deepEqual(await make("offset", "number", range), { kind: "number", low: -5, high: 2.5, unit: "s" });
  assert.deepEqual(await make("words", "text", [["Bits of the hash", "9"]]), { kind: "text", hash_bits: 9 });
});

step("labels: who leads, lines or a stack, and the bars of one period", async () => {
  // Chrome overtakes firefox at half time.
  const shares = (period) => [0.6 - 0.05 * period, 0.2 + 0.05 * period, 0.2];
  const labels = ["firefox", "chrome", "safari"];
  await runFleet("browsers", {
    definition: { ...plan, description: "Which browser is the default?", value: { kind: "category", labels } },
    devices,
    periods,
    valueOf: (device, period) => {
      const [first, second] = shares(period);
      return labels[rank(device) < first ? 0 : rank(device) < first + second ? 1 : 2];
    },
  });
  await visit("metric/browsers");
  await page.getByTestId("say").filter({ hasText: "chrome leads with" }).waitFor();
  await page.locator(".chart canvas").waitFor();
  const rows = await rowsOf("browsers", `from=${periods}`);
  const chrome = rows.find(({ label }) => label === "chrome");
  const truth = shares(periods)[1];
  assert.ok(Math.abs(chrome.share - truth) < (6 * chrome.stddev) / devices, `${chrome.share} for ${truth}`);
  await eventually(async () => {
    const said = await text("[data-testid=readout]");
    for (const row of rows) assert.ok(said.includes(`${row.label} ${asPercent(row)}`), `${row.label} in ${said}`);
  });

  // The bars come from the largest to the smallest, and the first is the longest.
  const sorted = rows.toSorted((a, b) => b.share - a.share).map(({ label }) => label);
  await eventually(async () => assert.deepEqual(await page.locator(".bar-label").allInnerTexts(), sorted));
  await eventually(async () => {
    const widths = await page
      .locator(".bar-length")
      .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width));
    assert.ok(widths[0] > widths[1] && widths[1] >= widths[2], widths.join(" "));
  });
  const [, share, points] = /^chrome leads with (.+), give or take (\d+)$/.exec(await text("[data-testid=say]"));
  assert.equal(await text(".bar-figure >> nth=0"), `${share} ± ${points}`);
  await page.getByLabel("Period", { exact: true }).press("Home");
  await page.locator(".bar-label").first().filter({ hasText: "firefox" }).waitFor();
  await page.getByText("As a table").click();
  const [first] = (await rowsOf("browsers", "from=1&to=1")).toSorted((a, b) => b.share - a.share);
  const inFigures = Math.round(first.estimate).toLocaleString("en");
  await page.getByRole("row", { name: new RegExp(`^${first.label} ${inFigures} `) }).waitFor();

  await page.getByLabel("Stack", { exact: true }).check();
  await page.waitForFunction(() => /look=stack/.test(location.hash));
  await page.getByText("the stack is scaled to 100%").waitFor();
  await page.locator("fieldset", { hasText: "Mean of periods" }).getByLabel("4", { exact: true }).check();
  await page.getByText("as the mean of the last 4 periods").waitFor();
  const [pooled] = await rowsOf("browsers", `from=${periods}&window=4&label=firefox`);
  await page
    .getByTestId("readout")
    .filter({ hasText: `firefox ${asPercent(pooled)}` })
    .waitFor();
});

step("a distribution: the median in words, the fan, and the heat map", async () => {
  await runFleet("waiting", {
    definition: {
      ...plan,
      description: "How long does the start take?",
      value: { kind: "distribution", low: 0, high: 80, unit: "ms", buckets: 8 },
    },
    devices,
    periods,
    valueOf: (device) => 20 + 30 * rank(device),
  });
  await visit("metric/waiting");
  const rows = await rowsOf("waiting", `from=${periods}&quantile=0.25,0.5,0.75`);
  await page
    .getByTestId("say")
    .filter({ hasText: `The median is ${rows[1].value.toFixed(2)} ms` })
    .waitFor();
  assert.ok(rows[1].value_lower - 10 < 35 && 35 < rows[1].value_upper + 10, JSON.stringify(rows[1]));
  const [{ mean }] = await rowsOf("waiting", `from=${periods}`);
  await eventually(async () => {
    const said = await text("[data-testid=readout]");
    for (const { value } of rows) assert.ok(said.includes(value.toFixed(2)), `${value} in ${said}`);
    assert.ok(said.includes(`mean ${mean.toFixed(2)} ms`), `${mean} in ${said}`);
  });

  // Each cell is as strong as its share, and the lowest bucket is at the bottom.
  const buckets = await rowsOf("waiting", "by=label");
  const most = Math.max(...buckets.map(({ share }) => share));
  // The page paints after it has placed the canvas.
  const painted = await page.waitForFunction(() => {
    const canvas = document.querySelector(".heat canvas");
    if (!canvas) return null;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const alphas = Array.from({ length: data.length / 4 }, (_, i) => data[4 * i + 3]);
    return alphas.some((alpha) => alpha > 0) ? alphas : null;
  });
  const alphas = await painted.jsonValue();
  assert.equal(alphas.length, 8 * periods);
  for (const [i, { share, period }] of buckets.entries()) {
    const alpha = alphas[(7 - (i % 8)) * periods + period - 1];
    assert.ok(Math.abs(alpha - (255 * Math.max(0, share)) / most) < 2, `${alpha} for ${share} of ${most}`);
  }
  assert.equal(await page.locator(".bar-label").first().innerText(), "0 to 10 ms");
});

step("texts: the reader names one, and the link keeps it", async () => {
  await runFleet("pages", {
    definition: { ...plan, description: "Which page is open first?", value: { kind: "text", hash_bits: 10 } },
    devices,
    periods,
    valueOf: (device) => (rank(device) < 0.7 ? "/" : "/help"),
  });
  await visit("metric/pages");
  const box = page.getByLabel("A text to look up");
  await box.fill("/help");
  await box.press("Enter");
  const [row] = await rowsOf("pages", `from=${periods}&label=/help`);
  await page
    .getByTestId("readout")
    .filter({ hasText: `/help ${asPercent(row)}` })
    .waitFor();
  await box.fill("/");
  await box.press("Enter");
  await page.getByTestId("say").filter({ hasText: "/ leads with" }).waitFor();
  await page.reload();
  await page.getByTestId("say").filter({ hasText: "/ leads with" }).waitFor();
  await page.getByRole("button", { name: "Remove /", exact: true }).click();
  await page.getByTestId("say").filter({ hasText: "/help has" }).waitFor();
});

step("texts: the candidates that stand out are shown, and can be drawn over time", async () => {
  const candidates = ["/", "/help", "/nowhere"];
  await collector.call("v1/metrics/pages/candidates", {
    method: "PUT",
    admin: true,
    body: JSON.stringify({ candidates }),
  });
  await visit("metric/pages");
  const rows = await rowsOf("pages", `from=${periods}&top=10`);
  // Noise may put the third on the list.
  const listed = rows.map(({ label }) => label);
  assert.ok(listed.includes("/") && listed.includes("/help"), listed.join(" "));
  const list = page.getByRole("region", { name: "Candidates" });
  await list.getByText("/help", { exact: true }).waitFor();
  await eventually(async () => assert.deepEqual(await list.locator(".bar-label").allInnerTexts(), listed));
  await list.getByRole("button", { name: "Show them over time" }).click();
  await page.getByTestId("say").filter({ hasText: "/ leads with" }).waitFor();
});

step("charts of labels and of distributions are saved as SVG", async () => {
  for (const [name, said, names] of [
    ["browsers", "chrome leads with", ["firefox", "chrome", "safari"]],
    ["waiting", "The median is", []],
  ]) {
    await visit(`metric/${name}`);
    await page.getByTestId("say").filter({ hasText: said }).waitFor();
    const [file, bytes] = await downloaded("SVG");
    assert.equal(file, `${name}.svg`);
    const drawn = bytes.toString();
    for (const text of [name, ...names]) assert.ok(drawn.includes(`>${text}<`), `${text} in ${drawn}`);
    assert.ok((drawn.match(/<polyline/g) ?? []).length >= 3);
    assert.ok(!/NaN|undefined|Infinity/.test(drawn));
  }
});

step("a metric of a group says so, and its figures count all devices of the group", async () => {
  const group = { name: "settings", shares: { "one-of": 1, "other-one": 1 } };
  const fleet = { definition: { ...plan, epsilon: "8", group }, devices: 240, periods };
  await runFleet("one-of", { ...fleet, valueOf: (device) => rank(device) < 0.5 });
  const joined = (await collector.call("v1/metrics/one-of")).devices;
  assert.ok(joined > 60 && joined < 180, `${joined} of 240 devices drew one of two metrics`);
  const [row] = await rowsOf("one-of", `from=${periods}`);
  assert.equal(row.devices, 2 * joined);
  await visit("metric/one-of");
  await page.getByTestId("group").filter({ hasText: "50% of the devices drew this one" }).waitFor();
  await page.getByTestId("group").getByRole("link", { name: "other-one" }).waitFor();
  await page.getByTestId("about").filter({ hasText: "All devices of the group" }).waitFor();
  await visit("");
  await page.getByText(`by ${joined} that drew this metric`).waitFor();
});

step("the planner takes labels and distributions", async () => {
  await visit("planner?users=1000000&value=category&labels=64");
  const plan = (await collector.call("v1/plan?users=1000000&value=category&labels=64&target_error=0.01")).value_plan;
  const best = plan.choices.find(({ max_changes }) => max_changes === plan.recommended_max_changes);
  await page
    .getByTestId("value-prediction")
    .filter({ hasText: `${Number((100 * best.noise).toFixed(2))}%` })
    .waitFor();
  await page.getByText("recommended").first().waitFor();
  assert.equal(await page.getByLabel("Labels", { exact: true }).nth(1).inputValue(), "64");
  await page.getByRole("link", { name: "Create such a metric" }).click();
  assert.equal(await page.getByLabel("Kind of answer").inputValue(), "category");
  assert.equal(
    await page.getByLabel("Changes counted, at most", { exact: true }).inputValue(),
    String(plan.recommended_max_changes),
  );
  await visit("planner");
  await page.getByLabel("Distribution", { exact: true }).check();
  await page.getByLabel("Buckets").selectOption("16");
  await page.waitForFunction(() => /buckets=16/.test(location.hash));
  await page.getByTestId("value-prediction").filter({ hasText: "of the range" }).waitFor();
});

step("the list shows the leading label, the mean, and that texts have to be named", async () => {
  await visit("");
  const item = (name) => page.locator(".ledger > li", { has: page.getByRole("link", { name, exact: true }) });
  await item("browsers").getByText("chrome").waitFor();
  await item("waiting").getByText(/ms/).first().waitFor();
  await item("pages").getByText("asked by text").waitFor();
});
