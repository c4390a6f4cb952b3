import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { acquireBuildLock } from './build-lock.ts';

const directory = await mkdtemp(join(tmpdir(), 'podtrail-lock-'));
after(() => rm(directory, { recursive: true }));

test('the second one waits, says for whom, and gets the lock when it is given back', async () => {
  const path = join(directory, 'waited');
  const order: string[] = [];
  const release = await acquireBuildLock(path);
  const { promise: waits, resolve: onWait } = Promise.withResolvers<string>();
  const second = acquireBuildLock(path, { onWait, pollMs: 10 }).then((releaseSecond) => {
    order.push('second has it');
    return releaseSecond;
  });
  assert.equal(await waits, String(process.pid));
  order.push('first gives it back');
  await release();
  await (await second)();
  assert.deepEqual(order, ['first gives it back', 'second has it']);
  assert.equal(existsSync(path), false);
});

test('a holder that has not written its pid yet is not reported without one', async () => {
  const path = join(directory, 'empty');
  await writeFile(path, '');
  const reported: string[] = [];
  const release = acquireBuildLock(path, { onWait: (holder) => reported.push(holder), pollMs: 10 });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(reported, []);
  await writeFile(path, String(process.pid));
  while (reported.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(reported, [String(process.pid)]);
  await rm(path);
  await (await release)();
});

test('the lock of a dead process is taken over at once', async () => {
  const path = join(directory, 'dead');
  const { pid } = spawnSync(process.execPath, ['--version']);
  await writeFile(path, String(pid));
  const release = await acquireBuildLock(path, { onWait: () => assert.fail('waited for a dead process') });
  await release();
});

test('the lock of a process that has been silent for long is taken over, since its pid may be another one', async () => {
  const path = join(directory, 'silent');
  await writeFile(path, String(process.pid));
  const longAgo = new Date(Date.now() - 3_600_000);
  await utimes(path, longAgo, longAgo);
  const release = await acquireBuildLock(path, { onWait: () => assert.fail('waited for a silent holder') });
  await release();
});
