import { useEffect, useState } from "preact/hooks";

/** A value that parts of the page watch. */
export class Observable<T> {
  private watchers = new Set<(value: T) => void>();
  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }
  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const watcher of [...this.watchers]) watcher(next);
  }
  watch(watcher: (value: T) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

export function useObservable<T>(observable: Observable<T>): T {
  const [value, setValue] = useState(observable.value);
  useEffect(() => {
    setValue(() => observable.value);
    return observable.watch((next) => setValue(() => next));
  }, [observable]);
  return value;
}
