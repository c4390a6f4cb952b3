// A value that says when it changes: what the whole page depends on (its URL, the zone, who asks). Ours, because the
// package of that name also finds out by itself who reads what, which nothing here needs, and was 1,400 bytes of the page.

export interface ReadonlySignal<Value> {
  readonly value: Value;
  /** The same as `value`, for who must not depend on it. */
  readonly peek: () => Value;
  /** Called now, and with each value that differs from the one before. Call the result to end it. */
  readonly subscribe: (listen: (value: Value) => void) => () => void;
}

export interface Signal<Value> extends ReadonlySignal<Value> {
  value: Value;
}

export function signal<Value>(first: Value): Signal<Value> {
  let now = first;
  const listeners = new Set<(value: Value) => void>();
  return {
    get value() {
      return now;
    },
    set value(next) {
      if (next === now) return;
      now = next;
      for (const listen of [...listeners]) listen(next);
    },
    peek: () => now,
    subscribe: (listen) => {
      listeners.add(listen);
      listen(now);
      return () => listeners.delete(listen);
    },
  };
}
