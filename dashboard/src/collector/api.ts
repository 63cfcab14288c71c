// The collector's HTTP API: shapes, one way to call it, and errors in its own words.
import { mostBusyAnswers, pause, pauseAfter, saysBusy } from "./busy";
import { locked, readerToken, readToken } from "./token";

export interface Law {
  shape: "threshold" | "product" | "single" | "annulus" | "sparse" | "weighted_threshold" | "pulse";
  signs: number;
  tau?: number;
  low_side?: string;
  flip?: string;
  first_kept?: number;
  last_kept?: number;
  nonzero?: number;
  start_levels?: number;
  high_side?: string;
  /** By level: how many signs there are, what each weighs, and what each carries, in units of 2^-40. */
  counts?: number[];
  weights?: number[];
  gaps?: number[];
  theta?: number;
  /** Of pulse: how many of the slots are its window, and how many are pulses. */
  window?: number;
  pulses?: number;
}

export interface View {
  kind: "changes" | "snapshot" | "values" | "innovation" | "pulse" | "once";
  order: number;
  weight: number;
  law: Law;
}

export interface NumberValue {
  kind: "number";
  low: number;
  high: number;
  unit?: string;
}
export interface CategoryValue {
  kind: "category";
  labels: string[];
  /** The label of all values that have none. */
  other?: string;
}
export interface DistributionValue {
  kind: "distribution";
  low: number;
  high: number;
  unit?: string;
  buckets: number;
}
export interface TextValue {
  kind: "text";
  hash_bits: number;
}
export type Value = NumberValue | CategoryValue | DistributionValue | TextValue;

export interface Plan {
  protocol: string;
  periods: number;
  max_changes: number;
  initial: "zero" | "unknown";
  /** The kind of value; yes/no without it. */
  value?: Value;
  segment?: Segments;
  epsilon: string;
  views: View[];
}

/** Of a metric without an end: a season begins every so many periods, and each device rests between its seasons. */
export interface Seasons {
  every: number;
  rest: number;
}

/** An operator's note on a date. */
export interface Annotation {
  period: number;
  /** In the metric's time zone; null if its clock is moved by hand. */
  date: string | null;
  text: string;
}

/** Several metrics under one budget: each device draws one of them, with a chance by its share. */
export interface Group {
  name: string;
  shares: Record<string, number>;
}

export interface LiveSeason {
  season: number;
  from: number;
  to: number;
  devices: number;
}

export interface Metric {
  name: string;
  /** The list of a text metric. */
  candidates?: string[];
  description?: string;
  plan: Plan;
  clock?: string;
  start?: number | null;
  period_seconds?: number | null;
  /** The zone in which days are labelled; UTC without it. */
  time_zone?: string;
  /** The period that is running: 0 before the start, beyond plan.periods once the horizon is over. */
  current_period: number;
  /** The number of devices that ever enrolled. */
  devices: number;
  /** The number of missing periods after which a device is inactive; 0 if the metric counts all enrolled devices. */
  inactive_after?: number;
  /** Each device's contribution is clipped. */
  transcript_cap?: boolean;
  /** The metric was made for tests and demonstrations: simulated devices may report. */
  test?: boolean;
  state?: "waiting" | "open" | "grace" | "closed";
  /** The metric is closed, and out of the list. */
  archived?: boolean;
  reports?: number;
  /** Lines since the collector started: taken, sent again, before their period was over, refused. */
  accepted?: number;
  duplicates?: number;
  early?: number;
  rejected?: number;
  /** When the collector started to count them, in seconds since 1970. */
  lines_since?: number;
  views?: { devices: number }[];
  certificate?: { certified: boolean; exact_epsilon: number | null };
  /** Only of a metric without an end, whose plan is that of one season. */
  seasons?: Seasons;
  live_seasons?: LiveSeason[];
  annotations?: Annotation[];
  /** Only of a metric of a group. Its estimates count all devices of the group. */
  group?: Group;
  /** What any so many periods in a row cost at most. The last one is a life of three years. */
  epsilon_in_any?: { periods: number; seasons: number; epsilon: string }[];
}

/** One period; what the reports that are in do not determine is null. */
export interface PeriodEstimate {
  period: number;
  /** The segment that the row is about. */
  segment?: string;
  /** The label, bucket or quantile that the row is about. */
  label?: string;
  estimate: number | null;
  stddev: number | null;
  lower: number | null;
  upper: number | null;
  /** The same as shares of the devices counted in this period. */
  share: number | null;
  share_lower: number | null;
  share_upper: number | null;
  /** For numbers: the mean, in the metric's unit. */
  mean?: number | null;
  mean_stddev?: number | null;
  mean_lower?: number | null;
  mean_upper?: number | null;
  /** For quantiles: the value, in the metric's unit. */
  value?: number | null;
  value_lower?: number | null;
  value_upper?: number | null;
  reports: number;
  expected: number;
  /** The number of devices counted in this period. */
  devices: number;
}

/** One period of a comparison of two segments: the first less the second. */
export interface SegmentDifference {
  period: number;
  share_difference: number | null;
  share_lower: number | null;
  share_upper: number | null;
  mean_difference?: number | null;
  mean_lower?: number | null;
  mean_upper?: number | null;
  share: number | null;
  devices: number;
  against_share: number | null;
  against_devices: number;
}

export interface Estimates {
  periods: PeriodEstimate[];
  /** The devices that the figures speak of, in words. */
  counted?: string;
  /** That the estimate is too noisy to be useful, or null. */
  warning?: string | null;
  /** Why the figures are not to be trusted; null if nothing speaks against them. */
  alarm?: string | null;
  one_device_moves_at_most?: number | null;
  /**
   * An honest device says more than it is counted for in at most this share of cases; if all are honest, that changes
   * the newest period by at most so many devices. Only of figures that are cut off so.
   */
  transcript_cap?: { rate: number; bias_at_most: number };
  assumption?: string;
}

/** A count and a share; for numbers also a mean. */
export interface Figures {
  estimate: number | null;
  stddev: number | null;
  lower: number | null;
  upper: number | null;
  share: number | null;
  share_lower: number | null;
  share_upper: number | null;
  mean?: number | null;
  mean_lower?: number | null;
  mean_upper?: number | null;
}

export interface ChangeRow {
  label?: string;
  before: Figures & { devices: number };
  after: Figures & { devices: number };
  difference: Figures;
  /** The range of the change excludes none. */
  clear: boolean;
  sentence: string;
}

/** Two stretches of time and the change between them. */
export interface Difference {
  before: { from: number; to: number; words: string };
  after: { from: number; to: number; words: string };
  level: number;
  rows: ChangeRow[];
  note: string | null;
}

export type Estimator = "online" | "hindsight" | "trend";
export type Band = "pointwise" | "simultaneous";

export interface PlannedProtocol {
  name: string;
  sequence_private: boolean | null;
  exact_epsilon?: number | null;
  predicted_rmse: number | null;
  predicted_max_error: number | null;
  users_needed?: number | null;
  unavailable?: string;
}

/** Shares of the devices. */
export interface ValueChoice {
  max_changes: number;
  noise: number;
  /** Of the mean of a distribution, as a share of its range. */
  mean_noise: number;
  loss: number;
  error: number;
}

export interface ValuePlan {
  recommended_max_changes: number;
  choices: ValueChoice[];
  devices_for_share: { share: number; devices: number }[];
}

export interface Planned {
  protocols: PlannedProtocol[];
  recommended: string | null;
  /** For labels and distributions. */
  value_plan?: ValuePlan;
  /** Set where even the recommended one is too noisy to be useful. */
  warning?: string;
}

/** What a new metric may have. */
export interface Limits {
  periods: number;
  max_changes: number;
  /** The least and the most. */
  epsilon: [number, number];
  protocols: string[];
  /** Those whose devices' contributions can be capped. */
  capped_protocols: string[];
  /** An honest device exceeds the cap of a period at most so often. */
  cap_rate: number;
}

export interface Service {
  limits: Limits;
  /** Whether there is an admin token at all: without one nobody can create a metric. */
  admin: boolean;
}

/** A public attribute by which a metric's devices are told apart. */
export interface Segments {
  name: string;
  values: string[];
}

export interface NewMetric {
  description: string;
  periods: number;
  max_changes: number;
  epsilon: string;
  protocol?: string;
  value?: Partial<Value>;
  transcript_cap?: boolean;
  test?: boolean;
  clock?: "manual";
  start?: number;
  period_seconds?: number;
  time_zone?: string;
  seasons?: Seasons;
  segment?: Segments;
}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
  /** There was no answer at all, as opposed to an answer that says no. */
  get unreachable(): boolean {
    return this.status === 0;
  }
}

export interface Call {
  method?: string;
  body?: unknown;
  token?: string;
  accept?: string;
  signal?: AbortSignal;
  /** A busy answer is an answer too. */
  once?: boolean;
}

/** Nothing that changes the collector is sent twice. */
export async function call(path: string, options: Call = {}, busyAnswers = 0): Promise<Response> {
  const { method, body, token, accept, signal, once } = options;
  const headers: Record<string, string> = { accept: accept ?? "application/json" };
  const shown = token || readerToken.value || readToken();
  if (shown) headers.authorization = `Bearer ${shown}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const init: RequestInit = { headers, cache: "no-store" };
  if (method) init.method = method;
  if (signal) init.signal = signal;
  if (body !== undefined) init.body = JSON.stringify(body);
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw noAnswer();
  }
  if (response.ok) return response;
  if (saysBusy(response.status) && !method && !once && busyAnswers < mostBusyAnswers) {
    await pause(pauseAfter(busyAnswers, Number(response.headers.get("retry-after"))), signal);
    return call(path, options, busyAnswers + 1);
  }
  if (response.status === 401 && token) throw new ApiError(401, "The admin token is wrong.");
  if (response.status === 401) locked.value = true;
  const answer = await response.json().catch(() => null);
  throw new ApiError(response.status, answer?.error?.message ?? `The collector answered ${response.status}.`);
}

const noAnswer = () => new ApiError(0, "The collector does not answer.");

async function json<T>(path: string, options?: Call): Promise<T> {
  const response = await call(path, options);
  try {
    return (await response.json()) as T;
  } catch (error) {
    // The connection was lost within the answer. A whole answer that is no JSON is a SyntaxError.
    if (error instanceof TypeError && !options?.signal?.aborted) throw noAnswer();
    throw error;
  }
}

/** Returns how many periods are over. */
export const periodsGone = ({ current_period, plan, seasons }: Metric) =>
  Math.min(Math.max(current_period - 1, 0), seasons ? Infinity : plan.periods);

export const metricPath = (name: string) => `v1/metrics/${encodeURIComponent(name)}`;

export function estimatesPath(
  name: string,
  estimator: Estimator,
  level: number,
  band: Band,
  segment: string | null = null,
): string {
  const of = segment === null ? "" : `&segment=${encodeURIComponent(segment)}`;
  return `${metricPath(name)}/estimates?estimator=${estimator}&level=${level}&band=${band}&from=1${of}`;
}

/** What to ask of labels, buckets or quantiles: the parameters of the collector's call. */
export type ValueQuery = Record<string, string | number>;

export const valuesPath = (name: string, query: ValueQuery) =>
  `${metricPath(name)}/estimates?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`;

export const getValues = (name: string, query: ValueQuery, signal?: AbortSignal) =>
  json<Estimates>(valuesPath(name, query), { signal });

export const getDifference = (name: string, query: ValueQuery, signal?: AbortSignal) =>
  json<Difference>(
    `${metricPath(name)}/difference?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`,
    { signal },
  );

/** Fetches all of them, page by page. */
export async function getMetrics(signal?: AbortSignal, archived = false): Promise<Metric[]> {
  const all: Metric[] = [];
  for (let after: string | undefined = ""; after !== undefined;) {
    const query = new URLSearchParams({ archived: String(archived), after });
    const page: { metrics: Metric[]; next?: string } = await json(`v1/metrics?${query}`, { signal });
    all.push(...page.metrics);
    after = page.next;
  }
  return all;
}
export const getMetric = (name: string, signal?: AbortSignal) => json<Metric>(metricPath(name), { signal });
export const getEstimates = (
  name: string,
  estimator: Estimator,
  level: number,
  band: Band,
  segment: string | null,
  signal?: AbortSignal,
) => json<Estimates>(estimatesPath(name, estimator, level, band, segment), { signal });
/** One segment less another one, by period. */
export const getSegmentDifference = async (name: string, query: ValueQuery, signal?: AbortSignal) =>
  (await json<{ periods: SegmentDifference[] }>(valuesPath(name, query), { signal })).periods;
/** The estimates of one season, by its own periods. */
export const getSeasonEstimates = (name: string, season: number, level: number, signal?: AbortSignal) =>
  json<Estimates>(`${metricPath(name)}/seasons/${season}/estimates?level=${level}`, { signal });
export const getPlan = (query: URLSearchParams, signal?: AbortSignal) => json<Planned>(`v1/plan?${query}`, { signal });
export const getService = (signal?: AbortSignal) => json<Service>("v1", { signal });
export const getHealth = (signal?: AbortSignal) =>
  json<{ demo?: boolean; cluster?: true }>("healthz", { signal, once: true });
export const createMetric = (name: string, body: NewMetric, token: string) =>
  json<Metric>(metricPath(name), { method: "PUT", body, token });
export const advanceMetric = (name: string, token: string) =>
  json<unknown>(`${metricPath(name)}/advance`, { method: "POST", token });

/** Sets the note of a date, or of a period where there are no dates. An empty text removes it. */
export const annotateMetric = (name: string, note: { date?: string; period?: number; text: string }, token: string) =>
  json<Metric>(`${metricPath(name)}/annotations`, { method: "PUT", body: note, token });

export const closeMetric = (name: string, token: string) =>
  json<Metric>(`${metricPath(name)}/close`, { method: "POST", token });
export const archiveMetric = (name: string, archived: boolean, token: string) =>
  json<Metric>(`${metricPath(name)}/archive`, { method: "POST", body: { archived }, token });
export const deleteMetric = (name: string, token: string) =>
  json<unknown>(metricPath(name), { method: "DELETE", token });

/** What `futurerand cluster status` prints; docs/cluster.md tells what it means. */
export interface Cluster {
  shards: number;
  free_shards: number;
  metrics: number;
  lease_ms: number;
  collectors: { address: string; alive: boolean; draining: boolean; shards: number }[];
  databases: {
    number: number;
    durability: string;
    log_bytes: number;
    checkpoint_bytes: number;
    sums_bytes: number;
    error?: string;
    shards: {
      shard: number;
      owner: string;
      epoch: number;
      groups: number;
      groups_to_replay: number;
      sums_lag: number;
    }[];
  }[];
}

export const getCluster = (token: string, signal?: AbortSignal) => json<Cluster>("v1/cluster", { token, signal });

export interface PlaygroundRun {
  metric: string;
  /** How many simulated devices hold the state at period 1, 2, ...: what no real collector knows. */
  truth: number[];
}

export const startPlayground = (body: unknown) => json<PlaygroundRun>("v1/playground", { method: "POST", body });
