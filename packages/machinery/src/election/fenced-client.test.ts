import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '../client/client.ts';
import { MachineryError } from '../errors.ts';
import { MemoryResourceClient } from '../testing/memory-resource-client.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { fencedClient } from './fenced-client.ts';

const refused = (e: unknown) => e instanceof MachineryError && e.code === 'not-leader';

test('a fenced client writes while leading and sends nothing but reads afterwards', async () => {
  const memory = new MemoryResourceClient();
  let leading = true;
  const client = fencedClient(memory, () => leading);
  const object = await client.create({ metadata: { name: 'a' } });
  await client.patch('a', { kind: 'merge', body: { x: 1 } });
  leading = false;
  const sent = memory.calls.length;
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

test('a write that waits for its retry is not sent once the leadership is over', async (t) => {
  const server = await ScriptedServer.start();
  const api = Client.connect(server.config());
  t.after(async () => {
    await api.close();
    await server.stop();
  });
  let leading = true;
  let asked = 0;
  const client = fencedClient(api.configMaps('default'), () => leading);
  const write = client.create({ metadata: { name: 'a' } }, { beforeSend: () => asked++ });
  const outcome = assert.rejects(write, refused);
  const first = await server.next();
  leading = false;
  first.refuse(429, 'TooManyRequests', 'later', { headers: { 'retry-after': '1' } });
  await outcome;
  assert.equal(server.requests, 1);
  assert.equal(asked, 2, "the caller's own question is asked at every try");
});

test('a write that waits for a connection is not sent once the leadership is over', async (t) => {
  const server = await ScriptedServer.start();
  const api = Client.connect(server.config(), { connections: 1 });
  t.after(async () => {
    await api.close();
    await server.stop();
  });
  let leading = true;
  const client = fencedClient(api.configMaps('default'), () => leading);
  const read = client.get('slow');
  const slow = await server.next();
  const outcome = assert.rejects(client.delete('a'), refused);
  leading = false;
  slow.json({ metadata: { name: 'slow' } });
  await read;
  await outcome;
  assert.equal(server.requests, 1);
  assert.equal(
    (await Promise.all([client.get('b'), server.next().then((call) => call.json({ metadata: {} }))])).length,
    2,
  );
});
