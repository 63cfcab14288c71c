// What a store promises, whatever goes wrong: files beside real system calls, IndexedDB without a browser's parts.
//   PACKAGE=build/release/bindings/js/package node --test bindings/js/stores_test.mjs
import assert from "node:assert/strict";
import fs, { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeEach, afterEach, test } from "node:test";
import { pathToFileURL } from "node:url";

const folder = resolve(process.env.PACKAGE);
const load = (name) => import(pathToFileURL(join(folder, name)).href);
const { FileStore, FuturerandError, MemoryStore } = await load("node.js");
const { IndexedDbStore, same } = await load("stores.js");
const coded = (code) => (error) => error instanceof FuturerandError && error.code === code;
const bytes = (...list) => new Uint8Array(list);
const record = (...list) => new Map([["ledger", bytes(...list)]]);

let at;
beforeEach(() => (at = mkdtempSync(join(tmpdir(), "futurerand-stores-"))));
afterEach(() => rmSync(at, { recursive: true }));

test("two records are the same only if all of their bytes are", () => {
  const list = [undefined, bytes(), bytes(0), bytes(1), bytes(1, 2), bytes(1, 3), bytes(2, 2), bytes(1, 2, 3)];
  for (const [i, a] of list.entries()) {
    for (const [j, b] of list.entries()) assert.equal(same(a, b && b.slice()), i === j, `${i} ${j}`);
  }
});

test("a record that appeared, vanished or changed is not replaced", async () => {
  const file = join(at, "ledger");
  const memory = new MemoryStore();
  const kinds = [
    [memory, (to) => memory.records.set("ledger", to), () => memory.records.delete("ledger")],
    [new FileStore(at), (to) => writeFileSync(file, to), () => rmSync(file)],
  ];
  for (const [store, put, remove] of kinds) {
    const release = await store.acquire();
    await store.load();
    put(bytes(1));
    await assert.rejects(store.save(record(2)), coded("busy"));
    assert.deepEqual((await store.load()).get("ledger"), bytes(1));
    await store.save(record(2));
    await store.save(record(2, 3));
    for (const other of [bytes(2), bytes(2, 3, 4), bytes(2, 4), bytes()]) {
      put(other);
      await assert.rejects(store.save(record(9)), coded("busy"));
    }
    remove();
    await assert.rejects(store.save(record(9)), coded("busy"));
    await store.load();
    await store.save(record(9));
    assert.deepEqual((await store.load()).get("ledger"), bytes(9));
    await release();
  }
});

test("memory: one holder at a time", async () => {
  const store = new MemoryStore();
  const release = await store.acquire();
  await assert.rejects(store.acquire(), coded("busy"));
  release();
  (await store.acquire())();
});

test("files: nothing is saved without the lock", async () => {
  const store = new FileStore(at);
  await assert.rejects(store.save(record(1)), coded("busy"));
  const release = await store.acquire();
  await store.load();
  await store.save(record(1));
  rmSync(join(at, "lock"));
  await assert.rejects(store.save(record(2)), coded("busy"));
  await release();
  const again = await store.acquire();
  await store.save(record(2));
  await again();
  await assert.rejects(store.save(record(3)), coded("busy"));
  assert.deepEqual(new Uint8Array(readFileSync(join(at, "ledger"))), bytes(2));
});

test("files: a lock that cannot be had leaves no file open", async () => {
  const release = await new FileStore(at).acquire();
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  for (let times = 0; times < 8; ++times) await assert.rejects(new FileStore(at).acquire(), coded("busy"));
  assert.equal(open(), before);
  await release();
  assert.equal(open(), before - 1);
});

test("files: flock(1) is out of reach of Ctrl-C, and a store without it fails", async () => {
  const { PATH } = process.env;
  const program = (text) => {
    const place = mkdtempSync(join(at, "bin-"));
    writeFileSync(join(place, "flock"), `#!/bin/sh\n${text}\n`, { mode: 0o700 });
    process.env.PATH = `${place}:${PATH}`;
  };
  const groupOf = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[2];
  try {
    program(`cat /proc/self/stat > '${join(at, "stat")}'; exec /usr/bin/flock "$@"`);
    await (
      await new FileStore(at).acquire()
    )();
    const group = readFileSync(join(at, "stat"), "utf8").split(") ")[1].split(" ")[2];
    assert.notEqual(group, groupOf("self"));
    program("exit 7");
    await assert.rejects(new FileStore(at).acquire(), (error) => coded("invalid")(error) && error.message.includes("7"));
    program("kill -9 $$");
    const killed = (error) => coded("invalid")(error) && error.message.includes("SIGKILL");
    await assert.rejects(new FileStore(at).acquire(), killed);
    process.env.PATH = join(at, "nothing");
    await assert.rejects(new FileStore(at).acquire(), (error) => coded("invalid")(error) && error.cause.code === "ENOENT");
  } finally {
    process.env.PATH = PATH;
  }
});

/** Runs `body` with calls of node:fs/promises replaced, and those of open files. */
async function replaced(calls, ofFiles, body) {
  const handle = await fs.promises.open(at, "r");
  const files = Object.getPrototypeOf(handle);
  await handle.close();
  const own = Object.fromEntries(Object.keys(calls).map((name) => [name, fs.promises[name]]));
  const ownOfFiles = Object.fromEntries(Object.keys(ofFiles).map((name) => [name, files[name]]));
  for (const name of Object.keys(calls)) fs.promises[name] = calls[name](own[name]);
  for (const name of Object.keys(ofFiles)) files[name] = ofFiles[name](ownOfFiles[name]);
  syncBuiltinESMExports();
  try {
    await body();
  } finally {
    Object.assign(fs.promises, own);
    Object.assign(files, ownOfFiles);
    syncBuiltinESMExports();
  }
}

test("files: a save resolves when each step has ended, one after the other, and leaves no file open", async () => {
  const ended = [];
  const slow = (name) => (own) =>
    async function (...given) {
      await new Promise((done) => setTimeout(done, 10));
      const outcome = await own.apply(this, given);
      ended.push(name);
      return outcome;
    };
  const store = new FileStore(at);
  const release = await store.acquire();
  await store.load();
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  // What a crash has left is not added to.
  writeFileSync(join(at, "ledger.new"), "left by a crash");
  const files = { writeFile: slow("write"), sync: slow("sync") };
  await replaced({ rename: slow("rename") }, files, async () => {
    await store.save(record(1, 2));
    assert.deepEqual(ended, ["write", "sync", "rename", "sync"]);
    assert.deepEqual(new Uint8Array(readFileSync(join(at, "ledger"))), bytes(1, 2));
  });
  assert.equal(open(), before);
  await release();
});

test("files: a save that fails says so, leaves what there was, and nothing beside it", async () => {
  const fails = () => async () => {
    throw Object.assign(new Error("no room"), { code: "ENOSPC" });
  };
  const store = new FileStore(at);
  const release = await store.acquire();
  await store.load();
  await store.save(record(1));
  for (const [calls, files] of [
    [{ rename: fails }, {}],
    [{}, { writeFile: fails }],
    [{}, { sync: fails }],
  ]) {
    await replaced(calls, files, async () => {
      await assert.rejects(store.save(record(2)), ({ code }) => code === "ENOSPC");
      assert.ok(!existsSync(join(at, "ledger.new")));
    });
    assert.deepEqual(new Uint8Array(readFileSync(join(at, "ledger"))), bytes(1));
  }
  // A record that cannot be read is not one that is missing.
  await replaced({ readFile: fails }, {}, async () => {
    await assert.rejects(store.load(), ({ code }) => code === "ENOSPC");
    await assert.rejects(store.save(record(3)), ({ code }) => code === "ENOSPC");
  });
  await release();
});

test("files: the machine is the one of machine-id(5)", async () => {
  const id = "0123456789abcdef0123456789abcdef";
  const store = new FileStore(at);
  const says = (text) => () => async (path, encoding) => {
    assert.equal(path, "/etc/machine-id");
    assert.equal(encoding, "latin1");
    if (text === undefined) throw Object.assign(new Error("there is none"), { code: "ENOENT" });
    return text;
  };
  for (const [text, machine] of [
    [`${id}\n`, id],
    [id, id],
    [`x${id}`, ""],
    [`${id.slice(1)}\n`, ""],
    ["uninitialized\n", ""],
    ["", ""],
    [undefined, ""],
  ]) {
    await replaced({ readFile: says(text) }, {}, async () => assert.equal(await store.machine(), machine));
  }
});

test("files: the folder is made, for its owner only", async () => {
  const deep = join(at, "a", "b");
  await (
    await new FileStore(deep).acquire()
  )();
  assert.equal(fs.statSync(deep).mode & 0o777, 0o700);
});

const give = (parts) => {
  for (const [name, value] of Object.entries(parts)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
};

/** The Web Locks API, as its specification has it: https://w3c.github.io/web-locks/ */
class Locks {
  #held = new Map();

  async request(name, { ifAvailable = false }, callback) {
    await null;
    if (this.#held.has(name) && ifAvailable) return callback(null);
    while (this.#held.has(name)) await this.#held.get(name);
    let free;
    this.#held.set(name, new Promise((resolve) => (free = resolve)));
    try {
      return await callback({ name });
    } finally {
      this.#held.delete(name);
      free();
    }
  }
}

/** The part of IndexedDB that a store uses, as its specification has it: https://w3c.github.io/IndexedDB/ */
class Databases {
  all = new Map(); // by name: version, stores of records, open connections
  strict = 0; // transactions that were to reach the disk

  open(name, version) {
    const request = {};
    setImmediate(() => {
      const database = this.all.get(name) ?? { version: 0, stores: new Map(), connections: 0 };
      this.all.set(name, database);
      if (version < database.version) {
        request.error = new Error(`version ${version} is less than ${database.version}`);
        return request.onerror?.();
      }
      request.result = this.#connection(database);
      if (version > database.version) {
        database.version = version;
        request.onupgradeneeded?.();
      }
      return request.onsuccess?.();
    });
    return request;
  }

  #connection(database) {
    ++database.connections;
    return {
      close: () => --database.connections,
      createObjectStore: (name) => database.stores.set(name, new Map()),
      transaction: (name, mode = "readonly", { durability = "default" } = {}) => {
        if (durability === "strict") ++this.strict;
        return this.#transaction(database.stores.get(name), mode);
      },
    };
  }

  /** Requests take effect in order, and all together when none is left. */
  #transaction(records, mode) {
    const after = new Map(records);
    const waiting = [];
    const transaction = { error: null };
    let aborted = false;
    const ask = (result) => {
      const request = {};
      waiting.push([request, result]);
      return request;
    };
    const names = () => [...after.keys()].sort();
    transaction.abort = () => {
      aborted = true;
    };
    transaction.objectStore = () => ({
      get: (name) => ask(() => after.get(name)?.slice()),
      getAllKeys: () => ask(names),
      getAll: () => ask(() => names().map((name) => after.get(name).slice())),
      put: (value, name) => {
        assert.equal(mode, "readwrite");
        return ask(() => void after.set(name, value.slice()));
      },
    });
    const step = () => {
      if (aborted) return transaction.onabort?.();
      const next = waiting.shift();
      if (next !== undefined) {
        const [request, result] = next;
        request.result = result();
        request.onsuccess?.();
        return setImmediate(step);
      }
      if (mode === "readwrite") for (const [name, value] of after) records.set(name, value);
      return transaction.oncomplete?.();
    };
    setImmediate(step);
    return transaction;
  }
}

test("IndexedDB: one holder at a time, who leaves nothing open; a changed record is not replaced", async () => {
  const { navigator, indexedDB } = globalThis;
  const databases = new Databases();
  try {
    give({ navigator: { locks: new Locks() }, indexedDB: databases });
    const store = new IndexedDbStore("records of");
    let release = await store.acquire();
    await assert.rejects(new IndexedDbStore("records of").acquire(), coded("busy"));
    (await new IndexedDbStore("others").acquire())();
    assert.deepEqual(await store.load(), new Map());
    const database = databases.all.get("records of");
    assert.equal(database.version, 1);
    const stored = database.stores.get("records");
    const all = new Map([...record(1, 2), ["metric", bytes(5)]]);
    await store.save(all);
    assert.deepEqual(stored, all);
    assert.equal(databases.strict, 1);
    all.get("ledger")[0] = 9; // what was saved is the store's own
    await store.save(record(3));
    assert.deepEqual(await store.load(), new Map([...record(3), ["metric", bytes(5)]]));
    // Nothing is replaced if somebody else changed one record of several.
    for (const other of [bytes(4), bytes()]) {
      stored.set("metric", other);
      await assert.rejects(store.save(new Map([...record(7), ["metric", bytes(6)]])), coded("busy"));
      assert.deepEqual(stored, new Map([...record(3), ["metric", other]]));
    }
    // What is loaded is a copy.
    (await store.load()).get("ledger")[0] = 9;
    await store.save(record(8));
    const opened = database.connections;
    await release();
    assert.equal(database.connections, opened - 1);
    release = await new IndexedDbStore("records of").acquire();
    await release();
  } finally {
    give({ navigator, indexedDB });
  }
});

test("IndexedDB: without its locks, or itself, there is no lease", async () => {
  const { navigator, indexedDB } = globalThis;
  const locks = { request: async () => {} };
  try {
    for (const parts of [
      { navigator: undefined, indexedDB: undefined },
      { navigator: { locks }, indexedDB: undefined },
      { navigator: {}, indexedDB: {} },
    ]) {
      give(parts);
      await assert.rejects(new IndexedDbStore().acquire(), coded("invalid"));
    }
    const refusing = {
      request: async () => {
        throw new Error("the document is not active");
      },
    };
    give({ navigator: { locks: refusing }, indexedDB: {} });
    await assert.rejects(new IndexedDbStore().acquire(), /not active/);
  } finally {
    give({ navigator, indexedDB });
  }
});
