// A store that would become too large: what goes first, and that everything that goes is known to be gone.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { StoredFact } from '../../model/fact.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Engine } from '../engine.ts';
import { PROD, WEEK_S } from '../testing/contract/contract-stage.ts';
import {
  aChange,
  aCoverage,
  aHolder,
  aTenure,
  at,
  changeFact,
  coverageFact,
  ipOf,
  tenureFact,
} from '../testing/record-builders.ts';
import { withSnapshot } from '../with-snapshot.ts';
import { nextCut } from './keep-room.ts';
import { SqliteEngine } from './sqlite-engine.ts';

const directory = mkdtempSync(join(tmpdir(), 'podtrail-room-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let stores = 0;

const DAY_S = 86_400;
const KIB = 1024;
const MIB = 1024 * KIB;
const VALUE = { text: 'x'.repeat(4000), sha256: undefined };
/** Now is the Wednesday of the third week, at noon. */
const NOW_S = 2 * WEEK_S + 2.5 * DAY_S;

/** Three weeks of tenures and changes; the weeks that are over are sealed. */
async function grownStore(): Promise<{ engine: SqliteEngine; path: string }> {
  const path = join(directory, `store-${++stores}.db`);
  const engine = await SqliteEngine.open({ path, access: 'write', sealAt: 1_000_000 });
  const writer = await engine.takeOver(PROD);
  await writer.append({ facts: [coverageFact(aCoverage(0, NOW_S))] });
  for (let day = 0; day < 17; day++) {
    const facts: StoredFact[] = [];
    for (let i = 0; i < 400; i++) {
      const holder = aHolder(`pod-${day}-${i}`, { uid: `uid-${day}-${i}-${'u'.repeat(300)}` });
      const start = day * DAY_S + i * 60;
      facts.push(tenureFact(aTenure(`10.${day}.${i >> 8}.${i & 255}`, holder, start, start + 30)));
    }
    for (let i = 0; i < 60; i++) {
      const more = { before: VALUE, after: VALUE };
      facts.push(changeFact(aChange(`pod-${day}-${i}`, day * DAY_S + 36_000 + i, more)));
    }
    await writer.append({ facts });
  }
  await engine.maintain(at(NOW_S));
  return { engine: await reopened(engine, path), path };
}

/** Without the log that filling it has left, so that its size is that of what it holds. */
async function reopened(engine: Engine, path: string): Promise<SqliteEngine> {
  await engine.close();
  return await SqliteEngine.open({ path, access: 'write', sealAt: 1_000_000 });
}

async function changesLeft(engine: Engine): Promise<number> {
  return (await engine.status()).clusters[0]?.changes ?? -1;
}

/** Whether the first tenure of each day is still there. */
async function daysLeft(engine: Engine): Promise<number[]> {
  const days: number[] = [];
  for (let day = 0; day < 17; day++) {
    const found = await withSnapshot(engine, PROD.id, (snapshot) =>
      snapshot.tenuresAt(ipOf(`10.${day}.0.1`), at(day * DAY_S + 75)),
    );
    if (found.length > 0) days.push(day);
  }
  return days;
}

const bytes = (limit: number) => ({ kind: 'bytes', bytes: limit }) as const;

test('at nine tenths of its limit a store loses its oldest changes, and no tenure', async () => {
  const { engine } = await grownStore();
  const { bytes: size } = await engine.room(bytes(1e9));
  const before = await changesLeft(engine);
  const kept = await engine.keepRoom(bytes(Math.round(size / 0.95)), at(NOW_S));
  const { change: removed = 0, ...others } = kept.removedOfKinds;
  assert.deepEqual(others, {});
  assert.ok(removed > 0 && removed < before, `${removed} of ${before} changes`);
  assert.equal(kept.removedRecords, 0);
  assert.ok(kept.bytes <= 0.9 * (kept.limitBytes ?? 0), `${kept.bytes} bytes of ${kept.limitBytes}`);
  const [range] = await withSnapshot(engine, PROD.id, (snapshot) => snapshot.expired('change'));
  assert.equal(range?.from, at(0));
  const all = { from: at(0), to: at(NOW_S) };
  const of = (day: number) =>
    withSnapshot(engine, PROD.id, (snapshot) =>
      snapshot.occurrences({
        kind: 'change',
        subject: { by: 'uid', uid: `uid-pod-${day}-1` },
        span: all,
        page: { limit: 9 },
      }),
    ).then(({ items }) => items);
  assert.deepEqual(await of(0), []);
  assert.equal((await of(16)).length, 1, 'the newest stay');
  assert.ok((range?.to ?? 0) > at(36_000) && (range?.to ?? 0) < at(16 * DAY_S));
  assert.deepEqual(await withSnapshot(engine, PROD.id, (snapshot) => snapshot.expired()), []);
  assert.equal((await daysLeft(engine)).length, 17);
  await engine.close();
});

test('then whole weeks go, the oldest first, by their files, and answers about them are expired', async () => {
  const { engine, path } = await grownStore();
  const files = readdirSync(`${path}.d`).length;
  assert.equal(files, 2);
  await engine.pruneKind(PROD.id, 'change', at(NOW_S));
  await engine.keepRoom(bytes(64 * KIB), at(0));
  const { bytes: size } = await engine.room(bytes(1e9));
  const kept = await engine.keepRoom(bytes(size - 64 * KIB), at(NOW_S));
  assert.ok(kept.bytes <= (kept.limitBytes ?? 0), `${kept.bytes} bytes of ${kept.limitBytes}`);
  assert.equal(kept.removedRecords, 7 * 400);
  assert.equal(readdirSync(`${path}.d`).length, 1);
  assert.deepEqual(await withSnapshot(engine, PROD.id, (snapshot) => snapshot.expired()), [
    { from: at(0), to: at(WEEK_S) },
  ]);
  assert.deepEqual(await daysLeft(engine), [7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
  await engine.close();
});

test('then days of this week, and the hours of today last; what has not ended stays', async () => {
  const { engine, path } = await grownStore();
  const writer = await engine.takeOver(PROD);
  await writer.append({ facts: [tenureFact(aTenure('10.99.0.1', 'open', 100))] });
  const { bytes: size } = await engine.room(bytes(1e9));
  // Two days of this week's head are left over: less than a week file, more than nothing.
  await engine.keepRoom(bytes(Math.round(size / 20)), at(NOW_S));
  const left = await daysLeft(engine);
  const [range] = await withSnapshot(engine, PROD.id, (snapshot) => snapshot.expired());
  assert.deepEqual(readdirSync(`${path}.d`), []);
  assert.ok(left.length > 0 && left.length < 3 && left.includes(16), `days ${left} are left`);
  assert.equal(range?.to, at((left[0] ?? 0) * DAY_S));
  const { removedRecords } = await engine.keepRoom(bytes(64 * KIB), at(NOW_S));
  assert.ok(removedRecords > 0);
  assert.deepEqual(await daysLeft(engine), []);
  // The last of them ended in the seventh hour of today.
  assert.deepEqual(await withSnapshot(engine, PROD.id, (snapshot) => snapshot.expired()), [
    { from: at(0), to: at(16 * DAY_S + 7 * 3600) },
  ]);
  assert.equal(
    (await withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.99.0.1'), at(200)))).length,
    1,
  );
  // Everything that could go has gone: being asked again ends, and removes nothing.
  assert.equal((await engine.keepRoom(bytes(64 * KIB), at(NOW_S))).removedRecords, 0);
  await engine.close();
});

test('of a week that is not over and sealed already, a part can go', async () => {
  const path = join(directory, `store-${++stores}.db`);
  const filling = await SqliteEngine.open({ path, access: 'write', sealAt: 1 });
  const writer = await filling.takeOver(PROD);
  const facts: StoredFact[] = [coverageFact(aCoverage(0, 3 * DAY_S))];
  for (let day = 0; day < 3; day++) {
    for (let i = 0; i < 1000; i++) {
      const holder = aHolder(`pod-${day}-${i}`, { uid: `uid-${day}-${i}-${'u'.repeat(300)}` });
      facts.push(tenureFact(aTenure(`10.${day}.${i >> 8}.${i & 255}`, holder, day * DAY_S + i, day * DAY_S + i + 30)));
    }
  }
  await writer.append({ facts });
  const now = at(2.5 * DAY_S);
  await filling.maintain(now);
  const engine = await reopened(filling, path);
  await engine.keepRoom(bytes(64 * KIB), at(0));
  const { bytes: size } = await engine.room(bytes(1e9));
  const kept = await engine.keepRoom(bytes(Math.round(size * 0.85)), now);
  assert.ok(kept.bytes <= (kept.limitBytes ?? 0), `${kept.bytes} bytes of ${kept.limitBytes}`);
  assert.deepEqual(await withSnapshot(engine, PROD.id, (snapshot) => snapshot.expired()), [
    { from: at(0), to: at(DAY_S) },
  ]);
  assert.equal(
    (await withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.1'), at(10)))).length,
    0,
  );
  assert.equal(
    (await withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.1.0.1'), at(DAY_S + 10)))).length,
    1,
  );
  assert.match(readdirSync(`${path}.d`).join(), /-g2\.db$/);
  await engine.close();
});

test('a clock that is a year ahead makes no range that hides what is still to come', async () => {
  const { engine } = await grownStore();
  const year = at(NOW_S + 365 * DAY_S);
  await engine.keepRoom(bytes(64 * KIB), year);
  const [range] = await withSnapshot(engine, PROD.id, (snapshot) => snapshot.expired());
  assert.ok(range !== undefined && range.to <= at(NOW_S), `${range?.to} is not after ${at(NOW_S)}`);
  await engine.close();
});

test('the pieces in which time goes: a week, a day, an hour, and never beyond now', () => {
  const now = at(NOW_S + 90);
  const cut = (seconds: number) => nextCut(at(seconds), now);
  assert.equal(cut(5), at(WEEK_S));
  assert.equal(cut(WEEK_S + 5), at(2 * WEEK_S));
  assert.equal(cut(2 * WEEK_S + 5), at(2 * WEEK_S + DAY_S));
  assert.equal(cut(2 * WEEK_S + 2 * DAY_S + 5), at(2 * WEEK_S + 2 * DAY_S + 3600));
  assert.equal(cut(NOW_S + 5), now);
  assert.equal(cut(NOW_S + 90), undefined);
  assert.equal(nextCut(at(100), (at(0) - 1) as EpochMillis), undefined);
});

test('ballast is laid when room is kept, is no part of the store’s size, and goes with a release', async () => {
  const { engine, path } = await grownStore();
  const before = await engine.room(bytes(1e9));
  const kept = await engine.keepRoom(bytes(1e9), at(NOW_S));
  assert.equal(before.ballastBytes, 0);
  assert.equal(kept.ballastBytes, 24 * MIB);
  assert.equal(kept.bytes, before.bytes);
  assert.ok(existsSync(`${path}.ballast`));
  await engine.close();
});
