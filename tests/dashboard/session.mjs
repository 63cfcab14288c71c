// A browser, a collector, and steps in a fixed order.
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { Collector } from "./collector.mjs";

export const [binary, pictures, part] = process.argv.slice(2);
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
export const text = (selector) => page.locator(selector).innerText();

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
