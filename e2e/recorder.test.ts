// The recorder on a real control plane, in this process: what it says of services that lived while it was away.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, epochMillis, gaps, openStore, parseIp, who } from '@podtrail/history';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { Recorder } from '@podtrail/operator';
import { until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({ needs: ['own control plane'] });
const LEDGER = { id: 'e2e', name: 'e2e' };

/** Records until the returned function is called; resolves once it watches. */
async function record(t: TestContext, engine: Engine): Promise<() => Promise<void>> {
  const client = Client.connect(await loadClusterConfig({ kubeconfig: cluster.kubeconfig }));
  const recorder = await Recorder.open({ client, engine, cluster: LEDGER, collector: 'e2e' });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
    await client.close();
  };
  t.after(end);
  await until('the recorder watches', () => {
    const { synced, current, problems } = recorder.status;
    if (synced && current) return true;
    throw new Error(problems.map(({ what, error }) => `${what}: ${error}`).join('\n'));
  });
  return end;
}

/** A service that is there for a second; its address, and an instant at which it was there. */
async function shortService(namespace: string): Promise<{ ip: string; at: number }> {
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  await kubectl('create', 'service', 'clusterip', 'short', '--tcp=80');
  const at = Date.now();
  const { spec } = await cluster.kubectlJson(['-n', namespace, 'get', 'service', 'short']);
  await kubectl('delete', 'service', 'short');
  return { ip: spec.clusterIP, at };
}

async function ask(engine: Engine, ip: string, at: number): Promise<string> {
  const { answer, reason, holders } = await who(engine, {
    cluster: LEDGER.id,
    ip: parseIp(ip)!,
    at: epochMillis(at),
  });
  return [answer, reason, ...holders.map((holder) => holder.name)].filter((word) => word).join(' ');
}

async function untilCovered(engine: Engine, at: number): Promise<void> {
  await until('the ledger has come that far', async () =>
    (await engine.coverage(LEDGER.id)).some(({ scope, to }) => scope.kind === 'cluster' && to > at),
  );
}

test('a service that lived only while no recorder ran is in the ledger after the restart', {
  skip: cluster.skip,
}, async (t) => {
  const engine = await openStore('memory:', { access: 'write' });
  const end = await record(t, engine);
  const namespace = await cluster.namespace(t);
  await end();
  const { ip, at } = await shortService(namespace);
  await record(t, engine);
  await untilCovered(engine, at);
  assert.equal(await ask(engine, ip, at), 'ambiguous short');
  assert.equal(await ask(engine, '10.255.255.1', at), 'free', 'nothing was lost: the rest was free');
  const span = { from: epochMillis(at - 60_000), to: epochMillis(at + 60_000) };
  assert.deepEqual((await gaps(engine, { cluster: LEDGER.id, span })).gaps, []);
});

test('fault 2: when the server no longer has those events, the address is unknown then, not free', {
  skip: cluster.skip,
}, async (t) => {
  const engine = await openStore('memory:', { access: 'write' });
  const end = await record(t, engine);
  const namespace = await cluster.namespace(t);
  await end();
  const { ip, at } = await shortService(namespace);
  const { controlPlane } = cluster;
  await controlPlane.compact();
  await controlPlane.apiserver.kill();
  await controlPlane.apiserver.start();
  await record(t, engine);
  await untilCovered(engine, at);
  assert.match(await ask(engine, ip, at), /^unknown (gap|not-watched)$/);
  const later = Date.now();
  await untilCovered(engine, later);
  assert.equal(await ask(engine, ip, later), 'free');
});
