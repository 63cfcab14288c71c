// A browser, a collector, and steps in a fixed order.
import { mkdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { Collector } from "./collector.mjs";

export const [binary, pictures, part] = process.argv.slice(2);
/** Devices draw their noise from this seed, so that a run is the same each time. Another one tries other noise. */
export const noiseSeed = Number(process.env.FUTURERAND_NOISE ?? 1);
export const collector = new Collector(binary);

let browser;
/** The page that most steps share. */
export let page;
/** What the page asked of other hosts, and what went wrong in it. Both stay empty. */
export const foreign = [];
export const failures = [];

export async function open(options = {}, from = collector) {
  const opened = await browser.newPage({ viewport: { width: 1280, height: 860 }, acceptDownloads: true, ...options });
  opened.setDefaultTimeout(60_000);
  const own = (url) => url.startsWith(from.url) || url.startsWith("blob:");
  opened.on("request", (request) => own(request.url()) || foreign.push(request.url()));
  opened.on("pageerror", (error) => failures.push(error.message));
  opened.on(
    "console",
    (message) => /Content Security Policy|Refused to/.test(message.text()) && failures.push(message.text()),
  );
  return opened;
}

export const visit = (screen, on = page, from = collector) => on.goto(`${from.url}/#/${screen}`);
/** Downloads a file with the button of this name: its name, and what is in it. */
export async function downloaded(button, on = page) {
  const [file] = await Promise.all([
    on.waitForEvent("download"),
    on.getByRole("button", { name: button, exact: true }).click(),
  ]);
  return [file.suggestedFilename(), readFileSync(await file.path())];
}

export const text = (selector) => page.locator(selector).innerText();

/** Repeats a check until it holds, because the page may still be loading what the check reads. */
export async function eventually(check) {
  for (const end = performance.now() + 60_000; ; await new Promise((done) => setTimeout(done, 50))) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

/** Moves the focus to the chart once it is drawn: it takes no key before. */
export async function focusChart(on = page) {
  await on.locator(".chart canvas").first().waitFor();
  await on.getByRole("application").focus();
}

/** Fills the box of the admin token on the form of a new metric, unless the tab has one. */
export async function fillToken() {
  await page.getByTestId("admin").waitFor();
  const box = page.getByLabel("Admin token");
  if (await box.isVisible()) await box.fill(collector.token);
}

/** Waits for the box of the admin token or for `field`, which needs no token, and fills the box if it is there. */
export async function signInBefore(field) {
  const box = page.getByLabel("Admin token");
  await box.or(field).first().waitFor();
  if (await field.isVisible()) return;
  await box.fill(collector.token);
  await page.getByRole("button", { name: "Go on" }).click();
}

const day = 86_400;
const hoursAhead = 12 - new Date().getUTCHours();
const midnight = Math.floor(Date.now() / 1000 / day + hoursAhead / 24) * day - hoursAhead * 3600;

/**
 * A time zone in which it was between 12 and 13 o'clock when the tests began, so that no test sees two days. Its days
 * are numbered from today, which is 0.
 */
export const noon = {
  zone: hoursAhead === 0 ? "Etc/GMT" : `Etc/GMT${hoursAhead > 0 ? "-" : "+"}${Math.abs(hoursAhead)}`,
  /** The first second of a day. */
  beginOf: (number) => midnight + number * day,
  /** A day as "2026-01-31". */
  dateOf: (number) => new Date((midnight + hoursAhead * 3600 + number * day) * 1000).toISOString().slice(0, 10),
};

/** Writes a day that is given as "2026-01-31" as the page does: "Jan 31, 2026". */
export const writtenDate = (date) =>
  new Intl.DateTimeFormat("en", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" }).format(
    new Date(date),
  );

/** Waits until the text of an element is another one than it was. */
export const changed = (selector, before, on = page) =>
  on.waitForFunction(([where, old]) => (document.querySelector(where)?.innerText ?? old) !== old, [selector, before]);

/** After one step has failed the others would only wait in vain. */
let broken = false;
export const step = (name, run) =>
  test(name, async (context) => {
    if (broken) return context.skip("an earlier step failed");
    broken = true;
    await run();
    broken = false;
  });

before(async () => {
  mkdirSync(pictures, { recursive: true });
  await collector.start();
  browser = await launch();
  page = await open();
});

after(async () => {
  await browser?.close();
  await collector.remove();
});
