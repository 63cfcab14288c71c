// What a visitor waits for in Chromium: the module fetched and compiled, and the plan of the demo metric certified.
//   node bindings/js/browser_speed.mjs build/release [PAGES]
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { chromium } from "../../tests/dashboard/dashboard.mjs";

const build = resolve(process.argv[2] ?? "build/release");
const pages = Number(process.argv[3] ?? 10);
const folder = join(build, "bindings/js/package");
const types = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };
// The metric of `futurerand demo`.
const setting = ["--protocol", "innovation", "--periods", "64", "--changes", "2", "--epsilon", "1"];
const audit = execFileSync(join(build, "futurerand"), ["audit", ...setting, "--format", "json"], { encoding: "utf8" });
const plan = JSON.stringify(JSON.parse(audit).plan);

const server = createServer((request, response) => {
  const path = new URL(request.url, "http://127.0.0.1").pathname;
  const file = join(folder, path);
  if (path === "/") response.writeHead(200, { "content-type": types.html }).end("<!doctype html><title>speed</title>");
  else if (!existsSync(file)) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": types[path.split(".").pop()] }).end(readFileSync(file));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? places.find(existsSync),
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
});
const times = [];
try {
  for (let i = 0; i < pages; ++i) {
    // A context of its own: nothing is cached.
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    times.push(
      await page.evaluate(async (json) => {
        const begin = performance.now();
        const { certify } = await import("/index.js");
        const certificate = await certify(json);
        if (!certificate.certified) throw new Error("it is not certified");
        return performance.now() - begin;
      }, plan),
    );
    await context.close();
  }
} finally {
  await browser.close();
  server.close();
  server.closeAllConnections?.();
}
times.sort((a, b) => a - b);
const shown = (value) => `${value.toFixed(0)} ms`;
console.log(
  `loading and certifying the demo metric in Chromium, ${pages} fresh visitors: ` +
    `least ${shown(times[0])}, median ${shown(times[Math.floor(pages / 2)])}, most ${shown(times.at(-1))}`,
);
