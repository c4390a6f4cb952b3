// Keeps the store within its limit, beside a running recorder: looks at once, so that ballast is laid while there is room,
// and then every half minute. A failure is reported and tried again the next time; it ends nothing.
import { type Engine, epochMillis, type RoomKept, type SizeLimit } from '@podtrail/history';
import { type Clock, sleep } from '@podtrail/machinery';
import type { Housekept } from './recorder-listener.ts';

export interface RoomKeepingOptions {
  readonly engine: Pick<Engine, 'keepRoom'>;
  readonly clock: Clock;
  readonly limit: SizeLimit;
  readonly onKept: (kept: RoomKept) => void;
  readonly onFailure: (failure: Housekept) => void;
}

const LOOK_EVERY_MS = 30_000;

/** Resolves when the signal aborts, also in the middle of removing: the next recorder goes on with that. */
export async function keepRoom(options: RoomKeepingOptions, signal: AbortSignal): Promise<void> {
  const { engine, clock, limit, onKept, onFailure } = options;
  while (!signal.aborted) {
    const begun = clock.monotonic();
    const work = engine.keepRoom(limit, epochMillis(clock.now())).then(onKept, (error: unknown) => {
      if (!signal.aborted) onFailure({ what: 'room', ms: clock.monotonic() - begun, error, removed: 0 });
    });
    await Promise.race([work, aborted(signal)]);
    await sleep(clock, LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
