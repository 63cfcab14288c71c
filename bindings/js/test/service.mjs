// A service that traps Ctrl-C, observes random values, and prints every line that it would send. The first ones follow
// each other as fast as it can, the later ones every 30 ms. It joins the same plan as 16 metrics, one after the other.
//   PACKAGE=... node service.mjs FOLDER VECTOR     (VECTOR: a line of tests/data/vectors.jsonl)
// Exit status: 0 at the end of the last metric, 3 if the state is in use, 4 if the device stopped, 5 if flock(1) was killed.
import { writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const { Client, Device, FileStore } = await import(pathToFileURL(join(resolve(process.env.PACKAGE), "node.js")).href);
const [folder, text] = process.argv.slice(2);
const vector = JSON.parse(text);
process.on("SIGINT", () => {});

try {
  const device = await Device.open({ store: new FileStore(folder), ceiling: "16" });
  const json = JSON.stringify(vector.plan);
  for (let number = 1, sent = 0; number <= 16; ++number) {
    const plan = { metric: `${vector.metric}-${number}`, json, start: 0, periodSeconds: 0 };
    const client = await Client.join({ plan, device, period: 1 });
    for (let { period } = await client.about(); period < vector.plan.periods; ++period) {
      await client.observe(period + 1, Math.random() < 0.5);
      const lines = await client.lines();
      writeSync(1, lines);
      if (period % 4 === 0 && lines !== "") await client.acknowledge(lines);
      await pause(++sent < 40 ? Math.random() * 4 : 30);
    }
    await client.close();
  }
  await device.close();
} catch (error) {
  const killed = error.message.startsWith("flock(1) ended with SIGKILL");
  if (error.code !== "busy" && error.code !== "no_room" && !killed) throw error;
  process.exitCode = killed ? 5 : error.message.includes("nothing was sent") ? 4 : 3;
}
