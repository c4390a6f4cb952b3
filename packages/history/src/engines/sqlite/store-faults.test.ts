// Everything that can be wrong with a store's files, place and neighbours: each is a code, a sentence and a hint, and
// nothing stored is lost.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { HistoryError } from '../../errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Engine } from '../engine.ts';
import { openStore } from '../open-store.ts';
import { PROD } from '../testing/contract/contract-stage.ts';
import {
  aChange,
  aCoverage,
  aHolder,
  aPlacement,
  aTenure,
  at,
  changeFact,
  coverageFact,
  ipOf,
  placementFact,
  tenureFact,
} from '../testing/record-builders.ts';
import { withSnapshot } from '../with-snapshot.ts';
import { asHistoryError } from './faults.ts';
import { refuseOldSqlite } from './head/head.ts';
import { SqliteEngine, type SqliteOptions } from './sqlite-engine.ts';
import { exportedText, writeGoldenStore } from './testing/golden-store.ts';
import { placeForOthers, sourceForOthers } from './testing/sources-for-others.ts';

const directory = mkdtempSync(join(tmpdir(), 'podtrail-faults-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const FOREVER = 8_640_000_000_000_000 as EpochMillis;
let stores = 0;

function freshPath(): string {
  return join(directory, `store-${++stores}.db`);
}

function opened(path: string, more: Partial<SqliteOptions> = {}): Promise<SqliteEngine> {
  return SqliteEngine.open({ path, access: 'write', sealAt: 1, ...more });
}

/** A closed store with two tenures in the head; sealed ones if asked. */
async function filledStore(seal: boolean): Promise<string> {
  const path = freshPath();
  const engine = await opened(path);
  const writer = await engine.takeOver(PROD);
  const facts = [];
  for (let i = 0; i < 40; i++) {
    const holder = aHolder(`pod-${i}`, { uid: `uid-${i}-${'x'.repeat(20)}` });
    facts.push(tenureFact(aTenure(`10.0.0.${i}`, holder, 100, 200)), placementFact(aPlacement(holder, 90, 200)));
  }
  await writer.append({ facts: [...facts, coverageFact(aCoverage(0, 500))] });
  if (seal) await engine.maintain(FOREVER);
  await engine.close();
  return path;
}

async function refusal(attempt: Promise<unknown>): Promise<HistoryError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof HistoryError, `refused with a HistoryError, not ${error}`);
  assert.ok(error.hint !== undefined && error.hint.length > 10, 'has a hint');
  return error;
}

test('a store path that is a directory is refused with the file to name', async () => {
  const path = freshPath();
  mkdirSync(path);
  for (const access of ['read', 'write'] as const) {
    const error = await refusal(openStore(`sqlite:${path}`, { access }));
    assert.equal(error.code, 'store-is-directory');
    assert.match(error.hint ?? '', new RegExp(`--store sqlite:${path}/ledger\\.db`));
  }
});

test('what SQLite and Node say of a broken disk or a broken number is a sentence with what to do', () => {
  const db = new DatabaseSync(':memory:');
  let number: unknown;
  try {
    db.prepare('SELECT 9007199254740993').get();
  } catch (error) {
    number = error;
  }
  db.close();
  assert.match(String(number), /too large to be represented/);
  const damaged = asHistoryError(number, '/x.db') as HistoryError;
  assert.deepEqual([damaged.code, /store verify/.test(damaged.hint ?? '')], ['store-damaged', true]);
  const broken = asHistoryError(Object.assign(new Error('disk I/O error'), { errcode: 10 }), '/x.db') as HistoryError;
  assert.match(broken.message, /\/x\.db failed with an I\/O error of the disk/);
});

test('a missing store is not created by reading', async () => {
  const path = freshPath();
  assert.equal((await refusal(opened(path, { access: 'read' }))).code, 'no-store');
  assert.equal(existsSync(path), false);
});

test('a store file from a newer version is refused, and left as it is', async () => {
  const path = await filledStore(false);
  const db = new DatabaseSync(path);
  db.exec('PRAGMA user_version = 99');
  db.close();
  const before = readFileSync(path);
  for (const access of ['read', 'write'] as const) {
    const error = await refusal(opened(path, { access }));
    assert.equal(error.code, 'store-newer');
    assert.match(error.message, /version 99/);
  }
  assert.deepEqual(readFileSync(path), before);
});

test('a file that is something else is refused, and left as it is', async () => {
  const contents: Record<string, Buffer> = {
    'a text': Buffer.from('not a database, but longer than a header would be: '.repeat(5)),
    'a short file': Buffer.from('SQLite format 3\0'),
  };
  for (const [what, bytes] of Object.entries(contents)) {
    const path = freshPath();
    writeFileSync(path, bytes);
    assert.equal((await refusal(opened(path))).code, 'store-damaged', what);
    assert.deepEqual(readFileSync(path), bytes, what);
  }
  const foreign = freshPath();
  const db = new DatabaseSync(foreign);
  db.exec('CREATE TABLE theirs (a); PRAGMA user_version = 7');
  db.close();
  assert.equal((await refusal(opened(foreign))).code, 'store-damaged');
});

test('a truncated store is refused or says so when asked, never answered from', async () => {
  const path = await filledStore(false);
  truncateSync(path, 4096 * 4);
  const attempt = async (): Promise<void> => {
    const engine = await opened(path);
    try {
      await withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.1'), at(150)));
    } finally {
      await engine.close();
    }
  };
  assert.ok(['store-damaged', 'damaged'].includes((await refusal(attempt())).code));
});

test('a truncated week file is refused when it is asked', async () => {
  const path = await filledStore(true);
  const [week] = readdirSync(`${path}.d`);
  truncateSync(join(`${path}.d`, week!), 65536);
  const engine = await opened(path);
  assert.equal(
    (await refusal(withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.1'), at(150))))).code,
    'damaged',
  );
  const { damages } = await engine.verify();
  assert.ok(damages.length > 0);
  await engine.close();
});

test('sealed weeks without their head are kept: no new head is made beside them', async () => {
  for (const lose of [(path: string) => rmSync(path), (path: string) => truncateSync(path, 0)]) {
    const path = await filledStore(true);
    const weeks = readdirSync(`${path}.d`);
    lose(path);
    const error = await refusal(opened(path));
    assert.equal(error.code, 'head-lost');
    assert.match(error.hint ?? '', /backup/);
    assert.equal((await refusal(opened(path, { access: 'read' }))).code, 'no-store');
    assert.deepEqual(readdirSync(`${path}.d`), weeks);
  }
});

test('of files that the head does not list only leftovers go: drafts, replaced editions and expired weeks', async () => {
  const path = await filledStore(true);
  const [listed] = readdirSync(`${path}.d`) as [string];
  const week = /^(\d+)-W(\d+)/.exec(listed)!;
  const next = `${week[1]}-W${Number(week[2]) + 1}-c1-g1.db`;
  for (const file of [`${listed}.draft`, listed.replace('-g1', '-g2'), next])
    writeFileSync(join(`${path}.d`, file), '');
  await (await opened(path)).close();
  // A week that this head knows nothing of may be newer than the head.
  assert.deepEqual(readdirSync(`${path}.d`).sort(), [listed, next].sort());
  const engine = await opened(path);
  await engine.prune(PROD.id, at(30 * 86_400));
  await engine.close();
  await (await opened(path)).close();
  assert.deepEqual(readdirSync(`${path}.d`), []);
});

test('a directory that cannot be written is refused with a sentence', async () => {
  const place = join(directory, 'a-file');
  writeFileSync(place, '');
  const error = await refusal(opened(join(place, 'store.db')));
  assert.equal(error.code, 'store-not-writable');
});

test('a directory that this user may not write to is refused with a sentence, also as another user than whose the clone is', async (t) => {
  const open = placeForOthers('podtrail-faults-');
  t.after(() => rmSync(open, { recursive: true, force: true }));
  const engine = sourceForOthers(open, 'engines/sqlite/sqlite-engine.ts');
  const readOnly = join(open, 'read-only');
  mkdirSync(readOnly);
  execFileSync('chmod', ['0555', readOnly]);
  const script = `
    if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
    const { SqliteEngine } = await import(${JSON.stringify(engine)});
    for (const access of ['write', 'read']) {
      await SqliteEngine.open({ path: ${JSON.stringify(join(readOnly, 'store.db'))}, access })
        .catch((error) => console.log(error.code));
    }`;
  const say = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', cwd: open });
  assert.deepEqual(say().trim().split('\n'), ['store-not-writable', 'no-store']);
  execFileSync('chmod', ['0755', readOnly]);
  copyFileSync(await filledStore(false), join(readOnly, 'store.db'));
  execFileSync('chmod', ['0555', readOnly]);
  assert.deepEqual(say().trim().split('\n'), ['store-not-writable', 'store-not-readable']);
});

test('two recorders on one store: the second learns who writes there', async () => {
  const path = freshPath();
  const engine = await opened(path);
  const error = await refusal(opened(path));
  assert.equal(error.code, 'store-in-use');
  assert.match(error.message, new RegExp(`process ${process.pid} on `));
  await engine.close();
  await (await opened(path)).close();
});

test('a killed recorder leaves no lock behind, and readers beside a writer see what it has stored', async () => {
  const path = freshPath();
  const child = spawn(process.execPath, [new URL('./testing/held-store.ts', import.meta.url).pathname, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    assert.match((await refusal(opened(path))).message, new RegExp(`process ${child.pid} on `));
    const reader = await opened(path, { access: 'read' });
    assert.equal(
      (await withSnapshot(reader, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.1'), at(150)))).length,
      1,
    );
    child.stdin.write('more\n');
    await once(child.stdout, 'data');
    assert.equal(
      (await withSnapshot(reader, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.2'), at(150)))).length,
      1,
    );
    assert.equal((await refusal(reader.takeOver(PROD))).code, 'read-only');
    await reader.close();
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  const next = await opened(path);
  assert.equal(
    (await withSnapshot(next, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.2'), at(150)))).length,
    1,
  );
  await next.close();
});

test('fault 19: while another program locks the database appends wait, reads go on, and the event loop never blocks', async () => {
  const path = await filledStore(false);
  const engine = await opened(path);
  const writer = await engine.takeOver(PROD);
  const other = new DatabaseSync(path, { timeout: 0 });
  other.exec('BEGIN IMMEDIATE');
  let isStored = false;
  const append = writer.append({ facts: [tenureFact(aTenure('10.9.9.9', 'late', 100))] }).then(() => {
    isStored = true;
  });
  let longest = 0;
  for (let i = 0; i < 20; i++) {
    const before = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    longest = Math.max(longest, performance.now() - before);
    assert.equal(
      (await withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.1'), at(150)))).length,
      1,
    );
  }
  assert.equal(isStored, false);
  other.exec('COMMIT');
  other.close();
  await append;
  assert.equal(
    (await withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.9.9.9'), at(150)))).length,
    1,
  );
  assert.ok(longest < 500, `a turn of the event loop took ${longest} ms`);
  await engine.close();
});

test('fault 19: a lock that is never let go is a refusal after a while, and nothing is lost', async () => {
  const path = await filledStore(false);
  const engine = await opened(path, { lockPatienceMs: 100 });
  const writer = await engine.takeOver(PROD);
  const other = new DatabaseSync(path, { timeout: 0 });
  other.exec('BEGIN IMMEDIATE');
  const batch = { facts: [tenureFact(aTenure('10.9.9.9', 'late', 100))] };
  assert.equal((await refusal(writer.append(batch))).code, 'store-locked');
  other.exec('COMMIT');
  other.close();
  await writer.append(batch);
  assert.equal(
    (await withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.9.9.9'), at(150)))).length,
    1,
  );
  await engine.close();
});

test('fault 16: a full disk refuses appends, keeps everything, and heals when there is room again', async (t) => {
  const place = join(directory, 'small-disk');
  mkdirSync(place);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'podtrail-test', place], { stdio: 'ignore' });
  } catch {
    t.skip('this user may not mount a small disk');
    return;
  }
  try {
    await fillDisk(join(place, 'store.db'), join(place, 'ballast'));
  } finally {
    execFileSync('umount', [place]);
  }
});

async function fillDisk(path: string, ballast: string): Promise<void> {
  writeFileSync(ballast, Buffer.alloc(1200 * 1024));
  const engine = await opened(path);
  const writer = await engine.takeOver(PROD);
  const value = { text: 'x'.repeat(4000), sha256: undefined };
  const facts = (round: number) =>
    Array.from({ length: 20 }, (_, i) =>
      changeFact(aChange(`pod-${round}-${i}`, round * 20 + i, { before: value, after: value })),
    );
  let round = 0;
  let error: HistoryError | undefined;
  for (; round < 200 && error === undefined; round++) {
    const checkpoint = { epoch: 1, resourceVersion: String(round), at: at(round) };
    await writer.append({ facts: facts(round), checkpoint }).catch((reason: HistoryError) => {
      error = reason;
    });
  }
  assert.equal(error?.code, 'disk-full');
  assert.match(error?.hint ?? '', /room/);
  const stored = round - 1;
  assert.equal((await engine.resume(PROD.id)).checkpoint?.resourceVersion, String(stored - 1));
  assert.equal((await engine.status()).clusters[0]?.changes, stored * 20);
  rmSync(ballast);
  await writer.append({ facts: facts(stored), checkpoint: { epoch: 1, resourceVersion: 'healed', at: at(1) } });
  await engine.close();
  const again = await opened(path);
  assert.equal((await again.status()).clusters[0]?.changes, (stored + 1) * 20);
  assert.deepEqual((await again.verify()).damages, []);
  await again.close();
}

for (const seal of [false, true]) {
  const where = seal ? 'a week file' : 'the head';
  test(`fault 18: flipped bytes in ${where} are noticed by whoever reads them and by verify, never answered from`, async () => {
    const path = await filledStore(seal);
    const file = seal ? join(`${path}.d`, readdirSync(`${path}.d`)[0]!) : path;
    const whole = readFileSync(file);
    const reference = await opened(path);
    const truth = await answersOf(reference);
    await reference.close();
    const copies = join(directory, `flips-${seal}`);
    mkdirSync(copies);
    let noticed = 0;
    let refused = 0;
    for (const offset of payloadOffsets(whole)) {
      const copy = join(copies, 'store.db');
      rmSync(copies, { recursive: true });
      mkdirSync(`${copy}.d`, { recursive: true });
      copyFileSync(path, copy);
      for (const week of existsSync(`${path}.d`) ? readdirSync(`${path}.d`) : []) {
        copyFileSync(join(`${path}.d`, week), join(`${copy}.d`, week));
      }
      const bytes = Buffer.from(whole);
      bytes[offset]! ^= 0x10;
      writeFileSync(seal ? join(`${copy}.d`, readdirSync(`${path}.d`)[0]!) : copy, bytes);
      const engine = await opened(copy, { access: 'read' });
      const answers = await answersOf(engine);
      for (const [i, answer] of answers.entries()) {
        if (answer === 'damaged' || answer === 'store-damaged') refused++;
        else assert.equal(answer, truth[i], `a wrong answer after flipping byte ${offset}`);
      }
      if ((await engine.verify()).damages.length > 0) noticed++;
      else assert.deepEqual(answers, truth);
      await engine.close();
    }
    assert.ok(noticed >= 6, `${noticed} flips were noticed`);
    assert.ok(refused >= 3, `${refused} answers were refused`);
  });
}

/** What is asked of each address; a refusal is its code. */
async function answersOf(engine: Engine): Promise<string[]> {
  const answers: string[] = [];
  for (let i = 0; i < 40; i++) {
    const answer = await withSnapshot(engine, PROD.id, (snapshot) =>
      snapshot.tenuresAt(ipOf(`10.0.0.${i}`), at(150)),
    ).then(
      (tenures) => JSON.stringify(tenures),
      (error: HistoryError) => error.code,
    );
    answers.push(answer);
  }
  return answers;
}

/** Places inside stored values: where a UID is written, a few bytes on. */
function payloadOffsets(bytes: Buffer): number[] {
  const offsets: number[] = [];
  let from = 0;
  for (;;) {
    const found = bytes.indexOf('xxxxxxxxxxxx', from);
    if (found < 0) break;
    offsets.push(found, found + 30);
    from = found + 20;
  }
  const step = Math.ceil(offsets.length / 16);
  return offsets.filter((_, i) => i % step === 0);
}

test('the golden store has records of every kind, in the head and sealed', async () => {
  const path = freshPath();
  await writeGoldenStore(path);
  const engine = await opened(path, { access: 'read' });
  const text = await exportedText(engine);
  await engine.close();
  for (const kind of ['coverage', 'tenure', 'placement', 'change', 'conflict', 'anomaly', 'live']) {
    assert.ok(text.includes(`"kind":"${kind}"`), kind);
  }
  assert.ok(readdirSync(`${path}.d`).length > 0);
});

test('SQLite below 3.51.3 is refused, later ones are not', () => {
  for (const version of ['3.51.2', '3.50.9', '2.99.99', '0']) {
    assert.throws(() => refuseOldSqlite(version), { code: 'old-sqlite' }, version);
  }
  for (const version of ['3.51.3', '3.51.10', '3.52.0', '4.0.0']) refuseOldSqlite(version);
});

test('a backup beside a running writer is a whole store, and overwrites nothing', async () => {
  const path = await filledStore(true);
  const engine = await opened(path);
  const writer = await engine.takeOver(PROD);
  await writer.append({ facts: [tenureFact(aTenure('10.8.0.1', 'open', 100))] });
  const copy = freshPath();
  await engine.backup(copy);
  assert.equal((await refusal(engine.backup(copy))).code, 'backup-exists');
  const nowhere = join(path, 'copy.db');
  const failed = await refusal(engine.backup(nowhere));
  assert.deepEqual([failed.code, failed.message.includes(nowhere)], ['backup-failed', true]);
  await writer.append({ facts: [tenureFact(aTenure('10.8.0.2', 'after', 100))] });
  const restored = await opened(copy);
  assert.equal(
    (await withSnapshot(restored, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.1'), at(150)))).length,
    1,
  );
  assert.equal(
    (await withSnapshot(restored, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.8.0.1'), at(150)))).length,
    1,
  );
  assert.equal(
    (await withSnapshot(restored, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.8.0.2'), at(150)))).length,
    0,
  );
  assert.deepEqual((await restored.verify()).damages, []);
  await restored.close();
  await engine.close();
});

test('a reader goes on when week files are replaced and removed beside it', async () => {
  const path = await filledStore(true);
  const reader = await opened(path, { access: 'read' });
  const ask = (last: number) =>
    withSnapshot(reader, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf(`10.0.0.${last}`), at(150)));
  assert.equal((await ask(1)).length, 1);
  const writing = await opened(path);
  const writer = await writing.takeOver(PROD);
  const more = Array.from({ length: 40 }, (_, i) => tenureFact(aTenure(`10.0.0.${100 + i}`, `more-${i}`, 100, 200)));
  await writer.append({ facts: more });
  await writing.maintain(FOREVER);
  assert.match(readdirSync(`${path}.d`).join(' '), /^\S+-g2\.db$/);
  assert.deepEqual([(await ask(1)).length, (await ask(101)).length], [1, 1]);
  await writing.prune(PROD.id, at(30 * 86_400));
  assert.deepEqual([await ask(1), await ask(101)], [[], []]);
  await writing.close();
  await reader.close();
});

test('a week file that is lost is reported by the questions that need it, and the others go on', async () => {
  const path = await filledStore(true);
  const [week] = readdirSync(`${path}.d`);
  rmSync(join(`${path}.d`, week!));
  const engine = await opened(path);
  const writer = await engine.takeOver(PROD);
  // What is newer than the checkpoint cannot have been sealed, so nobody looks for it there.
  await writer.append({ facts: [], checkpoint: { epoch: 1, resourceVersion: '1500', at: at(500) } });
  await writer.append({ facts: [tenureFact(aTenure('10.0.0.1', 'new', 30 * 86_400))] });
  const [lost, found] = await Promise.allSettled([
    withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.1'), at(150))),
    withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf('10.0.0.1'), at(31 * 86_400))),
  ]);
  assert.equal(lost.status === 'rejected' && lost.reason.code, 'week-missing');
  assert.equal(found.status === 'fulfilled' && found.value.length, 1);
  assert.match((await engine.verify()).damages.map(({ what }) => what).join(), /not there/);
  await engine.close();
});

test('retention of a week unlinks its file', async () => {
  const path = await filledStore(true);
  assert.equal(readdirSync(`${path}.d`).length, 1);
  const engine = await opened(path);
  assert.equal(await engine.prune(PROD.id, at(30 * 86_400)), 80);
  assert.deepEqual(readdirSync(`${path}.d`), []);
  assert.deepEqual(await withSnapshot(engine, PROD.id, (snapshot) => snapshot.expired()), [
    { from: at(0), to: at(30 * 86_400) },
  ]);
  await engine.close();
});

test('a URL opens its engine, and one that names none is refused with a hint', async () => {
  const path = freshPath();
  const store = await openStore(`sqlite:${path}`, { access: 'write' });
  await store.takeOver(PROD);
  await store.close();
  const again = await openStore(`sqlite:${path}`, { access: 'read' });
  assert.deepEqual(await again.clusters(), [PROD]);
  await again.close();
  await (await openStore('memory:', { access: 'write' })).close();
  const refused: Record<string, string> = {
    'postgres://host/db': 'no-such-engine',
    'clickhouse://host': 'no-such-engine',
    'sqlite:': 'bad-store-url',
    'sqlite:/a/directory/': 'bad-store-url',
    'memory:x': 'bad-store-url',
    '/plain/path': 'bad-store-url',
    '': 'bad-store-url',
    'ftp://x': 'bad-store-url',
  };
  for (const [url, code] of Object.entries(refused)) {
    const error = await openStore(url, { access: 'write' }).then(
      () => undefined,
      (reason: HistoryError) => reason,
    );
    assert.equal(error?.code, code, url);
    assert.ok(error?.hint, url);
  }
});
