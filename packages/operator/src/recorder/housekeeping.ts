// What a store wants done now and then, beside a running recorder: maintenance every few minutes, and forgetting what is
// older than the retention, if there is one. A failure is reported and tried again the next time; it ends nothing.
import { epochMillis, type StoreAdmin } from '@podtrail/history';
import { type Clock, sleep } from '@podtrail/machinery';
import type { Housekept } from './recorder-listener.ts';

export interface HousekeepingOptions {
  readonly engine: Pick<StoreAdmin, 'maintain' | 'prune' | 'pruneKind'>;
  readonly cluster: string;
  readonly clock: Clock;
  /** Why the clock cannot be relied on now, if so: then nothing is sealed and nothing forgotten. */
  readonly doubt?: () => string | undefined;
  /** Closed records older than this are forgotten. Undefined: everything is kept. */
  readonly retentionMs: number | undefined;
  /** What causes are found from is forgotten after this time, all of it together. Undefined: with all else. */
  readonly evidenceRetentionMs?: number | undefined;
  readonly onDone: (done: Housekept) => void;
}

/** Pruned together: a departure whose evidence is gone would have a wrong cause. */
const OF_CAUSES = ['life', 'departure', 'evidence'] as const;

const MAINTAIN_EVERY_MS = 300_000;
const RETAIN_EVERY_MS = 3_600_000;
/** A wall clock that ran ahead by more than this would make records look old that are not. */
const TOLERATED_JUMP_MS = 3_600_000;

/** Resolves when the signal aborts. */
export async function keepHouse(options: HousekeepingOptions, signal: AbortSignal): Promise<void> {
  const { engine, clock, retentionMs } = options;
  const origin = clock.now() - clock.monotonic();
  let nextRetention = clock.monotonic();
  for (;;) {
    await sleep(clock, MAINTAIN_EVERY_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    await timed(options, 'maintain', async () => {
      mustKnowTime(options);
      await engine.maintain(epochMillis(clock.now()));
      return 0;
    });
    const isAsked = retentionMs !== undefined || options.evidenceRetentionMs !== undefined;
    if (!isAsked || clock.monotonic() < nextRetention || signal.aborted) continue;
    nextRetention = clock.monotonic() + RETAIN_EVERY_MS;
    await timed(options, 'retain', async () => {
      mustKnowTime(options);
      const aheadMs = clock.now() - clock.monotonic() - origin;
      if (aheadMs > TOLERATED_JUMP_MS)
        throw new RangeError(
          `the clock was set ahead by ${Math.round(aheadMs / 1000)} s: nothing is forgotten until a restart`,
        );
      return await forget(options);
    });
  }
}

/** Returns how many records went. */
async function forget({ engine, cluster, clock, retentionMs, evidenceRetentionMs }: HousekeepingOptions) {
  let removed = 0;
  if (retentionMs !== undefined) removed += await engine.prune(cluster, epochMillis(clock.now() - retentionMs));
  if (evidenceRetentionMs === undefined) return removed;
  const before = epochMillis(clock.now() - evidenceRetentionMs);
  for (const kind of OF_CAUSES) removed += await engine.pruneKind(cluster, kind, before);
  return removed;
}

function mustKnowTime({ doubt }: HousekeepingOptions): void {
  const why = doubt?.();
  if (why !== undefined) throw new RangeError(`it is not certain what is old: ${why}`);
}

async function timed({ clock, onDone }: HousekeepingOptions, what: Housekept['what'], act: () => Promise<number>) {
  const begun = clock.monotonic();
  let removed = 0;
  let error: unknown;
  try {
    removed = await act();
  } catch (failure) {
    error = failure;
  }
  onDone({ what, ms: clock.monotonic() - begun, error, removed });
}
