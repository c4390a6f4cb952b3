import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ask, askPath } from './ask.ts';

/** A server that takes every question and never answers. */
function hanging(t: TestContext): void {
  t.mock.method(globalThis, 'fetch', (_: string, { signal }: { signal: AbortSignal }) => {
    const { promise, reject } = Promise.withResolvers<Response>();
    signal.addEventListener('abort', () => reject(signal.reason));
    return promise;
  });
}

test('a server that does not answer is not waited for without end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  hanging(t);
  const asked = ask('gaps', {});
  t.mock.timers.tick(30_000);
  await assert.rejects(asked, { message: 'podtrail does not answer', isPassing: true });
});

test('who gives up a question is given his own reason', async (t) => {
  hanging(t);
  const end = new AbortController();
  const asked = ask('gaps', {}, end.signal);
  end.abort(new Error('another question'));
  await assert.rejects(asked, { message: 'another question' });
});

test('a blank is a blank to the server, and a plus a plus', () => {
  assert.equal(askPath('find', { text: 'a b+c' }), '/api/v1/find?text=a%20b%2Bc');
});
