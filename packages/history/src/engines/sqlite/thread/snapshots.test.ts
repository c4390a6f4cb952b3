// What bounds a snapshot on SQLite: its age, how many there are, and that the log can begin at its start again.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EpochMillis } from '../../../model/time.ts';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import type { LedgerReader, Snapshot } from '../../snapshot.ts';
import {
  aChange,
  aCoverage,
  aTenure,
  at,
  changeFact,
  coverageFact,
  ipOf,
  tenureFact,
} from '../../testing/record-builders.ts';
import { allRecords, withSnapshot } from '../../with-snapshot.ts';
import type { View } from '../head/view.ts';
import { Views } from '../head/views.ts';
import { SqliteEngine } from '../sqlite-engine.ts';
import type { Store } from '../store.ts';
import type { Weeks } from '../week/weeks.ts';
import type { Answer } from './messages.ts';
import { Snapshots } from './snapshots.ts';

const PROD = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };
const directory = scratchDirectory('snapshots');
let stores = 0;
const nextPath = () => join(directory, `${++stores}.db`);
const LONG_NOTE = { text: 'x'.repeat(1_000_000), sha256: undefined };

test('a snapshot that nobody closes is ended by its age: its reads say so, and the log shrinks again', async () => {
  const path = nextPath();
  const engine = await SqliteEngine.open({ path, access: 'write', snapshotLimitMs: 50 });
  const writer = await engine.takeOver(PROD);
  await writer.append({ facts: [coverageFact(aCoverage(0, 10))] });
  const forgotten = await engine.snapshot(PROD.id);
  const before = await forgotten.coverage();
  const write = (second: number) =>
    writer.append({ facts: [changeFact(aChange('web-1', second, { after: LONG_NOTE }))] });
  const expired = async (): Promise<boolean> => {
    try {
      assert.deepEqual(await forgotten.coverage(), before, 'as long as it lives, it shows one state');
      return false;
    } catch (error) {
      assert.equal((error as { code: string }).code, 'snapshot-expired');
      assert.match((error as { hint: string }).hint, /ask for less/);
      return true;
    }
  };
  let second = 1;
  while (!(await expired())) await write(second++);
  // Far beyond the 16 MiB at which the log is brought into the file: an open state would keep it from starting again.
  for (let more = 0; more < 60; more++) await write(second++);
  const { size } = statSync(`${path}-wal`);
  assert.ok(size < 40 << 20, `${size} bytes of log after ${second} commits of 1 MB`);
  await forgotten.close();
  assert.equal((await withSnapshot(engine, PROD.id, (snapshot) => snapshot.coverage())).length, 1);
  await engine.close();
});

test('every snapshot ends by its own age, whichever others were opened before it and are closed', async () => {
  const engine = await SqliteEngine.open({ path: nextPath(), access: 'write', snapshotLimitMs: 100 });
  await (await engine.takeOver(PROD)).append({ facts: [coverageFact(aCoverage(0, 10))] });
  const isOpen = (snapshot: Snapshot) =>
    snapshot.coverage().then(
      () => true,
      ({ code }) => code !== 'snapshot-expired',
    );
  for (let round = 0; round < 3; round++) {
    const first = await engine.snapshot(PROD.id);
    await first.coverage();
    await new Promise((resolve) => setTimeout(resolve, 30));
    const second = await engine.snapshot(PROD.id);
    const began = performance.now();
    await second.coverage();
    if (round > 0) await first.close();
    while (await isOpen(second));
    assert.ok(performance.now() - began >= 99, 'not by the age of another');
    if (round === 0) assert.equal(await isOpen(first), false);
    await Promise.all([first.close(), second.close()]);
  }
  await engine.close();
});

test('a reading that takes longer than a snapshot may live goes on in the next: nothing is missing, nothing comes twice', async () => {
  const path = nextPath();
  const engine = await SqliteEngine.open({ path, access: 'write', snapshotLimitMs: 5 });
  const writer = await engine.takeOver(PROD);
  const tenures = Array.from({ length: 3000 }, (_, i) => aTenure(`10.${i >> 8}.${i & 255}.1`, `web-${i}`, i, i + 10));
  await writer.append({ facts: [coverageFact(aCoverage(0, 9000)), ...tenures.map(tenureFact)] });
  let opened = 0;
  const counting: Pick<LedgerReader, 'snapshot'> = {
    snapshot: (cluster) => {
      opened++;
      return engine.snapshot(cluster);
    },
  };
  const seen: string[] = [];
  let first: Promise<unknown> | undefined;
  for await (const fact of allRecords(counting, PROD.id)) {
    // Until the snapshot of the reading is gone; its limit is that of all others, and this one is opened later.
    first ??= engine.snapshot(PROD.id).then(async (snapshot) => {
      while (
        await snapshot.coverage().then(
          () => true,
          () => false,
        )
      );
    });
    await first;
    if (fact.kind === 'tenure') seen.push(fact.tenure.holder.name);
  }
  assert.ok(opened > 1, `${opened} snapshots`);
  assert.equal(seen.length, 3000);
  assert.equal(new Set(seen).size, 3000);
  await engine.close();
});

test('a question whose week file was replaced meanwhile is asked again, and gets its answer', async () => {
  const path = nextPath();
  const engine = await SqliteEngine.open({ path, access: 'write', sealAt: 1 });
  const writer = await engine.takeOver(PROD);
  const seal = () => engine.maintain(8_640_000_000_000_000 as EpochMillis);
  await writer.append({ facts: [tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200))] });
  await seal();
  const reader = await SqliteEngine.open({ path, access: 'read' });
  let asked = 0;
  const names = await withSnapshot(reader, PROD.id, async (snapshot) => {
    assert.deepEqual(await snapshot.coverage(), [], 'the state is fixed, and the file is not open yet');
    if (++asked === 1) {
      await writer.append({ facts: [tenureFact(aTenure('10.0.0.7', 'web-2', 300, 400))] });
      await seal();
    }
    const found = await snapshot.tenuresOfIp(ipOf('10.0.0.7'), { from: at(0), to: at(500) }, { limit: 10 });
    return found.items.map(({ holder }) => holder.name);
  });
  assert.deepEqual([names, asked], [['web-1', 'web-2'], 2]);
  await reader.close();
  await engine.close();
});

test('when the log has grown long, all snapshots are closed before the next is opened: only then it begins at its start again', () => {
  let now = 0;
  let isLogLong = false;
  let commits = 0;
  const view = () => ({ begin() {}, end() {}, close() {}, layout: 1, files: new Set() }) as unknown as View;
  const weeks = { forgetUnlisted() {} } as unknown as Weeks;
  const views = new Views({
    connect: view,
    weeks,
    version: () => commits++,
    isLogLong: () => isLogLong,
    now: () => now,
  });
  let open = views.take();
  for (; now < 5_000; now += 100) {
    const next = views.take();
    assert.ok(open !== undefined && next !== undefined);
    views.give(open);
    open = next;
  }
  now += 100;
  const beside = views.take();
  assert.ok(beside !== undefined, 'nobody waits for a long reading while the log is short');
  views.give(beside);
  isLogLong = true;
  assert.equal(views.take(), undefined, 'there has always been one for five seconds');
  views.give(open!);
  const after = views.take();
  assert.ok(after !== undefined);
  const all = [after, ...Array.from({ length: 7 }, () => views.take())];
  assert.ok(all.every((one) => one !== undefined));
  assert.equal(views.take(), undefined, 'eight are as many as there may be');
});

test('snapshots that overlap while nothing is committed share one connection, and the next state has its own', () => {
  let connections = 0;
  let commits = 0;
  const ended: number[] = [];
  const connect = () => {
    const number = ++connections;
    return { begin() {}, end: () => ended.push(number), close() {}, layout: 1, files: new Set() } as unknown as View;
  };
  const weeks = { forgetUnlisted() {} } as unknown as Weeks;
  const views = new Views({ connect, weeks, version: () => commits, isLogLong: () => false });
  const [alone, second, third] = [views.take()!, views.take()!, views.take()!];
  assert.notEqual(second, alone, 'of the first one it is not known whether it is still the present state');
  assert.equal(third, second);
  views.give(alone);
  commits++;
  const later = views.take()!;
  assert.notEqual(later, second, 'a commit later the state is another');
  views.give(second);
  assert.deepEqual(ended, [1], 'as long as one of them reads, the state is kept');
  views.give(third);
  views.give(later);
  assert.deepEqual([ended, connections], [[1, 2, 1], 2]);
});

test('reads that wait for their snapshot are answered when it is closed: nobody waits for ever', () => {
  const answered: Answer[] = [];
  const store = { path: 'store.db', takeView: () => undefined } as unknown as Store;
  const snapshots = new Snapshots(
    store,
    1000,
    (answers) => answered.push(...answers),
    () => assert.fail('no points are asked for'),
  );
  snapshots.begin(1);
  assert.equal(snapshots.read([7, 1, 'coverage', PROD.id]), undefined, 'there is no view for it yet');
  snapshots.end(1);
  assert.deepEqual(
    answered.map((answer) => [answer.id, 'error' in answer && answer.error.code]),
    [[7, 'snapshot-closed']],
  );
});
