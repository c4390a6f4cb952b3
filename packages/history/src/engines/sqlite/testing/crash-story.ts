// A recorder's life in steps, for the tests that let it die anywhere: every step is the same whoever runs it, and a step
// that was done may be done again.
import type { StoredFact } from '../../../model/fact.ts';
import type { EpochMillis } from '../../../model/time.ts';
import type { Engine } from '../../engine.ts';
import type { Writer } from '../../ledger-writer.ts';
import {
  aBoundary,
  aCoverage,
  aLiveHolder,
  aPlacement,
  aTenure,
  at,
  coverageFact,
  liveFact,
  placementFact,
  tenureFact,
} from '../../testing/record-builders.ts';

export const CLUSTER = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };
export const STEPS = 14;
const DAY_S = 86_400;
/** Steps after which old records are sealed, and the one after which they are forgotten. */
const SEALING = new Set([4, 8, 12]);
const RETAINING = 10;

/** Step n opens pods and closes those of two steps before; two days pass in each. */
export function factsOf(step: number): StoredFact[] {
  const now = step * 2 * DAY_S;
  const facts: StoredFact[] = [coverageFact(aCoverage(0, now + 1))];
  for (let i = 0; i < 5; i++) {
    const opened = `pod-${step}-${i}`;
    const start = boundary(step, i, now);
    facts.push(tenureFact(aTenure(`10.0.${i}.${step % 3}`, opened, start)));
    facts.push(placementFact(aPlacement(opened, start)), liveFact(`uid-${opened}`, aLiveHolder(opened, now)));
    if (step < 2) continue;
    const closed = `pod-${step - 2}-${i}`;
    const began = boundary(step - 2, i, now - 4 * DAY_S);
    const end = boundary(step, i + 10, now - 60 * i - 60);
    facts.push(tenureFact(aTenure(`10.0.${i}.${(step - 2) % 3}`, closed, began, end)));
    facts.push(placementFact(aPlacement(closed, began, end)), liveFact(`uid-${closed}`, undefined));
  }
  return facts;
}

function boundary(step: number, place: number, seconds: number) {
  return aBoundary(seconds, { resourceVersion: String(1000 + step * 100 + place) });
}

/** Runs the steps from `from` on; `acknowledged` hears of each append that is durable. */
export async function live(engine: Engine, from: number, acknowledged: (step: number) => void): Promise<void> {
  const writer: Writer = await engine.takeOver(CLUSTER);
  for (let step = from; step < STEPS; step++) {
    const checkpoint = { epoch: 1, resourceVersion: String(1000 + step * 100 + 99), at: at(step * 2 * DAY_S) };
    await writer.append({ facts: factsOf(step), checkpoint });
    acknowledged(step);
    const now = at(step * 2 * DAY_S) as EpochMillis;
    if (SEALING.has(step)) await engine.maintain(now);
    if (step === RETAINING) await engine.prune(CLUSTER.id, at(8 * DAY_S));
  }
}

/** The step whose checkpoint this is. */
export function stepOf(resourceVersion: string | undefined): number {
  return resourceVersion === undefined ? -1 : (Number(resourceVersion) - 1099) / 100;
}
