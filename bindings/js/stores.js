// Where a device keeps its records: one exclusive lease, all records at once, durable saves.
import { FuturerandError } from "./module.js";

const busy = (name) =>
  new FuturerandError("busy", `the records of '${name}' are in use; expected one holder at a time`);

/** What a save finds in place of the record that it was to replace. */
export const changed = (name) =>
  new FuturerandError("busy", `the record '${name}' was changed by somebody else; expected one holder at a time`);

/** Compares two records, either of which may be missing. */
export const same = (a, b) =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]));

/** Serves tests, and devices that are to be forgotten: nothing survives it. */
export class MemoryStore {
  records = new Map();
  #held = false;
  #seen = new Map();

  async acquire() {
    if (this.#held) throw busy("memory");
    this.#held = true;
    return () => {
      this.#held = false;
    };
  }

  async load() {
    const copy = () => new Map([...this.records].map(([name, bytes]) => [name, bytes.slice()]));
    this.#seen = copy();
    return copy();
  }

  async save(changes) {
    for (const name of changes.keys()) {
      if (!same(this.records.get(name), this.#seen.get(name))) throw changed(name);
    }
    for (const [name, bytes] of changes) {
      this.records.set(name, bytes.slice());
      this.#seen.set(name, bytes.slice());
    }
  }
}

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Records in IndexedDB. The Web Locks API gives the lease, among all pages and workers of the origin. */
export class IndexedDbStore {
  #name;
  #database = null;
  #seen = new Map();

  constructor(name = "futurerand") {
    this.#name = name;
  }

  async acquire() {
    if (!globalThis.navigator?.locks || !globalThis.indexedDB) {
      throw new FuturerandError("invalid", "there is no Web Locks API or no IndexedDB here; expected a secure context");
    }
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await new Promise((resolve, reject) => {
      navigator.locks
        .request(`futurerand:${this.#name}`, { ifAvailable: true }, (lock) => {
          if (lock === null) {
            reject(busy(this.#name));
            return undefined;
          }
          resolve();
          return held;
        })
        .catch(reject);
    });
    return () => {
      this.#database?.close();
      this.#database = null;
      release();
    };
  }

  async load() {
    const opening = indexedDB.open(this.#name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("records");
    this.#database = await done(opening);
    const records = this.#database.transaction("records").objectStore("records");
    const [names, values] = await Promise.all([done(records.getAllKeys()), done(records.getAll())]);
    this.#seen = new Map(names.map((name, i) => [name, values[i]]));
    return new Map(names.map((name, i) => [name, values[i].slice()]));
  }

  /** Saves all or nothing, in one transaction that is flushed to disk; refuses if somebody else changed a record. */
  async save(changes) {
    const transaction = this.#database.transaction("records", "readwrite", { durability: "strict" });
    const records = transaction.objectStore("records");
    const ended = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? changed(this.#name));
    });
    for (const [name, bytes] of changes) {
      const reading = records.get(name);
      reading.onsuccess = () => {
        if (same(reading.result, this.#seen.get(name))) records.put(bytes, name);
        else transaction.abort();
      };
    }
    await ended;
    for (const [name, bytes] of changes) this.#seen.set(name, bytes.slice());
  }
}
