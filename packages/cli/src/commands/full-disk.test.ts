// A disk of 64 MiB that is full to the last byte: what the error advises is done exactly as it is printed.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  DEFAULT_SIZE_LIMIT,
  type Engine,
  epochMillis,
  openStore,
  type StoredFact,
  withSnapshot,
} from '@podtrail/history';

const CLUSTER = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod eu' };
const DAY_MS = 86_400_000;
const FIRST = Date.UTC(2026, 9, 5);
/** Where npm links the command. */
const BIN = join(dirname(fileURLToPath(import.meta.url)), '../../../../node_modules/.bin');

/** Calls `body` with a directory on a disk of its own. */
async function onSmallDisk(t: TestContext, body: (directory: string) => Promise<void>): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'podtrail full disk '));
  try {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'podtrail-test', place], { stdio: 'ignore' });
    } catch {
      t.skip('this user may not mount a small disk');
      return;
    }
    try {
      await body(place);
    } finally {
      execFileSync('umount', ['-l', place]);
    }
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** Some facts of one day: pods that came and went, and what large annotations they had. */
function day(number: number, round: number, content: 'both' | 'tenures' = 'both'): StoredFact[] {
  const facts: StoredFact[] = [];
  for (let i = 0; i < (content === 'both' ? 40 : 400); i++) {
    const time = epochMillis(FIRST + number * DAY_MS + round * 60_000 + i * 1000);
    const uid = `uid-${number}-${round}-${i}-${'u'.repeat(200)}`;
    const provenance = {
      source: 'watch',
      epoch: 1,
      resourceVersion: `${time}`,
      observedAt: time,
      collector: 'c',
    } as const;
    const holder = { kind: 'Pod', namespace: 'shop', name: `web-${i}`, uid, node: 'n', workload: undefined } as const;
    const pod = { ...holder, hostNetwork: false };
    const boundary = { ...provenance, at: time, notBefore: time, notAfter: time };
    const value = { text: 'x'.repeat(4000), sha256: undefined };
    const ip = `10.${number}.${round}.${i % 250}` as Extract<StoredFact, { kind: 'tenure' }>['tenure']['ip'];
    facts.push({ kind: 'tenure', tenure: { ip, holder: pod, start: boundary, end: boundary } });
    if (content === 'both')
      facts.push({ kind: 'change', change: { ...provenance, pod, key: 'note', before: value, after: value } });
  }
  return facts;
}

/** Everything was watched until then. */
function covered(to: number): StoredFact {
  const from = epochMillis(FIRST);
  const until = epochMillis(to);
  const scope = { kind: 'cluster' } as const;
  const rest = { scope, epoch: 1, collector: 'c', confirmed: until, ended: false, opened: 'start' } as const;
  return { kind: 'coverage', coverage: { ...rest, from, to: until } };
}

/** Records day after day until the disk is full. Returns how many days there are, and what the store said. */
async function recordUntilFull(engine: Engine, content?: 'tenures'): Promise<{ days: number; hint: string }> {
  const writer = await engine.takeOver(CLUSTER);
  for (let number = 0; number < 100; number++) {
    for (let round = 0; round < 5; round++) {
      const facts = [...day(number, round, content), covered(FIRST + (number + 1) * DAY_MS)];
      try {
        await writer.append({ facts });
      } catch (error) {
        const { code, hint } = error as { code?: string; hint?: string };
        assert.equal(code, 'disk-full');
        return { days: number, hint: hint ?? '' };
      }
    }
    await engine.maintain(epochMillis(FIRST + number * DAY_MS)).catch(() => undefined);
  }
  throw new Error('the disk was never full');
}

/** The command that a hint names, run by a shell as a person would who copies it. */
function doAsPrinted(hint: string) {
  const command = /`(podtrail store retain [^`]+)`/.exec(hint)?.[1];
  assert.ok(command !== undefined, `the hint names no command: ${hint}`);
  const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env['PATH']}` };
  return spawnSync('sh', ['-c', command], { encoding: 'utf8', env });
}

async function canRecordAgain(url: string, number: number): Promise<void> {
  const engine = await openStore(url, { access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  await writer.append({ facts: day(number, 0) });
  const { damages } = await engine.verify();
  assert.deepEqual(damages, []);
  await engine.close();
}

function freeBytes(directory: string): number {
  const { bsize, bavail } = statfsSync(directory);
  return bsize * bavail;
}

test('fault 16: on a full disk of 64 MiB the advice given works as printed, with weeks that are sealed', (t) =>
  onSmallDisk(t, async (directory) => {
    const path = join(directory, 'ledger.db');
    const engine = await openStore(`sqlite:${path}`, { access: 'write' });
    await engine.keepRoom(DEFAULT_SIZE_LIMIT, epochMillis(FIRST));
    assert.ok(existsSync(`${path}.ballast`));
    const { days, hint } = await recordUntilFull(engine);
    await engine.close();
    assert.ok(readdirSync(`${path}.d`).length > 1);
    const { status, stderr } = doAsPrinted(hint);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /forgot \d+ records/);
    assert.ok(freeBytes(directory) > 8 * 1024 * 1024, `${freeBytes(directory)} bytes are free`);
    assert.ok(existsSync(`${path}.ballast`), 'there is ballast again for the next time');
    await canRecordAgain(`sqlite:${path}`, days);
  }));

test('fault 16: and so it does when the store is young, and others filled the disk', (t) =>
  onSmallDisk(t, async (directory) => {
    const path = join(directory, 'ledger.db');
    const url = `sqlite:${path}`;
    const engine = await openStore(url, { access: 'write' });
    await engine.keepRoom(DEFAULT_SIZE_LIMIT, epochMillis(FIRST));
    const writer = await engine.takeOver(CLUSTER);
    for (let round = 0; round < 5; round++) await writer.append({ facts: [...day(0, round), covered(FIRST + DAY_MS)] });
    await engine.close();
    fillUp(join(directory, 'of-others'), directory);
    const full = await openStore(url, { access: 'write' });
    const { hint } = await recordUntilFull(full);
    await full.close();
    fillUp(join(directory, 'of-others-too'), directory);
    const { status, stderr } = doAsPrinted(hint);
    assert.equal(status, 0, stderr);
    await canRecordAgain(url, 2);
  }));

test('fault 16: without ballast, weeks that are to go are unlinked before anything is written', (t) =>
  onSmallDisk(t, async (directory) => {
    const path = join(directory, 'ledger.db');
    writeFileSync(join(directory, 'half-of-it'), Buffer.alloc(32 * 1024 * 1024));
    const engine = await openStore(`sqlite:${path}`, { access: 'write' });
    const { days, hint } = await recordUntilFull(engine, 'tenures');
    const weeks = readdirSync(`${path}.d`).length;
    const before = /--before (\S+)/.exec(hint)?.[1] ?? '';
    fillUp(join(directory, 'of-others'), directory);
    assert.ok((await engine.prune(CLUSTER.id, epochMillis(Date.parse(before)))) > 0);
    assert.ok(readdirSync(`${path}.d`).length < weeks);
    const [range] = await withSnapshot(engine, CLUSTER.id, (snapshot) => snapshot.expired());
    assert.equal(range?.to, Date.parse(before));
    await engine.close();
    await canRecordAgain(`sqlite:${path}`, days);
  }));

test('fault 16: a recorder that is started on a full disk with a smaller limit makes room by itself', (t) =>
  onSmallDisk(t, async (directory) => {
    const path = join(directory, 'ledger.db');
    const url = `sqlite:${path}`;
    const engine = await openStore(url, { access: 'write' });
    await engine.keepRoom(DEFAULT_SIZE_LIMIT, epochMillis(FIRST));
    const { days } = await recordUntilFull(engine);
    await engine.close();
    fillUp(join(directory, 'of-others'), directory);
    const now = epochMillis(FIRST + days * DAY_MS);
    const next = await openStore(url, { access: 'write' });
    const writer = await next.takeOver(CLUSTER);
    const limit = { kind: 'bytes', bytes: 30 * 1024 * 1024 } as const;
    const { bytes, removedOfKinds } = await next.keepRoom(limit, now);
    const removedChanges = removedOfKinds.change ?? 0;
    assert.ok(removedChanges > 0 && bytes <= limit.bytes, `${removedChanges} changes went, ${bytes} bytes are left`);
    await writer.append({ facts: day(days, 0) });
    const { ballastBytes } = await next.keepRoom(limit, now);
    assert.equal(ballastBytes, 6 * 1024 * 1024);
    await next.close();
  }));

/** To the last page. */
function fillUp(file: string, directory: string): void {
  for (let i = 0, size = freeBytes(directory); size >= 4096; i++, size = freeBytes(directory))
    writeFileSync(`${file}-${i}`, Buffer.alloc(size));
}
