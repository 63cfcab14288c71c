// The package as Node meets it: the golden vectors, restarts, and what goes wrong.
//   PACKAGE=build/release/bindings/js/package node --test bindings/js/client_test.mjs
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { cpSync, fstatSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

const folder = resolve(process.env.PACKAGE);
const { Client, Device, FileStore, FuturerandError, MemoryStore, certify } = await import(
  pathToFileURL(join(folder, "node.js")).href
);
// Mutants meet the short ones only (PERIODS).
const vectors = readFileSync(new URL("../../tests/data/vectors.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ plan }) => plan.periods <= Number(process.env.PERIODS ?? Infinity));

/** Gives the bytes of a tape, then an error. */
function tape(hex) {
  let rest = Buffer.from(hex, "hex");
  const fill = (bytes) => {
    if (bytes.length > rest.length) throw new Error("the tape has ended");
    bytes.set(rest.subarray(0, bytes.length));
    rest = rest.subarray(bytes.length);
  };
  return { fill, left: () => rest.length };
}

const planOf = (vector) => ({
  metric: vector.metric,
  json: JSON.stringify(vector.plan),
  start: vector.start,
  periodSeconds: vector.period_seconds,
});

async function open(vector, store, fill, options = {}) {
  // Binding draws bytes, which the tapes do not have.
  const device = await Device.open({ store, ceiling: "16", random: fill, machine: "", ...options });
  try {
    return await Client.join({ plan: planOf(vector), device, ownsDevice: true, period: vector.joined });
  } catch (error) {
    await device.close();
    throw error;
  }
}

const kindOf = ({ plan }) => plan.value?.kind ?? "yes_no";
const vectorOf = (kind) => vectors.find((vector) => kindOf(vector) === kind);
const text = (lines) => lines.map((line) => `${line}\n`).join("");
const coded = (code) => (error) => error instanceof FuturerandError && error.code === code;

const calls = { leave: "leave", forget: "forget", begin_period: "beginPeriod" };
const take = (client, { call, period, value }) => (call ? client[calls[call]](period) : client.observe(period, value));

test("vectors give their lines exactly", async () => {
  assert.ok(vectors.length > 20);
  for (const vector of vectors) {
    const entropy = tape(vector.entropy);
    const client = await open(vector, new MemoryStore(), entropy.fill);
    assert.equal(entropy.left(), 0, vector.metric);
    assert.equal(client.certificate.digest, vector.digest);
    for (const step of [...vector.steps, ...(vector.departure ?? [])]) {
      await take(client, step);
      const lines = await client.lines();
      assert.equal(lines, text(step.lines), `${vector.metric} in period ${step.period}`);
      if (step.acknowledged && lines) await client.acknowledge(lines);
    }
    await client.close();
  }
});

test("vectors give their lines exactly, opened anew before each step", async () => {
  for (const vector of [vectors[0], ...vectors.filter(({ departure }) => departure)]) {
    const store = new MemoryStore();
    const entropy = tape(vector.entropy);
    for (const step of [...vector.steps, ...(vector.departure ?? [])]) {
      const client = await open(vector, store, entropy.fill);
      await take(client, step);
      const lines = await client.lines();
      assert.equal(lines, text(step.lines));
      if (step.acknowledged && lines) await client.acknowledge(lines);
      await client.close();
    }
  }
});

test("a device draws one metric of a group, and the vectors of groups give their lines exactly", async () => {
  const groups = readFileSync(new URL("../../tests/data/group_vectors.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(new Set(groups.map(({ drawn }) => drawn)).size, 3);
  for (const vector of groups) {
    for (const restart of [false, true]) {
      const entropy = tape(vector.entropy);
      const store = new MemoryStore();
      let device = null;
      let clients = [];
      for (const step of vector.steps) {
        if (device === null || restart) {
          for (const client of clients) await client.close();
          await device?.close();
          device = await Device.open({ store, ceiling: "16", random: entropy.fill });
          clients = [];
          for (const document of vector.metrics) {
            clients.push(await Client.join({ document: JSON.stringify(document), device, period: 1 }));
          }
        }
        for (const client of clients) {
          await client.observe(step.period, step.values[client.metric]);
          const lines = await client.lines();
          assert.equal(lines, text(step.lines[client.metric]), `${client.metric} in period ${step.period}`);
          if (lines) await client.acknowledge(lines);
        }
      }
      assert.equal(entropy.left(), 0);
      for (const client of clients) assert.equal((await client.about()).drawn, client.metric === vector.drawn);
      const { groups: drawn, metrics } = await device.ledger();
      assert.deepEqual(drawn, [{ group: "settings", metric: vector.drawn }]);
      assert.deepEqual(
        metrics.map(({ metric }) => metric),
        [vector.drawn],
      );
      await device.close();
    }
  }
});

test("many at once are the same as one by one, and all or none", async () => {
  for (const vector of vectors.filter((one) => kindOf(one) === "yes_no")) {
    const [together, alone] = await Promise.all(
      [0, 1].map(() => open(vector, new MemoryStore(), tape(vector.entropy).fill)),
    );
    const periods = vector.steps.map((step) => step.period);
    const values = vector.steps.map((step) => step.value);
    for (const [i, period] of periods.entries()) await alone.observe(period, values[i]);
    await together.observeAll(Uint32Array.from(periods), values);
    assert.equal(await together.lines(), await alone.lines(), vector.metric);
    await Promise.all([together.close(), alone.close()]);
  }
  const store = new MemoryStore();
  const client = await open(vectors[0], store, tape(vectors[0].entropy).fill);
  const before = new Map(store.records);
  for (const [periods, values] of [
    [[1, 2], [1]],
    [
      [1, 2],
      [0, 2],
    ],
    [
      [1, 2],
      [0, NaN],
    ],
    [
      [1, NaN],
      [0, 1],
    ],
    [
      [1, -1],
      [0, 1],
    ],
    [
      [1, 2 ** 32],
      [0, 1],
    ],
    [
      [1, , 3],
      [0, 0, 0],
    ], // eslint-disable-line no-sparse-arrays
    [1, 1],
    [null, null],
    ["12", "01"],
    [{ length: 2 }, [0, 1]],
    [[1, 2], { length: 2 }],
    [new DataView(new ArrayBuffer(2)), new Uint8Array(2)],
  ]) {
    await assert.rejects(client.observeAll(periods, values), coded("invalid"), String(periods));
  }
  await assert.rejects(client.observeAll([2, 1], [0, 1]), coded("invalid"));
  await client.observeAll([], []);
  assert.deepEqual(store.records, before);
  await client.observeAll([1, 2 ** 32 - 1], [1, 0]); // past the horizon: it closes
  assert.equal((await client.about()).closed, true);
  await client.close();
  await assert.rejects(client.observeAll([3], [1]), coded("invalid"));
});

test("entropy that fails joins nothing", async () => {
  const store = new MemoryStore();
  const short = tape(vectors[0].entropy.slice(0, -16));
  await assert.rejects(open(vectors[0], store, short.fill), coded("no_entropy"));
  await assert.rejects(open(vectors[0], store, 5), coded("no_entropy"));
  assert.equal(store.records.size, 0);
});

test("entropy that was not filled joins nothing, whatever the protocol is", async () => {
  const sources = {
    asynchronous: async (bytes) => void bytes.fill(7),
    "asynchronous and failing": async () => {
      throw new Error("no");
    },
    "bytes instead": (bytes) => webcrypto.getRandomValues(new Uint8Array(bytes.length)),
    "a part instead": (bytes) => bytes.subarray(1),
    null: () => null,
    zero: () => 0,
    "left as it was": () => {},
    zeros: (bytes) => bytes.fill(0),
    "the same again": (bytes) => void bytes.fill(0x42),
    "the same 32 bytes again": (() => {
      let at = 0;
      return (bytes) => void bytes.forEach((_, i) => (bytes[i] = 1 + (at++ % 32)));
    })(),
  };
  const longestFirst = vectors.toSorted((a, b) => b.plan.periods - a.plan.periods);
  const protocols = new Map(longestFirst.map((vector) => [vector.plan.protocol, vector]));
  assert.ok(protocols.size > 8);
  for (const [name, fill] of Object.entries(sources)) {
    for (const vector of protocols.values()) {
      const store = new MemoryStore();
      await assert.rejects(open(vector, store, fill), coded("no_entropy"), `${name}: ${vector.metric}`);
      assert.equal(store.records.size, 0);
    }
  }
  // Both ways to say that it is filled are right.
  for (const filled of [(bytes) => webcrypto.getRandomValues(bytes), (bytes) => void webcrypto.getRandomValues(bytes)]) {
    await (await open(vectors[0], new MemoryStore(), filled)).close();
  }
  // What went wrong is the error's cause.
  await assert.rejects(open(vectors[0], new MemoryStore(), sources.asynchronous), ({ cause }) =>
    cause.message.startsWith("random() returned something else"),
  );
});

test("period 0 is before the start, and the last period is the end: neither is an argument that is wrong", async () => {
  const client = await open(vectors[0], new MemoryStore(), tape(vectors[0].entropy).fill);
  const before = await client.about();
  await client.observe(0, true);
  await client.beginPeriod(0);
  await client.observeAll([0], [1]);
  assert.deepEqual(await client.about(), before);
  for (const period of [-1, 2 ** 32, 0.5, Number.NaN, "1", null, undefined]) {
    await assert.rejects(client.observe(period, true), coded("invalid"), String(period));
    await assert.rejects(client.beginPeriod(period), coded("invalid"), String(period));
    await assert.rejects(client.observeAll([period], [1]), coded("invalid"), String(period));
  }
  await client.observe(2 ** 32 - 1, true);
  assert.equal((await client.about()).closed, true);
  await client.close();
});

test("a period that begins makes what was observed before it due", async () => {
  const vector = vectors.find(({ plan, joined }) => plan.protocol === "innovation" && joined === 1);
  const client = await open(vector, new MemoryStore(), tape(vector.entropy).fill);
  await client.observe(6, 1);
  const signs = async () => JSON.parse((await client.lines()).trimEnd().split("\n").at(-1)).signs.length;
  assert.equal(await signs(), 5);
  await client.beginPeriod(7);
  assert.equal(await signs(), 6);
  await client.close();
  await assert.rejects(client.beginPeriod(8), coded("invalid"));
});

test("a late answer counts for its own lines only", async () => {
  const vector = vectors.find(({ plan, joined }) => plan.protocol === "innovation" && joined === 1);
  const client = await open(vector, new MemoryStore(), tape(vector.entropy).fill);
  const answer = (lines) => JSON.stringify({ accepted: lines.split("\n").length - 1, duplicates: 0, rejected: 0, errors: [] });
  await client.observe(3, 1);
  const first = await client.lines();
  await client.observe(6, 0);
  const second = await client.lines();
  await client.acknowledge(first, answer(first));
  const { index, signs } = JSON.parse(await client.lines());
  assert.deepEqual([index, signs.length], [3, 3]);
  for (const lines of [undefined, null, "", "\n", second.replace('"index":1', '"index":2')]) {
    await assert.rejects(client.acknowledge(lines), coded("invalid"));
  }
  await assert.rejects(client.acknowledge(second, answer(first + first)), coded("invalid"));
  await client.acknowledge(second, answer(second));
  assert.equal(await client.lines(), "");
  await client.close();
});

test("closing waits for what goes on, and ends the rest; a failure of the module ends all", async () => {
  const vector = vectors[0];
  const store = new MemoryStore();
  const client = await open(vector, store, tape(vector.entropy).fill);
  const save = store.save.bind(store);
  let saved = false;
  store.save = async (changes) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await save(changes);
    saved = true;
  };
  const going = client.observe(2, 1);
  await client.device.close();
  assert.ok(saved);
  await going;
  await assert.rejects(client.device.ledger(), coded("invalid"));
  store.save = save;
  const again = await open(vector, store, () => assert.fail("it has joined"));
  const failing = again.device.act(() => {
    throw new RangeError("as a trap of WebAssembly");
  });
  await assert.rejects(failing, (error) => coded("no_room")(error) && error.cause instanceof RangeError);
  await assert.rejects(again.lines(), coded("no_room"));
  await again.device.close();
  await assert.rejects(again.lines(), coded("no_room")); // the first reason stays
});

test("a store whose record somebody else changed stops the device", async () => {
  const vector = vectors[0];
  const at = mkdtempSync(join(tmpdir(), "futurerand-js-"));
  const stores = {
    memory: [new MemoryStore(), (store, name, bytes) => store.records.set(name, bytes)],
    files: [new FileStore(at), (_, name, bytes) => writeFileSync(join(at, name), bytes)],
  };
  try {
    for (const [kind, [store, change]] of Object.entries(stores)) {
      const client = await open(vector, store, tape(vector.entropy).fill);
      const records = await store.load();
      for (const [name, bytes] of records) change(store, name, bytes.map((byte) => byte ^ 1));
      await assert.rejects(client.observe(2, 1), coded("busy"), kind);
      await assert.rejects(client.lines(), coded("busy"), kind);
      await client.close();
      // What the other wrote is still there.
      const kept = kind === "memory" ? store.records : new Map([...records.keys()].map((name) => [name, readFileSync(join(at, name))]));
      for (const [name, bytes] of records) assert.ok(Buffer.from(kept.get(name)).equals(bytes.map((b) => b ^ 1)), name);
    }
  } finally {
    rmSync(at, { recursive: true });
  }
});

test("a device that ends gives its lock back and forgets its secrets before it says so", async () => {
  const vector = vectors[0];
  const memory = new MemoryStore();
  await (await open(vector, memory, tape(vector.entropy).fill)).close();
  const { Instance } = WebAssembly;
  const memories = [];
  const copies = [];
  WebAssembly.Instance = function (...given) {
    const instance = new Instance(...given);
    memories.push(instance.exports.memory);
    return instance;
  };
  class Watched extends Uint8Array {
    slice() {
      const copy = Uint8Array.from(this);
      copies.push(copy);
      return copy;
    }
  }
  let released;
  const store = {
    acquire: async () => async () => {
      await new Promise((done) => setTimeout(done, 20));
      ++released;
    },
    load: async () => new Map([...memory.records].map(([name, bytes]) => [name, new Watched(bytes)])),
    save: async () => {
      throw new Error("no room");
    },
  };
  const ends = {
    "it is closed": async () => (await Device.open({ store, ceiling: "16" })).close(),
    "it cannot be opened": () => assert.rejects(Device.open({ store, ceiling: "many" }), coded("invalid")),
    "its store fails": async () => {
      const device = await Device.open({ store, ceiling: "16" });
      const client = await Client.join({ plan: planOf(vector), device, period: vector.joined });
      await assert.rejects(client.observe(vector.plan.periods, 1), coded("no_room"));
    },
  };
  try {
    for (const [why, end] of Object.entries(ends)) {
      released = copies.length = memories.length = 0;
      await end();
      assert.equal(released, 1, why);
      assert.ok(copies.length >= 2 && copies.every((copy) => copy.every((byte) => byte === 0)), why);
      assert.ok(memories.length === 1 && new Uint8Array(memories[0].buffer).every((byte) => byte === 0), why);
    }
  } finally {
    WebAssembly.Instance = Instance;
  }
});

test("files: a lock that is not the one that was taken stops the device", async () => {
  const vector = vectors[0];
  for (const remove of [(at) => rmSync(join(at, "lock")), (at) => renameSync(join(at, "lock"), join(at, "old"))]) {
    const at = mkdtempSync(join(tmpdir(), "futurerand-js-"));
    try {
      const client = await open(vector, new FileStore(at), tape(vector.entropy).fill);
      remove(at);
      const second = new FileStore(at);
      const release = await second.acquire(); // it takes the new file for the lock
      await assert.rejects(client.observe(2, 1), coded("busy"));
      await release();
      await client.close();
    } finally {
      rmSync(at, { recursive: true });
    }
  }
});

test("files: every record and its folder are synced before a save resolves", async () => {
  const calls = [];
  const { FileHandle } = await (async () => {
    const handle = await (await import("node:fs/promises")).open(tmpdir(), "r");
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    return { FileHandle: prototype };
  })();
  const { sync, writeFile } = FileHandle;
  FileHandle.sync = async function () {
    calls.push(fstatSync(this.fd).isDirectory() ? "folder" : "file");
    return sync.call(this);
  };
  FileHandle.writeFile = async function (...args) {
    calls.push("write");
    return writeFile.apply(this, args);
  };
  const at = mkdtempSync(join(tmpdir(), "futurerand-js-"));
  try {
    const client = await open(vectors[0], new FileStore(at), tape(vectors[0].entropy).fill);
    assert.deepEqual(calls.splice(0), ["write", "file", "folder", "write", "file", "folder"]);
    await client.observe(1, 1);
    assert.deepEqual(calls.splice(0), ["write", "file", "folder"]);
    await client.close();
  } finally {
    Object.assign(FileHandle, { sync, writeFile });
    rmSync(at, { recursive: true });
  }
});

test("the ledger is saved before the state that it pays for", async () => {
  const store = new MemoryStore();
  const saved = [];
  const save = store.save.bind(store);
  store.save = async (changes) => {
    saved.push([...changes.keys()].map((name) => name.slice(0, 6)));
    await save(changes);
  };
  await (await open(vectors[0], store, tape(vectors[0].entropy).fill)).close();
  assert.deepEqual(saved, [["ledger", "metric"]]);
});

test("what is neither value nor period changes nothing", async () => {
  const vector = vectors[0];
  const store = new MemoryStore();
  const client = await open(vector, store, tape(vector.entropy).fill);
  await client.observe(2, 1);
  const before = new Map(store.records);
  for (const value of [2, -1, NaN, "1", null, undefined, {}, 0.5]) {
    await assert.rejects(client.observe(3, value), coded("invalid"));
  }
  for (const period of [NaN, 1.5, -1, 2 ** 32, "3", null, undefined, Infinity, 3n]) {
    await assert.rejects(client.observe(period, 1), coded("invalid"));
  }
  await assert.rejects(client.observe(1, 1), coded("invalid"));
  assert.deepEqual(store.records, before);
  await client.observe(2 ** 32 - 1, 0); // past the horizon: it closes
  assert.equal((await client.about()).closed, true);
  await client.close();
  await client.close();
  await assert.rejects(client.observe(3, 1), coded("invalid"));
  await assert.rejects(client.lines(), coded("invalid"));
  await assert.rejects(client.send(), coded("invalid"));
  await assert.rejects(client.device.ledger(), coded("invalid"));
});

test("a value of another kind is refused, and nothing is lost or spent", async () => {
  const never = [null, undefined, {}, [1], 1n, Symbol("s"), new Number(1), NaN, Infinity, -Infinity, "\ud800"];
  const cases = {
    yes_no: [[true, 0, 1, false], [0.42, -1, 2, "1", "true", "firefox"]],
    number: [[0.42, -3, 1e300, 7], [true, false, "1", "firefox"]],
    distribution: [[37.5, 1e300, -0], [true, false, "37.5", ""]],
    category: [["firefox", "caf\u00e9", "unknown"], [true, false, 0, 0.42]],
    text: [["en-GB", "x".repeat(64), "\u00e9".repeat(32)], [true, 1, "", "x".repeat(65), "\u00e9".repeat(33), "a\nb", "a\0b"]],
  };
  for (const [kind, [right, wrong]] of Object.entries(cases)) {
    const vector = vectorOf(kind);
    const store = new MemoryStore();
    const client = await open(vector, store, tape(vector.entropy).fill);
    assert.equal((await client.about()).value, kind);
    const before = new Map(store.records);
    const spent = await client.device.ledger();
    for (const value of [...wrong, ...never]) {
      await assert.rejects(client.observe(vector.joined, value), (error) => {
        const said = typeof value === "string" && value.length > 1 && error.message.includes(value);
        return coded("invalid")(error) && /this metric|expected|bytes/.test(error.message) && !said;
      });
    }
    if (kind !== "yes_no") await assert.rejects(client.observeAll([1, 2], [0, 1]), coded("invalid"), kind);
    assert.deepEqual(store.records, before, kind);
    assert.deepEqual(await client.device.ledger(), spent);
    for (const [i, value] of right.entries()) await client.observe(vector.joined + i, value);
    assert.equal((await client.about()).period, vector.joined + right.length - 1);
    await client.close();
  }
});

test("an unknown label is refused by a metric without a label for others", async () => {
  const { other: _, ...value } = vectorOf("category").plan.value;
  const vector = { ...vectorOf("category"), plan: { ...vectorOf("category").plan, value } };
  const store = new MemoryStore();
  const client = await open(vector, store, tape(vector.entropy).fill);
  const before = new Map(store.records);
  for (const label of ["lynx", "", "Firefox", "firefox "]) {
    await assert.rejects(client.observe(1, label), ({ code, message }) => code === "invalid" && message.includes("4 labels"));
  }
  assert.deepEqual(store.records, before);
  await client.observe(1, "firefox");
  await client.close();
});

test("the example of the README runs", async () => {
  const [, code] = readFileSync(new URL("README.md", import.meta.url), "utf8").match(
    /## Numbers, categories and texts\n[^#]*?```js\n([^`]*)```/,
  );
  const kinds = { darkMode: "yes_no", load: "number", latency: "distribution", browser: "category", language: "text" };
  const clients = await Promise.all(
    Object.values(kinds).map((kind) => open(vectorOf(kind), new MemoryStore(), tape(vectorOf(kind).entropy).fill)),
  );
  const AsyncFunction = (async () => {}).constructor;
  await new AsyncFunction("period", ...Object.keys(kinds), code)(1, ...clients);
  for (const client of clients) {
    assert.equal((await client.about()).period, 1, client.metric);
    await client.close();
  }
});

test("a store that throws stops the device, and nothing is released", async () => {
  const vector = vectors[0];
  const store = new MemoryStore();
  const first = await open(vector, store, tape(vector.entropy).fill);
  await first.observe(vector.steps[0].period, vector.steps[0].value);
  const lines = await first.lines();
  const save = store.save;
  store.save = async () => {
    throw new Error("the disk is full");
  };
  const observed = first.observe(vector.steps[1].period, vector.steps[1].value);
  const released = first.lines();
  await assert.rejects(observed, coded("no_room"));
  await assert.rejects(released, coded("no_room"));
  await assert.rejects(first.observe(9, 1), coded("no_room"));
  await first.close();
  store.save = save;
  const again = await open(vector, store, () => assert.fail("nothing is drawn again"));
  await again.beginPeriod(vector.steps[0].period);
  assert.equal(await again.lines(), lines);
  await again.close();
});

test("a store whose parts throw or give something else is no fresh start", async () => {
  const parts = (changed) => Object.assign(new MemoryStore(), changed);
  for (const part of ["acquire", "load"]) {
    const store = parts({
      [part]: async () => {
        throw new Error("no");
      },
    });
    const said = (error) => coded("no_room")(error) && error.message.includes(`${part}(): no;`);
    await assert.rejects(open(vectors[0], store, tape(vectors[0].entropy).fill), said);
  }
  for (const records of [undefined, null, {}, [], new Map([["ledger", "text"]]), new Map([[1, new Uint8Array()]])]) {
    const store = parts({ load: async () => records });
    await assert.rejects(open(vectors[0], store, tape(vectors[0].entropy).fill), coded("damaged"));
    assert.equal(store.records.size, 0);
    await (
      await store.acquire()
    )(); // the lease was given back
  }
  // It keeps what it is given, and gives that back.
  const kept = new Map();
  const careless = parts({
    load: async () => kept,
    save: async (changes) => changes.forEach((b, n) => kept.set(n, b)),
  });
  const first = await open(vectors[0], careless, tape(vectors[0].entropy).fill);
  await first.observe(3, 1);
  const saved = new Map([...kept].map(([name, bytes]) => [name, bytes.slice()]));
  await first.observe(3, 1); // changes nothing
  assert.deepEqual(kept, saved);
  await first.close();
  for (let times = 0; times < 2; ++times) {
    await (await open(vectors[0], careless, () => assert.fail("nothing is drawn again"))).close();
  }
});

test("a store that is none, a ceiling that is none, a plan that lies", async () => {
  await assert.rejects(Device.open({ store: {}, ceiling: "4" }), coded("invalid"));
  for (const device of [undefined, null, {}]) {
    await assert.rejects(Client.join({ plan: planOf(vectors[0]), device }), coded("invalid"));
  }
  for (const ceiling of [4, NaN, "", "1e3", undefined]) {
    await assert.rejects(Device.open({ store: new MemoryStore(), ceiling }), coded("invalid"));
  }
  const store = new MemoryStore();
  const lie = { ...vectors[0], plan: { ...vectors[0].plan, epsilon: "0.1" } };
  await assert.rejects(open(lie, store, tape(lie.entropy).fill), coded("refused"));
  assert.equal(store.records.size, 0);
  assert.equal((await certify(lie.plan)).certified, false);
  assert.equal((await certify(vectors[0].plan)).digest, vectors[0].digest);
  await assert.rejects(certify("{"), coded("invalid"));
  await assert.rejects(certify({}), coded("invalid"));
  // A device that holds less than the plan asks for.
  const poor = open(vectors[0], store, tape(vectors[0].entropy).fill, { ceiling: "0.5" });
  await assert.rejects(poor, coded("refused"));
});

test("files: one holder at a time, and the state survives", async () => {
  const vector = vectors[0];
  const at = mkdtempSync(join(tmpdir(), "futurerand-js-"));
  try {
    const client = await open(vector, new FileStore(at), tape(vector.entropy).fill);
    await client.observe(1, 0);
    const lines = await client.lines();
    assert.equal(lines, text(vector.steps[0].lines));
    await assert.rejects(
      open(vector, new FileStore(at), () => {}),
      coded("busy"),
    );
    await client.close();
    assert.equal(statSync(join(at, "ledger")).mode & 0o777, 0o600);
    const again = await open(vector, new FileStore(at), () => assert.fail("nothing is drawn again"));
    assert.equal(await again.lines(), lines);
    await again.close();
  } finally {
    rmSync(at, { recursive: true });
  }
});

test("leaving and being forgotten are one line, for good", async () => {
  for (const [call, said] of [
    ["leave", (id) => `{"client":"${id}","leave":3}\n`],
    ["forget", (id) => `{"client":"${id}","forget":true}\n`],
  ]) {
    const vector = vectorOf("yes_no");
    const store = new MemoryStore();
    const device = await Device.open({ store, ceiling: "16", random: tape(vector.entropy).fill });
    const plan = { metric: vector.metric, json: JSON.stringify(vector.plan), start: 0, periodSeconds: 0 };
    const client = await Client.join({ plan, device, period: 1 });
    await client.observe(2, 1);
    await client[call](3);
    const { client: id, left } = await client.about();
    assert.ok(left);
    assert.equal(await client.lines(), said(id));
    await assert.rejects(client.observe(4, 1), coded("refused"));
    const [metric] = (await device.history()).metrics;
    assert.deepEqual([metric.sent, metric.waiting], [[], [said(id).trim()]]);
    assert.equal(metric.standing, call === "leave" ? "left" : "forgotten");
    await client.acknowledge(said(id));
    assert.equal(await client.lines(), "");
    assert.equal((await device.ledger()).metrics.length, 1);
    await client.close();
    await device.close();
  }
});

test("nothing is joined before the user agreed, and off is remembered", async () => {
  const vector = vectorOf("yes_no");
  const store = new MemoryStore();
  const plan = { metric: vector.metric, json: JSON.stringify(vector.plan), start: 0, periodSeconds: 0 };
  const device = await Device.open({ store, ceiling: "16", askFirst: true });
  await assert.rejects(Client.join({ plan, device, period: 1 }), coded("not_started"));
  assert.equal((await device.history()).participation, "local_only");
  await device.setParticipation("on");
  const client = await Client.join({ plan, device, period: 1 });
  assert.notEqual(await client.lines(), "");
  await device.setParticipation("off");
  assert.equal(await client.lines(), "");
  await assert.rejects(device.setParticipation("maybe"), coded("invalid"));
  await client.close();
  await device.close();
  const again = await Device.open({ store, ceiling: "16", askFirst: true });
  assert.equal((await again.history()).participation, "off");
  await again.close();
});

test("files: the user's decision is remembered too, and a copy on another machine retires", async () => {
  const scope = mkdtempSync(join(tmpdir(), "futurerand-"));
  try {
    const at = (name) => new FileStore(join(scope, name));
    const opened = (store, options = {}) => Device.open({ store, ceiling: "16", machine: "here", ...options });
    const device = await opened(at("state"));
    await device.setParticipation("off");
    assert.equal((await device.history()).machine, "bound");
    await device.close();
    cpSync(join(scope, "state"), join(scope, "copy"), { recursive: true });
    const again = await opened(at("state"), { askFirst: true });
    assert.equal((await again.history()).participation, "off");
    await again.setParticipation("on");
    await again.close();
    for (const machine of ["there", "here"]) await assert.rejects(opened(at("copy"), { machine }), coded("refused"));
    await (await opened(at("state"))).close();
    // The default is the system's identity. A store without one, and "", mean no check.
    const system = at("state").machine();
    const other = await at("other").machine();
    assert.equal(await system, other);
    const fresh = await Device.open({ store: at("fresh"), ceiling: "4" });
    assert.equal((await fresh.history()).machine, other === "" ? "unbound" : "bound");
    await fresh.close();
    const unchecked = await Device.open({ store: at("unchecked"), ceiling: "4", machine: "" });
    assert.equal((await unchecked.history()).machine, "unbound");
    await unchecked.close();
    // Bound records, and no identity any more: nothing is sent, and nothing retires.
    const nameless = at("state");
    nameless.machine = async () => "";
    await assert.rejects(Device.open({ store: nameless, ceiling: "4" }), coded("not_found"));
    await (await opened(at("state"))).close();
  } finally {
    rmSync(scope, { recursive: true });
  }
});

test("a pinned plan is the only one", async () => {
  const vector = vectorOf("yes_no");
  const document = JSON.stringify({
    name: "m",
    plan: vector.plan,
    clock: "manual",
    start: null,
    period_seconds: null,
    current_period: 1,
  });
  const device = await Device.open({ store: new MemoryStore(), ceiling: "16" });
  const other = vector.digest.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
  await assert.rejects(Client.join({ document, device, digest: other }), coded("refused"));
  await (await Client.join({ document, device, digest: vector.digest })).close();
  await device.close();
});

test("each code has the action of the docs", () => {
  const docs = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const words = {
    retry_later: "retry later",
    tell_operator: "tell the operator",
    fix_call: "fix the call",
    give_up: "give up",
  };
  const rows = [...docs.matchAll(/^\| `(\w+)` \|.*\| ([^|]+) \|$/gm)].filter(([, , action]) =>
    Object.values(words).some((word) => action.startsWith(word)),
  );
  assert.equal(rows.length, 12);
  for (const [, code, action] of rows) {
    assert.ok(action.startsWith(words[new FuturerandError(code, "").action]), code);
  }
});

test("a damaged record is refused, never a fresh start", async () => {
  const vector = vectors[0];
  const store = new MemoryStore();
  await (await open(vector, store, tape(vector.entropy).fill)).close();
  for (const [name, bytes] of store.records) {
    const good = bytes.slice();
    bytes[bytes.length >> 1] ^= 1;
    await assert.rejects(open(vector, store, tape(vector.entropy).fill), coded("damaged"), name);
    store.records.set(name, good);
  }
});

test("what a page loads is below 200 KiB", () => {
  const parts = ["index.js", "device.js", "http.js", "module.js", "send.js", "stores.js", "futurerand.wasm"];
  const size = parts.reduce((sum, part) => sum + gzipSync(readFileSync(join(folder, part)), { level: 9 }).length, 0);
  assert.ok(size < 200 * 1024, `${size} bytes`);
  console.log(`${size} bytes gzipped`);
});

// As many periods on as off, or a metric of one horizon.
const seasonStart = 100_000;
const seasonVector = vectors.find(
  (vector) =>
    kindOf(vector) === "yes_no" &&
    vector.plan.protocol === "innovation" &&
    vector.plan.initial === "unknown" &&
    vector.plan.epsilon === "1",
);
const seasonDocument = (endless) =>
  JSON.stringify({
    name: "m",
    plan: seasonVector.plan,
    clock: "wall",
    start: seasonStart,
    period_seconds: 100,
    current_period: 1,
    ...(endless ? { seasons: { every: seasonVector.plan.periods } } : {}),
  });

async function runSeasons(endless, options = {}) {
  let now = 0;
  const device = await Device.open({ store: new MemoryStore(), ceiling: "16", clock: () => now, ...options });
  const paths = new Set();
  const ids = new Set();
  let client;
  for (let period = 1; period <= 6 * seasonVector.plan.periods; ++period) {
    now = seasonStart + (period - 1) * 100 + 50;
    client ??= await Client.join({ document: seasonDocument(endless), device, period });
    await client.observe(period, period % 5 === 0);
    for (let lines = await client.lines(); lines !== ""; lines = await client.lines()) {
      paths.add(await client.path(lines));
      await client.acknowledge(lines);
    }
    const about = await client.about();
    assert.equal(about.endless, endless);
    ids.add(about.client);
    if (period % 7 === 0) {
      await client.close();
      client = undefined;
    }
  }
  const ledger = await device.ledger();
  await device.close();
  return { paths, ids, ledger };
}

test("an application does not change where a metric has no end", { skip: seasonVector === undefined }, async () => {
  const fixed = await runSeasons(false);
  assert.deepEqual([...fixed.paths], ["/v1/metrics/m/reports"]);
  assert.equal(fixed.ids.size, 1);
  const endless = await runSeasons(true);
  assert.ok(endless.ids.has(null)); // it rests
  assert.equal(endless.paths.size, endless.ids.size - 1);
  assert.ok(endless.paths.size >= 3);
  for (const path of endless.paths) assert.match(path, /^\/v1\/metrics\/m\/seasons\/[0-9]+\/reports$/);
  const windowed = await runSeasons(true, { window: { epsilon: String(seasonVector.plan.epsilon), seconds: 1e6 } });
  assert.equal(windowed.paths.size, 1);
  assert.equal(windowed.ledger.window.spent, String(seasonVector.plan.epsilon));
  await assert.rejects(runSeasons(true, { window: { epsilon: "1", seconds: 0 } }), coded("invalid"));
});

test("servers cannot change the next season", { skip: seasonVector === undefined }, async () => {
  const device = await Device.open({ store: new MemoryStore(), ceiling: "16", clock: () => seasonStart + 50 });
  const client = await Client.join({ document: seasonDocument(true), device, period: 1 });
  await client.close();
  const changed = JSON.parse(seasonDocument(true));
  changed.seasons.rest = 0;
  await assert.rejects(Client.join({ document: JSON.stringify(changed), device, period: 1 }), coded("refused"));
  await device.close();
});
