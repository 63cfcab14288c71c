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

/**
 * Waits while a day that ends so many seconds after midnight UTC ends in the next five minutes: a test must not see two
 * days.
 */
export async function awayFromTheEndOfTheDay(seconds = 0) {
  const left = 86_400 - ((Date.now() / 1000 - seconds + 86_400) % 86_400);
  if (left < 300) await new Promise((done) => setTimeout(done, (left + 1) * 1000));
}

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
