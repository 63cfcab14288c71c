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
    this.ended.then((code) => {
      this.running = false;
      assert.ok([0, 3, 4, 5, null].includes(code), `a service ended with ${code}`);
    });
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

  /** Kills whatever it has started, such as who takes its lock. */
  rob() {
    try {
      for (const child of this.children()) process.kill(child, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH" && error.code !== "ENOENT") throw error; // it ended meanwhile
    }
  }

  kill() {
    if (this.running) process.kill(-this.process.pid, "SIGKILL");
    return this.ended;
  }
}

const attacks = {
  "Ctrl-C to the group": (service) => process.kill(-service.process.pid, "SIGINT"),
  "every child killed": (service) => service.rob(),
  "the service killed": (service) => service.kill(),
};

test(`${kills} kills, and no index has two signs`, async () => {
  let at = mkdtempSync(join(tmpdir(), "futurerand-kill-"));
  const sent = new Sent();
  const count = { together: 0, kept: 0, robbed: 0, survivors: 0 };
  let first = new Service(at, sent);
  try {
    for (let round = 0; round < kills; ++round) {
      const [name, attack] = Object.entries(attacks)[round % 3];
      await first.started();
      await pause(Math.random() * 30);
      if (first.running) await attack(first);
      const second = new Service(at, sent);
      // Every second time also who takes the lock for the other one is killed.
      const robbing = round % 6 === 1 ? setInterval(() => second.rob(), 1) : undefined;
      await second.started();
      clearInterval(robbing);
      await pause(Math.random() * 30);
      if (first.running && second.running) ++count.together;
      if (second.process.exitCode === 5) ++count.robbed;
      if (process.env.VERBOSE) console.log(name, first.running, second.process.exitCode, sent.signs.size, sent.twice);
      // Unless it was killed itself, or has just used all of its periods up, it goes on and keeps the other one out.
      const ended = first.process.exitCode === 0 || second.process.exitCode === 0;
      if (name !== "the service killed" && !ended) ++count.survivors;
      if (first.running) {
        await second.kill();
        assert.ok([3, 5].includes(second.process.exitCode), `${second.process.exitCode}`);
        ++count.kept;
      } else {
        first = second;
      }
      if (ended) {
        // A new device begins.
        await first.kill();
        rmSync(at, { recursive: true });
        at = mkdtempSync(join(tmpdir(), "futurerand-kill-"));
      }
      if (!first.running) first = new Service(at, sent);
    }
  } finally {
    await first.kill();
    rmSync(at, { recursive: true });
  }
  const { kept, robbed, survivors, together } = count;
  console.log(`${sent.signs.size} indices, ${kept} kept out (${robbed} robbed), ${together} at once, ${sent.twice} with two signs`);
  assert.equal(sent.twice, 0);
  assert.equal(together, 0);
  assert.equal(kept, survivors);
  assert.ok(kept >= kills / 2, `${kept}`);
  assert.ok(sent.signs.size > 5 * kills, `${sent.signs.size}`);
});
