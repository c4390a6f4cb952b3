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
  readonly namespaces?: readonly string[] | undefined;
  readonly statusEveryMs: number;
}

const LOOK_EVERY_MS = 500;
/** Connecting takes a moment, also again; whoever has not managed by then wants to know why, and from time to time. */
const ASK_WHY_AFTER_MS = 3000;
const ASK_WHY_EVERY_MS = 30_000;

/** Resolves when the signal aborts. */
export async function watchProgress(options: ProgressOptions): Promise<void> {
  const { recorder, reporter, clock, signal, cluster, statusEveryMs } = options;
  let wasWatching = false;
  let silentSince: number | undefined;
  let nextStatus = clock.monotonic();
  let nextQuestion = clock.monotonic();
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
      const isLong = now - silentSince >= ASK_WHY_AFTER_MS;
      if (isLong && wasWatching) {
        wasWatching = false;
        await reporter.event('warn', 'not watching: the time from here on may become a gap', { cluster });
      }
      if (isLong && now >= nextQuestion) {
        nextQuestion = now + ASK_WHY_EVERY_MS;
        const problem = await askWhy(options);
        if (problem !== undefined)
          await reporter.event('warn', 'the cluster cannot be watched; trying again', { cluster, problem });
      }
    }
    if (now >= nextStatus) {
      nextStatus = now + statusEveryMs;
      await reporter.status(statusText(status, cluster), { cluster, ...status });
    }
    await sleep(clock, LOOK_EVERY_MS, signal).catch(() => undefined);
  }
}

/** The informers try again without a word: one small request shows what they meet. */
async function askWhy({ client, signal, namespaces }: ProgressOptions): Promise<string | undefined> {
  try {
    await client.pods(namespaces?.[0]).list({ limit: 1, signal, timeoutMs: 5000 });
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
