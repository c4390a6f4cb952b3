// A kind that is in the registry is stored, found, paged, pruned and exported by every engine. The SQLite store is asked
// without its thread: what a test adds to the registry is not known there.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { StoredFact } from '../../model/fact.ts';
import { scratchDirectory } from '../../testing/scratch-directory.ts';
import { canonicalLine } from '../canonical.ts';
import type { Engine } from '../engine.ts';
import { MemoryEngine } from '../memory/memory-engine.ts';
import type { OccurrenceQuestion, Paged } from '../snapshot.ts';
import { InThreadEngine } from '../sqlite/testing/in-thread-engine.ts';
import { ALL, ALWAYS, PROD } from '../testing/contract/contract-stage.ts';
import { addMadeUpKind, aNote, MADE_UP, type Note, noteFact, notesRead } from '../testing/made-up-kind.ts';
import { aChange, aCoverage, at, changeFact, coverageFact, everyKind } from '../testing/record-builders.ts';
import { allRecords, withSnapshot } from '../with-snapshot.ts';
import { MOST_KINDS } from './occurrence-type.ts';
import { OCCURRENCES } from './registry.ts';

const directory = scratchDirectory('occurrences');
let stores = 0;
const nextPath = () => join(directory, `${++stores}.db`);
const ENGINES: Readonly<Record<string, () => Engine>> = {
  'in memory': () => new MemoryEngine(),
  SQLite: () => new InThreadEngine({ path: nextPath(), access: 'write' }),
};

test('every kind has a number of its own, and there is a place for it in the sums', () => {
  const numbers = Array.from(OCCURRENCES.values(), ({ number }) => number);
  assert.equal(new Set(numbers).size, numbers.length);
  assert.ok(numbers.every((number) => number > 0 && number < MOST_KINDS));
});

for (const [name, open] of Object.entries(ENGINES)) {
  suite(`a made-up fourth kind, ${name}`, () => {
    let remove = () => {};
    before(() => void (remove = addMadeUpKind()));
    after(() => remove());

    test('is found by what it is about, in pages, and in its latest version', async () => {
      const engine = open();
      const all = [100, 200, 300].map((seconds) => aNote('web-1', seconds));
      await stored(engine, [...all, aNote('web-2', 150)].map(noteFact));
      await stored(engine, [noteFact(aNote('web-1', 200, { count: 7 }))]);
      await stored(engine, [noteFact(aNote('web-1', 200, { count: 3 }))]);
      const counts = (found: Paged<Note>) => found.items.map(({ name: of, count }) => `${of} ${count}`);
      const byUid = { by: 'uid', uid: 'uid-web-1' } as const;
      assert.deepEqual(counts(await asked(engine, { subject: byUid })), ['web-1 1', 'web-1 7', 'web-1 1']);
      const byName = { by: 'name', namespace: 'shop', name: 'web-2' } as const;
      assert.deepEqual(counts(await asked(engine, { subject: byName })), ['web-2 1']);
      const byWorkload = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
      assert.deepEqual(counts(await asked(engine, { subject: byWorkload })), []);
      assert.deepEqual(counts(await asked(engine, { span: { from: at(150), to: at(300) } })), ['web-2 1', 'web-1 7']);
      const first = await asked(engine, { subject: byUid, page: { limit: 2 } });
      const second = await asked(engine, { subject: byUid, page: { limit: 2, cursor: first.cursor } });
      assert.deepEqual([...first.items, ...second.items], [all[0], { ...all[1], count: 7 }, all[2]]);
      assert.equal(second.cursor, undefined);
      await engine.close();
    });

    test('is found by both objects that it is about, and others are not read for it', async () => {
      const engine = open();
      const others = Array.from({ length: 100 }, (_, i) => aNote(`other-${i}`, 100 + i, { related: 'uid-x' }));
      const [plain, related] = [aNote('web-1', 300), aNote('web-2', 310, { related: 'uid-web-1' })];
      await stored(engine, [...others, plain, related].map(noteFact));
      notesRead.count = 0;
      const found = await asked(engine, { subject: { by: 'uid', uid: 'uid-web-1' } });
      assert.deepEqual(found.items, [plain, related]);
      const byName = { by: 'name', namespace: 'shop', name: 'web-2' } as const;
      assert.deepEqual((await asked(engine, { subject: byName })).items, [related]);
      const byWorkload = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
      assert.deepEqual((await asked(engine, { subject: byWorkload })).items, []);
      assert.ok(notesRead.count <= 3, `${notesRead.count} were read`);
      await engine.close();
    });

    test('has the time of the version that is kept, whichever comes last', async () => {
      const engine = open();
      const kept = aNote('web-1', 200, { count: 7, observedAt: at(8000) });
      await stored(engine, [noteFact(kept), noteFact(aNote('web-1', 200, { count: 3 }))]);
      await stored(engine, [noteFact(aNote('web-2', 300)), noteFact(aNote('web-2', 300, { observedAt: at(9000) }))]);
      assert.deepEqual((await asked(engine, { span: { from: at(0), to: at(8000) } })).items, []);
      const found = await asked(engine, { span: { from: at(8000), to: at(9001) } });
      assert.deepEqual(found.items, [kept, aNote('web-2', 300, { observedAt: at(9000) })]);
      assert.deepEqual((await engine.verify()).damages, []);
      await engine.close();
    });

    test('is pruned alone, with a range of its own, and with all else', async () => {
      const engine = open();
      const times = [100, 200, 300];
      const both = times.flatMap((t) => [noteFact(aNote('web-1', t)), changeFact(aChange('web-1', t))]);
      await stored(engine, [coverageFact(aCoverage(0, 1000)), ...both]);
      assert.equal(await engine.pruneKind(PROD.id, MADE_UP, at(150)), 1);
      await stored(engine, [noteFact(aNote('late', 120))]);
      const ranges = () =>
        withSnapshot(engine, PROD.id, async (s) => [
          await s.expired(),
          await s.expired('change'),
          await s.expired(MADE_UP),
        ]);
      assert.deepEqual(await ranges(), [[], [], [{ from: at(0), to: at(150) }]]);
      assert.equal((await asked(engine, {})).items.length, 2);
      const changes = () =>
        withSnapshot(engine, PROD.id, (s) => s.occurrences({ kind: 'change', span: ALWAYS, page: ALL }));
      assert.equal((await changes()).items.length, 3);
      await engine.prune(PROD.id, at(250));
      assert.deepEqual([(await asked(engine, {})).items.length, (await changes()).items.length], [1, 1]);
      assert.deepEqual(await ranges(), [[{ from: at(0), to: at(250) }], [], [{ from: at(0), to: at(150) }]]);
      await assert.rejects(engine.pruneKind(PROD.id, 'anomaly', at(900)), { code: 'no-own-retention' });
      assert.deepEqual((await engine.verify()).damages, []);
      await engine.close();
    });

    test('is exported as a line of its own after the other kinds, in the order of its times', async () => {
      const engine = open();
      await stored(engine, [noteFact(aNote('web-1', 200)), ...everyKind()]);
      await stored(engine, [noteFact(aNote('web-1', 100))]);
      const lines = await exported(engine);
      const ours = lines.filter((line) => line.includes('"made-up"'));
      assert.deepEqual(
        ours,
        [100, 200].map((seconds) => canonicalLine(noteFact(aNote('web-1', seconds)))),
      );
      const others = new MemoryEngine();
      await stored(others, [...everyKind(), ...[100, 200].map((s) => noteFact(aNote('web-1', s)))]);
      assert.deepEqual(lines, await exported(others));
      await engine.close();
    });
  });
}

test('a row of a kind that is not known, as a newer podtrail may have written it, is reported and not passed over', async () => {
  const path = nextPath();
  const remove = addMadeUpKind();
  const engine = new InThreadEngine({ path, access: 'write' });
  await stored(engine, [noteFact(aNote('web-1', 100)), ...everyKind()]);
  await engine.close();
  remove();
  const older = new InThreadEngine({ path, access: 'read' });
  const { damages } = await older.verify();
  assert.deepEqual(
    damages.map(({ what }) => /occurrences of kind 9, which is not known/.test(what)),
    [true],
  );
  await older.close();
});

test('at nine tenths of the limit a kind with a retention of its own goes before what has none', async () => {
  const remove = addMadeUpKind();
  const engine = new InThreadEngine({ path: nextPath(), access: 'write' });
  const note = 'x'.repeat(2000);
  await stored(engine, [coverageFact(aCoverage(0, 10_000)), ...everyKind()]);
  for (let i = 0; i < 20; i++) {
    const facts = Array.from({ length: 100 }, (_, j) => noteFact(aNote(`pod-${i}-${j}`, 500 + i, { note })));
    await stored(engine, facts);
  }
  const kept = (await exported(engine)).filter((line) => !line.includes('"made-up"'));
  const { removedOfKinds, removedRecords } = await engine.keepRoom({ kind: 'bytes', bytes: 3_000_000 }, at(20_000));
  const { 'made-up': removed = 0 } = removedOfKinds as Readonly<Record<string, number>>;
  assert.ok(removed > 500, `${removed} went`);
  assert.equal(removedRecords, 0);
  const isShared = (line: string) => !/"kind":"(?:made-up|change|life|departure|evidence)"/.test(line);
  assert.deepEqual((await exported(engine)).filter(isShared), kept.filter(isShared));
  await engine.close();
  remove();
});

async function stored(engine: Engine, facts: readonly StoredFact[]): Promise<void> {
  const writer = await engine.takeOver(PROD);
  await writer.append({ facts });
}

async function asked(engine: Engine, question: Partial<OccurrenceQuestion>): Promise<Paged<Note>> {
  const found = await withSnapshot(engine, PROD.id, (snapshot) =>
    snapshot.occurrences({ kind: MADE_UP, span: ALWAYS, page: ALL, ...question }),
  );
  return found as unknown as Paged<Note>;
}

async function exported(engine: Engine): Promise<string[]> {
  const lines: string[] = [];
  for await (const fact of allRecords(engine, PROD.id)) lines.push(canonicalLine(fact));
  return lines;
}
