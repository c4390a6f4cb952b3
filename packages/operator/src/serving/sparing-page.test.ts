import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from './plain-server.ts';
import { SparingPage } from './sparing-page.ts';

test('a page that costs time is shown again for nine times as long; one that costs none is always made', async () => {
  let now = 0;
  let made = 0;
  const takes = (ms: number) =>
    new SparingPage(
      () => {
        now += ms;
        return text(200, `${++made}`);
      },
      () => now,
    );
  const dear = takes(10);
  assert.equal((await dear.get()).body, '1');
  now += 89;
  assert.equal((await dear.get()).body, '1');
  now += 1;
  assert.equal((await dear.get()).body, '2');
  const slow = takes(500);
  await slow.get();
  now += 1_000;
  assert.equal((await slow.get()).body, '4', 'never older than a second');
  const cheap = takes(0);
  await cheap.get();
  assert.equal((await cheap.get()).body, '6');
});

test('everybody who asks while it is being made gets that one, and a failure is not kept', async () => {
  let made = 0;
  const page = new SparingPage(
    async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (++made === 1) throw new Error('not yet');
      return text(200, `${made}`);
    },
    () => 0,
  );
  const asked = await Promise.allSettled([page.get(), page.get(), page.get()]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.equal(made, 1);
  assert.equal((await page.get()).body, '2');
});
