// A device's part in counting, for browsers and workers: the C++ client as WebAssembly. The entry for
// Node is node.js; index.d.ts says what each thing promises.
import { Device, moduleFrom } from "./device.js";
import { FuturerandError, Module } from "./module.js";

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

const isList = (list) => Array.isArray(list) || (ArrayBuffer.isView(list) && !(list instanceof DataView));

const base = (url) => String(url).replace(/\/+$/, "");
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Gets /v1/metrics/NAME as text. No server is believed: whoever uses it certifies it. */
async function fetchMetric(url, metric, headers) {
  let text;
  try {
    const response = await fetch(`${base(url)}/v1/metrics/${encodeURIComponent(metric)}`, { headers });
    text = await response.text();
    if (!response.ok) {
      const code = response.status === 404 ? "not_found" : "unreachable";
      throw new FuturerandError(code, `the collector answered ${response.status} for the metric '${metric}'`);
    }
  } catch (cause) {
    if (cause instanceof FuturerandError) throw cause;
    throw new FuturerandError("unreachable", `the collector cannot be reached: ${cause.message}`, { cause });
  }
  let name;
  try {
    name = JSON.parse(text).name;
  } catch (cause) {
    throw new FuturerandError("invalid", "the collector's answer is no JSON; expected a metric", { cause });
  }
  if (name !== metric) {
    throw new FuturerandError("refused", `the collector describes another metric than '${metric}'`);
  }
  return text;
}

export class Client {
  #device;
  #ownsDevice;
  #url;
  #headers;
  #metric;
  #handle;
  #certificate;
  #currentPeriod;
  #closed = false;

  /** Fetches the metric, certifies its plan here, and joins or goes on. */
  static async open({ url, metric, store, device, ceiling = "4", period, token, wasm, random }) {
    if (typeof metric !== "string") throw new FuturerandError("invalid", "no metric; expected its name");
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const client = await Client.join({
      document: await fetchMetric(url, metric, headers),
      device: device ?? (await Device.open({ store, ceiling, wasm, random })),
      ownsDevice: device === undefined,
      period,
    });
    client.#url = url;
    client.#headers = headers;
    return client;
  }

  /** Does the same with a document that was fetched already, or a plan with a name: see index.d.ts. */
  static async join({ document, plan, device, ownsDevice = false, period }) {
    if (!(device instanceof Device)) throw new FuturerandError("invalid", "no device; expected one that is open");
    const client = new Client();
    client.#device = device;
    client.#ownsDevice = ownsDevice;
    try {
      if (period !== undefined) checkPeriod(period);
      await device.act(() => client.#open(document, plan, period));
    } catch (error) {
      await client.close();
      throw error;
    }
    return client;
  }

  #open(document, plan, period) {
    const module = this.#device.module;
    const metric =
      plan === undefined
        ? module.give("fr_metric_accept", { sized: document })
        : module.give(
            "fr_metric_create",
            plan.metric,
            { sized: plan.json },
            BigInt(plan.start),
            BigInt(plan.periodSeconds),
          );
    try {
      this.#certificate = JSON.parse(module.text("fr_metric_certificate", metric));
      this.#currentPeriod = module.give("fr_metric_current_period", metric);
      this.#handle = module.give("fr_client_open", this.#device.handle, metric, period ?? this.#currentPeriod);
      this.#metric = this.#about().metric;
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

  /** What the collector said was running when the metric was fetched. */
  get currentPeriod() {
    return this.#currentPeriod;
  }

  async about() {
    return this.#act(() => this.#about());
  }

  async observe(period, value) {
    checkPeriod(period);
    checkValue(value);
    await this.#act(() => this.#device.module.call("fr_client_observe", this.#handle, period, Number(value)));
  }

  async observeAll(periods, values) {
    if (!isList(periods) || !isList(values) || periods.length !== values.length) {
      throw new FuturerandError("invalid", "periods and values do not match; expected two arrays of one length");
    }
    for (const period of periods) checkPeriod(period);
    for (const value of values) checkValue(value);
    const bits = Uint8Array.from(values, Number);
    try {
      await this.#act(() =>
        this.#device.module.call("fr_client_observe_all", this.#handle, Uint32Array.from(periods), bits, bits.length),
      );
    } finally {
      bits.fill(0);
    }
  }

  async beginPeriod(period) {
    checkPeriod(period);
    await this.#act(() => this.#device.module.call("fr_client_begin_period", this.#handle, period));
  }

  async lines() {
    return this.#act(() => this.#device.module.text("fr_client_lines", this.#handle));
  }

  async settle(answer) {
    await this.#act(() => this.#device.module.call("fr_client_settle", this.#handle, { sized: String(answer) }));
  }

  async acknowledge() {
    await this.#act(() => this.#device.module.call("fr_client_acknowledge", this.#handle));
  }

  async send({ attempts = 5, firstDelay = 200 } = {}) {
    const lines = await this.lines();
    if (lines === "") return { lines, answer: null };
    const address = `${base(this.#url)}/v1/metrics/${encodeURIComponent(this.#metric)}/reports`;
    for (let attempt = 1; ; ++attempt) {
      let response = null;
      let cause;
      try {
        response = await fetch(address, { method: "POST", body: lines, headers: this.#headers });
        const text = await response.text();
        if (response.ok) {
          await this.settle(text);
          return { lines, answer: JSON.parse(text) };
        }
        if (response.status !== 429 && response.status < 500) {
          throw new FuturerandError("refused", `the collector refused the lines: ${response.status} ${text}`);
        }
      } catch (error) {
        if (error instanceof FuturerandError) throw error;
        cause = error;
      }
      if (attempt >= attempts) {
        const why = response ? `it answered ${response.status}` : cause.message;
        throw new FuturerandError("unreachable", `the collector cannot be reached: ${why}`, { cause });
      }
      // The pause is drawn, up to twice as long each time, so that a fleet does not come back at one moment.
      await pause(Math.random() * Math.min(60_000, firstDelay * 2 ** (attempt - 1)));
    }
  }

  async close() {
    if (!this.#closed && this.#handle !== undefined) {
      await this.#act(() => this.#device.module.release("fr_client_close", this.#handle)).catch(() => {});
    }
    this.#closed = true;
    if (this.#ownsDevice) await this.#device.close();
  }
}

/** Computes the exact certificate of any plan, private or not: the document says which. */
export async function certify(plan, { wasm } = {}) {
  const records = new Map();
  const module = new Module(await moduleFrom(wasm), { fill: () => {}, records, saved: () => {} });
  try {
    return JSON.parse(module.text("fr_certify", { sized: typeof plan === "string" ? plan : JSON.stringify(plan) }));
  } finally {
    module.close();
  }
}
