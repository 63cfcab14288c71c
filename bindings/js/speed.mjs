// Measures the WebAssembly client against the native one: observations a second, saving in memory included.
//   node bindings/js/speed.mjs build/release
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const build = resolve(process.argv[2] ?? "build/release");
const folder = join(build, "bindings", "js", "package");
const { Module, compile } = await import(pathToFileURL(join(folder, "module.js")).href);
const periods = 1024;
const rounds = 20;

const native = JSON.parse(
  execFileSync(join(build, "bench", "client_bench"), ["--benchmark_format=json", "--benchmark_min_time=0.5"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
).benchmarks;

const begin = performance.now();
const module = await compile(readFileSync(join(folder, "futurerand.wasm")));
console.log(`compiling the module   ${(performance.now() - begin).toFixed(1)} ms`);

let seed = 1;
const fill = (bytes) => bytes.forEach((_, i) => (bytes[i] = (seed = (seed * 48271) % 2147483647) >> 8));

function observations(plan) {
  let spent = 0;
  for (let round = 0; round <= rounds + 1; ++round) {
    const instance = new Module(module, { fill, records: new Map(), saved: () => {} });
    const device = instance.give("fr_device_open_imported", "16");
    const metric = instance.give("fr_metric_create", "m", { sized: plan }, 0n, 0n);
    const client = instance.give("fr_client_open", device, metric, 1);
    // CPU time, as the benchmark's: whatever else runs on the machine is left out.
    const start = process.cpuUsage();
    for (let t = 1; t <= periods; ++t) {
      instance.call("fr_client_observe", client, t, t % 256 >= 128 ? 1 : 0);
      if (t % 16 === 0) {
        instance.text("fr_client_lines", client);
        instance.call("fr_client_acknowledge", client);
      }
    }
    const { user, system } = process.cpuUsage(start);
    if (round > 1) spent += user + system; // the first ones warm up
  }
  return (rounds * periods * 1e6) / spent;
}

for (const protocol of ["innovation", "hybrid"]) {
  const audit = ["audit", "--protocol", protocol, "--periods", String(periods), "--changes", "4", "--epsilon", "1"];
  const text = execFileSync(join(build, "futurerand"), [...audit, "--format", "json"], { encoding: "utf8" });
  const plan = JSON.stringify(JSON.parse(text).plan);
  const start = performance.now();
  const certifier = new Module(module, { fill, records: new Map(), saved: () => {} });
  certifier.text("fr_certify", { sized: plan });
  const certified = performance.now() - start;
  const wasm = observations(plan);
  const { items_per_second: here } = native.find(({ name }) => name === `client_observe/${protocol}`);
  console.log(
    `${protocol.padEnd(12)} certifying ${certified.toFixed(1)} ms; observe: native ${Math.round(here)} a second, ` +
      `WebAssembly ${Math.round(wasm)}, ${((100 * wasm) / here).toFixed(0)}% of it`,
  );
}
