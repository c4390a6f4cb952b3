import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type SandboxServer, startSandboxServer } from '../server/sandbox-server.ts';
import { type FaultControl, serveFaultControl } from './fault-control.ts';
import { FaultSwitchboard } from './fault-switchboard.ts';

describe('the switchboard by HTTP', () => {
  const switchboard = new FaultSwitchboard();
  let server: SandboxServer;
  let control: FaultControl;

  before(async () => {
    server = await startSandboxServer({ insecure: true, faults: switchboard });
    control = await serveFaultControl({ switchboard, server });
  });
  after(async () => {
    await control.close();
    await server.close();
  });

  async function ask(method: string, path: string, body?: string): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${control.url}${path}`, { method, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, body: await answer.json() };
  }

  test('arms a fault that then strikes, lists it with its count, and takes it back', async () => {
    const fault = { kind: 'refuse', code: 503, on: { verb: 'list', resource: 'pods' }, times: 2 };
    const { body } = await ask('POST', '/faults', JSON.stringify(fault));
    const { id } = body as { id: number };
    assert.equal((await fetch(`${server.url}/api/v1/pods`)).status, 503);
    assert.equal((await fetch(`${server.url}/api/v1/nodes`)).status, 200, 'others are not meant');
    assert.deepEqual((await ask('GET', '/faults')).body, [{ id, fault, struck: 1, left: 1 }]);
    assert.deepEqual((await ask('DELETE', `/faults/${id}`)).body, { removed: true });
    assert.equal((await fetch(`${server.url}/api/v1/pods`)).status, 200);
  });

  test('makes the server forget: a watch from before gets 410', async () => {
    const before = server.api.resourceVersion;
    server.api.create('configmaps', { metadata: { name: 'x', namespace: 'default' } });
    await ask('POST', '/compact');
    const watch = await fetch(`${server.url}/api/v1/configmaps?watch=1&resourceVersion=${before}`);
    assert.match(await watch.text(), /"code":410/);
  });

  test('says what to write when it does not understand', async () => {
    for (const [method, path, body, sentence] of [
      ['POST', '/faults', 'nonsense', /not JSON/],
      ['POST', '/faults', '{"kind":"explode"}', /one of refuse/],
      ['POST', '/faults', `"${'x'.repeat(70_000)}"`, /too long/],
      ['GET', '/elsewhere', undefined, /GET, POST or DELETE \/faults/],
    ] as const) {
      const answer = await ask(method, path, body);
      assert.equal(answer.status, 400);
      assert.match((answer.body as { error: string }).error, sentence);
    }
  });
});
