// Stores to damage, with records of every kind: one that was closed, one whose last commits are only in the log, and one
// whose log has been brought into the file and is still there. Made once for a run; each mutation gets a copy.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Engine } from '../../engines/engine.ts';
import type { Writer } from '../../engines/ledger-writer.ts';
import { InThreadEngine } from '../../engines/sqlite/testing/in-thread-engine.ts';
import {
  aChange,
  aConflict,
  aCoverage,
  aHolder,
  aLiveHolder,
  anAnomaly,
  anomalyFact,
  aPlacement,
  aPossibleTenure,
  aTenure,
  at,
  changeFact,
  conflictFact,
  coverageFact,
  liveFact,
  placementFact,
  tenureFact,
} from '../../engines/testing/record-builders.ts';
import { possibleFact, type StoredFact } from '../../model/fact.ts';
import { SeededNumbers } from '../seeded-numbers.ts';

export const CLUSTERS = [
  { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' },
  { id: 'b7c0b3a4-0000-4000-8000-000000000002', name: 'test' },
] as const;
export const HOUR_S = 3600;
/** Three weeks and a bit, in steps of six hours. */
export const STEP_S = 6 * HOUR_S;
export const STEPS = 95;
export const ADDRESSES = 10;
/** Steps after which weeks are sealed; what comes after the last stays in the head. */
const SEALING = new Set([30, 34, 62, 88]);
/** From here on commits stay in the log of the stores that have one. */
const IN_LOG = 89;

export type WholeStore = 'closed' | 'in the log' | 'brought in';
export const WHOLE_STORES: readonly WholeStore[] = ['closed', 'in the log', 'brought in'];
const FILES = ['', '-wal', '.mark', '.d'] as const;

interface Pod {
  readonly name: string;
  readonly ip: string;
  readonly start: number;
  readonly end: number;
}

/** What a recorder of a small cluster stores, step by step. */
export class Story {
  readonly #pods: readonly Pod[];

  constructor(seed: number) {
    const numbers = new SeededNumbers(seed);
    const pods: Pod[] = [];
    for (let address = 0; address < ADDRESSES; address++) {
      let time = numbers.between(1, STEP_S);
      for (let life = 0; time < STEPS * STEP_S; life++) {
        const start = time;
        const end = start + numbers.between(HOUR_S, life % 5 === 0 ? 120 * HOUR_S : 30 * HOUR_S);
        pods.push({ name: `pod-${address}-${life}`, ip: `10.0.0.${address}`, start, end });
        time = end + numbers.between(60, 5 * HOUR_S);
      }
    }
    this.#pods = pods;
  }

  get pods(): readonly Pod[] {
    return this.#pods;
  }

  /** Everything between two steps, of pods whose beginning was observed. */
  facts(cluster: { readonly id: string }, step: number): StoredFact[] {
    const from = step * STEP_S;
    const to = from + STEP_S;
    const facts: StoredFact[] = [];
    if (step === 0) facts.push(...nodeFacts());
    for (const [i, { name, ip, start, end }] of this.#pods.entries()) {
      const holder = aHolder(name, { node: `node-${i % 3}`, hostNetwork: false });
      const isOver = end < to;
      if (!isObserved(cluster, Math.floor(start / STEP_S))) continue;
      if (start >= from && start < to && !isOver) {
        facts.push(tenureFact(aTenure(ip, holder, start)), placementFact(aPlacement(holder, start)));
        facts.push(
          liveFact(holder.uid, { ...aLiveHolder(name, start), holder, tenures: [aTenure(ip, holder, start)] }),
        );
        if (i % 3 === 0) facts.push(changeFact(aChange(holder, start)));
      } else if (isOver && end >= from) {
        facts.push(tenureFact(aTenure(ip, holder, start, end)), placementFact(aPlacement(holder, start, end)));
        facts.push(liveFact(holder.uid, undefined));
        if (i % 4 === 0) facts.push(possibleFact(aPossibleTenure(`unseen-${i}`, end, end + 30, ['10.0.9.0/24'])));
      }
    }
    if (step % 7 === 3) facts.push(conflictFact(aConflict('10.0.0.1', 'pod-1-0', 'pod-1-1', to - 5)));
    if (step % 5 === 2) facts.push(anomalyFact(anAnomaly('uid-pod-1-1', to - 3)));
    facts.push(coverageFact(aCoverage(0, to)));
    return facts;
  }

  async observe(writer: Writer, step: number): Promise<void> {
    const checkpoint = { epoch: 1, resourceVersion: String(step), at: at((step + 1) * STEP_S) };
    await writer.append({ facts: this.facts(writer.cluster, step), checkpoint });
  }
}

/** The second cluster's recorder misses most of it. */
export function isObserved({ id }: { readonly id: string }, step: number): boolean {
  return id === CLUSTERS[0].id || step % 3 === 0 || step === STEPS - 1;
}

function nodeFacts(): StoredFact[] {
  return [0, 1, 2].map((n) => {
    const node = aHolder(`node-${n}`, { kind: 'Node', namespace: '', workload: undefined, node: `node-${n}` });
    return tenureFact(aTenure(`192.168.0.${n}`, node, 0));
  });
}

/** Leaves each as `DIRECTORY/NAME/store.db`, and old editions of its weeks as `DIRECTORY/old-editions`. */
export async function makeWholeStores(directory: string, story: Story): Promise<void> {
  const path = join(directory, 'made', 'store.db');
  mkdirSync(join(directory, 'made'), { recursive: true });
  const old = join(directory, 'old-editions');
  mkdirSync(old);
  let engine: Engine = new InThreadEngine({ path, access: 'write', sealAt: 1 });
  let writers = await Promise.all(CLUSTERS.map((cluster) => engine.takeOver(cluster)));
  for (let step = 0; step < STEPS; step++) {
    if (step === IN_LOG) {
      // Closing brings the log into the file.
      await engine.close();
      engine = new InThreadEngine({ path, access: 'write', sealAt: 1 });
      writers = await Promise.all(CLUSTERS.map((cluster) => engine.takeOver(cluster)));
    }
    for (const writer of writers) if (isObserved(writer.cluster, step)) await story.observe(writer, step);
    if (!SEALING.has(step)) continue;
    for (const file of readdirIf(`${path}.d`)) copyFileSync(join(`${path}.d`, file), join(old, file));
    await engine.maintain(at((step + 1) * STEP_S));
  }
  copyStore(path, join(directory, 'in the log'));
  const other = new DatabaseSync(path);
  other.exec('PRAGMA wal_checkpoint(PASSIVE)');
  copyStore(path, join(directory, 'brought in'));
  other.close();
  await engine.close();
  copyStore(path, join(directory, 'closed'));
}

/** Into a folder of its own; the log's index is built by whoever opens it. */
export function copyStore(path: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const copy = join(folder, 'store.db');
  for (const end of FILES)
    if (existsSync(`${path}${end}`)) cpSync(`${path}${end}`, `${copy}${end}`, { recursive: true });
  return copy;
}

function readdirIf(path: string): string[] {
  return existsSync(path) ? readdirSync(path) : [];
}
