// The thread between two questions: awake for a moment, then asleep.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import { withSnapshot } from '../../with-snapshot.ts';
import { SqliteEngine } from '../sqlite-engine.ts';

const path = join(scratchDirectory('thread'), 'store.db');

test('after a question the thread goes back to sleep: it takes no processor while nobody asks', async () => {
  const engine = await SqliteEngine.open({ path, access: 'write' });
  await engine.takeOver({ id: 'c1', name: 'one' });
  for (let i = 0; i < 3; i++) await withSnapshot(engine, 'c1', (snapshot) => snapshot.coverage());
  await pause(50);
  const before = process.cpuUsage();
  await pause(300);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 150_000, `${user + system} µs of processor in 300 ms of rest`);
  await engine.close();
});
