// Notes on dates, and the difference of two stretches of time: the page, the API and the command agree.
import assert from "node:assert/strict";
import { collector, noon, page, signInBefore, step, visit } from "./session.mjs";
import { Fleet } from "./fleet.mjs";

export const metric = "release";
const [periods, gone, change] = [48, 40, 21];
const day = 86_400;
const start = noon.beginOf(-gone);
const dayOf = (period) => noon.dateOf(period - 1 - gone);
const difference = (query) => collector.call(`v1/metrics/${metric}/difference?${query}`);

step("an operator notes what happened on a date, and every reader sees it", async () => {
  const body = {
    periods,
    max_changes: 1,
    epsilon: "4",
    period_seconds: day,
    start,
    time_zone: noon.zone,
    description: "Is it switched on?",
  };
  const { plan } = await collector.put(metric, body);
  const fleet = new Fleet(plan, 6000, (share) => (share * periods < change - 0.5 ? 0.2 : 0.5));
  await collector.post(metric, fleet.enrolments());
  await collector.post(metric, fleet.reports(gone));
  await visit(`metric/${metric}/operate`);
  await signInBefore(page.getByLabel("Date", { exact: true }));
  const add = async (date, note) => {
    await page.getByLabel("Date", { exact: true }).fill(date);
    await page.getByLabel("What happened").fill(note);
    await page.getByRole("button", { name: "Add the note" }).click();
    await page.getByText("The note is on the chart.").waitFor();
  };
  await add(dayOf(change), "Release 2.0");
  await add(dayOf(30), "A mistake");
  await page.getByRole("button", { name: "Remove the note A mistake" }).click();
  await page.getByText("The note is removed.").waitFor();
  assert.deepEqual((await collector.call(`v1/metrics/${metric}`)).annotations, [
    { period: change, date: dayOf(change), text: "Release 2.0" },
  ]);
  await page.getByLabel("Date", { exact: true }).fill("2001-01-01");
  await page.getByLabel("What happened").fill("too early");
  await page.getByRole("button", { name: "Add the note" }).click();
  await page.getByRole("alert").filter({ hasText: "date is '2001-01-01'; expected from" }).waitFor();
  const csv = await collector.call(`v1/metrics/${metric}/estimates`, { accept: "text/csv" });
  const lines = csv.trim().split("\n");
  assert.ok(lines[0].endsWith(",annotations"));
  assert.ok(lines[change].endsWith(",Release 2.0"), lines[change]);
  assert.ok(lines[change + 1].endsWith(","), lines[change + 1]);
});

step("a note leads to the change before and after it", async () => {
  await visit(`metric/${metric}?as=share`);
  const notes = page.getByTestId("notes");
  await notes.getByText("Release 2.0").waitFor();
  await page.getByRole("button", { name: "Before and after: Release 2.0" }).click();
  await page.waitForFunction(() => /before=14\.\.20&after=21\.\.27/.test(decodeURIComponent(location.hash)));
  const found = await difference("before=14..20&after=21..27");
  const [row] = found.rows;
  assert.ok(row.clear);
  // The noise is the same in each run; other noise exceeds six standard deviations twice in a billion runs.
  assert.ok(Math.abs(row.difference.share - 0.3) < 6 * row.difference.share_stddev, JSON.stringify(row));
  assert.ok(row.difference.share_stddev < 0.03, "pooled means are precise");
  await page.getByTestId("change").getByText(row.sentence).waitFor();
  assert.match(row.sentence, /^The share is up by [\d.]+ percentage points?, give or take [\d.]+: from [\d.]+% ± /);
  assert.equal(await page.getByLabel("Before, from").inputValue(), dayOf(14));
  assert.equal(await page.getByLabel("After, to").inputValue(), dayOf(27));
});

step("stretches are chosen by dates and on the chart, and noise is called noise", async () => {
  await page.getByLabel("After, to").fill(dayOf(30));
  await page.waitForFunction(() => /after=21\.\.30/.test(decodeURIComponent(location.hash)));
  await page.getByRole("button", { name: "Choose on the chart" }).nth(1).click();
  await page.getByText("Drag across the chart to choose the stretch after.").waitFor();
  const chart = page.locator(".chart .u-over");
  await chart.scrollIntoViewIfNeeded();
  const area = await chart.boundingBox();
  await page.mouse.move(area.x + area.width * 0.7, area.y + 60);
  await page.mouse.down();
  await page.mouse.move(area.x + area.width * 0.9, area.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(() => /after=(2[789]|3\d)\.\.3\d/.test(decodeURIComponent(location.hash)));
  assert.ok(!/from=/.test(page.url()), "the chart is not zoomed");
  await visit(`metric/${metric}?before=2..6&after=8..12`);
  const [row] = (await difference("before=2..6&after=8..12")).rows;
  if (!row.clear) {
    await page.getByTestId("change").filter({ hasText: "No clear change of the share" }).waitFor();
  }
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Compare before and after" }).click();
  await page.waitForFunction(() => /before=27\.\.33&after=34\.\.40/.test(decodeURIComponent(location.hash)));
  await page.getByTestId("before-after").getByText("Both stretches share reports").waitFor();
});

step("stretches that cannot be compared, and notes on a closed metric, are clear errors", async () => {
  for (const [query, message] of [
    ["before=1..7&after=5..9", /after is 5\.\.9; expected to begin after period 7/],
    ["before=1..7&after=8..41", /expected periods that are over, 1 to 40/],
    ["before=1..7", /after is no stretch of periods; expected FROM\.\.TO/],
  ]) {
    await assert.rejects(difference(query), message);
  }
  await collector.put("ended", { periods: 8, max_changes: 1, epsilon: "1", clock: "manual" });
  const put = (body) =>
    collector.call("v1/metrics/ended/annotations", { method: "PUT", admin: true, body: JSON.stringify(body) });
  assert.equal((await put({ period: 3, text: "kept" })).annotations.length, 1);
  await assert.rejects(put({ date: "2026-11-12", text: "x" }), /expected period, since the metric has a manual clock/);
  await assert.rejects(put({ period: 9, text: "x" }), /400/);
  await assert.rejects(put({ period: 3, text: "x".repeat(201) }), /201 bytes; expected at most 200/);
  await collector.call("v1/metrics/ended/close", { method: "POST", admin: true });
  await assert.rejects(put({ period: 4, text: "too late" }), /409.*is closed/);
  assert.equal((await collector.call("v1/metrics/ended")).annotations[0].text, "kept");
});
