import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MachineryError } from '../errors.ts';
import { MemoryResourceClient } from '../testing/memory-resource-client.ts';
import { fencedClient } from './fenced-client.ts';

test('a fenced client writes while leading and sends nothing but reads afterwards', async () => {
  const memory = new MemoryResourceClient();
  let leading = true;
  const client = fencedClient(memory, () => leading);
  const object = await client.create({ metadata: { name: 'a' } });
  await client.patch('a', { kind: 'merge', body: { x: 1 } });
  leading = false;
  const sent = memory.calls.length;
  const refused = (e: unknown) => e instanceof MachineryError && e.code === 'not-leader';
  await assert.rejects(client.create({ metadata: { name: 'b' } }), refused);
  await assert.rejects(client.update(object), refused);
  await assert.rejects(client.patch('a', { kind: 'merge', body: {} }), refused);
  await assert.rejects(client.delete('a'), refused);
  assert.equal(memory.calls.length, sent);
  assert.equal((await client.get('a'))['x'], 1);
  assert.equal((await client.list()).items.length, 1);
  for await (const page of client.pages()) assert.equal(page.items.length, 1);
  leading = true;
  await client.delete('a');
});
