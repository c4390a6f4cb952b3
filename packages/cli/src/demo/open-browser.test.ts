import assert from 'node:assert/strict';
import type { ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { openBrowser } from './open-browser.ts';

const URL = 'http://127.0.0.1:7080/?token=abc';

/** Starts nothing: remembers what would be started, and ends as the test says. */
function fakeStart(ends: { readonly code: number } | { readonly error: Error }) {
  const started: string[][] = [];
  const start = ((program: string, words: readonly string[]) => {
    started.push([program, ...words]);
    const child = Object.assign(new EventEmitter(), { unref: () => {} });
    queueMicrotask(() => ('code' in ends ? child.emit('exit', ends.code) : child.emit('error', ends.error)));
    return child as unknown as ChildProcess;
  }) as typeof spawn;
  return { started, start };
}

test('each system has its own way to open a URL, which is one word of it', async () => {
  const { started, start } = fakeStart({ code: 0 });
  for (const platform of ['linux', 'darwin', 'win32'] as const) assert.ok(await openBrowser(URL, platform, start));
  assert.deepEqual(started, [
    ['xdg-open', URL],
    ['open', URL],
    ['cmd', '/c', 'start', '', URL],
  ]);
});

test('a machine without a browser is no error: it says that nothing was opened', async () => {
  assert.equal(await openBrowser(URL, 'linux', fakeStart({ code: 3 }).start), false);
  assert.equal(await openBrowser(URL, 'linux', fakeStart({ error: new Error('ENOENT') }).start), false);
});
