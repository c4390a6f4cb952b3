// Discovery: read once, read again after a miss, never a storm.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import { Discovery } from './discovery.ts';

const WIDGET = { name: 'widgets', kind: 'Widget', namespaced: true, verbs: ['get', 'list'] };
const GADGET = { name: 'gadgets', kind: 'Gadget', namespaced: true, verbs: ['get'] };

async function aDiscovery(t: TestContext) {
  const server = await ScriptedServer.start();
  const transport = new HttpTransport(server.config());
  t.after(async () => {
    await transport.close();
    await server.stop();
  });
  const clock = new ManualClock();
  return { server, clock, discovery: new Discovery(transport, clock) };
}

async function answer(server: ScriptedServer, ...resources: object[]): Promise<string> {
  const call = await server.next();
  call.json({ kind: 'APIResourceList', resources });
  return call.target;
}

test('a group version is read once and kept', async (t) => {
  const { server, clock, discovery } = await aDiscovery(t);
  const first = discovery.resources('acme.com/v1');
  assert.equal(await answer(server, WIDGET, { ...WIDGET, name: 'widgets/status' }), '/apis/acme.com/v1');
  const expected = {
    group: 'acme.com',
    version: 'v1',
    resource: 'widgets',
    kind: 'Widget',
    namespaced: true,
    verbs: ['get', 'list'],
    shortNames: [],
    singularName: '',
    categories: [],
  };
  assert.deepEqual(await first, [expected]);
  await clock.advance(3_600_000);
  assert.deepEqual(await discovery.resources('acme.com/v1'), [expected]);
  assert.deepEqual(await discovery.resourceFor('acme.com/v1', 'Widget'), expected);
  assert.equal(server.requests, 1);
});

test('the core group has another root', async (t) => {
  const { server, discovery } = await aDiscovery(t);
  const found = discovery.resourceFor('v1', 'Widget');
  assert.equal(await answer(server, WIDGET), '/api/v1');
  assert.equal((await found).group, '');
});

test('twenty questions at once are one reading', async (t) => {
  const { server, discovery } = await aDiscovery(t);
  const all = Promise.all(Array.from({ length: 20 }, () => discovery.resourceFor('acme.com/v1', 'Widget')));
  await answer(server, WIDGET);
  assert.equal((await all).length, 20);
  assert.equal(server.requests, 1);
});

test('a kind that is not there is looked for again, but not more often than every ten seconds', async (t) => {
  const { server, clock, discovery } = await aDiscovery(t);
  const unknown = { code: 'unknown-kind', message: /does not serve Gadget in acme.com\/v1/, hint: /custom resource/ };
  const first = assert.rejects(discovery.resourceFor('acme.com/v1', 'Gadget'), unknown);
  await answer(server, WIDGET);
  await first;
  await clock.advance(9_999);
  await assert.rejects(discovery.resourceFor('acme.com/v1', 'Gadget'), unknown);
  assert.equal(server.requests, 1);
  await clock.advance(1);
  const found = discovery.resourceFor('acme.com/v1', 'Gadget');
  await answer(server, WIDGET, GADGET);
  assert.equal((await found).resource, 'gadgets');
  assert.equal(server.requests, 2);
});

test('a group that is not served has no resources, until it is', async (t) => {
  const { server, clock, discovery } = await aDiscovery(t);
  const none = discovery.resources('acme.com/v1');
  (await server.next()).refuse(404, 'NotFound');
  assert.deepEqual(await none, []);
  assert.deepEqual(await discovery.resources('acme.com/v1'), []);
  assert.equal(server.requests, 1);
  await clock.advance(10_000);
  const some = discovery.resources('acme.com/v1');
  await answer(server, WIDGET);
  assert.equal((await some).length, 1);
});

test('a failed reading fails for all who asked and is not remembered', async (t) => {
  const { server, discovery } = await aDiscovery(t);
  const failed = Promise.allSettled([discovery.resources('acme.com/v1'), discovery.resources('acme.com/v1')]);
  (await server.next()).refuse(403, 'Forbidden');
  for (const one of await failed) assert.equal(one.status === 'rejected' && one.reason.status, 403);
  const again = discovery.resources('acme.com/v1');
  await answer(server, WIDGET);
  assert.equal((await again).length, 1);
});

test('after invalidate the next question reads again, and what was being read then is not kept', async (t) => {
  const { server, discovery } = await aDiscovery(t);
  const before = discovery.resources('acme.com/v1');
  const old = await server.next();
  discovery.invalidate();
  const after = discovery.resources('acme.com/v1');
  const fresh = await server.next();
  fresh.json({ resources: [WIDGET, GADGET] });
  assert.equal((await after).length, 2);
  old.json({ resources: [WIDGET] });
  assert.equal((await before).length, 1);
  assert.equal((await discovery.resources('acme.com/v1')).length, 2);
  discovery.invalidate();
  const again = discovery.resources('acme.com/v1');
  await answer(server, WIDGET);
  assert.equal((await again).length, 1);
});

test('an apiVersion from elsewhere cannot leave its path', async (t) => {
  const { server, discovery } = await aDiscovery(t);
  const none = assert.rejects(discovery.resourceFor('a/../../api/v1', 'Secret'), { code: 'unknown-kind' });
  const call = await server.next();
  assert.equal(call.target, '/apis/a/..%2F..%2Fapi%2Fv1');
  call.refuse(404, 'NotFound');
  await none;
  await assert.rejects(discovery.resourceFor('../v1', 'Secret'), { code: 'bad-name' });
});

test('group versions come with the preferred one first, and the core group before all', async (t) => {
  const { server, discovery } = await aDiscovery(t);
  const found = discovery.groupVersions();
  const call = await server.next();
  assert.equal(call.target, '/apis');
  call.json({
    groups: [
      {
        name: 'apps',
        versions: [{ groupVersion: 'apps/v1beta1' }, { groupVersion: 'apps/v1' }],
        preferredVersion: { groupVersion: 'apps/v1' },
      },
      { name: 'odd', versions: [{ groupVersion: 'odd/v1' }] },
    ],
  });
  assert.deepEqual(await found, ['v1', 'apps/v1', 'apps/v1beta1', 'odd/v1']);
});

test('the version of the server', async (t) => {
  const { server, discovery } = await aDiscovery(t);
  const version = discovery.serverVersion();
  const call = await server.next();
  call.json({ major: '1', minor: '36', gitVersion: 'v1.36.3' });
  assert.deepEqual([call.target, (await version).gitVersion], ['/version', 'v1.36.3']);
});
