import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { madeUpTree } from '../testing/made-up-tree.ts';
import { renameStarted, startedPrograms } from './started-programs.ts';

const starts = (path: string) => `new Worker(new URL('${path}', import.meta.url))`;

test('a thread or process that is started by its URL is found, once, unless a test starts it', (t) => {
  const root = madeUpTree(t, {
    'a/client.ts': starts('./thread.ts'),
    'a/other.ts': starts('../a/thread.ts'),
    'a/client.test.ts': starts('./only-in-tests.ts'),
    'a/testing/x.ts': starts('./only-in-tests.ts'),
    'dist/client.ts': starts('./thread.ts'),
    'a/data.ts': "new URL('../package.json', import.meta.url)",
  });
  assert.deepEqual(startedPrograms(root), [join(root, 'a', 'thread.ts')]);
});

test('the URL names what the program was renamed to, and the rest of the line stays', () => {
  const code = `const worker = ${starts('./thread.ts')};\nimport './thread.ts';\n`;
  const seen: string[] = [];
  const renamed = renameStarted(join('/x', 'client.js'), code, (program) => {
    seen.push(program);
    return './thread.js';
  });
  assert.equal(renamed, `const worker = ${starts('./thread.js')};\nimport './thread.ts';\n`);
  assert.deepEqual(seen, [join('/x', 'thread.ts')]);
});
