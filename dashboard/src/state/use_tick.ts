import { useEffect, useState } from "preact/hooks";

/** Grows every so often while the page is looked at: counters move without an event of their own. */
export function useTick(milliseconds: number): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTick((n) => n + 1), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
  return tick;
}
