import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import { MemoryFiles } from './testing/memory-files.ts';
import { openTokenFile } from './token-file.ts';

async function open(files = new MemoryFiles({ '/token': 'one\n' }), fallbackToken?: string) {
  const clock = new ManualClock();
  const problems: string[] = [];
  const source = await openTokenFile(
    { path: '/token', what: 'the token', fallbackToken },
    { files, clock, onProblem: (p) => problems.push(p.message) },
  );
  return { files, clock, problems, source };
}

test('the file is read at most once a minute, and a rotated token is then used', async () => {
  const { files, clock, source } = await open();
  const first = await source.current();
  assert.equal(first.authorization, 'Bearer one');
  files.write('/token', 'two');
  await clock.advance(59_999);
  assert.equal(await source.current(), first);
  assert.equal(files.reads, 1);
  await clock.advance(1);
  assert.equal((await source.current()).authorization, 'Bearer two');
  assert.equal(files.reads, 2);
});

test('after a refusal the file is read at once, unless that happened since', async () => {
  const { files, source } = await open();
  const first = await source.current();
  files.write('/token', 'two');
  source.refuse(first);
  const second = await source.current();
  assert.equal(second.authorization, 'Bearer two');
  // A second request that was sent with the old token comes back late.
  source.refuse(first);
  assert.equal(await source.current(), second);
  assert.equal(files.reads, 2);
});

test('an unchanged token keeps its reference through a re-read', async () => {
  const { files, source } = await open();
  const first = await source.current();
  source.refuse(first);
  assert.equal(await source.current(), first);
  assert.equal(files.reads, 2);
});

test('concurrent callers share one read', async () => {
  const { files, clock, source } = await open();
  await clock.advance(60_000);
  await Promise.all([source.current(), source.current(), source.current()]);
  assert.equal(files.reads, 2);
});

test('an empty or vanished file keeps the last good token, and is tried again after five seconds', async () => {
  const { files, clock, problems, source } = await open();
  const first = await source.current();
  files.write('/token', '\n');
  await clock.advance(60_000);
  assert.equal(await source.current(), first);
  assert.equal(await source.current(), first);
  assert.equal(files.reads, 2);
  files.remove('/token');
  await clock.advance(5_000);
  assert.equal(await source.current(), first);
  assert.deepEqual(problems, ['the token, /token, is empty', 'the token, /token, does not exist']);
  files.write('/token', 'two');
  await clock.advance(5_000);
  assert.equal((await source.current()).authorization, 'Bearer two');
});

test('a token file that is missing or empty at the start is an error', async () => {
  await assert.rejects(open(new MemoryFiles()), { code: 'config-file-missing' });
  await assert.rejects(open(new MemoryFiles({ '/token': ' \n' })), {
    code: 'config-token',
    message: 'the token, /token, is empty',
  });
});

test('the file takes precedence over a token beside it, which serves only until the file can be read', async () => {
  const both = await open(new MemoryFiles({ '/token': 'from-file' }), 'beside');
  assert.equal((await both.source.current()).authorization, 'Bearer from-file');
  const { files, clock, source } = await open(new MemoryFiles(), 'beside');
  assert.equal((await source.current()).authorization, 'Bearer beside');
  files.write('/token', 'from-file');
  await clock.advance(5_000);
  assert.equal((await source.current()).authorization, 'Bearer from-file');
});

test('a token that could not stand in a header is refused without being quoted', async () => {
  await assert.rejects(open(new MemoryFiles({ '/token': 'abc\ndef' })), (error: Error) => {
    assert.match(error.message, /^the token, \/token, holds a token with spaces or unprintable characters$/);
    return !error.message.includes('abc');
  });
});
