// Knows whether the collector answers. When it stops, the page keeps what it has, says so, and asks again
// until it is back; `epoch` then grows, and whoever shows data loads it anew.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, getHealth } from "../collector/api";
import { readEvents } from "./event_stream";
import { Observable, useObservable } from "../observable";

export interface Connection {
  lost: boolean;
  since: Date | null;
  epoch: number;
  /** Whether the collector simulates fleets; null until it has said so. */
  demo: boolean | null;
  /** Whether it is one of the collectors of a cluster. */
  cluster: boolean;
}

export const connection = new Observable<Connection>({
  lost: false,
  since: null,
  epoch: 0,
  demo: null,
  cluster: false,
});

const [shortestPause, longestPause] = [500, 5000];
let retry: ReturnType<typeof setTimeout> | undefined;
/** The pause before the next question, and when the collector was last back. */
let waiting = shortestPause;
let back = -Infinity;

/** Returns null without an answer; an answer that says no is an answer. */
async function health(): Promise<Pick<Connection, "demo" | "cluster"> | null> {
  try {
    const { demo, cluster } = await getHealth(AbortSignal.timeout(5000));
    return { demo: demo === true, cluster: cluster === true };
  } catch (error) {
    const { demo, cluster } = connection.value;
    return error instanceof ApiError && !error.unreachable ? { demo, cluster } : null;
  }
}

async function ask(): Promise<void> {
  const answer = await health();
  if (answer) {
    const { epoch, lost } = connection.value;
    retry = undefined;
    if (lost) back = performance.now();
    connection.value = { lost: false, since: null, epoch: lost ? epoch + 1 : epoch, ...answer };
  } else {
    askLater();
  }
}

function askLater(): void {
  retry = setTimeout(ask, waiting);
  waiting = Math.min(waiting * 1.5, longestPause);
}

export const startConnection = () => ask();

export function connectionLost(): void {
  if (!connection.value.lost) {
    connection.value = { ...connection.value, lost: true, since: new Date() };
    // A connection that is lost again and again is asked for more and more slowly.
    if (performance.now() - back > 4 * longestPause) waiting = shortestPause;
  }
  if (retry === undefined) askLater();
}

export interface Loaded<T> {
  data: T | null;
  error: string | null;
}

/** A load that takes longer is given up for a newer one. */
const patience = 30_000;

/**
 * Loads on mount, when `key` changes, when the collector is back, and when `tick` grows. Old data of
 * the same `subject` stays until new data is there. A tick waits for the load before it: where ticks are faster than
 * the collector, each of them would otherwise give up the load before, and nothing would ever come.
 */
export function useLoad<T>(
  key: string,
  tick: number,
  load: (signal: AbortSignal) => Promise<T>,
  subject = key,
): Loaded<T> {
  const { epoch } = useObservable(connection);
  const [state, setState] = useState<Loaded<T> & { subject: string }>({ subject, data: null, error: null });
  const latest = useRef({ load, tick, again: () => {} });
  latest.current.load = load;
  useEffect(() => {
    let abort = new AbortController();
    let since = NaN;
    let stale = false;
    const run = () => {
      abort = new AbortController();
      since = performance.now();
      stale = false;
      const { signal } = abort;
      const ended = (loaded: Loaded<T>) => {
        since = NaN;
        setState({ subject, ...loaded });
        if (stale) run();
      };
      latest.current.load(signal).then(
        (data) => signal.aborted || ended({ data, error: null }),
        (error: unknown) => {
          if (signal.aborted) return;
          if (error instanceof ApiError && error.unreachable) {
            since = NaN;
            return connectionLost();
          }
          ended({ data: null, error: error instanceof Error ? error.message : String(error) });
        },
      );
    };
    latest.current.again = () => {
      stale = true;
      if (performance.now() - since < patience) return;
      abort.abort();
      run();
    };
    latest.current.tick = tick;
    run();
    return () => abort.abort();
  }, [key, epoch]);
  useEffect(() => {
    if (latest.current.tick === tick) return;
    latest.current.tick = tick;
    latest.current.again();
  }, [tick]);
  return state.subject === subject ? state : { data: null, error: null };
}

/** Grows when there may be something new of a metric, at most once in `milliseconds`. */
export function useEvents(path: string, milliseconds: number): number {
  const { epoch } = useObservable(connection);
  const [tick, setTick] = useState(0);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const announce = (type?: string) => {
      if (type !== undefined && type !== "period" && type !== "estimate") return;
      waiting ??= setTimeout(() => {
        waiting = undefined;
        setTick((n) => n + 1);
      }, milliseconds);
    };
    // Counters and enrolments move without an event of their own.
    const slow = setInterval(() => document.hidden || announce(), 5000);
    let again: ReturnType<typeof setTimeout> | undefined;
    let open = true;
    const ended = async () => {
      if (!open) return;
      if (!(await health())) connectionLost();
      else if (open) again = setTimeout(() => setAttempt((n) => n + 1), 2000);
    };
    readEvents(path, announce, abort.signal).then(ended, ended);
    return () => {
      open = false;
      clearTimeout(again);
      abort.abort();
      clearInterval(slow);
      clearTimeout(waiting);
    };
  }, [path, epoch, milliseconds, attempt]);
  return tick;
}
