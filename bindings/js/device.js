// Device: the records of one device, in a store of its own, and the clients that use them.
//
// The module works in memory. What it saved goes to the store before anything else is done, and no
// call resolves, so no line is released, before it is durable there. If the store fails, nobody knows
// what it has: the device stops, and opening it again goes on from what the store says.
import { FuturerandError, Module, compile, randomFrom } from "./module.js";
import { sendAll } from "./send.js";

let compiled = null;

/** Seconds since 1970. */
const systemClock = () => Date.now() / 1000;

/** The module that comes with the package, compiled once. */
function defaultModule() {
  compiled ??= compile(new URL("./futurerand.wasm", import.meta.url)).catch((error) => {
    compiled = null;
    throw error;
  });
  return compiled;
}

export async function moduleFrom(wasm) {
  return wasm === undefined ? defaultModule() : compile(wasm);
}

// An empty Map starts a new device, which spends anew. So only a store that reports no records may cause it. The
// copies are erased in the end.
function copyOf(records) {
  const fits = ([name, bytes]) => typeof name === "string" && bytes instanceof Uint8Array;
  if (records instanceof Map && [...records].every(fits)) {
    return new Map([...records].map(([name, bytes]) => [name, bytes.slice()]));
  }
  throw new FuturerandError("damaged", "the store gave no records; expected a Map of Uint8Array by name");
}

/** A part of a store. An error of its own gets a code: nothing began, and it may succeed later. */
async function partOf(store, part) {
  try {
    return await store[part]();
  } catch (cause) {
    if (cause instanceof FuturerandError) throw cause;
    const why = cause?.message ?? cause;
    throw new FuturerandError("no_room", `the store failed in ${part}(): ${why}; expected to open it later`, { cause });
  }
}

export class Device {
  /** The handles of the clients that are open. */
  clients = new Map();
  #store;
  #module;
  #release;
  #records;
  #changed = new Map();
  #handle;
  #clock;
  #queue = Promise.resolve();
  #stopped = null;

  static async open({
    store,
    ceiling,
    window,
    clock = systemClock,
    askFirst = false,
    machine,
    wasm,
    random = randomFrom(globalThis.crypto),
  }) {
    for (const part of ["acquire", "load", "save"]) {
      if (typeof store?.[part] !== "function") {
        throw new FuturerandError("invalid", `the store lacks ${part}(); expected a store`);
      }
    }
    if (typeof ceiling !== "string") {
      throw new FuturerandError("invalid", 'no ceiling; expected an epsilon as text, such as "4"');
    }
    const module = await moduleFrom(wasm);
    const device = new Device();
    device.#store = store;
    device.#release = await partOf(store, "acquire");
    try {
      device.#records = copyOf(await partOf(store, "load"));
      device.#module = new Module(module, {
        fill: random,
        records: device.#records,
        saved: (record, at, size) => device.#changed.set(record, { at, size }),
      });
      device.#clock = clock;
      device.#handle = await device.act(() => device.#open(ceiling, window));
      await device.#bind(machine);
      if (askFirst) await device.act(() => device.#module.call("fr_device_ask_first", device.#handle));
    } catch (error) {
      await device.close();
      throw error;
    }
    return device;
  }

  #open(ceiling, window) {
    const handle = this.#module.give("fr_device_open_imported", ceiling);
    if (window === undefined) return handle;
    const seconds = Number.isSafeInteger(window?.seconds) ? BigInt(window.seconds) : 0n;
    this.#module.call("fr_device_set_window", handle, String(window?.epsilon), seconds);
    return handle;
  }

  /** Binds the records to this machine, if it has an identity: a copy on another machine is refused, for good. */
  async #bind(machine) {
    const identity = String(machine ?? (await this.#store.machine?.()) ?? "");
    if (identity !== "") return this.act(() => this.#module.call("fr_device_bind", this.#handle, identity));
    if (machine === undefined && this.#store.machine !== undefined && this.#records.has("machine")) {
      const message = "this machine's identity cannot be read; expected the one to which these records are bound";
      throw new FuturerandError("not_found", message);
    }
  }

  /** The handles of those clients that are open. To be called inside act(). */
  handlesOf(members) {
    return [...members].filter((client) => this.clients.has(client)).map((client) => this.clients.get(client));
  }

  /**
   * Sends what is due of all clients that are open: one request to each collector. The first failure is thrown once all
   * is tried; whatever fails, nothing is lost.
   */
  async send(options) {
    const places = new Map();
    for (const client of this.clients.keys()) {
      const { collector } = client;
      const key = JSON.stringify([collector.address, collector.headers]);
      if (!places.has(key)) places.set(key, { collector, members: [] });
      places.get(key).members.push(client);
    }
    const all = { lines: "", answer: null };
    let failure;
    for (const { collector, members } of places.values()) {
      try {
        const { lines, answer } = await sendAll(this, members, collector, options);
        all.lines += lines;
        if (answer === null) continue;
        all.answer ??= Object.fromEntries(Object.keys(answer).map((key) => [key, 0]));
        for (const key of Object.keys(answer)) all.answer[key] += answer[key];
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return all;
  }

  /** Tells the module the time of this device. To be called inside act(), before a client opens or observes. */
  tellTime() {
    this.#module.call("fr_device_believe", this.#handle, BigInt(Math.floor(this.#clock())));
  }

  get module() {
    return this.#module;
  }

  get handle() {
    return this.#handle;
  }

  /** Tells what was joined, and what it cost. */
  async ledger() {
    return JSON.parse(await this.act(() => this.#module.text("fr_device_ledger", this.#handle)));
  }

  /** Tells what was sent and what waits, what it cost and what that means: for a settings page. */
  async history() {
    return JSON.parse(await this.act(() => this.#module.text("fr_device_history", this.#handle)));
  }

  /** Remembers the user's decision: "on", "off" or "local_only". */
  async setParticipation(participation) {
    await this.act(() => this.#module.call("fr_device_set_participation", this.#handle, String(participation)));
  }

  /** Makes one call at a time for the device's clients; what it saved is durable when this resolves. */
  act(body) {
    const turn = this.#queue.then(() => this.#act(body));
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #act(body) {
    if (this.#stopped) throw this.#stopped;
    let outcome;
    try {
      outcome = { value: body() };
    } catch (error) {
      if (!(error instanceof FuturerandError)) await this.#stop("the WebAssembly module failed", error);
      outcome = { error };
    }
    // They are written in the order in which they were saved: the ledger before the state that it pays for. The copies
    // are the store's: it may keep them.
    const changes = new Map([...this.#changed].map(([record, { at, size }]) => [record, this.#module.copy(at, size)]));
    this.#changed.clear();
    if (changes.size > 0) {
      try {
        await this.#store.save(changes);
      } catch (error) {
        await this.#stop("the store failed", error);
      }
    }
    if (outcome.error) throw outcome.error;
    return outcome.value;
  }

  /** Nothing more comes out of it. */
  async #stop(why, cause) {
    this.#stopped = new FuturerandError(
      cause?.code === "busy" ? "busy" : "no_room",
      `${why}: ${cause?.message ?? cause}; nothing was sent; expected to open the device again`,
      { cause },
    );
    this.#forget();
    await this.#leave();
    throw this.#stopped;
  }

  async close() {
    await this.#queue;
    this.#stopped ??= new FuturerandError("invalid", "the device is closed; expected an open one");
    this.#forget();
    await this.#leave();
  }

  #forget() {
    this.#module?.close();
    for (const bytes of this.#records?.values() ?? []) bytes.fill(0);
    this.#records?.clear();
  }

  async #leave() {
    const release = this.#release;
    this.#release = null;
    await release?.();
  }
}
