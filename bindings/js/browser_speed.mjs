// What a visitor of the collector's page waits for in Chromium: the client's JavaScript and module fetched from a real
// collector and compiled, and the plan of the demo metric certified. The clock wants a quiet machine; CPU time is nearly
// the same on a busy one.
//   node bindings/js/browser_speed.mjs build/release [VISITORS]
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Collector } from "../../tests/dashboard/collector.mjs";
import { chromium } from "../../tests/dashboard/dashboard.mjs";

const build = resolve(process.argv[2] ?? "build/release");
const visitors = Number(process.argv[3] ?? 10);
const assets = join(build, "dashboard/page/assets");
// The page loads it where it is needed: it is a file of its own.
const script = readdirSync(assets).find(
  (name) => name.endsWith(".js") && /as certify\b/.test(readFileSync(join(assets, name), "utf8")),
);
if (script === undefined) throw new Error(`no script in ${assets} exports certify; expected the page to be built`);

const collector = new Collector(join(build, "futurerand"), []);
await collector.start();
// The metric of `futurerand demo`.
await collector.put("demo", { periods: 64, max_changes: 2, epsilon: "1", clock: "manual", protocol: "innovation" });
const { plan } = await (await fetch(`${collector.url}/v1/metrics/demo`)).json();
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? places.find(existsSync),
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
});
const processes = await browser.newBrowserCDPSession();
/** The CPU seconds that each process of Chromium has taken so far, by its id. */
const cpu = async () => {
  const { processInfo } = await processes.send("SystemInfo.getProcessInfo");
  return new Map(processInfo.map(({ id, cpuTime }) => [id, cpuTime]));
};
const runs = [];
try {
  for (let i = 0; i < visitors; ++i) {
    // A context of its own: nothing is cached.
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${collector.url}/`, { waitUntil: "networkidle" });
    const before = await cpu();
    const run = await page.evaluate(
      async ([script, plan]) => {
        const begin = performance.now();
        const { certify } = await import(script);
        const imported = performance.now();
        const certificate = await certify(plan);
        if (!certificate.certified) throw new Error("it is not certified");
        const end = performance.now();
        await certify(plan);
        return { all: end - begin, imported: imported - begin, again: performance.now() - end };
      },
      [`/assets/${script}`, plan],
    );
    run.cpu = [...(await cpu())].reduce((sum, [id, seconds]) => sum + 1000 * (seconds - (before.get(id) ?? 0)), 0);
    runs.push(run);
    await context.close();
  }
} finally {
  await browser.close();
  await collector.remove();
}
const shown = (key) => {
  const times = runs.map((run) => run[key]).sort((a, b) => a - b);
  const [least, median, most] = [times[0], times[visitors >> 1], times.at(-1)].map((time) => time.toFixed(0));
  return `least ${least}, median ${median}, most ${most} ms`;
};
console.log(
  `loading and certifying the demo metric in Chromium, ${visitors} fresh visitors, by the clock: ${shown("all")}`,
);
console.log(`of it, fetching the JavaScript: ${shown("imported")}`);
console.log(`certifying once more, with the module compiled: ${shown("again")}`);
console.log(`CPU time of all that, of all of Chromium's processes: ${shown("cpu")}`);
