// Services in Node that are killed, interrupted with Ctrl-C to their whole process group, and robbed of every process
// that they started, while others try to open the same state. No index may ever go out with two signs.
//   PACKAGE=build/release/bindings/js/package KILLS=200 node --test bindings/js/kill_test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const kills = Number(process.env.KILLS ?? 12);
const program = fileURLToPath(new URL("test/service.mjs", import.meta.url));
// A device of this metric sends a new index at every period.
const vector = readFileSync(new URL("../../tests/data/vectors.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ plan }) => plan.protocol === "innovation")
  .reduce((longest, one) => (one.plan.periods > longest.plan.periods ? one : longest));

/** What went out: a sign by client and index, and how often a second one differed. */
class Sent {
  signs = new Map();
  twice = 0;

  add(line) {
    const { client, index, signs } = JSON.parse(line);
    for (const [i, sign] of [...(signs ?? "")].entries()) {
      const key = `${client} ${index + i}`;
      if ((this.signs.get(key) ?? sign) !== sign) ++this.twice;
      this.signs.set(key, sign);
    }
  }
}

class Service {
  constructor(folder, sent) {
    const given = JSON.stringify({ metric: vector.metric, plan: vector.plan });
    // A process group of its own, as a shell gives to each job.
    this.process = spawn(process.execPath, [program, folder, given], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.ended = new Promise((resolve) => this.process.once("close", resolve));
    this.running = true;
    this.ended.then(() => (this.running = false));
    this.heard = new Promise((resolve) => this.process.stdout.once("data", resolve));
    let rest = "";
    this.process.stdout.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) sent.add(line);
    });
  }

  /** Until it sends, or ends because it may not. */
  started() {
    return Promise.race([this.heard, this.ended]);
  }

  children() {
    const { pid } = this.process;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  }

  kill() {
    if (this.running) process.kill(-this.process.pid, "SIGKILL");
    return this.ended;
  }
}

const attacks = {
  "Ctrl-C to the group": (service) => process.kill(-service.process.pid, "SIGINT"),
  "every child killed": (service) => {
    for (const child of service.children()) process.kill(child, "SIGKILL");
  },
  "the service killed": (service) => service.kill(),
};

test(`${kills} kills, and no index has two signs`, async () => {
  let at = mkdtempSync(join(tmpdir(), "futurerand-kill-"));
  const sent = new Sent();
  const count = { together: 0, refused: 0 };
  let first = new Service(at, sent);
  try {
    for (let round = 0; round < kills; ++round) {
      const [name, attack] = Object.entries(attacks)[round % 3];
      await first.started();
      await pause(Math.random() * 30);
      if (first.running) await attack(first);
      const second = new Service(at, sent);
      await second.started();
      await pause(Math.random() * 30);
      if (first.running && second.running) ++count.together;
      if (second.process.exitCode === 3) ++count.refused;
      if (process.env.VERBOSE) console.log(name, first.running, second.running, sent.signs.size, sent.twice);
      // The one that goes on is attacked next.
      if (first.running) await second.kill();
      else first = second;
      if (first.process.exitCode === 0) {
        rmSync(at, { recursive: true });
        at = mkdtempSync(join(tmpdir(), "futurerand-kill-"));
      }
      if (!first.running) first = new Service(at, sent);
    }
  } finally {
    await first.kill();
    rmSync(at, { recursive: true });
  }
  console.log(`${sent.signs.size} indices, ${count.refused} refused, ${count.together} at once, ${sent.twice} with two signs`);
  assert.equal(sent.twice, 0);
  assert.equal(count.together, 0);
  // Services that were robbed or interrupted went on, and kept the others out.
  assert.ok(count.refused >= kills / 3, `${count.refused}`);
  assert.ok(sent.signs.size > 5 * kills, `${sent.signs.size}`);
});
