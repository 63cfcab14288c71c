// What the JavaScript around the module does with its memory, its bytes and its random source.
//   PACKAGE=build/release/bindings/js/package node --test bindings/js/module_test.mjs
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const folder = resolve(process.env.PACKAGE);
const load = (name) => import(pathToFileURL(join(folder, name)).href);
const { Client, Device, FuturerandError, MemoryStore, certify } = await load("node.js");
const { randomFrom } = await load("module.js");
const coded = (code) => (error) => error instanceof FuturerandError && error.code === code;
const vectors = readFileSync(new URL("../../tests/data/vectors.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ plan }) => plan.periods <= 24);
const kindOf = ({ plan }) => plan.value?.kind ?? "yes_no";
const vectorOf = (kind) => vectors.find((vector) => kindOf(vector) === kind);
const planOf = ({ metric, plan, start, period_seconds: periodSeconds }) => ({
  metric,
  json: JSON.stringify(plan),
  start,
  periodSeconds,
});
const wasm = readFileSync(join(folder, "futurerand.wasm"));
const pause = () => new Promise((done) => setTimeout(done, 20));

/** Runs `body` with the exports of each module that it makes, whose functions are counted. */
async function watching(body) {
  const { Instance } = WebAssembly;
  const calls = new Map();
  const count = (name) => calls.get(name) ?? 0;
  const memories = [];
  WebAssembly.Instance = function (...given) {
    const { exports } = new Instance(...given);
    const counted = Object.entries(exports).map(([name, value]) => [
      name,
      typeof value !== "function"
        ? value
        : (...args) => {
            calls.set(name, count(name) + 1);
            return value(...args);
          },
    ]);
    memories.push(exports.memory);
    return { exports: Object.fromEntries(counted) };
  };
  try {
    await body(count, memories);
  } finally {
    WebAssembly.Instance = Instance;
  }
}

test("two clients of one device give the lines of their vectors, and each is closed alone", async () => {
  const of = (protocol) => vectors.find(({ plan, joined }) => plan.protocol === protocol && joined === 1);
  const pair = [of("innovation"), of("repeated")];
  const tape = { rest: Buffer.alloc(0) };
  const fill = (bytes) => {
    bytes.set(tape.rest.subarray(0, bytes.length));
    tape.rest = tape.rest.subarray(bytes.length);
  };
  const store = new MemoryStore();
  const device = await Device.open({ store, ceiling: "16", random: fill });
  const clients = [];
  for (const vector of pair) {
    tape.rest = Buffer.from(vector.entropy, "hex");
    clients.push(await Client.join({ plan: planOf(vector), device, period: 1 }));
  }
  const steps = pair.map(({ steps }) => steps.map((step) => [step.period, step]));
  for (let period = 1; period <= 24; ++period) {
    for (const [i, client] of clients.entries()) {
      const step = new Map(steps[i]).get(period);
      if (step === undefined) continue;
      await client.observe(period, step.value);
      const lines = await client.lines();
      assert.equal(lines, step.lines.map((line) => `${line}\n`).join(""), `${pair[i].metric} ${period}`);
      if (step.acknowledged && lines) await client.acknowledge(lines);
    }
  }
  const before = [await clients[0].about(), await clients[1].about()];
  await clients[0].close();
  await assert.rejects(clients[0].lines(), coded("invalid"));
  await assert.rejects(clients[0].about(), coded("invalid"));
  const last = await clients[1].lines();
  await assert.rejects(clients[1].observe(1, 1), ({ message }) => message.startsWith("period 1 is over; expected period"));
  assert.equal((await device.ledger()).metrics.length, 2);
  await device.close();
  // Each has its own record, from which it goes on.
  assert.equal(store.records.size, 3);
  const again = await Device.open({ store, ceiling: "16", random: () => assert.fail("nothing is drawn again") });
  for (const [i, vector] of pair.entries()) {
    const client = await Client.join({ plan: planOf(vector), device: again, period: 1 });
    assert.deepEqual(await client.about(), before[i]);
    await client.beginPeriod(before[i].period);
    if (i === 1) assert.equal(await client.lines(), last);
  }
  await again.close();
});

test("whatever the module is asked for is given back", () =>
  watching(async (count) => {
    const vector = vectorOf("text");
    const random = (bytes) => webcrypto.getRandomValues(bytes);
    const device = await Device.open({ store: new MemoryStore(), ceiling: "16", random });
    for (let times = 1; times <= 3; ++times) {
      const client = await Client.join({ plan: planOf(vector), device, period: 1 });
      await client.observe(times, "de");
      await client.acknowledge(await client.lines());
      await assert.rejects(client.observe(times, ""), coded("invalid"));
      await assert.rejects(client.acknowledge("{"), coded("invalid"));
      await client.close();
      await client.close();
      assert.equal(count("malloc") - count("free"), 1); // the error of all calls
      assert.equal(count("fr_metric_create"), times);
      assert.equal(count("fr_metric_close"), times);
      assert.equal(count("fr_client_close"), times);
      const texts = ["fr_metric_certificate", "fr_client_about", "fr_client_lines"].map(count);
      assert.equal(
        count("fr_free"),
        texts.reduce((sum, one) => sum + one),
      );
    }
    await device.close();
  }));

test("a value leaves the memory of the module, and its copies are erased", () =>
  watching(async (_, memories) => {
    const drawn = [];
    const random = (bytes) => {
      webcrypto.getRandomValues(bytes);
      drawn.push(bytes);
    };
    const open = async (kind) => {
      const device = await Device.open({ store: new MemoryStore(), ceiling: "16", random });
      return Client.join({ plan: planOf(vectorOf(kind)), device, ownsDevice: true, period: 1 });
    };
    const texts = await open("text");
    const secret = "a secret that nobody else has: 0123456789";
    await texts.observe(1, secret);
    assert.equal(Buffer.from(memories[0].buffer).indexOf(secret.slice(16)), -1);
    await texts.close();
    const bits = [];
    const { from } = Uint8Array;
    const client = await open("yes_no");
    Uint8Array.from = function (...given) {
      const made = from.apply(this, given);
      bits.push(made);
      return made;
    };
    try {
      await client.observeAll([1, 2, 3], [1, 1, 1]);
    } finally {
      Uint8Array.from = from;
    }
    assert.ok(bits.length > 0 && bits.every((array) => array.every((byte) => byte === 0)));
    assert.ok(drawn.length > 2 && drawn.every((array) => array.every((byte) => byte === 0)));
    await client.close();
  }));

test("the platform's source fills every byte of every length", () => {
  const asked = [];
  const crypto = {
    getRandomValues(bytes) {
      asked.push(bytes.length);
      return webcrypto.getRandomValues(bytes); // throws for more than 65,536
    },
  };
  for (const size of [1, 65535, 65536, 65537, 200_001]) {
    asked.length = 0;
    // A byte that was filled 40 times is 0 each time with probability 2^-320.
    const seen = new Uint8Array(size);
    for (let times = 0; times < 40; ++times) {
      const bytes = new Uint8Array(size);
      randomFrom(crypto)(bytes);
      for (let i = 0; i < size; ++i) seen[i] |= bytes[i];
    }
    assert.equal(seen.indexOf(0), -1, `${size}`);
    assert.equal(asked.length, 40 * Math.ceil(size / 65536));
    assert.equal(
      asked.reduce((sum, one) => sum + one),
      40 * size,
    );
  }
});

test("the module is taken as bytes, a response or an address; what is none cannot be loaded", async () => {
  const plan = vectors[0].plan;
  const { compileStreaming } = WebAssembly;
  const { fetch } = globalThis;
  let streamed = 0;
  WebAssembly.compileStreaming = (response) => {
    ++streamed;
    return compileStreaming.call(WebAssembly, response);
  };
  const typed = { headers: { "content-type": "application/wasm" } };
  const copy = () => wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length);
  const sources = {
    "an ArrayBuffer": [copy, 0],
    "a view": [() => wasm, 0],
    "a module": [() => WebAssembly.compile(wasm), 0],
    "a response": [() => new Response(wasm), 0],
    "one that says what it is": [() => new Response(wasm, typed), 1],
    "an address": [() => "https://collector.test/futurerand.wasm", 1],
  };
  globalThis.fetch = async (address) => {
    assert.equal(String(address), "https://collector.test/futurerand.wasm");
    return new Response(wasm, typed);
  };
  try {
    for (const [what, [make, streams]] of Object.entries(sources)) {
      streamed = 0;
      const { digest } = await certify(JSON.stringify(plan), { wasm: await make() });
      assert.equal(digest, vectors[0].digest, what);
      assert.equal(streamed, streams, what);
    }
    const bad = new Uint8Array([0, 97, 115, 109, 9]);
    globalThis.fetch = async () => {
      throw new TypeError("no network");
    };
    for (const broken of [bad, bad.buffer, new Response(bad), new Response(bad, typed), "https://collector.test/"]) {
      await assert.rejects(certify(plan, { wasm: broken }), coded("unreachable"));
    }
    const missing = new Response(wasm, { status: 404 });
    await assert.rejects(certify(plan, { wasm: missing }), ({ code, message }) => {
      return code === "unreachable" && message.includes("404");
    });
  } finally {
    Object.assign(globalThis, { fetch });
    WebAssembly.compileStreaming = compileStreaming;
  }
});

test("a lease is given back before a failure to open, or the end of a client, is told", async () => {
  let released = 0;
  class Slow extends MemoryStore {
    async acquire() {
      const release = await super.acquire();
      return async () => {
        await pause();
        release();
        ++released;
      };
    }
  }
  const store = new Slow();
  const random = (bytes) => webcrypto.getRandomValues(bytes);
  const join = async (ceiling) =>
    Client.join({
      plan: planOf(vectors[0]),
      device: await Device.open({ store, ceiling, random }),
      ownsDevice: true,
      period: 1,
    });
  await assert.rejects(join("0.01"), coded("refused"));
  assert.equal(released, 1);
  const client = await join("16");
  await client.close();
  assert.equal(released, 2);
});
