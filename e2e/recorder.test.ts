// The recorder on a real control plane: what it says of services that lived while it was away, and of itself.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Engine, epochMillis, gaps, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { PodtrailProcess } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';
import { aStore, monitored } from './recorder-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'] });
const LEDGER = { id: 'e2e', name: 'e2e' };

/** Resolves once it watches. */
async function record(t: TestContext, store: string): Promise<PodtrailProcess> {
  const words = ['record', '--kubeconfig', cluster.kubeconfig, '--store', store, '--cluster-id', LEDGER.id];
  const recorder = new PodtrailProcess(words);
  t.after(() => recorder.end('SIGKILL'));
  await recorder.untilSaid('"msg":"watching"');
  return recorder;
}

async function read(t: TestContext, store: string): Promise<Engine> {
  const engine = await openStore(store, { access: 'read' });
  t.after(() => engine.close());
  return engine;
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
  const { answer, reason, holders } = await withSnapshot(engine, LEDGER.id, (snapshot) =>
    who(snapshot, { ip: parseIp(ip)!, at: epochMillis(at) }),
  );
  return [answer, reason, ...holders.map((holder) => holder.name)].filter((word) => word).join(' ');
}

async function untilCovered(engine: Engine, at: number): Promise<void> {
  await until('the ledger has come that far', async () =>
    (await withSnapshot(engine, LEDGER.id, (snapshot) => snapshot.coverage())).some(
      ({ scope, to }) => scope.kind === 'cluster' && to > at,
    ),
  );
}

test('a service that lived only while no recorder ran is in the ledger after the restart', {
  skip: cluster.skip,
}, async (t) => {
  const store = await aStore(t);
  const first = await record(t, store);
  const namespace = await cluster.namespace(t);
  await first.end('SIGTERM');
  const { ip, at } = await shortService(namespace);
  await record(t, store);
  const engine = await read(t, store);
  await untilCovered(engine, at);
  assert.equal(await ask(engine, ip, at), 'ambiguous short');
  assert.equal(await ask(engine, '10.255.255.1', at), 'free', 'nothing was lost: the rest was free');
  const span = { from: epochMillis(at - 60_000), to: epochMillis(at + 60_000) };
  assert.deepEqual((await withSnapshot(engine, LEDGER.id, (snapshot) => gaps(snapshot, { span }))).gaps, []);
});

test('fault 2: when the server no longer has those events, the address is unknown then, not free', {
  skip: cluster.skip,
}, async (t) => {
  const store = await aStore(t);
  const first = await record(t, store);
  const namespace = await cluster.namespace(t);
  await first.end('SIGKILL');
  const { ip, at } = await shortService(namespace);
  const { controlPlane } = cluster;
  await controlPlane.compact();
  await controlPlane.apiserver.kill();
  await controlPlane.apiserver.start();
  await record(t, store);
  const engine = await read(t, store);
  await untilCovered(engine, at);
  assert.match(await ask(engine, ip, at), /^unknown (gap|not-watched)$/);
  const later = Date.now();
  await untilCovered(engine, later);
  assert.equal(await ask(engine, ip, later), 'free');
});

test('a recorder is ready when it records, says why when it does not, and counts its requests', {
  skip: cluster.skip,
}, async (t) => {
  const { recorder, readyz, livez, metrics } = await monitored(t, cluster.kubeconfig);
  await until('it is ready', async () => (await readyz()).status === 200);
  const expected = [
    /^podtrail_api_requests_total\{verb="watch",resource="pods",code="200"\} [1-9]/m,
    /^podtrail_recorder_current 1$/m,
    /^podtrail_cached_objects\{resource="services"\} [1-9]/m,
    /^podtrail_coverage_end_age_seconds 0\.\d+$/m,
  ];
  await until('its metrics say so too', async () => {
    const page = await metrics();
    for (const line of expected) if (!line.test(page)) throw new Error(`${line} is not there`);
    return true;
  });
  const { apiserver } = cluster.controlPlane;
  await apiserver.kill();
  t.after(() => (apiserver.isRunning ? undefined : apiserver.start()));
  const failed = await until('it is not ready', async () => {
    const answer = await readyz();
    if (answer.status === 503 && /^\[-\]watch-pods failed: .*REFUSED/m.test(answer.text)) return answer;
    throw new Error(answer.text);
  });
  assert.match(failed.text, /^\[\+\]store ok$/m);
  assert.equal((await livez()).status, 200, 'a restart would not help');
  await cluster.controlPlane.apiserver.start();
  await until('it is ready again', async () => (await readyz()).status === 200, { withinMs: 60_000 });
  assert.ok(
    /^podtrail_watch_errors_total\{resource="pods"\} [1-9]/m.test(await metrics()),
    'the failures were counted',
  );
  assert.equal((await recorder.end('SIGTERM')).code, 0);
});

test('a right that is missing is reported by name, in the log and to the probe; without it nothing is claimed', {
  skip: cluster.skip,
}, async (t) => {
  await cluster.kubectl(['create', 'clusterrole', 'half', '--verb=list,watch', '--resource=pods,nodes']);
  await cluster.kubectl(['create', 'clusterrolebinding', 'half', '--clusterrole=half', '--user=joe']);
  t.after(() => cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', 'half']));
  const kubeconfig = await cluster.controlPlane.kubeconfig({ user: 'joe' });
  const { recorder, readyz } = await monitored(t, kubeconfig, '--cluster-id', 'mine');
  await recorder.untilSaid('the cluster cannot be watched; trying again');
  // Whether it gets the services before or after the pods and nodes are listed is chance.
  await until('it says what is missing, and that the rest is there', async () => {
    const { status, text } = await readyz();
    assert.equal(status, 503);
    assert.match(text, /^\[-\]caches failed: not listed or caught up with yet: services$/m);
    assert.match(text, /^\[-\]watch-services failed: .*services is forbidden.*joe/m);
    assert.match(text, /^\[\+\]watch-pods ok$/m);
    assert.match(recorder.err, /"what":"watch services".*"problem":"[^"]*services is forbidden/);
    return true;
  });
});
