import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { StoredFact } from '../../../model/fact.ts';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import {
  aCoverage,
  aPlacement,
  aTenure,
  at,
  coverageFact,
  placementFact,
  tenureFact,
} from '../../testing/record-builders.ts';
import { InThreadEngine } from '../testing/in-thread-engine.ts';

const directory = scratchDirectory('primary-index');
const CLUSTER = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };
const WEEK_S = 7 * 86_400;
const PODS = 20_000;

function lives(from: number, count: number): StoredFact[] {
  const facts = Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const start = 1000 + n;
    const ip = `10.${n >>> 16}.${(n >>> 8) & 255}.${n & 255}`;
    const name = `pod-${n}`;
    return [tenureFact(aTenure(ip, name, start, start + 500)), placementFact(aPlacement(name, start, start + 500))];
  });
  return [...facts.flat(), coverageFact(aCoverage(0, WEEK_S))];
}

test('after a week was sealed the head is small again: the pages of its index go back', async () => {
  const path = join(directory, 'store.db');
  const engine = new InThreadEngine({ path, access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  for (let from = 0; from < PODS; from += 5000) await writer.append({ facts: lives(from, 5000) });
  await engine.maintain(at(2 * WEEK_S));
  const { damages } = await engine.verify();
  assert.deepEqual(damages, []);
  await writer.append({ facts: [tenureFact(aTenure('10.9.9.9', 'next', WEEK_S + 10))] });
  await engine.close();
  const { size } = statSync(path);
  // A megabyte of free pages is kept for what comes next.
  assert.ok(size < 1_700_000, `${size} bytes`);
});

test('what a writer keeps of its index takes little more memory than the index: no piece of it keeps a pool', async () => {
  const engine = new InThreadEngine({ path: join(directory, 'kept.db'), access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  const before = buffers();
  const state = 'what is remembered of a pod '.repeat(50);
  const live = Array.from({ length: 5000 }, (_, n): StoredFact => ({ kind: 'live', uid: `pod-${n}`, state }));
  // As a first listing comes: what is written of one pod after the other.
  const facts = lives(0, 5000).flatMap((fact, n) => [fact, live[n] ?? []].flat());
  await writer.append({ facts });
  const kept = buffers() - before;
  await engine.close();
  // 10,000 rows of 30 bytes, with room for more.
  assert.ok(kept < 8_000_000, `${kept} bytes of buffers`);
});

function buffers(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
}
