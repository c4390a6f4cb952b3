// What is done to the recorder and to the control plane while the pods live: a plan drawn from the seed, and what came
// of it with its times.
import type { ControlPlane } from '../controlplane/index.ts';
import type { Chance } from './random.ts';
import type { RecorderProcess } from './recorder-process.ts';

export interface Outage {
  readonly what: 'recorder killed' | 'apiserver killed' | 'etcd compacted';
  readonly from: number;
  to: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Down for these many seconds, drawn between each pair: five times, from a blink to a minute. */
const DOWN_SECONDS: readonly (readonly [number, number])[] = [
  [1, 2],
  [2, 5],
  [5, 15],
  [15, 30],
  [45, 60],
];

export async function makeOutages(
  plane: ControlPlane,
  recorder: RecorderProcess,
  chance: Chance,
  log: (line: string) => void,
): Promise<Outage[]> {
  const outages: Outage[] = [];
  const during = async (what: Outage['what'], act: () => Promise<void>): Promise<void> => {
    const outage: Outage = { what, from: Date.now(), to: 0 };
    outages.push(outage);
    await act();
    outage.to = Date.now();
    log(`${what}: ${((outage.to - outage.from) / 1000).toFixed(1)} s`);
  };
  for (const [index, [least, most]] of DOWN_SECONDS.entries()) {
    await sleep(chance.between(8, 15) * 1000);
    await during('recorder killed', async () => {
      await recorder.kill();
      await sleep(chance.between(least, most) * 1000);
      // Once, the past is gone when the recorder comes back: that makes a gap, and only that does.
      if (index === 2) await forgetThePast(plane, during);
      recorder.start();
    });
    if (index === 1) {
      await sleep(chance.between(8, 12) * 1000);
      await during('apiserver killed', async () => {
        await plane.apiserver.kill();
        await sleep(chance.between(2, 5) * 1000);
        await plane.apiserver.start();
      });
    }
  }
  await sleep(10_000);
  return outages;
}

/** Compaction alone is not enough: the API server's watch cache still serves what it saw. */
async function forgetThePast(
  plane: ControlPlane,
  during: (what: Outage['what'], act: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await during('etcd compacted', async () => {
    await plane.compact();
  });
  await during('apiserver killed', async () => {
    await plane.apiserver.kill();
    await plane.apiserver.start();
  });
}
