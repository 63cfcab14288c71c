// The package in Chromium, with a real collector beside it: the golden vectors in a page and in a worker, the lease and
// the state in IndexedDB, and a whole horizon of one device.
//   PACKAGE=... FUTURERAND=build/release/futurerand node --test bindings/js/browser_test.mjs
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Collector } from "../../tests/dashboard/collector.mjs";
import { chromium } from "../../tests/dashboard/dashboard.mjs";

const folder = resolve(process.env.PACKAGE);
// Mutants meet the short ones only (PERIODS).
const vectors = readFileSync(new URL("../../tests/data/vectors.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line && JSON.parse(line).plan.periods <= Number(process.env.PERIODS ?? Infinity))
  .join("\n");
const types = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };

/** Replays all vectors; `store` makes a store for each. Runs in a page or a worker. */
const replay = `
  export async function replay(make) {
    const { Client, Device, IndexedDbStore, MemoryStore } = await import("/index.js");
    const vectors = (await (await fetch("/vectors.jsonl")).text()).trim().split("\\n").map((line) => JSON.parse(line));
    let lines = 0;
    for (const vector of vectors) {
      let rest = Uint8Array.from(vector.entropy.match(/../g), (byte) => parseInt(byte, 16));
      const random = (bytes) => {
        if (bytes.length > rest.length) throw new Error("the tape has ended");
        bytes.set(rest.subarray(0, bytes.length));
        rest = rest.subarray(bytes.length);
      };
      const store = make === "memory" ? new MemoryStore() : new IndexedDbStore(vector.metric);
      const device = await Device.open({ store, ceiling: "16", random });
      const plan = { metric: vector.metric, json: JSON.stringify(vector.plan), start: vector.start, periodSeconds: vector.period_seconds };
      const client = await Client.join({ plan, device, period: vector.joined });
      if (client.certificate.digest !== vector.digest) throw new Error("another digest");
      const calls = { leave: "leave", forget: "forget", begin_period: "beginPeriod" };
      for (const step of [...vector.steps, ...(vector.departure ?? [])]) {
        if (step.call) await client[calls[step.call]](step.period);
        else await client.observe(step.period, step.value);
        const expected = step.lines.map((line) => line + "\\n").join("");
        const given = await client.lines();
        if (given !== expected) throw new Error(vector.metric + " differs in period " + step.period);
        lines += step.lines.length;
        if (step.acknowledged && given) await client.acknowledge(given);
      }
      await device.close();
    }
    return { devices: vectors.length, lines };
  }`;
const worker = `
  import { replay } from "/replay.js";
  replay("indexeddb").then(postMessage, (error) => postMessage({ error: String(error) }));`;
const made = { "/": "<!doctype html><title>device</title>", "/replay.js": replay, "/worker.js": worker };

let server;
let browser;
let page;
const collector = new Collector(process.env.FUTURERAND, []);

before(async () => {
  await collector.start();
  server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://127.0.0.1").pathname;
    // The collector serves pages of its own origin only: this one stands before it, as a proxy would.
    if (path.startsWith("/v1/")) {
      const body = [];
      for await (const chunk of request) body.push(chunk);
      const init = request.method === "POST" ? { method: "POST", body: Buffer.concat(body) } : {};
      const answer = await fetch(`${collector.url}${request.url}`, init);
      response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
      return;
    }
    const ending = path === "/" ? "html" : path.split(".").pop();
    const file = join(folder, path);
    if (path === "/vectors.jsonl") response.end(vectors);
    else if (made[path]) response.writeHead(200, { "content-type": types[ending] }).end(made[path]);
    else if (existsSync(file)) response.writeHead(200, { "content-type": types[ending] }).end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? places.find(existsSync),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
  });
  page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
});

after(async () => {
  await browser?.close();
  server?.close();
  server?.closeAllConnections?.();
  await collector.remove();
});

test("vectors in a page, with its state in memory", async () => {
  const done = await page.evaluate(async () => (await import("/replay.js")).replay("memory"));
  assert.ok(done.devices > 30 && done.lines > 500, JSON.stringify(done));
});

test("vectors in a worker, with its state in IndexedDB", async () => {
  const done = await page.evaluate(
    () =>
      new Promise((answered) => {
        const worker = new Worker("/worker.js", { type: "module" });
        worker.onmessage = ({ data }) => answered(data);
        worker.onerror = ({ message }) => answered({ error: message });
      }),
  );
  assert.equal(done.error, undefined);
  assert.ok(done.devices > 30 && done.lines > 500, JSON.stringify(done));
});

test("one holder at a time, and a store that somebody else changed stops the device", async () => {
  const codes = await page.evaluate(async () => {
    const { Device, IndexedDbStore } = await import("/index.js");
    const codeOf = (promise) => promise.then(() => "ok", (error) => error.code);
    const device = await Device.open({ store: new IndexedDbStore("lease"), ceiling: "4" });
    const second = await codeOf(Device.open({ store: new IndexedDbStore("lease"), ceiling: "4" }));
    await device.close();
    const third = await Device.open({ store: new IndexedDbStore("lease"), ceiling: "4" });
    const again = await codeOf(third.ledger());
    await third.close();
    const [{ version }] = (await indexedDB.databases()).filter(({ name }) => name === "lease");
    // A store that was given back keeps nobody from removing what it holds.
    const removed = await new Promise((resolve) => {
      const removing = indexedDB.deleteDatabase("lease");
      removing.onsuccess = () => resolve(true);
      removing.onblocked = () => resolve(false);
    });
    const store = new IndexedDbStore("changed");
    const release = await store.acquire();
    await store.load();
    await store.save(new Map([["ledger", new Uint8Array([1])]]));
    // A second store works without the lease, as a page that does not play by the rules would.
    const rogue = new IndexedDbStore("changed");
    await rogue.load();
    await rogue.save(new Map([["ledger", new Uint8Array([2])]]));
    const swapped = await codeOf(store.save(new Map([["ledger", new Uint8Array([3])]])));
    release();
    return { second, again, swapped, version, removed };
  });
  assert.deepEqual(codes, { second: "busy", again: "ok", swapped: "busy", version: 1, removed: true });
});

test("every save in IndexedDB is flushed to disk before it resolves", async () => {
  const asked = await page.evaluate(async () => {
    const { IndexedDbStore } = await import("/index.js");
    const { transaction } = IDBDatabase.prototype;
    const modes = [];
    IDBDatabase.prototype.transaction = function (names, mode, options) {
      if (mode === "readwrite") modes.push(options?.durability);
      return transaction.call(this, names, mode, options);
    };
    const store = new IndexedDbStore("durable");
    const release = await store.acquire();
    await store.load();
    await store.save(new Map([["ledger", new Uint8Array([1])]]));
    await store.save(new Map([["ledger", new Uint8Array([2])]]));
    release();
    IDBDatabase.prototype.transaction = transaction;
    return modes;
  });
  assert.deepEqual(asked, ["strict", "strict"]);
});

test("a whole horizon of one device, opened anew for each period", async () => {
  await collector.put("browser", { periods: 6, max_changes: 2, epsilon: "1", clock: "manual", protocol: "repeated" });
  const run = (value) =>
    page.evaluate(async (value) => {
      const { Client, IndexedDbStore } = await import("/index.js");
      const store = new IndexedDbStore("life");
      const client = await Client.open({ url: location.origin, metric: "browser", store, ceiling: "1" });
      await client.observe(client.currentPeriod, value);
      await client.send();
      await client.close();
      return client.certificate.certified;
    }, value);
  for (let period = 1; period <= 7; ++period) {
    assert.equal(await run(period % 3 === 0), true);
    if (period < 7) await collector.advance("browser");
  }
  const { devices, rejected } = await collector.call("v1/metrics/browser");
  assert.deepEqual({ devices, rejected }, { devices: 1, rejected: 0 });
  const sums = await collector.call("v1/metrics/browser/sums");
  assert.deepEqual(sums.views[0].counts, [1, 1, 1, 1, 1, 1]);
});

test("the same in Node, with its state in files", async () => {
  const { Client, FileStore } = await import(pathToFileURL(join(folder, "node.js")).href);
  await collector.put("node", { periods: 4, max_changes: 2, epsilon: "1", clock: "manual", protocol: "repeated" });
  const state = join(collector.folder, "node-device");
  for (let period = 1; period <= 5; ++period) {
    const client = await Client.open({ url: collector.url, metric: "node", store: new FileStore(state), ceiling: "1" });
    await client.observe(client.currentPeriod, 1);
    await client.send();
    await client.close();
    if (period < 5) await collector.advance("node");
  }
  const sums = await collector.call("v1/metrics/node/sums");
  assert.deepEqual(sums.views[0].counts, [1, 1, 1, 1]);
  await assert.rejects(
    Client.open({ url: collector.url, metric: "none", store: new FileStore(state), ceiling: "1" }),
    ({ code }) => code === "not_found",
  );
});
