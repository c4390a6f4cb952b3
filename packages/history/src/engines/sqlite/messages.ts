// What the engine and its thread say to each other. Many requests travel in one message, and so do their answers.
import { HistoryError } from '../../errors.ts';
import type { StoreOptions } from './store.ts';

export interface ThreadOptions extends StoreOptions {
  /** How long a write waits for another program's lock before it is refused. */
  readonly lockPatienceMs: number;
}

export type Operation =
  | 'clusters'
  | 'takeOver'
  | 'append'
  | 'resumption'
  | 'tenuresAt'
  | 'tenuresAtMany'
  | 'tenuresOfIp'
  | 'tenuresOfIps'
  | 'tenuresOf'
  | 'placementsOf'
  | 'placementsOn'
  | 'hostNetworkPodsOn'
  | 'possibleTenures'
  | 'changesOf'
  | 'conflicts'
  | 'anomalies'
  | 'coverage'
  | 'expired'
  | 'expiredChanges'
  | 'room'
  | 'records'
  | 'status'
  | 'retain'
  | 'retainChanges'
  | 'keepRoom'
  | 'maintain'
  | 'migrate'
  | 'verify'
  | 'patrol'
  | 'patrolled'
  | 'backup'
  | 'close';

export interface Request {
  readonly id: number;
  readonly operation: Operation;
  readonly parameters: readonly unknown[];
}

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ToldError };

/** An error's class does not survive the way between threads; what a caller branches on does. */
export interface ToldError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly cause: unknown;
}

export type FromThread =
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly error: ToldError }
  /** `isReady`: the message with the requests has been worked off, the next may come. */
  | { readonly kind: 'answers'; readonly answers: readonly Answer[]; readonly isReady: boolean };

export function tell(error: unknown): ToldError {
  if (error instanceof HistoryError) {
    return { code: error.code, message: error.message, hint: error.hint, cause: describeCause(error.cause) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'store-failed', message, hint: undefined, cause: error instanceof Error ? error.stack : undefined };
}

export function untell({ code, message, hint, cause }: ToldError): HistoryError {
  return new HistoryError(code, message, { ...(hint === undefined ? {} : { hint }), cause });
}

function describeCause(cause: unknown): unknown {
  return cause instanceof Error ? cause.message : cause;
}
