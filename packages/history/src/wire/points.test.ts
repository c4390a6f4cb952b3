// Points are answered as `who` answers each of them alone, by whatever engine, inside a store's thread or outside.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Engine } from '../engines/engine.ts';
import { openStore } from '../engines/open-store.ts';
import type { Point } from '../engines/points.ts';
import type { Snapshot } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';
import { epochMillis } from '../model/time.ts';
import { below, boundary, DAY, HOUR, holder, IPS, ledgerFacts, ledgerOf } from '../testing/random-ledger.ts';
import { snapshotWith } from '../testing/reader-with.ts';
import { scratchDirectory } from '../testing/scratch-directory.ts';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import { ALL_VISIBLE } from './narrowed.ts';
import { answerPoints } from './points.ts';
import { askWho } from './who.ts';

const CLUSTER = { id: 'c', name: 'prod' };
const directory = scratchDirectory('points');

function pointsFrom(numbers: SeededNumbers): Point[] {
  return Array.from({ length: 200 }, () => ({
    ip: IPS[below(numbers, IPS.length)]!,
    // Some before and some after all that was watched, and some later than the asker's clock.
    at: epochMillis(below(numbers, 2 * DAY) - DAY / 2),
    // Some while somebody still watches, some later.
    now: epochMillis(DAY + below(numbers, below(numbers, 2) === 0 ? 10_000 : DAY / 4)),
    seen: below(numbers, 4) === 0,
  }));
}

async function alone(snapshot: Snapshot, points: readonly Point[]) {
  return await Promise.all(points.map(async (point) => (await askWho(snapshot, ALL_VISIBLE, CLUSTER, point)).document));
}

async function sqliteOf(facts: ReturnType<typeof ledgerFacts>, name: string): Promise<Engine> {
  const engine = await openStore(`sqlite:${join(directory, name)}`, { access: 'write' });
  await (await engine.takeOver(CLUSTER)).append({ facts });
  return engine;
}

test('each point gets the bytes that it would have got alone: on a snapshot, and in the thread of a store', async () => {
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 6; seed++) {
    const numbers = new SeededNumbers(seed);
    const facts = ledgerFacts(numbers);
    const points = pointsFrom(numbers);
    const memory = await ledgerOf(facts);
    const snapshot = await memory.snapshot(CLUSTER.id);
    const documents = await alone(snapshot, points);
    for (const { answer } of documents) kinds.add(answer);
    const expected = documents.map((document) => JSON.stringify(document));
    assert.deepEqual((await answerPoints(snapshot, CLUSTER, points)).texts, expected, `seed ${seed}`);
    const sqlite = await sqliteOf(facts, `${seed}.db`);
    assert.deepEqual((await sqlite.answerPoints?.(CLUSTER, points))?.texts, expected, `seed ${seed}`);
    await sqlite.close();
    await snapshot.close();
  }
  assert.deepEqual([...kinds].sort(), ['ambiguous', 'free', 'held', 'unknown']);
});

test('those that leave something open are named, and no others', async () => {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(1)));
  const snapshot = await engine.snapshot(CLUSTER.id);
  const now = epochMillis(DAY);
  const point = (at: number): Point => ({ ip: IPS[0]!, at: epochMillis(at), now, seen: false });
  const points = [point(-10 * DAY), point(3 * HOUR), point(2 * DAY)];
  const { texts, open } = await answerPoints(snapshot, CLUSTER, points);
  const reasons = texts.map((text) => JSON.parse(text).reason);
  assert.deepEqual([reasons[0], reasons[2]], ['before-first-record', 'in-the-future']);
  assert.deepEqual(open, [0]);
});

test('a part of the store that one of them needs is damaged: the others are answered', async () => {
  const numbers = new SeededNumbers(3);
  const engine = await ledgerOf(ledgerFacts(numbers));
  const snapshot = await engine.snapshot(CLUSTER.id);
  const points = pointsFrom(numbers);
  const [first] = points;
  const damaged = new HistoryError('damaged', 'a week file, life 7');
  const broken = snapshotWith(snapshot, () => ({
    tenuresAt: (ip, at) => (at === first!.at ? Promise.reject(damaged) : snapshot.tenuresAt(ip, at)),
    tenuresAtMany: () => Promise.reject(damaged),
  }));
  const { texts } = await answerPoints(broken, CLUSTER, points);
  assert.equal(JSON.parse(texts[0]!).reason, 'damaged');
  const expected = (await alone(snapshot, points)).map((document) => JSON.stringify(document));
  assert.deepEqual(texts.slice(1), expected.slice(1));
});

test('points are answered of the state after all that was stored before, and of a cluster that is there', async () => {
  const engine = await sqliteOf(ledgerFacts(new SeededNumbers(5)), 'states.db');
  const writer = await engine.takeOver(CLUSTER);
  const now = epochMillis(DAY);
  const ip = '10.250.0.1' as Point['ip'];
  const point: Point = { ip, at: epochMillis(DAY / 2), now, seen: false };
  const times = { start: boundary(0, 0, 0, 9001), end: boundary(DAY - 1, DAY - 1, DAY - 1, 9002) };
  const tenure = { ip, holder: holder('Pod', 'late'), ...times };
  const before = engine.answerPoints?.(CLUSTER, [point]);
  const append = writer.append({ facts: [{ kind: 'tenure', tenure }] });
  const after = engine.answerPoints?.(CLUSTER, [point]);
  assert.equal(JSON.parse((await before)!.texts[0]!).answer, 'free');
  await append;
  assert.equal(JSON.parse((await after)!.texts[0]!).answer, 'held');
  await assert.rejects(engine.answerPoints!({ id: 'other', name: 'other' }, [point]), { code: 'unknown-cluster' });
  await engine.close();
});
