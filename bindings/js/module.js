// The WebAssembly module with its memory and calls: texts in and out, codes as errors. One instance
// serves one device; what it knows goes with it.

const codes = [
  "ok",
  "invalid",
  "not_found",
  "refused",
  "damaged",
  "no_entropy",
  "no_room",
  "busy",
  "unreachable",
  "no_memory",
  "not_started",
  "unauthorized",
  "untrusted",
];
const actions = {
  invalid: "fix_call",
  not_found: "tell_operator",
  unauthorized: "tell_operator",
  untrusted: "tell_operator",
  refused: "give_up",
  damaged: "give_up",
};
/** The name of a code of futurerand.h. */
export const codeName = (code) => codes[code] ?? "invalid";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const errorBytes = 512; // sizeof(fr_error)
const none = -1;
const failed = -2;

/** What went wrong: `code` is for programs, the message for people, and `action` says what to do about it. */
export class FuturerandError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "FuturerandError";
    this.code = code;
    this.action = actions[code] ?? "retry_later";
  }
}

/** Compiles the module once: from bytes, a response, an address, or one that is compiled already. */
export async function compile(source) {
  try {
    if (source instanceof WebAssembly.Module) return source;
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return await WebAssembly.compile(source);
    const response = source instanceof Response ? source : await fetch(source);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    // While it is still coming it is compiled, where the server says what it is; many file servers do not.
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("application/wasm")) return await WebAssembly.compileStreaming(response);
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (cause) {
    throw new FuturerandError("unreachable", `cannot load the WebAssembly module: ${cause.message}`, { cause });
  }
}

const mostDrawn = 65536; // by one call of getRandomValues

/** Gives the function that fills bytes from the platform's source. */
export const randomFrom = (crypto) => (bytes) => {
  for (let at = 0; at < bytes.length; at += mostDrawn) crypto.getRandomValues(bytes.subarray(at, at + mostDrawn));
};

/** Whatever else a source returns, such as a promise or the bytes, it may have left the buffer as it was. */
function checkFilled(returned, buffer) {
  if (returned === undefined || returned === buffer) return;
  if (typeof returned?.catch === "function") returned.catch(() => {});
  throw new TypeError("random() returned something else than its buffer; expected it to fill that before it returns");
}

export class Module {
  #exports;
  #error;
  #thrown; // by the source of random bytes, since the last error

  /**
   * `host` has what the module asks for: fill(bytes), records (a Map of bytes by name, as they were at first) and
   * saved(name, at, size): copy(at, size) gives what was saved last under this name.
   * Whatever it throws is an answer of "failed" to the module, which then fails closed.
   */
  constructor(module, host) {
    // Seen through one view until the memory grows: a new one for each call costs more than the call.
    let bytes = new Uint8Array(0);
    const memory = () => {
      if (bytes.length === 0) bytes = new Uint8Array(this.#exports.memory.buffer);
      return bytes;
    };
    const view = (at, size) => memory().subarray(at, at + size);
    // Names of records are letters, digits and '-'. A client asks for the same one again and again.
    let nameBytes = new Uint8Array(0);
    let nameText = "";
    const name = (at, size) => {
      const all = memory();
      let same = size === nameBytes.length ? 0 : -1;
      while (same >= 0 && same < size) same = all[at + same] === nameBytes[same] ? same + 1 : -1;
      if (same === -1) {
        nameBytes = all.slice(at, at + size);
        nameText = String.fromCharCode(...nameBytes);
      }
      return nameText;
    };
    const guarded = (body) => {
      try {
        return body() ?? 0;
      } catch {
        return failed;
      }
    };
    const names = () => encoder.encode([...host.records.keys()].map((record) => `${record}\n`).join(""));
    const stop = () => {
      throw new Error("it asked for what a browser does not give");
    };
    const instance = new WebAssembly.Instance(module, {
      futurerand: {
        fill: (at, size) => {
          // It gets a copy: the source may keep what it is given, and may not be given shared memory.
          const drawn = new Uint8Array(size);
          try {
            checkFilled(host.fill(drawn), drawn);
            view(at, size).set(drawn);
            return 0;
          } catch (error) {
            this.#thrown = error;
            return failed;
          } finally {
            drawn.fill(0);
          }
        },
        load: (at, length, to, most) =>
          guarded(() => {
            const record = host.records.get(name(at, length));
            if (record === undefined) return none;
            if (record.length <= most) memory().set(record, to);
            return record.length;
          }),
        // It runs for every observation: it makes as little garbage as it can.
        save: (at, length, from, size) => {
          try {
            host.saved(name(at, length), from, size);
            return 0;
          } catch {
            return failed;
          }
        },
        names_size: () => guarded(() => names().length),
        names: (to, size) => guarded(() => view(to, size).set(names())),
      },
      // Nothing here prints or reads files; what the C library links of it is never called.
      wasi_snapshot_preview1: new Proxy({}, { get: () => stop }),
    });
    this.#exports = instance.exports;
    this.#exports._initialize?.();
    this.#error = this.#exports.malloc(errorBytes);
  }

  /** Overwrites what the module knew, and forgets it. */
  close() {
    if (this.#exports) new Uint8Array(this.#exports.memory.buffer).fill(0);
    this.#exports = null;
  }

  /** A copy of what the module has there. */
  copy(at, size) {
    return this.#bytes(at, size).slice();
  }

  /**
   * Calls a function of futurerand.h whose last argument is the error. Strings and typed arrays become a pointer, and
   * { sized: string } a pointer and a size.
   */
  call(name, ...args) {
    if (!this.#exports) throw new FuturerandError("invalid", "the device is closed; expected an open one");
    let hasText = false;
    for (const argument of args) hasText ||= typeof argument !== "number" && typeof argument !== "bigint";
    if (!hasText) return this.#check(this.#exports[name](...args, this.#error));
    const given = [];
    const passed = args.flatMap((argument) => {
      if (ArrayBuffer.isView(argument)) return [this.#give(argument, given)];
      const text = typeof argument === "string" ? argument : argument?.sized;
      if (text === undefined) return [argument];
      const bytes = encoder.encode(`${text}\0`);
      const at = this.#give(bytes, given);
      return typeof argument === "string" ? [at] : [at, bytes.length - 1];
    });
    try {
      this.#check(this.#exports[name](...passed, this.#error));
    } finally {
      // They may be values.
      for (const { at, size } of given) {
        this.#bytes(at, size).fill(0);
        this.#exports.free(at);
      }
    }
  }

  /** Copies a typed array into the module's memory, and notes what is to be freed. */
  #give(array, given) {
    const at = this.#exports.malloc(Math.max(1, array.byteLength));
    if (at === 0) throw new Error("out of memory");
    given.push({ at, size: array.byteLength });
    this.#bytes(at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return at;
  }

  #check(code) {
    if (code === 0) return;
    const cause = this.#thrown;
    this.#thrown = undefined;
    const why = this.#text(this.#error + 4);
    throw new FuturerandError(codeName(code), why, cause === undefined ? undefined : { cause });
  }

  /** Calls a function that gives a handle or a number in its last argument but the error. */
  give(name, ...args) {
    const at = this.#exports?.malloc(4);
    try {
      this.call(name, ...args, at);
      return this.#word(at);
    } finally {
      this.#exports?.free(at);
    }
  }

  /** Calls a function that gives a text. */
  text(name, ...args) {
    const at = this.give(name, ...args);
    const text = this.#text(at);
    this.#exports.fr_free(at);
    return text;
  }

  /** Closes a handle: fr_client_close and its like want its address. */
  release(name, handle) {
    if (!this.#exports) return;
    const at = this.#exports.malloc(4);
    new DataView(this.#exports.memory.buffer).setUint32(at, handle, true);
    this.#exports[name](at);
    this.#exports.free(at);
  }

  #bytes(at, size) {
    return new Uint8Array(this.#exports.memory.buffer, at, size);
  }

  #word(at) {
    return new DataView(this.#exports.memory.buffer).getUint32(at, true);
  }

  #text(at) {
    const bytes = new Uint8Array(this.#exports.memory.buffer, at);
    return decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
  }
}
