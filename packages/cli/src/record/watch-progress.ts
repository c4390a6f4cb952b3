// Tells how a recorder stands, every few seconds, and why when it is not well. Never touches the ledger.
import { type Client, type Clock, sleep } from '@podtrail/machinery';
import type { Recorder, RecorderStatus } from '@podtrail/operator';
import type { Reporter } from './reporter.ts';

export interface ProgressOptions {
  readonly recorder: Pick<Recorder, 'status'>;
  readonly client: Client;
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly cluster: string;
  readonly statusEveryMs: number;
}

const LOOK_EVERY_MS = 500;
/** Connecting takes a moment; whoever has not managed by then wants to know why, and again from time to time. */
const ASK_WHY_AFTER_MS = 3000;
const ASK_WHY_EVERY_MS = 30_000;

/** Resolves when the signal aborts. */
export async function watchProgress(options: ProgressOptions): Promise<void> {
  const { recorder, reporter, clock, signal, cluster, statusEveryMs } = options;
  let wasWatching = false;
  let nextStatus = clock.monotonic();
  let nextQuestion = clock.monotonic() + ASK_WHY_AFTER_MS;
  while (!signal.aborted) {
    const now = clock.monotonic();
    const { status } = recorder;
    const isWatching = status.synced && status.current;
    if (isWatching && !wasWatching) await reporter.event('info', 'watching', { cluster, pods: status.pods });
    if (!isWatching && wasWatching) {
      await reporter.event('warn', 'not watching: the time from here on may become a gap', { cluster });
      nextQuestion = now + ASK_WHY_AFTER_MS;
    }
    wasWatching = isWatching;
    if (!isWatching && now >= nextQuestion) {
      nextQuestion = now + ASK_WHY_EVERY_MS;
      const problem = await askWhy(options);
      if (problem !== undefined)
        await reporter.event('warn', 'the cluster cannot be watched; trying again', { cluster, problem });
    }
    if (now >= nextStatus) {
      nextStatus = now + statusEveryMs;
      await reporter.status(statusText(status, cluster), { cluster, ...status });
    }
    await sleep(clock, LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** The informers try again without a word: one small request shows what they meet. */
async function askWhy({ client, signal }: ProgressOptions): Promise<string | undefined> {
  try {
    await client.pods().list({ limit: 1, signal, timeoutMs: 5000 });
    return undefined;
  } catch (error) {
    return signal.aborted ? undefined : error instanceof Error ? error.message : String(error);
  }
}

function statusText(
  { synced, current, storeFailures, waitingFacts, committedFacts, pods }: RecorderStatus,
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
  return `${cluster}: ${how} · ${count(pods)} pods · ${count(committedFacts)} facts stored${waiting} · Ctrl+C ends`;
}
