// A recorder that reads the Lease of a node while a pod that was deleted by force may still have its network there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '@podtrail/history';
import { seededRandom } from '@podtrail/machinery';
import { type LeaseRefusal, type LeaseResult, Recorder } from '@podtrail/operator';
import { FaultStage } from '../testing/fault-stage.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

const LEASES = 'leases.coordination.k8s.io';

async function aStage(t: Parameters<typeof FaultStage.start>[0]) {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const results: LeaseResult[] = [];
  const refusals: (LeaseRefusal | undefined)[] = [];
  const listener = {
    leaseRead: (result: LeaseResult) => void results.push(result),
    leasesForbidden: (refusal: LeaseRefusal | undefined) => void refusals.push(refusal),
  };
  const reads = () => stage.requests.filter(({ resource }) => resource === LEASES);
  /** As its kubelet does. */
  const renew = (name: string) => {
    const renewTime = `${new Date(stage.clock.now()).toISOString().slice(0, -1)}000Z`;
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
    const lease = stage.api.get(LEASES, 'kube-node-lease', name);
    if (lease !== undefined) stage.api.update(LEASES, { ...lease, spec });
    else stage.api.create(LEASES, { metadata: { name, namespace: 'kube-node-lease' }, spec });
  };
  /** As `kubectl delete --force` does: its kubelet has not ended it. */
  const force = (name: string) => void stage.api.delete('pods', 'default', name, { gracePeriodSeconds: 0 });
  return { stage, results, refusals, listener, reads, renew, force };
}

test('after a forced deletion the Lease of that node is read until the address is free, and nobody else', async (t) => {
  const { stage, results, refusals, listener, reads, renew, force } = await aStage(t);
  stage.pod('web', { ip: '10.0.0.7', node: 'node-a' });
  stage.pod('other', { ip: '10.0.0.8', node: 'node-b' });
  for (const node of ['node-a', 'node-b']) renew(node);
  const recorded = await RecordedSandbox.start(stage, { listener });
  await stage.pass(5_000);
  stage.remove('other');
  await stage.pass(5_000);
  assert.deepEqual(reads(), [], 'nobody was in doubt');
  const forced = stage.clock.monotonic();
  force('web');
  await stage.until('the Lease was read', () => results.length > 0);
  const [first] = reads();
  assert.ok(first !== undefined && first.at - forced < 500, `after ${(first?.at ?? 0) - forced} ms`);
  assert.deepEqual(
    [first.verb, first.namespace, first.name, first.path],
    ['get', 'kube-node-lease', 'node-a', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-a'],
  );
  renew('node-a');
  await stage.until('the renewal was read', () => results.filter((result) => result === 'renewed').length === 2);
  for (let i = 0; i < 30; i++) {
    await stage.leap(10_000);
    renew('node-a');
  }
  assert.equal(await recorded.says('10.0.0.7'), 'free');
  const read = reads();
  assert.deepEqual([...new Set(read.map(({ name }) => name))], ['node-a']);
  for (const [i, { at }] of read.slice(1).entries()) assert.ok(at - read[i]!.at >= 2_900, 'every 3 s');
  await stage.leap(60_000);
  assert.equal(reads().length, read.length, 'the question is settled');
  assert.deepEqual(refusals, []);
});

test('without the right to read Leases everything else is recorded, and it is reported once', async (t) => {
  const { stage, results, refusals, listener, reads, renew, force } = await aStage(t);
  stage.pod('web', { ip: '10.0.0.7' });
  renew('node-a');
  stage.server.access.setRules([{ effect: 'deny', resources: [LEASES] }]);
  const recorded = await RecordedSandbox.start(stage, { listener });
  force('web');
  await stage.until('it was refused', () => refusals.length > 0);
  assert.match(refusals[0]?.problem ?? '', /cannot get resource "leases" in API group "coordination.k8s.io"/);
  stage.pod('next', { ip: '10.0.0.9' });
  await stage.leap(300_000);
  assert.deepEqual(results, ['forbidden']);
  assert.equal(reads().length, 1);
  assert.deepEqual([refusals.length, recorded.recorder.status.problems], [1, []]);
  assert.equal(recorded.recorder.status.current, true);
  assert.equal(await recorded.says('10.0.0.9'), 'held next');
  assert.equal(await recorded.says('10.0.0.7'), 'free');
  assert.equal((await recorded.stretches()).length, 1, 'no gap');
});

test('a node without a Lease, and a server that fails, make no difference to anything else', async (t) => {
  const { stage, results, listener, reads, force } = await aStage(t);
  stage.pod('web', { ip: '10.0.0.7' });
  stage.pod('far', { ip: '10.0.0.8', node: 'node-b' });
  const recorded = await RecordedSandbox.start(stage, { listener });
  force('web');
  await stage.until('it was asked for', () => results.length > 0);
  await stage.leap(30_000);
  assert.deepEqual(results, ['absent'], 'not again for a minute');
  const lost = { on: { resource: LEASES }, times: 100 };
  stage.switchboard.arm({ kind: 'refuse', code: 500, ...lost });
  force('far');
  await stage.until('it failed', () => results.includes('failed'));
  await stage.leap(100_000);
  const failures = results.filter((result) => result === 'failed').length;
  assert.ok(failures >= 2 && failures <= 12, `${failures} failures, ${reads().length} requests`);
  assert.deepEqual([recorded.recorder.status.current, recorded.recorder.status.problems], [true, []]);
  assert.equal((await recorded.stretches()).length, 1, 'no gap');
});

test('a recorder of some namespaces reads no Lease', async (t) => {
  const { stage, results, listener, reads, renew, force } = await aStage(t);
  stage.pod('web', { ip: '10.0.0.7' });
  renew('node-a');
  const engine = await openStore('memory:', { access: 'write' });
  const recorder = await Recorder.open({
    ...{ client: await stage.connect(), clock: stage.clock, random: seededRandom(7), engine, collector: 'test' },
    ...{ cluster: { id: 'c', name: 'c' }, namespaces: ['default'], listeners: [listener] },
  });
  const stop = new AbortController();
  const running = recorder.run(stop.signal);
  stage.atEnd(async () => {
    stop.abort();
    await running;
  });
  await stage.until('it is current', () => recorder.status.current);
  force('web');
  await stage.leap(20_000);
  assert.deepEqual([reads(), results], [[], []]);
});
