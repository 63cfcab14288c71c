// The package in Node: the module is read from its file, and records are files.
import { spawn } from "node:child_process";
import { webcrypto } from "node:crypto";
import { mkdir, open, readFile, readdir, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import * as browser from "./index.js";

export { FuturerandError, MemoryStore } from "./index.js";
const { FuturerandError } = browser;

const wasm = () => readFile(new URL("./futurerand.wasm", import.meta.url));

function random(bytes) {
  for (let at = 0; at < bytes.length; at += 65536) webcrypto.getRandomValues(bytes.subarray(at, at + 65536));
}

async function withDefaults(options) {
  return { random, ...options, wasm: options.wasm ?? (await wasm()) };
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
 * One file a record, as C++ devices have them, in a folder that is locked as theirs is: by flock(2), which a
 * child process holds, since Node has no such call. The kernel frees it when this process ends, however it ends.
 */
export class FileStore {
  #folder;

  constructor(folder) {
    this.#folder = folder;
  }

  async acquire() {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const lock = join(this.#folder, "lock");
    await (await open(lock, "a", 0o600)).close();
    const holder = spawn("flock", ["--nonblock", "--exclusive", "--conflict-exit-code", "9", lock, "cat"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    holder.stdin.on("error", () => {});
    const ended = new Promise((resolve) => holder.once("close", resolve));
    await new Promise((resolve, reject) => {
      holder.once("error", (cause) =>
        reject(new FuturerandError("invalid", `flock(1) cannot be run: ${cause.message}`, { cause })),
      );
      holder.once("close", () =>
        reject(
          new FuturerandError("busy", `the state folder '${this.#folder}' is in use; expected one process at a time`),
        ),
      );
      // cat runs once the lock is held, and echoes.
      holder.stdout.once("data", resolve);
      holder.stdin.write("held\n");
    });
    return async () => {
      holder.stdin.end();
      await ended;
    };
  }

  async load() {
    const names = (await readdir(this.#folder)).filter((name) => /^(ledger|metric-[0-9a-f]{32})$/.test(name));
    const records = new Map();
    for (const name of names) records.set(name, new Uint8Array(await readFile(join(this.#folder, name))));
    return records;
  }

  /** Each is written to a temporary name, synced, renamed and its folder synced, in the order given. */
  async save(changes) {
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
    }
  }
}
