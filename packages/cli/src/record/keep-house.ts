// The engine's housekeeping beside a running recorder: it never does any on its own. A failure is told and tried again
// the next time; recording goes on.
import { type Engine, epochMillis } from '@podtrail/history';
import { type Clock, sleep } from '@podtrail/machinery';
import { describeError } from '../errors.ts';
import type { Reporter } from './reporter.ts';

export interface HousekeepingOptions {
  readonly engine: Pick<Engine, 'maintain'>;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly signal: AbortSignal;
}

const EVERY_MS = 300_000;

/** Resolves when the signal aborts. */
export async function keepHouse({ engine, clock, reporter, signal }: HousekeepingOptions): Promise<void> {
  for (;;) {
    await sleep(clock, EVERY_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await engine.maintain(epochMillis(clock.now()));
    } catch (error) {
      await reporter.event('warn', 'the housekeeping of the store failed; recording goes on', {
        problem: describeError(error, false).replaceAll('\n', '; '),
      });
    }
  }
}
