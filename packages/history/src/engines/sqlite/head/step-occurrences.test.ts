// From version 5 to version 6: killed anywhere the store is the one or the other, and what was damaged or lost before shows
// afterwards.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import { ALL, ALWAYS } from '../../testing/contract/contract-stage.ts';
import { withSnapshot } from '../../with-snapshot.ts';
import { CrashCamera, Killed } from '../testing/crash-camera.ts';
import { CLUSTER } from '../testing/crash-story.ts';
import { exportedText, unpackGolden } from '../testing/golden-store.ts';
import { InThreadEngine } from '../testing/in-thread-engine.ts';
import { FORMAT } from './schema.ts';

const directory = scratchDirectory('step-occurrences');
const SIX = { ...FORMAT, steps: FORMAT.steps.slice(0, 6) };
let stores = 0;

function golden(): { path: string; text: string } {
  const path = join(directory, `${++stores}.db`);
  return { path, text: unpackGolden('v5', path) };
}

function run(path: string, sql: string): unknown {
  const db = new DatabaseSync(path);
  try {
    return Object.values(db.prepare(sql).get() ?? {})[0];
  } finally {
    db.close();
  }
}

for (const [failpoint, version] of [
  ['migrate:stepped', 5],
  ['migrate:committed', 6],
] as const) {
  test(`killed at ${failpoint} the store is whole, of version ${version}, and the next writer finds all of it`, async () => {
    const { path, text } = golden();
    const camera = new CrashCamera(path, failpoint, 1);
    assert.throws(() => new InThreadEngine({ path, access: 'write' }, { failpoints: camera, format: SIX }), Killed);
    assert.equal(run(camera.picture, 'PRAGMA user_version'), version);
    const isOld = run(camera.picture, "SELECT count(*) FROM sqlite_schema WHERE name = 'change'");
    const isNew = run(camera.picture, "SELECT count(*) FROM sqlite_schema WHERE name = 'occurrence'");
    assert.deepEqual([isOld, isNew], version === 5 ? [1, 0] : [0, 1], 'never both, never none');
    const engine = new InThreadEngine({ path: camera.picture, access: 'write' });
    assert.equal(await exportedText(engine), text);
    assert.deepEqual((await engine.verify()).damages, []);
    await engine.close();
  });
}

test('a head that is nearly all changes hardly grows: each part is moved before the next, so that its pages are used again', async () => {
  const { path } = golden();
  const db = new DatabaseSync(path);
  const insert = db.prepare('INSERT INTO change VALUES (1, ?, ?, randomblob(900))');
  db.exec('BEGIN');
  for (let i = 0; i < 20_000; i++) insert.run(`uid-${i % 100}|1|${i}|note`, i);
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const before = statSync(path).size;
  await new InThreadEngine({ path, access: 'write' }).close();
  const after = statSync(path).size;
  assert.ok(after < before * 1.1, `${before} bytes became ${after}`);
  assert.equal(run(path, 'SELECT count(*) FROM occurrence WHERE kind = 1'), 20_002);
});

/** What is done to version 5, and which kinds may not be answered from afterwards. */
const DAMAGES: readonly (readonly [what: string, sql: string, damaged: readonly string[], isRefused: boolean])[] = [
  ['a row that is missing', 'DELETE FROM change WHERE key = (SELECT min(key) FROM change)', ['change'], false],
  ['a flipped byte in a row', `UPDATE anomaly SET body = ${flipped('body', 20)}`, ['anomaly'], false],
  ['a row with a time of another hour', 'UPDATE conflict SET at = at - 7200000', ['conflict'], false],
  ['a tally that is missing', `DELETE FROM tally WHERE ${ofKind(0)}`, ['change'], true],
  ['a flipped byte in a tally', `UPDATE tally SET body = ${flipped('body', 9)} WHERE ${ofKind(2)}`, ['anomaly'], false],
  [
    'a tally in the place of another hour',
    `UPDATE tally SET place = place + 1 WHERE ${ofKind(1)}`,
    ['conflict'],
    false,
  ],
  [
    'a flipped byte in the sums of the cluster',
    `UPDATE root SET body = ${flipped('body', 2070)} WHERE cluster = 1`,
    ['change', 'conflict', 'anomaly'],
    true,
  ],
  [
    'an expired range that was altered',
    'UPDATE cluster SET changes_expired_to = changes_expired_to + 1',
    ['change', 'conflict', 'anomaly'],
    true,
  ],
];

/** With SQLite's own functions: one byte of a value. */
function flipped(column: string, at: number): string {
  const byte = `substr(hex(${column}), ${2 * at + 1}, 2)`;
  const other = `CASE ${byte} WHEN '00' THEN x'01' ELSE x'00' END`;
  return `CAST(substr(${column}, 1, ${at}) || ${other} || substr(${column}, ${at + 2}) AS BLOB)`;
}

function ofKind(place: number): string {
  return `place / 4294967296 % 3 = ${place}`;
}

for (const [what, sql, damaged, isRefused] of DAMAGES) {
  test(`${what} of version 5 shows in later ones, and all else goes on`, async () => {
    const { path } = golden();
    run(path, sql);
    try {
      await new InThreadEngine({ path, access: 'write' }).close();
      assert.equal(isRefused, false, 'nobody writes on top of it');
    } catch (error) {
      assert.ok(isRefused, String(error));
    }
    assert.equal(run(path, 'PRAGMA user_version'), FORMAT.steps.length, 'readers go on with what is whole');
    const engine = new InThreadEngine({ path, access: 'read' });
    const answers: string[] = [];
    for (const kind of ['change', 'conflict', 'anomaly'] as const) {
      const ask = withSnapshot(engine, CLUSTER.id, (s) => s.occurrences({ kind, span: ALWAYS, page: ALL }));
      answers.push(await ask.then(({ items }) => `${kind} ${items.length > 0}`).catch(({ code }) => `${kind} ${code}`));
    }
    const expected = ['change', 'conflict', 'anomaly'].map(
      (kind) => `${kind} ${damaged.includes(kind) ? 'damaged' : 'true'}`,
    );
    assert.deepEqual(answers, expected);
    assert.ok((await engine.verify()).damages.length > 0, 'verify reports it');
    await engine.close();
  });
}
