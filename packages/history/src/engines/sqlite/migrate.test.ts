// Stores of older versions: every released one by its golden files, and one of a made-up next version, so that the way
// there has been walked before anybody needs it.

import assert from 'node:assert/strict';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { scratchDirectory } from '../../testing/scratch-directory.ts';
import type { Engine } from '../engine.ts';
import { at, ipOf } from '../testing/record-builders.ts';
import { withSnapshot } from '../with-snapshot.ts';
import { FAILPOINTS, type Failpoint } from './failpoints.ts';
import { FORMAT, type Format } from './head/schema.ts';
import { plannedMigration } from './migrate.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import { CrashCamera, Killed } from './testing/crash-camera.ts';
import { CLUSTER } from './testing/crash-story.ts';
import { exportedText, GOLDEN, unpackGolden } from './testing/golden-store.ts';
import { InThreadEngine } from './testing/in-thread-engine.ts';

const directory = scratchDirectory('migrate');
const DAY_S = 86_400;
let stores = 0;

/** Two steps, so that a kill may come between them; and another version of week files. */
const NEXT: Format = {
  steps: [
    ...FORMAT.steps,
    { title: 'a place for notes', apply: (db) => db.exec('ALTER TABLE cluster ADD COLUMN note TEXT') },
    { title: 'notes that say hello', apply: (db) => db.exec("UPDATE cluster SET note = 'hello'") },
  ],
  weekVersion: FORMAT.weekVersion + 1,
};
const CURRENT = FORMAT.steps.length;

function golden(version: string): { path: string; text: string } {
  const path = join(directory, `${++stores}.db`);
  return { path, text: unpackGolden(version, path) };
}

/** What is known of the golden store's story. */
async function askGolden(engine: Engine): Promise<void> {
  const who = async (ip: string, day: number) =>
    (await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.tenuresAt(ipOf(ip), at(day * DAY_S)))).map(
      ({ holder }) => holder.name,
    );
  assert.deepEqual(await who('10.0.1.2', 17), ['pod-8-1'], 'sealed');
  assert.deepEqual(await who('10.0.1.0', 25), ['pod-12-1'], 'in the head');
  assert.deepEqual(await who('10.0.1.0', 1), [], 'expired');
  assert.deepEqual(await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.expired()), [
    { from: at(0), to: at(8 * DAY_S) },
  ]);
  assert.equal((await engine.resume(CLUSTER.id)).checkpoint?.resourceVersion, '99999');
  const { items } = await withSnapshot(engine, CLUSTER.id, (snapshot) =>
    snapshot.placementsOf({ by: 'uid', uid: 'uid-pod-9-3' }, { from: at(0), to: at(60 * DAY_S) }, { limit: 10 }),
  );
  assert.deepEqual(
    items.map(({ pod, end }) => [pod.name, end !== undefined]),
    [['pod-9-3', true]],
  );
}

test('there is a golden store of every released version', () => {
  const versions = FORMAT.steps.map((_, i) => `v${i + 1}`);
  assert.deepEqual(readdirSync(GOLDEN).sort(), versions);
});

for (const version of readdirSync(GOLDEN)) {
  test(`the golden store ${version} is whole, answers what is known of it, and exports the same bytes`, async () => {
    const { path, text } = golden(version);
    for (const access of ['write', 'read'] as const) {
      const engine = await SqliteEngine.open({ path, access });
      assert.deepEqual((await engine.verify()).damages, []);
      if (access === 'write') await engine.migrate();
      await askGolden(engine);
      assert.equal(await exportedText(engine), text);
      await engine.close();
    }
  });
}

test('an older store is refused to readers and left as it is; what migrating would do can be asked', async () => {
  const { path } = golden(`v${CURRENT}`);
  assert.throws(() => new InThreadEngine({ path, access: 'read' }, { format: NEXT }), { code: 'store-older' });
  const weeks = readdirSync(`${path}.d`);
  assert.deepEqual(plannedMigration(path, NEXT), {
    from: CURRENT,
    to: CURRENT + 2,
    steps: ['a place for notes', 'notes that say hello'],
    files: weeks.length,
  });
  assert.deepEqual(plannedMigration(path), { from: CURRENT, to: CURRENT, steps: [], files: 0 });
  assert.throws(() => plannedMigration(join(directory, 'nothing.db')), { code: 'no-store' });
  truncateSync(join(`${path}.d`, weeks[1]!), 65_536);
  assert.throws(() => plannedMigration(path, NEXT), { code: 'damaged', message: new RegExp(weeks[1]!) });
});

test('a writer migrates the head, week files are read as they are and rewritten when asked, and no answer changes', async () => {
  const { path, text } = golden(`v${CURRENT}`);
  const old = readdirSync(`${path}.d`);
  const engine = new InThreadEngine({ path, access: 'write', sealAt: 1 }, { format: NEXT });
  assert.equal(await exportedText(engine), text, 'before the week files');
  assert.deepEqual(readdirSync(`${path}.d`), old);
  const done = await engine.migrate();
  assert.deepEqual([done.from, done.to, done.steps.length, done.files], [CURRENT, CURRENT + 2, 2, old.length]);
  assert.equal((await engine.migrate()).files, 0, 'nothing is left to do');
  assert.equal(await exportedText(engine), text);
  await askGolden(engine);
  assert.deepEqual((await engine.verify()).damages, []);
  await engine.close();

  const renewed = readdirSync(`${path}.d`);
  assert.equal(renewed.length, old.length);
  for (const file of renewed) {
    assert.ok(!old.includes(file));
    assert.equal(read(join(`${path}.d`, file), 'PRAGMA user_version'), NEXT.weekVersion);
  }
  assert.equal(read(path, 'PRAGMA user_version'), CURRENT + 2);
  assert.equal(read(path, 'SELECT note FROM cluster'), 'hello');
  const again = new InThreadEngine({ path, access: 'write' }, { format: NEXT });
  assert.deepEqual(await again.migrate(), { from: CURRENT + 2, to: CURRENT + 2, steps: [], files: 0 });
  await again.close();
  assert.throws(() => new InThreadEngine({ path, access: 'write' }), { code: 'store-newer' });
  assert.throws(() => plannedMigration(path), { code: 'store-newer' });
});

test('a week file of a newer version is refused as such', async () => {
  const { path } = golden(`v${CURRENT}`);
  const engine = new InThreadEngine({ path, access: 'write', sealAt: 1 }, { format: { ...NEXT, steps: FORMAT.steps } });
  await engine.migrate();
  await engine.close();
  const older = new InThreadEngine({ path, access: 'read' });
  await assert.rejects(
    withSnapshot(older, CLUSTER.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.1.2'), at(17 * DAY_S))),
    { code: 'store-newer' },
  );
  await older.close();
});

const ON_THE_WAY = FAILPOINTS.filter((name) => name.startsWith('migrate:') || name.startsWith('seal:'));
for (const failpoint of ON_THE_WAY) {
  for (const nth of [1, 2]) {
    test(`killed at ${failpoint}, passing ${nth}, while migrating: the next writer finishes it, and no answer changes`, async () => {
      const { path, text } = golden(`v${CURRENT}`);
      const camera = new CrashCamera(path, failpoint, nth);
      const isHead = failpoint.startsWith('migrate:');
      await assert.rejects(migrated(path, camera), Killed);
      const version = Number(read(camera.picture, 'PRAGMA user_version'));
      assert.equal(version, CURRENT + (isHead ? stepsDone(failpoint, nth) : 2), 'steps are whole or not there');

      const engine = new InThreadEngine({ path: camera.picture, access: 'write', sealAt: 1 }, { format: NEXT });
      assert.equal(await exportedText(engine), text, 'before the rest');
      await engine.migrate();
      assert.equal(await exportedText(engine), text);
      await askGolden(engine);
      assert.deepEqual((await engine.verify()).damages, []);
      await engine.close();
      assert.equal(read(camera.picture, 'SELECT note FROM cluster'), 'hello');
    });
  }
}

test('a step that fails changes nothing, and the steps before it stay', () => {
  const { path } = golden(`v${CURRENT}`);
  const broken: Format = {
    ...NEXT,
    steps: [
      ...NEXT.steps.slice(0, -1),
      { title: 'fails', apply: (db) => db.exec('CREATE TABLE half (a); CREATE TABLE cluster (a)') },
    ],
  };
  assert.throws(() => new InThreadEngine({ path, access: 'write' }, { format: broken }), /already exists/);
  assert.equal(read(path, 'PRAGMA user_version'), CURRENT + 1);
  assert.equal(read(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), 0);
});

async function migrated(path: string, camera: CrashCamera): Promise<void> {
  const engine = new InThreadEngine({ path, access: 'write', sealAt: 1 }, { format: NEXT, failpoints: camera });
  try {
    await engine.migrate();
  } finally {
    await engine.close();
  }
}

function stepsDone(failpoint: Failpoint, nth: number): number {
  return failpoint === 'migrate:committed' ? nth : nth - 1;
}

function read(path: string, sql: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return Object.values(db.prepare(sql).get() ?? {})[0];
  } finally {
    db.close();
  }
}
