// A device's part in private counting over time, in browsers and workers. In Node: import "futurerand/node".

/** What a program decides by; see futurerand.h. */
export type ErrorCode =
  | "invalid"
  | "not_found"
  | "refused"
  | "damaged"
  | "no_entropy"
  | "no_room"
  | "busy"
  | "unreachable"
  | "no_memory"
  | "not_started"
  | "unauthorized"
  | "untrusted";

/** What a program does about an error. Only "give_up" is for good: otherwise all state stays, and the next attempt goes on. */
export type ErrorAction = "retry_later" | "tell_operator" | "fix_call" | "give_up";

/** No message names a value, noise or key. */
export class FuturerandError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly code: ErrorCode;
  readonly action: ErrorAction;
}

/**
 * Where a device keeps its records. Privacy rests on what it promises: one holder at a time, and what save()
 * resolved for survives a crash. Records are secret: they hold values and noise.
 */
export interface Store {
  /** Takes the exclusive lease on all records, and gives what ends it. Rejects if somebody else has it. */
  acquire(): Promise<() => void | Promise<void>>;
  /** Gives all records that were ever saved. One that cannot be read is a rejection, never left out. */
  load(): Promise<Map<string, Uint8Array>>;
  /**
   * Resolves once all of them are durable; each is replaced as a whole, in the order given. Compares each record with
   * what load() or save() left there, and rejects with the code "busy" if anybody else changed it: the device stops.
   */
  save(changes: Map<string, Uint8Array>): Promise<void>;
  /** Gives an identity of this machine, or "" if it has none. */
  machine?(): Promise<string>;
}

/**
 * Records in IndexedDB under this name, leased by the Web Locks API. A browser that runs out of room may evict them,
 * which loses the ledger too: call navigator.storage.persist() once, which may ask the visitor.
 */
export class IndexedDbStore implements Store {
  constructor(name?: string);
  acquire(): Promise<() => void>;
  load(): Promise<Map<string, Uint8Array>>;
  save(changes: Map<string, Uint8Array>): Promise<void>;
}

/** Serves tests, and devices that are to be forgotten: nothing survives it. */
export class MemoryStore implements Store {
  records: Map<string, Uint8Array>;
  acquire(): Promise<() => void>;
  load(): Promise<Map<string, Uint8Array>>;
  save(changes: Map<string, Uint8Array>): Promise<void>;
}

/** The WebAssembly module: its bytes, a response, an address, or compiled. The default is that of the package. */
export type Wasm = BufferSource | Response | string | URL | WebAssembly.Module;

export interface DeviceOptions {
  store: Store;
  /** The epsilon that all metrics together may ever cost this device, such as "4". */
  ceiling: string;
  /** Joins nothing until the user agreed once, that is until setParticipation("on"). */
  askFirst?: boolean;
  /**
   * An identity of this machine that differs between machines and lasts: records of another machine are refused, for
   * good. FileStore has the system's. "" means no check. Only a keyed hash of it is kept.
   */
  machine?: string;
  /** What all metrics together may cost inside any so many seconds. */
  window?: { epsilon: string; seconds: number };
  /** The device's own time, in seconds since 1970; the system's by default. Never a server's. */
  clock?: () => number;
  wasm?: Wasm;
  /**
   * Fills all bytes with ones that nobody can guess, before it returns. It returns nothing, or the same buffer; a promise
   * or other bytes are refused, and so are bytes that are all zero or repeated. The default is crypto.getRandomValues;
   * another one is for tests only.
   */
  random?: (bytes: Uint8Array) => undefined | void | Uint8Array;
}

export type Participation = "on" | "off" | "local_only";

export interface History {
  participation: Participation;
  /** Whether the records are bound to this machine; "retired" after they were seen on another one. */
  machine: "unbound" | "bound" | "retired";
  ceiling: string;
  spent: string;
  left: string;
  /** What the epsilon spent means for a person. */
  meaning: string;
  metrics: {
    metric: string;
    /** Of a metric without an end. */
    season: number | null;
    epsilon: string;
    client: string;
    /** "over" is a season that ended, whose lines are erased. */
    standing: "takes_part" | "left" | "forgotten" | "over" | "lost";
    sent: string[];
    waiting: string[];
    meaning: string;
  }[];
}

export interface Ledger {
  ceiling: string;
  spent: string;
  window: { epsilon: string; seconds: number; spent: string } | null;
  /** `season` is that of a metric without an end. */
  metrics: { metric: string; epsilon: string; client: string; season: number | null }[];
  /** Each group of metrics, and the one metric of it that this device drew. */
  groups: { group: string; metric: string }[];
}

/** The records of one device. Several metrics share one: its ledger counts what they cost together. */
export class Device {
  private constructor();
  /** Takes the store's lease. Rejects with "busy" while somebody else has it. */
  static open(options: DeviceOptions): Promise<Device>;
  ledger(): Promise<Ledger>;
  /** Tells what was sent and what waits, what it cost, and what that means in words: for a settings page. */
  history(): Promise<History>;
  /**
   * Remembers the user's decision. While it is "off" nothing is joined, observed or sent, except that clients leave. While it
   * is "local_only" nothing is joined.
   */
  setParticipation(participation: Participation): Promise<void>;
  /**
   * Sends what is due of all clients that are open: one request to each collector, whatever the number of metrics. It
   * resolves and rejects as Client.send() does. One metric's failure does not hold up the others.
   */
  send(options?: SendOptions): Promise<Sent>;
  /** Ends the lease, and overwrites what the device knew in memory. */
  close(): Promise<void>;
}

export interface ViewCertificate {
  view: string;
  max_changes: number;
  epsilon: number;
  exact_epsilon: number;
  gap: number;
  certified: boolean;
  share: number;
  integers: Record<string, unknown>;
}

/** The document of docs/wire.md: all integers, the verdict, and the digest as `futurerand audit` prints it. */
export interface Certificate {
  protocol: string;
  periods: number;
  max_changes: number;
  epsilon: number;
  exact_epsilon: number;
  gap: number | null;
  certified: boolean;
  verdict: string;
  guarantee: string;
  version: string;
  digest: string;
  plan: Record<string, unknown>;
  views: ViewCertificate[];
  gaps_off?: number;
}

/** The ceiling, of a device that it opens, is "4" by default. */
export interface ClientOptions extends Partial<DeviceOptions> {
  /** The address of the collector, such as "https://counts.example". */
  url: string | URL;
  metric: string;
  /** A device that is open already, in place of a store: it stays open when the client is closed. */
  device?: Device;
  /** The token, for a collector that asks for one. */
  token?: string;
  /** Milliseconds within which a whole answer must come; 30,000 by default. */
  timeout?: number;
  /** Makes the requests, without following redirects. The default is fetch(); in Node it also goes through $HTTPS_PROXY. */
  fetch?: typeof globalThis.fetch;
  /** The period to join in; by default the one that the collector says is running. */
  period?: number;
  /** The digest of the plan that this page expects, "sha256:...": any other plan is refused. */
  digest?: string;
  /**
   * For a metric with segments: the one to join in. It is public and sent in the clear, so it must never depend on the value. The
   * device stays in it, whatever is given later.
   */
  segment?: string;
}

export interface About {
  metric: string;
  /** Null while the device rests between two seasons. */
  client: string | null;
  view: number | null;
  /** The kind of values that the metric takes. */
  value: "yes_no" | "number" | "category" | "distribution" | "text";
  /** The last period that was observed. */
  period: number;
  closed: boolean;
  /** It left the metric, for good. */
  left: boolean;
  /** False for a metric of a group, if the device drew another one: nothing is kept or sent. */
  drawn: boolean;
  /** Whether the metric has no end, and the season that the device takes part in. */
  endless: boolean;
  season: number | null;
}

export interface SendOptions {
  /** Of a request that nobody answers, and of metrics that the collector cannot take now; 5 by default. */
  attempts?: number;
  /** Milliseconds; each pause is drawn, up to twice as long as the one before. 200 by default. */
  firstDelay?: number;
}

/** How many lines became what. */
export interface LineCounts {
  accepted: number;
  duplicates: number;
  rejected: number;
  early: number;
}

export interface Sent {
  /** The lines that left this device. */
  lines: string;
  /** Null if nothing was due. */
  answer: LineCounts | null;
}

/**
 * This device's part in one metric. Calls are done one after another, and each resolves once what it changed is
 * durable. Whatever fails, nothing is sent and nothing is lost; if the store fails, the device stops for good.
 */
export class Client {
  private constructor();
  /** Fetches the metric, certifies its plan here, and joins or goes on from what the store has. */
  static open(options: ClientOptions): Promise<Client>;
  /** Does the same without a collector: with its document as text, or with the parts of a metric. */
  static join(options: {
    document?: string;
    plan?: { metric: string; json: string; start: number; periodSeconds: number };
    device: Device;
    period?: number;
    segment?: string;
    digest?: string;
  }): Promise<Client>;

  readonly metric: string;
  readonly device: Device;
  /** The certificate that this device computed, in exact integers, before it joined. */
  readonly certificate: Certificate;
  /** What the collector said was running when the metric was fetched. */
  readonly currentPeriod: number;

  about(): Promise<About>;
  /**
   * Takes one value a period, periods only forward; missed periods hold the last value. A yes/no metric takes booleans,
   * or 0 and 1; a number or a distribution takes finite numbers, and clips them to its range; a category takes one of
   * its labels, and a text metric any text of 1 to 64 bytes. Rejects every other value with "invalid".
   */
  observe(period: number, value: boolean | number | string): Promise<void>;
  /** Observes many yes/no values, in the order of their periods, saved once: all of them count, or none. */
  observeAll(periods: ArrayLike<number>, values: ArrayLike<boolean | number>): Promise<void>;
  /** Says that this period has begun: what concerns those before it may be sent. */
  beginPeriod(period: number): Promise<void>;
  /**
   * Leaves the metric, in this period or in the one that the collector named, whatever the value is, and for good. Noise,
   * key, value and signs are erased, and what is due is one line that says so. The ledger keeps what was spent. The line is
   * due again in each later period, in case the collector was restored from an older backup.
   */
  leave(period?: number): Promise<void>;
  /** Leaves, and asks the collector to take out what this device reported. docs/device.md says what cannot be taken back. */
  forget(period?: number): Promise<void>;
  /**
   * Sends what is due in one request until it is answered, and forgets what the collector has. Redirects, and answers
   * beyond 1 MiB (8 MiB for a metric's definition), are refused. Several sends at once lose nothing. If the collector
   * lost what it had, as after an older backup was restored, that is sent again, and the second answer is returned.
   */
  send(options?: SendOptions): Promise<Sent>;

  /**
   * These are for those who bring their own HTTP: what is due, and then those lines with the collector's answer to them.
   * Without an answer the caller knows otherwise that the collector has them all.
   */
  lines(): Promise<string>;
  /** Where these lines are to be sent: "/v1/metrics/NAME/reports", or the address of a season. */
  path(lines: string): Promise<string>;
  acknowledge(lines: string, answer?: string): Promise<void>;

  close(): Promise<void>;
}

/** Computes the exact certificate of any plan, private or not: the document says which. */
export function certify(plan: string | object, options?: { wasm?: Wasm }): Promise<Certificate>;
