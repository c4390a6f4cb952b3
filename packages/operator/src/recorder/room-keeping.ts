// Keeps the store within its limit, beside a running recorder: looks at once, so that ballast is laid while there is room,
// and then every half minute. A failure is reported and tried again the next time; it ends nothing.
import type { EpochMillis, RoomKept, SizeLimit, StoreAdmin } from '@podtrail/history';
import { type Clock, sleep } from '@podtrail/machinery';
import type { Housekept } from './recorder-listener.ts';

export interface RoomKeepingOptions {
  readonly engine: Pick<StoreAdmin, 'keepRoom'>;
  readonly clock: Clock;
  /** The ledger's time. Undefined while it is not known: then nothing is removed. */
  readonly now: () => EpochMillis | undefined;
  readonly limit: SizeLimit;
  readonly onKept: (kept: RoomKept) => void;
  readonly onFailure: (failure: Housekept) => void;
}

const LOOK_EVERY_MS = 30_000;

/** Resolves when the signal aborts, also in the middle of removing: the next recorder goes on with that. */
export async function keepRoom(options: RoomKeepingOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = options.now();
    if (now !== undefined) await Promise.race([look(options, now, signal), aborted(signal)]);
    await sleep(options.clock, LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

async function look(options: RoomKeepingOptions, now: EpochMillis, signal: AbortSignal): Promise<void> {
  const { engine, clock, limit, onKept, onFailure } = options;
  const begun = clock.monotonic();
  try {
    onKept(await engine.keepRoom(limit, now));
  } catch (error) {
    if (!signal.aborted) onFailure({ what: 'room', ms: clock.monotonic() - begun, error, removed: 0 });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
