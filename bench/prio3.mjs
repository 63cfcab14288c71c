// Compares the cost of one report on a device: our JavaScript client against Prio3Count of @divviup/prio3, in one
// Node process. It prints CPU time and bytes for each. Both use the system's entropy; neither encrypts nor sends.
//   node bench/prio3.mjs build/release [TURNS] [--ours]
// npm installs @divviup/prio3 into a temporary folder, removed at the end. With --ours it does not, and only our side runs.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const VERSION = "0.8.0";
const build = resolve(process.argv[2] ?? "build/release");
const turns = Number(process.argv[3] ?? 5);
const onlyOurs = process.argv.includes("--ours");
const periods = 256;

async function importPrio3(folder) {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", `@divviup/prio3@${VERSION}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const entry = join(folder, "load.js");
  writeFileSync(entry, 'export { Prio3Count } from "@divviup/prio3";\n');
  return import(pathToFileURL(entry).href);
}

const cpu = (since) => {
  const { user, system } = process.cpuUsage(since);
  return user + system;
};
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Our client over one horizon: observe, take the lines, acknowledge. Its records are saved in memory. */
async function prepareOurs() {
  const folder = join(build, "bindings", "js", "package");
  const { Module, compile } = await import(pathToFileURL(join(folder, "module.js")).href);
  const module = await compile(readFileSync(join(folder, "futurerand.wasm")));
  const audit = ["audit", "--protocol", "innovation", "--periods", String(periods), "--changes", "4", "--epsilon", "1"];
  const text = execFileSync(join(build, "futurerand"), [...audit, "--format", "json"], { encoding: "utf8" });
  const plan = JSON.stringify(JSON.parse(text).plan);
  return () => {
    const fill = (bytes) => crypto.getRandomValues(bytes);
    const instance = new Module(module, { fill, records: new Map(), saved: () => {} });
    const device = instance.give("fr_device_open_imported", "16");
    const metric = instance.give("fr_metric_create", "m", { sized: plan }, 0n, 0n);
    const client = instance.give("fr_client_open", device, metric, 1);
    const send = () => {
      const lines = instance.text("fr_client_lines", client);
      if (lines !== "") instance.call("fr_client_acknowledge", client, { sized: lines }, 0, 0);
      return Buffer.byteLength(lines);
    };
    send(); // the enrolment
    let bytes = 0;
    const start = process.cpuUsage();
    for (let t = 1; t <= periods; ++t) {
      instance.call("fr_client_observe", client, t, t > 100 ? 1 : 0);
      bytes += send();
    }
    return { microseconds: cpu(start) / periods, bytes: bytes / periods };
  };
}

/** Two shares of a count, with their proof, as bytes; no encryption to the aggregators. */
async function preparePrio3({ Prio3Count }) {
  const vdaf = new Prio3Count({ shares: 2 });
  return async () => {
    let bytes = 0;
    const start = process.cpuUsage();
    for (let t = 1; t <= periods; ++t) {
      const sent = await vdaf.shardEncoded(t > 100, randomBytes(vdaf.nonceSize), randomBytes(vdaf.randSize));
      bytes += sent.publicShare.length + sent.inputShares.reduce((sum, share) => sum + share.length, 0);
    }
    return { microseconds: cpu(start) / periods, bytes: bytes / periods };
  };
}

const folder = mkdtempSync(join(tmpdir(), "futurerand-prio3-"));
try {
  const sides = { "futurerand, innovation": await prepareOurs() };
  if (!onlyOurs) sides[`@divviup/prio3 ${VERSION}, Prio3Count`] = await preparePrio3(await importPrio3(folder));
  for (const side of Object.values(sides)) for (let i = 0; i < 20; ++i) await side(); // warms up
  const found = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let turn = 0; turn < turns; ++turn) {
    for (const [name, side] of Object.entries(sides)) {
      const runs = [];
      for (let i = 0; i < 10; ++i) runs.push(await side());
      found[name].push({ microseconds: median(runs.map((run) => run.microseconds)), bytes: runs[0].bytes });
    }
  }
  for (const [name, results] of Object.entries(found)) {
    const times = results.map((result) => result.microseconds);
    console.log(
      `${name}: ${median(times).toFixed(1)} us of CPU a report ` +
        `(${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)} in ${turns} turns), ` +
        `${results[0].bytes.toFixed(0)} bytes`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
