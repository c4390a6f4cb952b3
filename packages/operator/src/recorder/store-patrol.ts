// Reads the whole store through again and again, a little every few minutes, so that damage is noticed before somebody
// needs what is damaged. A failure is reported and tried again the next time; it ends nothing.
import { epochMillis, type Patrol, type StoreAdmin } from '@podtrail/history';
import { type Clock, sleep } from '@podtrail/machinery';
import type { Housekept } from './recorder-listener.ts';

export interface StorePatrolOptions {
  readonly engine: Pick<StoreAdmin, 'patrol'>;
  readonly clock: Clock;
  readonly onPatrolled: (patrol: Patrol) => void;
  readonly onFailure: (failure: Housekept) => void;
}

const EVERY_MS = 300_000;
/** About half a second of the store's thread, between which it answers others. */
const SLICES = 40;

/** Resolves when the signal aborts. */
export async function patrolStore(options: StorePatrolOptions, signal: AbortSignal): Promise<void> {
  const { engine, clock, onPatrolled, onFailure } = options;
  for (;;) {
    await sleep(clock, EVERY_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    const begun = clock.monotonic();
    try {
      onPatrolled(await engine.patrol(SLICES, epochMillis(clock.now())));
    } catch (error) {
      onFailure({ what: 'patrol', ms: clock.monotonic() - begun, error, removed: 0 });
    }
  }
}
