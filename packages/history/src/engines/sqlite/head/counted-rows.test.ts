import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import { aChange, changeFact } from '../../testing/record-builders.ts';
import { InThreadEngine } from '../testing/in-thread-engine.ts';
import { Head } from './head.ts';
import { HeadAppender } from './head-append.ts';
import { HeadReader } from './head-read.ts';

const directory = scratchDirectory('counted-rows');
const CLUSTER = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };

async function store(name: string): Promise<string> {
  const path = join(directory, `${name}.db`);
  const engine = new InThreadEngine({ path, access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  await writer.append({ facts: [1, 2, 3].map((i) => changeFact(aChange(`web-${i}`, 10))) });
  await engine.close();
  return path;
}

const version = (i: number, text: string) =>
  changeFact(aChange(`web-${i}`, 10, { after: { text, sha256: undefined } }));

test('an hour is read through once, however often its records are written again', async (t) => {
  const head = new Head(await store('once'), 'write');
  const reader = new HeadReader(head);
  const hour = t.mock.method(reader.occurrences, 'hour');
  const appender = new HeadAppender(head, reader);
  for (let round = 0; round < 50; round++) {
    head.write(() => {
      for (const i of [1, 2, 3, 4]) appender.store(1, version(i, `${round}`));
    });
  }
  assert.equal(hour.mock.callCount(), 1);
  const kept = head.read(() => [...reader.occurrences.within(1, 'change', { from: 0 as never, to: 9e15 as never })]);
  assert.deepEqual(
    kept.map(({ after }) => after?.text),
    ['49', '49', '49', '49'],
  );
  head.close();
});

test('a row that came back in an older version is not counted, and nothing is written on top of it', async () => {
  const path = await store('older');
  const head = new Head(path, 'write');
  const appender = new HeadAppender(head, new HeadReader(head));
  const write = (text: string) => head.write(() => appender.store(1, version(1, text)));
  const row = "FROM occurrence WHERE key LIKE 'uid-web-1|%'";
  const other = new DatabaseSync(path);
  const old = other.prepare(`SELECT body ${row}`).get()!['body'] as Uint8Array;
  write('one');
  write('two');
  other.prepare("UPDATE occurrence SET body = ? WHERE key LIKE 'uid-web-1|%'").run(old);
  other.close();
  assert.throws(() => write('three'), { code: 'damaged' });
  head.close();
});

test('what a transaction that was rolled back had counted is forgotten', async () => {
  const head = new Head(await store('rollback'), 'write');
  const appender = new HeadAppender(head, new HeadReader(head));
  head.write(() => appender.store(1, version(1, 'one')));
  assert.throws(() =>
    head.write(() => {
      appender.store(1, version(1, 'two'));
      throw new Error('no');
    }),
  );
  appender.forget();
  head.write(() => appender.store(1, version(1, 'three')));
  head.close();
});
