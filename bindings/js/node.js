// The package in Node: the module is read from its file, and records are files.
import { spawn } from "node:child_process";
import { webcrypto } from "node:crypto";
import { closeSync, fstatSync, openSync } from "node:fs";
import { mkdir, open, readFile, readdir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import * as browser from "./index.js";
import { randomFrom } from "./module.js";
import { fetchThroughProxy } from "./proxy.js";
import { changed, same } from "./stores.js";

export { FuturerandError, MemoryStore } from "./index.js";
const { FuturerandError } = browser;

const wasm = () => readFile(new URL("./futurerand.wasm", import.meta.url));

const random = randomFrom(webcrypto);

async function withDefaults(options) {
  return { random, fetch: fetchThroughProxy, ...options, wasm: options.wasm ?? (await wasm()) };
}

export class Device {
  static async open(options) {
    return browser.Device.open(await withDefaults(options));
  }
}

export class Client {
  static async open(options) {
    return browser.Client.open(await withDefaults(options));
  }

  static async join(options) {
    return browser.Client.join(options);
  }
}

export async function certify(plan, options = {}) {
  return browser.certify(plan, await withDefaults(options));
}

/**
 * One file a record, as C++ devices have them, in a folder that is locked as theirs is: by flock(2). Node has no such
 * call, so flock(1) makes it, on a file that it inherits. The lock belongs to the open file, which is this process's:
 * no other process holds it, and the kernel frees it when this process ends, however it ends.
 */
export class FileStore {
  #folder;
  #lock = null;
  #seen = new Map();

  constructor(folder) {
    this.#folder = folder;
  }

  async acquire() {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // A number, not a FileHandle, which is closed when it is collected as garbage.
    const lock = openSync(join(this.#folder, "lock"), "a", 0o600);
    try {
      await flock(lock, this.#folder);
    } catch (error) {
      closeSync(lock);
      throw error;
    }
    this.#lock = lock;
    return async () => {
      if (this.#lock === lock) this.#lock = null;
      closeSync(lock);
    };
  }

  /** What Linux calls this machine, machine-id(5); nothing elsewhere, and in many containers. */
  async machine() {
    const text = await readFile("/etc/machine-id", "latin1").catch(() => "");
    return /^[0-9a-f]{32}/.exec(text)?.[0] ?? "";
  }

  async load() {
    const names = (await readdir(this.#folder)).filter((name) => /^(ledger|machine|participation|metric-[0-9a-f]{32})$/.test(name));
    const records = new Map();
    for (const name of names) records.set(name, await this.#read(name));
    this.#seen = new Map([...records].map(([name, bytes]) => [name, bytes.slice()]));
    return records;
  }

  async #read(name) {
    try {
      return new Uint8Array(await readFile(join(this.#folder, name)));
    } catch (error) {
      if (error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Somebody who removed the lock file, or the folder, could lock another one of that name. */
  async #checkLock() {
    const path = join(this.#folder, "lock");
    const named = await stat(path).catch(() => null);
    const held = this.#lock === null ? null : fstatSync(this.#lock);
    if (named && held && named.ino === held.ino && named.dev === held.dev) return;
    throw new FuturerandError("busy", `the lock '${path}' is not the one that was taken; expected it to stay`);
  }

  /** Each is written to a temporary name, synced, renamed and its folder synced, in the order given. */
  async save(changes) {
    await this.#checkLock();
    for (const name of changes.keys()) {
      if (!same(await this.#read(name), this.#seen.get(name))) throw changed(join(this.#folder, name));
    }
    for (const [name, bytes] of changes) {
      const temporary = join(this.#folder, `${name}.new`);
      try {
        const file = await open(temporary, "w", 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(temporary, join(this.#folder, name));
      } catch (error) {
        await unlink(temporary).catch(() => {});
        throw error;
      }
      const folder = await open(this.#folder, "r");
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
      this.#seen.set(name, bytes.slice());
    }
  }
}

const inUse = 9;

/** Locks an open file; it stays locked until this process closes it. Ctrl-C does not reach flock(1). */
function flock(file, folder) {
  const command = ["--nonblock", "--exclusive", "--conflict-exit-code", String(inUse), "3"];
  const locking = spawn("flock", command, { detached: true, stdio: ["ignore", "ignore", "ignore", file] });
  return new Promise((resolve, reject) => {
    const fail = (code, message, cause) => reject(new FuturerandError(code, message, { cause }));
    locking.once("error", (cause) => fail("invalid", `flock(1) cannot be run: ${cause.message}`, cause));
    locking.once("close", (code, signal) => {
      if (code === 0) resolve();
      else if (code === inUse) fail("busy", `the state folder '${folder}' is in use; expected one process at a time`);
      else fail("invalid", `flock(1) ended with ${code ?? signal}; expected 0, or ${inUse} for a folder in use`);
    });
  });
}
