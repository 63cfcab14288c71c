// The device's part of private counting over time, in browsers and workers. In Node: import "futurerand/node".

/** For programs; docs/errors.md has the table. */
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

/** The action for an error. Only "give_up" is final: after all others the state is in place, and the next attempt continues. */
export type ErrorAction = "retry_later" | "tell_operator" | "fix_call" | "give_up";

/** No message names a value, noise or key. */
export class FuturerandError extends Error {
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown });
  readonly code: ErrorCode;
  readonly action: ErrorAction;
}

/**
 * A store of a device's records. Privacy depends on its promises: one holder at a time, and records survive a crash
 * once save() resolves. Records are secret: they contain values and noise.
 */
export interface Store {
  /** Takes the exclusive lease on all records, and resolves to the function that ends it. Rejects if another holder has it. */
  acquire(): Promise<() => void | Promise<void>>;
  /** Resolves to all records ever saved. Rejects if one cannot be read; it never leaves one out. */
  load(): Promise<Map<string, Uint8Array>>;
  /**
   * Resolves once all of them are durable. Each is replaced as a whole, in the given order. Compares each record with
   * the one left by load() or save(), and rejects with the code "busy" if anybody else changed it: the device stops.
   */
  save(changes: Map<string, Uint8Array>): Promise<void>;
  /** Resolves to an identity of this machine, or "" if it has none. */
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

/** For tests: nothing survives it. */
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
  /** Limits the total epsilon of all metrics ever joined, such as "4". */
  ceiling: string;
  /** Joins nothing until the user agrees, by setParticipation("on"). */
  askFirst?: boolean;
  /**
   * A lasting identity of this machine that differs between machines. Records of another machine are refused, for
   * good. FileStore has the system's. "" means no check. Only a keyed hash of it is stored.
   */
  machine?: string;
  /** Limits the epsilon of all metrics together inside any stretch of this many seconds. */
  window?: { epsilon: string; seconds: number };
  /** The device's own time, in seconds since 1970; the system's by default. Never use a server's time. */
  clock?: () => number;
  wasm?: Wasm;
  /**
   * Fills all bytes with random ones before it returns. It returns nothing, or the same buffer. A promise or other
   * bytes are refused, and so are all-zero or repeated bytes. The default is crypto.getRandomValues; another one is for
   * tests only.
   */
  random?: (bytes: Uint8Array) => undefined | void | Uint8Array;
}

export type Participation = "on" | "off" | "local_only";

export interface History {
  participation: Participation;
  /** Whether the records are bound to this machine; "retired" after their use on another one. */
  machine: "unbound" | "bound" | "retired";
  ceiling: string;
  spent: string;
  left: string;
  /** The meaning of the spent epsilon for a person. */
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

/** The records of one device. Several metrics share it, and its ledger adds up their cost. */
export class Device {
  private constructor();
  /** Takes the store's lease. Rejects with "busy" while another holder has it. */
  static open(options: DeviceOptions): Promise<Device>;
  ledger(): Promise<Ledger>;
  /** For a settings page: the sent and waiting lines, their cost, and its meaning in words. */
  history(): Promise<History>;
  /**
   * Stores the user's decision. While it is "off", nothing is joined, observed or sent, except departures. While it is
   * "local_only", nothing is joined.
   */
  setParticipation(participation: Participation): Promise<void>;
  /**
   * Sends the due lines of all open clients: one request to each collector, for any number of metrics. It
   * resolves and rejects as Client.send() does. One metric's failure does not hold up the others.
   */
  send(options?: SendOptions): Promise<Sent>;
  /** Ends the lease, and overwrites the device's memory. */
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

/** The document of docs/wire.md: all integers, the verdict, and the digest, as printed by `futurerand audit`. */
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

/** Without a device, the ceiling is "4" by default. */
export interface ClientOptions extends Partial<DeviceOptions> {
  /** The address of the collector, such as "https://counts.example". */
  url: string | URL;
  metric: string;
  /** An open device, in place of a store. It stays open when the client is closed. */
  device?: Device;
  /** The token, if the collector requires one. */
  token?: string;
  /** Time limit for a whole answer, in milliseconds; 30,000 by default. */
  timeout?: number;
  /** Makes the requests, without following redirects. The default is fetch(). In Node it also goes through $HTTPS_PROXY. */
  fetch?: typeof globalThis.fetch;
  /** The period to join in; by default the collector's current one. */
  period?: number;
  /** The pinned digest of the expected plan, "sha256:...". Any other plan is refused. */
  digest?: string;
  /**
   * For a metric with segments: the one to join in. It is public and sent in the clear, so it must never depend on the
   * value. The device stays in it, even if another one is given later.
   */
  segment?: string;
}

export interface About {
  metric: string;
  /** Null while the device rests between two seasons. */
  client: string | null;
  view: number | null;
  /** The metric's kind of value. */
  value: "yes_no" | "number" | "category" | "distribution" | "text";
  /** The last observed period. */
  period: number;
  closed: boolean;
  /** It left the metric, for good. */
  left: boolean;
  /** False for a metric of a group, if the device drew another one: nothing is kept or sent. */
  drawn: boolean;
  /** Whether the metric has no end, and the device's current season. */
  endless: boolean;
  season: number | null;
}

export interface SendOptions {
  /** Attempts for an unanswered request, and for metrics that the collector cannot accept now; 5 by default. */
  attempts?: number;
  /** The first pause in milliseconds, 200 by default. Pauses are random, with a limit that doubles. */
  firstDelay?: number;
}

/** The number of lines with each outcome. */
export interface LineCounts {
  accepted: number;
  duplicates: number;
  rejected: number;
  early: number;
}

export interface Sent {
  /** The sent lines. */
  lines: string;
  /** Null if nothing was due. */
  answer: LineCounts | null;
}

/**
 * This device's part in one metric. Calls run one after another, and each resolves once its change is durable. If a
 * call fails, nothing is sent and nothing is lost. If the store fails, the device stops for good.
 */
export class Client {
  private constructor();
  /** Fetches the metric, certifies its plan here, and joins or continues from the stored state. */
  static open(options: ClientOptions): Promise<Client>;
  /** The same without a request: with the collector's document as text, or with the parts of a metric. */
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
  /** This device's certificate of the plan, computed in exact integers before it joined. */
  readonly certificate: Certificate;
  /** The collector's current period when the metric was fetched. */
  readonly currentPeriod: number;

  about(): Promise<About>;
  /**
   * Observes the value of a period. Periods only move forward, and missed periods keep the last value. A yes/no metric
   * accepts booleans, or 0 and 1. A number or a distribution accepts finite numbers, and clips them to its range. A
   * category accepts its labels, and a text metric any text of 1 to 64 bytes. Rejects other values with "invalid".
   */
  observe(period: number, value: boolean | number | string): Promise<void>;
  /** Observes many yes/no values in the order of their periods, and saves once. Either all count, or none. */
  observeAll(periods: ArrayLike<number>, values: ArrayLike<boolean | number>): Promise<void>;
  /** Notes that this period has begun: lines of earlier periods are due. */
  beginPeriod(period: number): Promise<void>;
  /**
   * Leaves the metric for good, in this period or in the collector's current one. It erases noise, key, value and signs.
   * One line is due, which tells the collector and does not depend on the value. The ledger keeps the spent epsilon. The
   * line is due again in each later period, in case the collector was restored from an older backup.
   */
  leave(period?: number): Promise<void>;
  /** Leaves, and asks the collector to remove this device's reports. docs/device.md lists what cannot be undone. */
  forget(period?: number): Promise<void>;
  /**
   * Sends the due lines in one request, with retries, and applies the answer. Redirects are refused, and so are answers
   * above 1 MiB (8 MiB for a metric's definition). Several sends at once lose nothing. If the collector lost
   * acknowledged reports, as after the restore of an older backup, they are sent again, and the second answer is returned.
   */
  send(options?: SendOptions): Promise<Sent>;

  /**
   * For your own HTTP: get the due lines, send them, and pass them with the collector's answer to acknowledge().
   * Without an answer, the caller knows that the collector has all of them.
   */
  lines(): Promise<string>;
  /** The path for these lines: "/v1/metrics/NAME/reports", or the address of a season. */
  path(lines: string): Promise<string>;
  acknowledge(lines: string, answer?: string): Promise<void>;

  close(): Promise<void>;
}

/** Computes the exact certificate of any plan, private or not; the document has the verdict. */
export function certify(plan: string | object, options?: { wasm?: Wasm }): Promise<Certificate>;
