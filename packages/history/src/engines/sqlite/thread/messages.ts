// What the engine and its thread send to each other. Many requests travel in one message, and so do their answers.
import { HistoryError } from '../../../errors.ts';
import type { Cluster } from '../../snapshot.ts';
import { asHistoryError } from '../faults.ts';
import type { Questions } from '../questions.ts';
import type { FencedBatch, Store, StoreOptions } from '../store.ts';

export interface ThreadOptions extends StoreOptions {
  /** How long a write waits for another program's lock before it is refused. */
  readonly lockPatienceMs: number;
  /** How old a snapshot may become. */
  readonly snapshotLimitMs: number;
}

/** What is read of the store as it is when the thread comes to it. */
export type StoreReadName = 'clusters' | 'resume' | 'room' | 'status' | 'patrolled';
/** What is read of a snapshot. */
export type SnapshotReadName = Exclude<keyof Questions, StoreReadName | 'begin'>;
/** What is answered of a snapshot inside the thread. */
export type SnapshotAnswerName = 'points';
/** What is done in slices, one work after the other. */
export type WorkName = 'prune' | 'pruneKind' | 'keepRoom' | 'maintain' | 'migrate' | 'verify' | 'patrol' | 'backup';

export type WorkResult<K extends WorkName> = ReturnType<Store[K]> extends Generator<unknown, infer T> ? T : never;

interface Answered {
  readonly id: number;
}

/** A list instead of an object: reads are most of all requests, and copying the names of fields costs more than the rest. */
export type SnapshotRead = readonly [
  id: number,
  snapshot: number,
  operation: SnapshotReadName | SnapshotAnswerName,
  ...parameters: readonly unknown[],
];

export interface Append extends Answered {
  readonly kind: 'append';
  readonly batch: FencedBatch;
}

export interface Work extends Answered {
  readonly kind: 'work';
  readonly operation: WorkName;
  readonly parameters: readonly unknown[];
}

export interface StoreRead extends Answered {
  readonly kind: 'ask';
  readonly operation: StoreReadName;
  readonly parameters: readonly unknown[];
}

/**
 * The number of a snapshot that begins, or that number negated: it ends. Nobody waits for an answer: what goes wrong with
 * a snapshot shows in its reads.
 */
export type Notice = number;

export type Call =
  | StoreRead
  | Append
  | Work
  | (Answered & { readonly kind: 'takeOver'; readonly cluster: Cluster })
  | (Answered & { readonly kind: 'close' });

export type Request = Call | SnapshotRead | Notice;

/** What is asked of a snapshot, and that one begins or ends. */
export function isOfSnapshots(request: Request): request is SnapshotRead | Notice {
  return typeof request === 'number' || Array.isArray(request);
}

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SerializedError };

/** An error's class does not survive the way between threads; what a caller branches on does. */
export interface SerializedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly cause: unknown;
}

export type FromThread =
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly error: SerializedError }
  /** `isReady`: the message with the requests has been worked off, the next may come. */
  | { readonly kind: 'answers'; readonly answers: readonly Answer[]; readonly isReady: boolean };

export function attempt(id: number, path: string, body: () => unknown): Answer {
  try {
    return { id, value: body() };
  } catch (error) {
    return { id, error: serializeError(asHistoryError(error, path)) };
  }
}

/** The same of what waits for other reads; never rejects. */
export async function attemptLater(id: number, path: string, body: () => Promise<unknown>): Promise<Answer> {
  try {
    return { id, value: await body() };
  } catch (error) {
    return { id, error: serializeError(asHistoryError(error, path)) };
  }
}

export function serializeError(error: unknown): SerializedError {
  if (error instanceof HistoryError) {
    return { code: error.code, message: error.message, hint: error.hint, cause: describeCause(error.cause) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'store-failed', message, hint: undefined, cause: error instanceof Error ? error.stack : undefined };
}

export function deserializeError({ code, message, hint, cause }: SerializedError): HistoryError {
  return new HistoryError(code, message, { ...(hint === undefined ? {} : { hint }), cause });
}

function describeCause(cause: unknown): unknown {
  return cause instanceof Error ? cause.message : cause;
}
