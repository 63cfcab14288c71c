// Measures the WebAssembly client against the native one doing the same: observations a second, each saved in memory,
// alone or sixteen at a time; and how long the module takes to compile and a plan to certify. Both sides are measured
// in turns, in CPU time, which whatever else runs on the machine hardly changes.
//   node bindings/js/speed.mjs build/release [TURNS]
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const build = resolve(process.argv[2] ?? "build/release");
const turns = Number(process.argv[3] ?? 5);
const folder = join(build, "bindings", "js", "package");
const { Module, compile } = await import(pathToFileURL(join(folder, "module.js")).href);
const periods = 1024;
const together = 16;

const begin = performance.now();
const module = await compile(readFileSync(join(folder, "futurerand.wasm")));
console.log(`compiling the module ${(performance.now() - begin).toFixed(1)} ms`);

let seed = 1;
const fill = (bytes) => bytes.forEach((_, i) => (bytes[i] = (seed = (seed * 48271) % 2147483647) >> 8));
const instantiate = () => new Module(module, { fill, records: new Map(), saved: () => {} });
const valueIn = (period) => (period % 256 >= 128 ? 1 : 0);
const allPeriods = Uint32Array.from({ length: periods }, (_, i) => i + 1);
const allValues = Uint8Array.from(allPeriods, valueIn);

const ways = {
  observe: (instance, client, first) => {
    for (let t = first; t < first + together; ++t) instance.call("fr_client_observe", client, t, valueIn(t));
  },
  observe_all: (instance, client, first) => {
    const [at, end] = [first - 1, first - 1 + together];
    const args = [allPeriods.subarray(at, end), allValues.subarray(at, end), together];
    instance.call("fr_client_observe_all", client, ...args);
  },
};

/** Lives one horizon, and gives the CPU time that it took, in microseconds. */
function live(plan, observe) {
  const instance = instantiate();
  const device = instance.give("fr_device_open_imported", "16");
  const metric = instance.give("fr_metric_create", "m", { sized: plan }, 0n, 0n);
  const client = instance.give("fr_client_open", device, metric, 1);
  const start = process.cpuUsage();
  for (let first = 1; first <= periods; first += together) {
    observe(instance, client, first);
    const lines = instance.text("fr_client_lines", client);
    if (lines !== "") instance.call("fr_client_acknowledge", client, { sized: lines }, 0, 0);
  }
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** The median of many lives: while some are lived, other threads of Node compile or collect garbage. */
const wasmRate = (plan, observe, lives) =>
  (periods * 1e6) / median(Array.from({ length: lives }, () => live(plan, observe)));

function nativeRate(name) {
  const options = [`--benchmark_filter=^live/${name}$`, "--benchmark_format=json", "--benchmark_min_time=0.2"];
  const bench = join(build, "bench", "client_bench");
  const text = execFileSync(bench, options, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return JSON.parse(text).benchmarks[0].items_per_second;
}

const millions = (rate) => `${(rate / 1e6).toFixed(2)}`;
const percent = (ratio) => `${(100 * ratio).toFixed(0)}%`;

for (const protocol of ["innovation", "hybrid"]) {
  const audit = ["audit", "--protocol", protocol, "--periods", String(periods), "--changes", "4", "--epsilon", "1"];
  const text = execFileSync(join(build, "futurerand"), [...audit, "--format", "json"], { encoding: "utf8" });
  const plan = JSON.stringify(JSON.parse(text).plan);
  const start = performance.now();
  instantiate().text("fr_certify", { sized: plan });
  console.log(`${protocol}: certifying for the first time ${(performance.now() - start).toFixed(1)} ms`);
  for (const [way, observe] of Object.entries(ways)) {
    wasmRate(plan, observe, 30); // warms up: by then V8 has compiled it well
    const pairs = Array.from({ length: turns }, () => {
      const native = nativeRate(`${way}_${protocol}`);
      return { native, wasm: wasmRate(plan, observe, 40) };
    });
    const ratios = pairs.map(({ native, wasm }) => wasm / native);
    console.log(
      `${protocol}: ${way} native ${millions(median(pairs.map(({ native }) => native)))} million a second, ` +
        `WebAssembly ${millions(median(pairs.map(({ wasm }) => wasm)))}: ${percent(median(ratios))} of it ` +
        `(${percent(Math.min(...ratios))} to ${percent(Math.max(...ratios))} in ${turns} turns)`,
    );
  }
}
