// A fleet of devices with labels, numbers or texts: the npm package of this build, in this process. Their noise is
// reproducible.
import { createCipheriv } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { binary, collector, noiseSeed } from "./session.mjs";

const client = join(dirname(binary), "bindings/js/package");

const stream = createCipheriv("aes-128-ctr", new Uint8Array(16).fill(noiseSeed), new Uint8Array(16));
const random = (bytes) => void bytes.set(stream.update(new Uint8Array(bytes.length)));

/**
 * Creates a metric, and lets `devices` of them report `periods` periods.
 * valueOf(device, period) is what a device holds.
 */
export async function runFleet(name, { definition, devices, periods, valueOf }) {
  const { Client, Device, MemoryStore } = await import(pathToFileURL(join(client, "node.js")).href);
  const wasm = await globalThis.WebAssembly.compile(readFileSync(join(client, "futurerand.wasm")));
  await collector.put(name, {
    protocol: "innovation",
    clock: "manual",
    ...definition,
  });
  const document = JSON.stringify(await collector.call(`v1/metrics/${name}`));
  const clients = [];
  for (let i = 0; i < devices; ++i) {
    const device = await Device.open({
      store: new MemoryStore(),
      ceiling: "16",
      wasm,
      random,
    });
    clients.push(await Client.join({ document, device, period: 1 }));
  }
  for (let period = 1; period <= periods; ++period) {
    await collector.advance(name);
    const lines = [];
    for (const [i, each] of clients.entries()) {
      await each.observe(period, valueOf(i, period));
      await each.beginPeriod(period + 1);
      const due = await each.lines();
      if (due === "") continue; // it drew another metric of the group
      lines.push(...due.trim().split("\n"));
      await each.acknowledge(due);
    }
    await collector.post(name, lines);
  }
  await Promise.all(clients.map(({ device }) => device.close()));
}
