// What a running recorder does for its store besides writing: maintenance and retention, a patrol that notices damage, and
// keeping within the limit of size. None of it ends the recording.
import type { SizeLimit, StoreAdmin } from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';
import { keepHouse } from './housekeeping.ts';
import type { RecorderListener } from './recorder-listener.ts';
import { keepRoom } from './room-keeping.ts';
import { patrolStore } from './store-patrol.ts';
import type { TimeKeeper } from './time-keeper.ts';

export interface StoreUpkeepOptions {
  readonly engine: StoreAdmin;
  readonly cluster: string;
  readonly clock: Clock;
  readonly time: TimeKeeper;
  readonly retentionMs: number | undefined;
  readonly evidenceRetentionMs: number | undefined;
  readonly limit: SizeLimit | undefined;
  readonly notify: (call: (listener: RecorderListener) => void) => void;
}

/** Resolves when the signal aborts and what was begun has ended. */
export async function keepStore(options: StoreUpkeepOptions, signal: AbortSignal): Promise<void> {
  const { engine, cluster, clock, time, retentionMs, evidenceRetentionMs, notify } = options;
  const house = {
    ...{ engine, cluster, clock, retentionMs, evidenceRetentionMs },
    doubt: () => time.clock.ageDoubt,
    onDone: (done: Parameters<NonNullable<RecorderListener['housekept']>>[0]) =>
      notify((listener) => listener.housekept?.(done)),
  };
  const patrol = {
    ...{ engine, clock },
    onPatrolled: (found: Parameters<NonNullable<RecorderListener['patrolled']>>[0]) =>
      notify((listener) => listener.patrolled?.(found)),
    onFailure: house.onDone,
  };
  await Promise.all([keepHouse(house, signal), patrolStore(patrol, signal), keepWithinLimit(options, signal)]);
}

async function keepWithinLimit(options: StoreUpkeepOptions, signal: AbortSignal): Promise<void> {
  const { engine, clock, time, limit, notify } = options;
  if (limit === undefined) return;
  try {
    // Not before it is known what is old.
    await time.certain();
  } catch {
    return;
  }
  const room = {
    ...{ engine, clock, limit },
    now: () => time.clock.certain(),
    onKept: (kept: Parameters<NonNullable<RecorderListener['roomKept']>>[0]) =>
      notify((listener) => listener.roomKept?.(kept)),
    onFailure: (failure: Parameters<NonNullable<RecorderListener['housekept']>>[0]) =>
      notify((listener) => listener.housekept?.(failure)),
  };
  await keepRoom(room, signal);
}
