// A SQLite store full of made-up lives, for the benchmarks that ask one. Weeks that are over are sealed, as a recorder's
// maintenance would have left them. Filling takes long: `keptStore` does it once for several runs.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { epochMillis, openStore, type StoredFact } from '@podtrail/history';
import { type OptionValues, wholeNumber } from '../benchmark.ts';
import { type HistoryShape, type MadeLife, madeHistory } from './made-history.ts';

export const CLUSTER = { id: 'f0000000-0000-4000-8000-000000000001', name: 'bench' };
export const WEEK_MS = 7 * 86_400_000;
/** A Monday: the last week is over. */
export const UNTIL = Date.UTC(2026, 10, 9);
export const LIVES_PER_BATCH = 1000;
const LIVES_BETWEEN_MAINTENANCE = 100_000;
/** Batches under way at once; the thread commits together what came together. */
export const UNDER_WAY = 2;

export function shapeOf(values: OptionValues): HistoryShape {
  const tenures = wholeNumber(values, 'tenures', 1000);
  const weeks = wholeNumber(values, 'weeks', 2);
  // Four times as many addresses as pods at once (who live for some ten hours on average), so that they come again.
  const atOnce = (tenures / weeks / 168) * 10;
  const addresses = 2 ** Math.max(12, Math.ceil(Math.log2(atOnce * 4)));
  return { tenures, weeks, nodes: 1000, addresses, seed: wholeNumber(values, 'seed', 1), until: UNTIL };
}

export interface FilledStore {
  readonly perSecond: number;
  /** Some of the lives in it, to ask about. */
  readonly sample: readonly MadeLife[];
}

/** A copy, at `path`, of the store that is kept in `directory`; filled first if there is none of this shape. */
export async function keptStore(
  directory: string,
  path: string,
  shape: HistoryShape,
  log: (text: string) => void,
): Promise<FilledStore> {
  const kept = join(directory, 'store.db');
  const label = join(directory, 'filled.json');
  const found = await readFile(label, 'utf8').then(JSON.parse, () => undefined);
  let perSecond: number = found?.perSecond;
  if (JSON.stringify(found?.shape) !== JSON.stringify(shape)) {
    await mkdir(directory, { recursive: true });
    for (const part of [label, kept, `${kept}-wal`, `${kept}-shm`, `${kept}.lock`, `${kept}.d`])
      await rm(part, { recursive: true, force: true });
    ({ perSecond } = await fillStore(kept, shape, log));
    await writeFile(label, JSON.stringify({ shape, perSecond }));
  } else log(`It is there already, in ${directory}.`);
  await cp(kept, path);
  await cp(`${kept}.d`, `${path}.d`, { recursive: true });
  const sample: MadeLife[] = [];
  let n = 0;
  for (const life of madeHistory(shape)) if (n++ % sampleEvery(shape) === 0) sample.push(life);
  return { perSecond, sample };
}

function sampleEvery({ tenures }: HistoryShape): number {
  return Math.max(1, Math.floor(tenures / 5000));
}

/** `more` is stored along with the lives. */
export async function fillStore(
  path: string,
  shape: HistoryShape,
  log: (text: string) => void,
  more: readonly StoredFact[] = [],
): Promise<FilledStore> {
  const engine = await openStore(`sqlite:${path}`, { access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  const begun = performance.now();
  const sample: MadeLife[] = [];
  const every = sampleEvery(shape);
  const underWay: Promise<void>[] = [];
  let facts: StoredFact[] = [coverage(shape), ...more];
  let count = 0;
  for (const life of madeHistory(shape)) {
    facts.push({ kind: 'tenure', tenure: life.tenure }, { kind: 'placement', placement: life.placement });
    if (count++ % every === 0) sample.push(life);
    if (count % LIVES_PER_BATCH === 0) {
      underWay.push(writer.append({ facts, checkpoint: checkpoint(count) }));
      facts = [];
      if (underWay.length >= UNDER_WAY) await underWay.shift();
    }
    if (count % LIVES_BETWEEN_MAINTENANCE === 0) await engine.maintain(life.tenure.end!.at);
    if (count % 1_000_000 === 0) log(`  ${count} after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
  }
  await writer.append({ facts });
  await Promise.all(underWay);
  await engine.maintain(epochMillis(UNTIL + WEEK_MS));
  await engine.close();
  return { perSecond: (count / (performance.now() - begun)) * 1000, sample };
}

function coverage({ weeks, until }: HistoryShape): StoredFact {
  const from = epochMillis(until - (weeks + 3) * WEEK_MS);
  const to = epochMillis(until + WEEK_MS);
  const scope = { kind: 'cluster' } as const;
  const times = { from, to, confirmed: to };
  return {
    kind: 'coverage',
    coverage: { scope, epoch: 1, collector: 'recorder-0', ...times, ended: false, opened: 'start' },
  };
}

export function checkpoint(count: number) {
  return { epoch: 1, resourceVersion: String(count), at: epochMillis(UNTIL) };
}
