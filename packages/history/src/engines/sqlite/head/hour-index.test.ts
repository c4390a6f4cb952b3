// A question about one subject reads what is about it, and nothing of what that rests on is believed without a checksum.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type OccurrenceKind, occurrenceFact } from '../../../model/occurrence.ts';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import { MemoryEngine } from '../../memory/memory-engine.ts';
import type { LedgerReader, Subject } from '../../snapshot.ts';
import { ALL, ALWAYS, PROD } from '../../testing/contract/contract-stage.ts';
import {
  aChange,
  aCoverage,
  aPieceOfEvidence,
  aPodLife,
  at,
  changeFact,
  coverageFact,
} from '../../testing/record-builders.ts';
import { withSnapshot } from '../../with-snapshot.ts';
import { unpackGolden } from '../testing/golden-store.ts';
import { InThreadEngine } from '../testing/in-thread-engine.ts';

const directory = scratchDirectory('hour-index');
const HOUR_S = 3600;
const SOON = at(50 * HOUR_S);
let stores = 0;

const evidence = (pod: number, seconds: number, more = {}) =>
  occurrenceFact('evidence', aPieceOfEvidence(`web-${pod}`, seconds, more));

/** Three hours, each with evidence about a hundred pods, some of it with another object; and lives, and a change. */
function facts() {
  const found = [coverageFact(aCoverage(0, 40 * HOUR_S)), changeFact(aChange('web-7', 9))];
  for (let n = 0; n < 300; n++) {
    const related = { kind: 'Pod', namespace: 'shop', name: `web-${(n + 50) % 100}`, uid: `uid-web-${(n + 50) % 100}` };
    found.push(evidence(n % 100, 30 * n, n % 10 === 0 ? { related } : {}));
    if (n < 100) found.push(occurrenceFact('life', aPodLife(`web-${n}`, 30 * n)));
  }
  return found;
}

interface Filled {
  readonly path: string;
  readonly engine: InThreadEngine;
}

async function filled({ worth = 1, now = SOON } = {}): Promise<Filled> {
  const path = join(directory, `${++stores}.db`);
  const engine = new InThreadEngine({ path, access: 'write', sealAt: worth });
  const writer = await engine.takeOver(PROD);
  await writer.append({ facts: facts() });
  await engine.maintain(now);
  return { path, engine };
}

const ofPod = (pod: number): Subject => ({ by: 'uid', uid: `uid-web-${pod}` });

async function ask(reader: LedgerReader, subject: Subject, kind: OccurrenceKind = 'evidence') {
  const { items } = await withSnapshot(reader, PROD.id, (snapshot) =>
    snapshot.occurrences({ kind, subject, span: ALWAYS, page: ALL }),
  );
  return items;
}

/** Behind the store's back, while nobody has it open. */
async function reopened({ path, engine }: Filled, sql: string): Promise<InThreadEngine> {
  await engine.close();
  const db = new DatabaseSync(path);
  const before = db.prepare('SELECT total_changes() AS n').get()?.['n'];
  db.exec(sql);
  assert.notEqual(db.prepare('SELECT total_changes() AS n').get()?.['n'], before, 'something is changed');
  db.close();
  return new InThreadEngine({ path, access: 'read' });
}

function count(path: string, table: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  } finally {
    db.close();
  }
}

const EVIDENCE = 6;
const rowOf = (id: string) => `kind = ${EVIDENCE} AND key = '${id}'`;

test('every subject of every kind has the answers of the engine in memory', async () => {
  const { engine } = await filled();
  const memory = new MemoryEngine();
  await (await memory.takeOver(PROD)).append({ facts: facts() });
  const named = (name: string): Subject => ({ by: 'name', namespace: 'shop', name });
  const subjects: Subject[] = [ofPod(7), ofPod(50), ofPod(1000), named('web-60'), { by: 'uid', uid: 'uid-web-5d9' }];
  subjects.push({ by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' });
  for (const kind of ['evidence', 'life', 'change'] as const) {
    for (const subject of subjects) {
      assert.deepEqual(await ask(engine, subject, kind), await ask(memory, subject, kind), `${kind} ${subject.by}`);
    }
  }
  assert.deepEqual((await engine.verify()).damages, []);
  await engine.close();
});

test('a damaged record of somebody else in the same hour is not read', async () => {
  const store = await filled();
  const engine = await reopened(store, `UPDATE occurrence SET body = x'00' WHERE ${rowOf('evidence-web-8-240')}`);
  assert.equal((await ask(engine, ofPod(7))).length, 3);
  await assert.rejects(ask(engine, ofPod(8)), { code: 'damaged' });
  await engine.close();
});

test('a record that is missing is missed: by its subject, and by no other', async () => {
  const store = await filled();
  const engine = await reopened(store, `DELETE FROM occurrence WHERE ${rowOf('evidence-web-8-240')}`);
  await assert.rejects(ask(engine, ofPod(8)), { code: 'damaged' });
  assert.equal((await ask(engine, ofPod(7))).length, 3);
  await engine.close();
});

test('an older version of a record in the place of the newer one is refused', async () => {
  const store = await filled();
  const db = new DatabaseSync(store.path);
  const old = db.prepare(`SELECT hex(body) AS body FROM occurrence WHERE ${rowOf('evidence-web-8-240')}`).get();
  db.close();
  const writer = await store.engine.takeOver(PROD);
  await writer.append({ facts: [evidence(8, 240, { count: 9 })] });
  await store.engine.maintain(SOON);
  const sql = `UPDATE occurrence SET body = x'${String(old?.['body'])}' WHERE ${rowOf('evidence-web-8-240')}`;
  const engine = await reopened(store, sql);
  await assert.rejects(ask(engine, ofPod(8)), { code: 'damaged' });
  await engine.close();
});

for (const [what, sql] of [
  ['without its index', 'DELETE FROM hour_index'],
  ['without the parts of its index', 'DELETE FROM hour_part'],
  [
    'with an index of which a byte is flipped',
    "UPDATE hour_index SET body = CAST(substr(body, 1, 30) || x'99' || substr(body, 32) AS BLOB)",
  ],
  ['with parts of which a byte is flipped', "UPDATE hour_part SET body = CAST(x'99' || substr(body, 2) AS BLOB)"],
  [
    'with the index of another hour',
    'UPDATE hour_index SET body = (SELECT body FROM hour_index AS other WHERE other.place <> hour_index.place LIMIT 1)',
  ],
  [
    'with the parts of another hour',
    'UPDATE hour_part SET body = (SELECT body FROM hour_part AS other WHERE other.number <> hour_part.number LIMIT 1)',
  ],
] as const) {
  test(`an hour ${what} is read as a whole, and answers the same`, async () => {
    const store = await filled();
    const expected = await ask(store.engine, ofPod(7));
    const engine = await reopened(store, sql);
    assert.deepEqual(await ask(engine, ofPod(7)), expected);
    const { damages } = await engine.verify();
    assert.equal(damages.length > 0, what !== 'without its index', 'verify reports it');
    for (const { where } of damages) assert.match(where, /^head, index of \w+ records of the hour from /);
    await engine.close();
    const writer = new InThreadEngine({ path: store.path, access: 'write', sealAt: 1 });
    assert.deepEqual(await ask(writer, ofPod(7)), expected);
    await writer.close();
  });
}

test('what is written to an hour that has an index is found, before the next maintenance and after it', async () => {
  const { engine } = await filled();
  const writer = await engine.takeOver(PROD);
  await writer.append({ facts: [evidence(7, 211), evidence(7, 210, { count: 5 })] });
  const counts = async () => (await ask(engine, ofPod(7))).map((one) => 'count' in one && one.count);
  assert.deepEqual(await counts(), [5, 1, 1, 1]);
  await engine.maintain(SOON);
  assert.deepEqual(await counts(), [5, 1, 1, 1]);
  assert.deepEqual((await engine.verify()).damages, []);
  await engine.close();
});

test('an hour that is not over, or that has few records, has no index', async () => {
  const early = await filled({ now: at(-HOUR_S) });
  assert.equal(count(early.path, 'hour_index'), 0);
  await early.engine.close();
  const few = await filled({ worth: 100_000 });
  // Evidence only: 120 rows an hour, and lives of one hour.
  assert.equal(count(few.path, 'hour_index'), 4);
  await few.engine.close();
});

test('what is pruned takes its index along, kind by kind', async () => {
  const { path, engine } = await filled();
  const before = count(path, 'hour_index');
  await engine.pruneKind(PROD.id, 'evidence', at(HOUR_S));
  assert.equal(count(path, 'hour_index'), Number(before) - 1);
  assert.equal((await ask(engine, ofPod(7))).length, 1);
  assert.equal((await ask(engine, ofPod(7), 'life')).length, 1);
  await engine.prune(PROD.id, at(40 * HOUR_S));
  assert.deepEqual([count(path, 'hour_index'), count(path, 'hour_part')], [0, 0]);
  assert.deepEqual((await engine.verify()).damages, []);
  await engine.close();
});

test('a store of version 7 gets its indexes with the first maintenance, and answers the same before and after', async () => {
  const path = join(directory, `${++stores}.db`);
  unpackGolden('v7', path);
  const engine = new InThreadEngine({ path, access: 'write', sealAt: 1 });
  const [cluster] = await engine.clusters();
  const lives = async () => {
    const { items } = await withSnapshot(engine, cluster!.id, (snapshot) =>
      snapshot.occurrences({ kind: 'life', subject: { by: 'uid', uid: 'uid-pod-1-1' }, span: ALWAYS, page: ALL }),
    );
    return items;
  };
  const before = await lives();
  assert.deepEqual([before.length, count(path, 'hour_index')], [1, 0]);
  await engine.maintain(at(1000 * 86_400));
  assert.notEqual(count(path, 'hour_index'), 0);
  assert.deepEqual(await lives(), before);
  await engine.close();
});
