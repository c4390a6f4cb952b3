// What one pass of a reconciler came to. A thrown error means `retry`.

export type Outcome =
  /** Nothing more to do until the key is enqueued again. Ends its backoff. */
  | { readonly kind: 'done' }
  /** Look again later, although nothing failed. Ends its backoff. */
  | { readonly kind: 'requeue'; readonly afterMs: number }
  /** Failed; try again with growing delays, in the end slowly, for ever. */
  | { readonly kind: 'retry'; readonly error: unknown }
  /** Failed, and would fail again: not retried until the key is enqueued again. */
  | { readonly kind: 'terminal'; readonly error: unknown };

export const DONE: Outcome = { kind: 'done' };
export const requeueAfter = (afterMs: number): Outcome => ({ kind: 'requeue', afterMs });
export const retry = (error: unknown): Outcome => ({ kind: 'retry', error });
export const terminal = (error: unknown): Outcome => ({ kind: 'terminal', error });

/** Guards against reconcilers that the type checker has not seen. */
export function isOutcome(value: unknown): value is Outcome {
  const { kind, afterMs } = (value ?? {}) as { kind?: unknown; afterMs?: unknown };
  if (kind === 'requeue') return typeof afterMs === 'number' && afterMs >= 0;
  return kind === 'done' || kind === 'retry' || kind === 'terminal';
}

/** A fault of the program rather than of the world: counted apart, retried all the same. */
export function isBug(error: unknown): boolean {
  return (
    !(error instanceof Error) ||
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    (error as { code?: unknown }).code === 'ERR_ASSERTION'
  );
}
