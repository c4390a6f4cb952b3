// Tells in the log whether PodTrackers are served. Everything else works without their definitions; whoever waits for a
// PodTracker wants to know. Only looks at the states of watches.
import { type Clock, type ReflectorState, sleep } from '@podtrail/machinery';
import { type Log, problemOf } from './log.ts';

export interface DefinitionsLogOptions {
  /** Of the watches on both kinds. */
  readonly states: () => readonly ReflectorState[];
  readonly isLeader: () => boolean;
  readonly isRecording: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_EVERY_MS = 5_000;
/** When a definition is written (conversion does), its watches end and are there again at once: that is no news. */
const LOOKS_IN_VAIN = 2;

/** Until the signal aborts; each change is reported once. */
export async function reportDefinitions(options: DefinitionsLogOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  let last: string | undefined;
  let inVain = 0;
  while (!signal.aborted) {
    await sleep(clock, LOOK_EVERY_MS, signal).catch(() => undefined);
    const states = options.states();
    const waiting = states.find((state) => state.kind === 'waiting');
    const isServed = states.every(({ kind }) => kind === 'watching');
    if (isServed) inVain = 0;
    // In between, while it is tried again, nothing is known.
    if (signal.aborted || (!isServed && (waiting === undefined || ++inVain < LOOKS_IN_VAIN))) continue;
    const message = isServed
      ? `PodTrackers are ${options.isLeader() ? 'served' : 'followed; another replica serves them'}`
      : `PodTrackers cannot be served; ${options.isRecording() ? 'recording goes on' : 'nor is anything recorded now'}`;
    if (message === last) continue;
    last = message;
    if (isServed) log.info(message);
    else log.warn(message, { problem: problemOf(waiting?.error) });
  }
}
