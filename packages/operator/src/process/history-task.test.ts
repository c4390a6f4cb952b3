import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { untilOneFails } from './history-task.ts';

test('where one task of the history port fails the others end in order first: the APIService is withdrawn', async () => {
  const done: string[] = [];
  const registration = async (signal: AbortSignal) => {
    if (!signal.aborted) await once(signal, 'abort');
    await new Promise((resolve) => setImmediate(resolve));
    done.push('withdrawn');
  };
  const failing = async () => {
    throw new Error('the watch of the ConfigMap broke');
  };
  const { signal } = new AbortController();
  await assert.rejects(
    untilOneFails(signal, [registration, failing]).finally(() => done.push('over')),
    /the watch of the ConfigMap broke/,
  );
  assert.deepEqual(done, ['withdrawn', 'over']);
});

test('all of them end when the signal aborts', async () => {
  const ended = new AbortController();
  const tasks = untilOneFails(ended.signal, [async (signal) => void (await once(signal, 'abort')), async () => {}]);
  ended.abort();
  await tasks;
});
