// A device's part in counting, for browsers and workers: the C++ client as WebAssembly. The entry for
// Node is node.js; index.d.ts says what each thing promises.
import { Device, moduleFrom } from "./device.js";
import { ask, mostDefinition } from "./http.js";
import { FuturerandError, Module } from "./module.js";
import { sendAll } from "./send.js";

export { Device, FuturerandError };
export { IndexedDbStore, MemoryStore } from "./stores.js";

const mostPeriods = 0xffffffff;

function checkPeriod(period) {
  if (Number.isInteger(period) && period >= 0 && period <= mostPeriods) return;
  throw new FuturerandError("invalid", `period ${String(period)} is none; expected an integer from 1 on`);
}

// The message does not say what it was: whatever it is, it comes from the value.
function checkValue(value) {
  if (value === true || value === false || value === 0 || value === 1) return;
  throw new FuturerandError("invalid", "the value is neither 0 nor 1; expected one of them");
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isText = (value) => typeof value === "string" && !/\p{Surrogate}/u.test(value);

/** Returns the function that takes a value of this kind of metric, and what to give it. No message names the value. */
function observationOf(kind, value) {
  if (kind === "yes_no") {
    checkValue(value);
    return ["fr_client_observe", Number(value)];
  }
  if (kind === "number" || kind === "distribution") {
    if (isNumber(value)) return ["fr_client_observe_number", value];
    throw new FuturerandError("invalid", "the value is not a finite number; this metric takes numbers");
  }
  if (isText(value)) return ["fr_client_observe_text", { sized: value }];
  throw new FuturerandError("invalid", "the value is not a text; this metric takes texts");
}

const isList = (list) => Array.isArray(list) || (ArrayBuffer.isView(list) && !(list instanceof DataView));

/** A collector's address without a slash at its end. In a page it may be relative. */
function addressOf(url) {
  try {
    const { href, protocol, username, password, search, hash } = new URL(url, globalThis.location?.href);
    if (/^https?:$/.test(protocol) && username + password + search + hash === "") return href.replace(/\/+$/, "");
  } catch {
    // It is no address, as below.
  }
  throw new FuturerandError("invalid", `'${url}' is no collector; expected an address such as https://counts.example`);
}

/** Gets /v1/metrics/NAME as text. No server is trusted: whoever uses the text certifies it. */
async function fetchMetric(collector, metric, headers, timeout, fetch) {
  const address = `${collector}/v1/metrics/${encodeURIComponent(metric)}`;
  const text = await ask(address, { headers, most: mostDefinition, timeout, fetch });
  let name;
  try {
    name = JSON.parse(text).name;
  } catch (cause) {
    throw new FuturerandError("untrusted", "the collector's answer is no JSON; expected a metric", { cause });
  }
  if (name !== metric) {
    throw new FuturerandError("untrusted", `the collector describes another metric than '${metric}'`);
  }
  return text;
}

export class Client {
  #device;
  #ownsDevice;
  #address;
  #headers;
  #timeout;
  #fetch;
  #metric;
  #handle;
  #kind; // of the values that the metric takes
  #certificate;
  #currentPeriod;
  #closed = false;

  /** Fetches the metric, certifies its plan here, and joins or goes on. */
  static async open({
    url,
    metric,
    store,
    device,
    ceiling = "4",
    period,
    digest,
    segment,
    token,
    timeout = 30_000,
    fetch = (address, init) => globalThis.fetch(address, init),
    wasm,
    random,
  }) {
    if (typeof metric !== "string") throw new FuturerandError("invalid", "no metric; expected its name");
    if (!(timeout > 0)) throw new FuturerandError("invalid", "the timeout is none; expected milliseconds");
    const address = addressOf(url);
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const client = await Client.join({
      document: await fetchMetric(address, metric, headers, timeout, fetch),
      device: device ?? (await Device.open({ store, ceiling, wasm, random })),
      ownsDevice: device === undefined,
      period,
      digest,
      segment,
    });
    client.#address = address;
    client.#headers = headers;
    client.#timeout = timeout;
    client.#fetch = fetch;
    return client;
  }

  /** Does the same with a document that was fetched already, or a plan with a name: see index.d.ts. */
  static async join({ document, plan, device, ownsDevice = false, period, digest, segment = "" }) {
    if (!(device instanceof Device)) throw new FuturerandError("invalid", "no device; expected one that is open");
    const client = new Client();
    client.#device = device;
    client.#ownsDevice = ownsDevice;
    try {
      if (period !== undefined) checkPeriod(period);
      await device.act(() => client.#open(document, plan, period, digest, String(segment)));
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  #open(document, plan, period, digest, segment) {
    const module = this.#device.module;
    const pinned = digest === undefined ? [] : [String(digest)];
    const accept = digest === undefined ? "fr_metric_accept" : "fr_metric_accept_pinned";
    const metric =
      plan === undefined
        ? module.give(accept, { sized: document }, ...pinned)
        : module.give(
            "fr_metric_create",
            plan.metric,
            { sized: plan.json },
            BigInt(plan.start),
            BigInt(plan.periodSeconds),
          );
    try {
      this.#device.tellTime();
      this.#certificate = JSON.parse(module.text("fr_metric_certificate", metric));
      this.#currentPeriod = module.give("fr_metric_current_period", metric);
      this.#handle = module.give(
        "fr_client_open_in",
        this.#device.handle,
        metric,
        period ?? this.#currentPeriod,
        segment,
      );
      this.#device.clients.set(this, this.#handle);
      ({ metric: this.#metric, value: this.#kind } = this.#about());
    } finally {
      module.release("fr_metric_close", metric);
    }
  }

  #about() {
    return JSON.parse(this.#device.module.text("fr_client_about", this.#handle));
  }

  #act(body) {
    if (this.#closed) {
      return Promise.reject(new FuturerandError("invalid", "the client is closed; expected an open one"));
    }
    return this.#device.act(body);
  }

  get metric() {
    return this.#metric;
  }

  get device() {
    return this.#device;
  }

  /** The exact certificate, computed on this device before it joined. */
  get certificate() {
    return this.#certificate;
  }

  /** The collector's current period when the metric was fetched. */
  get currentPeriod() {
    return this.#currentPeriod;
  }

  async about() {
    return this.#act(() => this.#about());
  }

  async observe(period, value) {
    checkPeriod(period);
    const [name, given] = observationOf(this.#kind, value);
    await this.#act(() => {
      this.#device.tellTime();
      this.#device.module.call(name, this.#handle, period, given);
    });
  }

  async observeAll(periods, values) {
    if (!isList(periods) || !isList(values) || periods.length !== values.length) {
      throw new FuturerandError("invalid", "periods and values do not match; expected two arrays of one length");
    }
    for (const period of periods) checkPeriod(period);
    for (const value of values) checkValue(value);
    const bits = Uint8Array.from(values, Number);
    try {
      await this.#act(() => {
        this.#device.tellTime();
        this.#device.module.call("fr_client_observe_all", this.#handle, Uint32Array.from(periods), bits, bits.length);
      });
    } finally {
      bits.fill(0);
    }
  }

  async beginPeriod(period) {
    checkPeriod(period);
    await this.#act(() => {
      this.#device.tellTime();
      this.#device.module.call("fr_client_begin_period", this.#handle, period);
    });
  }

  async leave(period = this.#currentPeriod) {
    checkPeriod(period);
    await this.#act(() => {
      this.#device.tellTime();
      this.#device.module.call("fr_client_leave", this.#handle, period);
    });
  }

  async forget(period = this.#currentPeriod) {
    checkPeriod(period);
    await this.#act(() => {
      this.#device.tellTime();
      this.#device.module.call("fr_client_forget", this.#handle, period);
    });
  }

  async lines() {
    return this.#act(() => this.#device.module.text("fr_client_lines", this.#handle));
  }

  /** Where these lines go: a metric without an end has an address for each season. */
  async path(lines) {
    if (typeof lines !== "string") throw new FuturerandError("invalid", "no lines; expected those to send");
    return this.#act(() => this.#device.module.text("fr_client_path", this.#handle, { sized: lines }));
  }

  async acknowledge(lines, answer) {
    if (typeof lines !== "string") throw new FuturerandError("invalid", "no lines; expected those that were sent");
    const given = answer === undefined ? [0, 0] : [{ sized: String(answer) }];
    await this.#act(() => this.#device.module.call("fr_client_acknowledge", this.#handle, { sized: lines }, ...given));
  }

  /** Sends what is due of this client. device.send() sends that of all its clients, in one request. */
  async send(options) {
    if (this.#closed) throw new FuturerandError("invalid", "the client is closed; expected an open one");
    return sendAll(this.#device, [this], this.collector, options);
  }

  /** Where its lines go, and how. */
  get collector() {
    if (this.#address === undefined) {
      throw new FuturerandError("invalid", "the client has no collector; expected one from Client.open()");
    }
    return { address: this.#address, headers: this.#headers, timeout: this.#timeout, fetch: this.#fetch };
  }

  async close() {
    if (this.#handle !== undefined) {
      await this.#act(() => {
        this.#device.clients.delete(this);
        this.#device.module.release("fr_client_close", this.#handle);
      }).catch(() => {});
    }
    this.#closed = true;
    if (this.#ownsDevice) await this.#device.close();
  }
}

/** Computes the exact certificate of any plan, private or not: the document says which. */
export async function certify(plan, { wasm } = {}) {
  const module = new Module(await moduleFrom(wasm), { fill: () => {}, records: new Map(), saved: () => {} });
  return JSON.parse(module.text("fr_certify", { sized: typeof plan === "string" ? plan : JSON.stringify(plan) }));
}
