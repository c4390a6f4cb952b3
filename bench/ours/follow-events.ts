// The second half of a peer with --follow: says `{"ready":true}`, waits for `start` on standard input, and after
// `stop N` measures once N events have been counted.
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { cpuSeconds, memoryBytes } from './usage.ts';

export interface FollowedEvents {
  readonly events: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly rssBytes: number;
}

/** How long after `stop N` the N-th event may still arrive. */
const PATIENCE_MS = 20_000;

export async function followEvents(count: () => number): Promise<FollowedEvents> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  process.stdout.write('{"ready":true}\n');
  await lines.next();
  const [begun, cpu, events] = [performance.now(), cpuSeconds(), count()];
  const stop = /^stop (\d+)$/.exec((await lines.next()).value ?? '');
  const deadline = performance.now() + PATIENCE_MS;
  while (count() - events < Number(stop?.[1] ?? 0) && performance.now() < deadline) await setTimeout(10);
  return {
    events: count() - events,
    cpuSeconds: cpuSeconds() - cpu,
    wallSeconds: (performance.now() - begun) / 1000,
    rssBytes: memoryBytes('VmRSS'),
  };
}
