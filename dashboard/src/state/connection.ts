// Knows whether the collector answers. When it stops, the page keeps what it has, says so, and asks again
// until it is back; `epoch` then grows, and whoever shows data loads it anew.
import { useEffect, useState } from "preact/hooks";
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

let retry: ReturnType<typeof setTimeout> | undefined;

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

async function ask(delay: number): Promise<void> {
  const answer = await health();
  if (answer) {
    const { epoch, lost } = connection.value;
    retry = undefined;
    connection.value = { lost: false, since: null, epoch: lost ? epoch + 1 : epoch, ...answer };
  } else {
    retry = setTimeout(() => ask(Math.min(delay * 1.5, 5000)), delay);
  }
}

export const startConnection = () => ask(500);

export function connectionLost(): void {
  if (!connection.value.lost) connection.value = { ...connection.value, lost: true, since: new Date() };
  retry ??= setTimeout(() => ask(500), 500);
}

export interface Loaded<T> {
  data: T | null;
  error: string | null;
}

/**
 * Loads on mount, when `key` changes, when the collector is back, and when `tick` grows. Old data of
 * the same `subject` stays until new data is there.
 */
export function useLoad<T>(
  key: string,
  tick: number,
  load: (signal: AbortSignal) => Promise<T>,
  subject = key,
): Loaded<T> {
  const { epoch } = useObservable(connection);
  const [state, setState] = useState<Loaded<T> & { subject: string }>({ subject, data: null, error: null });
  useEffect(() => {
    const abort = new AbortController();
    load(abort.signal).then(
      (data) => abort.signal.aborted || setState({ subject, data, error: null }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        if (error instanceof ApiError && error.unreachable) return connectionLost();
        setState({ subject, data: null, error: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => abort.abort();
  }, [key, epoch, tick]);
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
