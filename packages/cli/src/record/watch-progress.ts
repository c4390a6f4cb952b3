// Reports how a recorder stands, every few seconds, and why when it is not well. Never touches the ledger.
import { type Clock, sleep } from '@podtrail/machinery';
import type { Recorder, RecorderStatus } from '@podtrail/operator';
import type { LogFields, Reporter } from './reporter.ts';

export interface ProgressOptions {
  readonly recorder: Pick<Recorder, 'status'>;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly cluster: string;
  readonly statusEveryMs: number;
}

const LOOK_EVERY_MS = 500;
/** Connecting takes a moment, also again; whoever has not managed by then wants to know why, and from time to time. */
const TELL_WHY_AFTER_MS = 3000;
const TELL_WHY_EVERY_MS = 30_000;

/** Resolves when the signal aborts. */
export async function watchProgress(options: ProgressOptions): Promise<void> {
  const { recorder, reporter, clock, signal, cluster, statusEveryMs } = options;
  let wasWatching = false;
  let silentSince: number | undefined;
  let nextStatus = clock.monotonic();
  let nextReason = clock.monotonic();
  while (!signal.aborted) {
    const now = clock.monotonic();
    const { status } = recorder;
    const isWatching = status.synced && status.current;
    if (isWatching) {
      if (!wasWatching) await reporter.event('info', 'watching', { cluster, pods: status.pods });
      wasWatching = true;
      silentSince = undefined;
    } else {
      silentSince ??= now;
      const isLong = now - silentSince >= TELL_WHY_AFTER_MS;
      if (isLong && wasWatching) {
        wasWatching = false;
        await reporter.event('warn', 'not watching: the time from here on may become a gap', { cluster });
      }
      const watches = status.problems.filter(({ what }) => what !== 'store');
      if (isLong && watches.length > 0 && now >= nextReason) {
        nextReason = now + TELL_WHY_EVERY_MS;
        await reportReasons(watches, reporter, cluster);
      }
    }
    if (now >= nextStatus) {
      nextStatus = now + statusEveryMs;
      await reporter.status(statusText(status, cluster), statusFields(status, cluster));
    }
    await sleep(clock, LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** Only what failed is a warning: after every start a recorder first reads what happened since it ended. */
async function reportReasons(watches: RecorderStatus['problems'], reporter: Reporter, cluster: string): Promise<void> {
  for (const { what, since, error, catchingUp } of watches) {
    if (catchingUp === true) continue;
    const fields = { cluster, what, since: new Date(since).toISOString(), problem: error };
    await reporter.event('warn', 'the cluster cannot be watched; trying again', fields);
  }
  const reading = watches.filter(({ catchingUp }) => catchingUp === true).map(({ what }) => what.replace('watch ', ''));
  if (reading.length === 0) return;
  await reporter.event('info', 'reading what happened since the last recording', {
    ...{ cluster, resources: reading.join(', ') },
  });
}

function statusFields(status: RecorderStatus, cluster: string): LogFields {
  const { synced, current, storeFailures, waitingFacts, committedFacts, pods, lagMs, problems } = status;
  const fields = { cluster, synced, current, storeFailures, waitingFacts, committedFacts, pods };
  const problem = problems.map(({ what, error }) => `${what}: ${error}`).join('; ');
  return { ...fields, lagMs: Math.round(lagMs), ...(problem === '' ? {} : { problem }) };
}

function statusText(
  { synced, current, storeFailures, waitingFacts, committedFacts, pods, lagMs }: RecorderStatus,
  cluster: string,
): string {
  const how =
    storeFailures > 0
      ? 'the store does not take facts, trying again'
      : !synced
        ? 'reading the cluster'
        : current
          ? 'watching'
          : 'connecting again';
  const count = (n: number) => n.toLocaleString('en-US');
  const waiting = waitingFacts > 0 ? `, ${count(waitingFacts)} waiting` : '';
  const lag = committedFacts > 0 ? ` · ${showLag(lagMs)} behind` : '';
  return `${cluster}: ${how} · ${count(pods)} pods · ${count(committedFacts)} facts stored${waiting}${lag} · Ctrl+C ends`;
}

function showLag(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
