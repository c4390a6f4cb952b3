// What a recorder keeps for causes, and that nothing else depends on it: on the sandbox, with streams that are refused,
// missing or flooded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Evidence, readCase, withSnapshot } from '@podtrail/history';
import { HealthChecks } from '@podtrail/machinery';
import type { EvidenceChange } from '@podtrail/operator';
import { addRecorderReadiness } from '@podtrail/operator/monitoring';
import { FaultStage } from '../testing/fault-stage.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

const FOR_EVER = Number.MAX_SAFE_INTEGER;
const STREAMS = [
  ...['events', 'replicasets', 'deployments', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs', 'namespaces'],
];

/** As the switchboard of the sandbox calls them. */
const IN_PATHS = [
  ...['events.events.k8s.io', 'namespaces', 'jobs.batch', 'cronjobs.batch'],
  ...['replicasets.apps', 'deployments.apps', 'statefulsets.apps', 'daemonsets.apps'],
];

async function evidence(recorded: RecordedSandbox): Promise<Evidence[]> {
  return (await recorded.records('evidence')).map((fact) => fact.evidence);
}

function stored(recorded: RecordedSandbox): Evidence[] {
  return recorded.facts().flatMap((fact) => (fact.kind === 'evidence' ? [fact.evidence] : []));
}

/** What is known of the streams themselves, as `events lost Forbidden`, in the order of their names. */
async function losses(recorded: RecordedSandbox): Promise<string[]> {
  const found = (await evidence(recorded)).filter(({ about }) => about.kind === 'Stream');
  return found.map(({ about, what, reason }) => `${about.name} ${what.replace('stream-', '')} ${reason}`).sort();
}

async function start(stage: FaultStage): Promise<{ recorded: RecordedSandbox; changes: EvidenceChange[] }> {
  const changes: EvidenceChange[] = [];
  const listener = { evidenceChanged: (change: EvidenceChange) => void changes.push(change) };
  return { recorded: await RecordedSandbox.start(stage, { causes: true, listener }), changes };
}

async function isWell(stage: FaultStage, { recorder }: RecordedSandbox): Promise<boolean> {
  const checks = new HealthChecks();
  addRecorderReadiness(checks, recorder, stage.clock);
  const { checks: results } = await checks.report();
  return results.every(({ ok }) => ok) && recorder.status.current && recorder.status.problems.length === 0;
}

function event(stage: FaultStage, name: string, namespace: string, about: string): void {
  const at = new Date(stage.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  stage.api.create('events', {
    metadata: { name, namespace },
    involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace, name: about },
    ...{ reason: 'TaintManagerEviction', message: `Marking for deletion Pod ${namespace}/${about}`, type: 'Normal' },
    ...{ source: { component: 'taint-eviction-controller' }, count: 1, firstTimestamp: at, lastTimestamp: at },
  });
}

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } };
const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template };

test('Events, owners and namespaces become evidence; Events are not cached', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  stage.pod('web', { ip: '10.0.0.7' });
  const { recorded, changes } = await start(stage);
  const deployment = stage.api.create('deployments.apps', { metadata: { name: 'web', namespace: 'default' }, spec });
  const owner = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: deployment.metadata.uid ?? '', controller: true },
  };
  stage.api.create('replicasets.apps', {
    metadata: {
      ...{ name: 'web-1', namespace: 'default', ownerReferences: [owner] },
      annotations: { 'deployment.kubernetes.io/revision': '3' },
    },
    spec,
  });
  event(stage, 'web.1', 'default', 'web');
  stage.api.delete('replicasets.apps', 'default', 'web-1', {});
  const isStored = (what: string, name: string) =>
    stored(recorded).some((found) => found.what === what && found.about.name === name);
  await stage.until('the end of the ReplicaSet is stored', () => isStored('deleted', 'web-1'));
  await stage.until('the Event is stored', () => isStored('event', 'web'));
  const all = await evidence(recorded);
  const ofReplicaSet = all.filter(({ about }) => about.kind === 'ReplicaSet');
  assert.deepEqual(ofReplicaSet.map(({ what }) => what).sort(), ['created', 'deleted', 'owned', 'revision']);
  assert.equal(ofReplicaSet.find(({ what }) => what === 'owned')?.related?.name, 'web');
  assert.equal(ofReplicaSet.find(({ what }) => what === 'revision')?.reason, '3');
  const said = all.find(({ what }) => what === 'event');
  assert.deepEqual([said?.reason, said?.by], ['TaintManagerEviction', 'taint-eviction-controller']);
  const streams = recorded.recorder.status.streams.filter(({ role }) => role === 'evidence');
  assert.deepEqual(
    streams.map(({ resource }) => resource),
    STREAMS,
  );
  assert.equal(streams.find(({ resource }) => resource === 'events')?.objects, 0);
  await stage.until(
    'all are followed',
    () => stored(recorded).filter(({ about }) => about.kind === 'Stream').length === 8,
  );
  assert.deepEqual(await losses(recorded), STREAMS.map((name) => `${name} followed Listed`).sort());
  assert.deepEqual(changes, []);
});

for (const [code, reason] of [
  [403, 'Forbidden'],
  [404, 'NotFound'],
] as const) {
  test(`streams of evidence that are refused with ${code} are lost once each; all else is as without them`, async (t) => {
    const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
    for (const resource of IN_PATHS) stage.switchboard.arm({ kind: 'refuse', code, on: { resource }, times: FOR_EVER });
    stage.pod('web', { ip: '10.0.0.7' });
    const { recorded, changes } = await start(stage);
    await stage.until('all are lost', () => changes.length === STREAMS.length);
    await stage.leap(120_000);
    stage.pod('late', { ip: '10.0.0.8' });
    await recorded.current();
    assert.equal(await isWell(stage, recorded), true, 'ready, and without a problem');
    assert.deepEqual(await losses(recorded), STREAMS.map((name) => `${name} lost ${reason}`).sort());
    assert.deepEqual(changes.map(({ resource }) => resource).sort(), [...STREAMS].sort(), 'reported once each');
    assert.equal((await recorded.stretches()).length, 1, 'no gap');
    const { streams } = recorded.recorder.status;
    assert.equal(streams.filter(({ problem }) => problem !== undefined).length, STREAMS.length);
    assert.deepEqual(
      [await recorded.says('10.0.0.7'), await recorded.says('10.0.0.8'), await recorded.says('10.0.0.9')],
      ['held web', 'held late', 'free'],
    );
    const asked = stage.requests.filter(({ resource }) => resource === 'events.events.k8s.io').length;
    assert.ok(asked > 1 && asked < 30, `asked ${asked} times in two minutes`);
  });
}

test('a flood of Events of one namespace is counted and said, and the Events of others are kept', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  for (const name of ['hostile', 'shop']) stage.api.create('namespaces', { metadata: { name } });
  stage.pod('web', { ip: '10.0.0.7' });
  const { recorded, changes } = await start(stage);
  // The first minute may be filled by a listing.
  await stage.leap(61_000);
  for (let i = 0; i < 3_000; i++) event(stage, `flood-${i}`, 'hostile', `pod-${i}`);
  event(stage, 'web.1', 'shop', 'web');
  const kept = () => stored(recorded).filter(({ what }) => what === 'event');
  await stage.until('the other one is stored', () => kept().some(({ about }) => about.namespace === 'shop'));
  await stage.until('the flood is recorded', () => changes.length === 1);
  await recorded.current();
  const dropped = recorded.recorder.status.streams.find(({ resource }) => resource === 'events')?.dropped ?? 0;
  assert.equal(kept().length - 1 + dropped, 3_000, 'kept or counted');
  assert.equal(kept().length - 1, 1_000);
  const lost = (await evidence(recorded)).filter(({ what }) => what === 'stream-lost');
  assert.deepEqual(
    lost.map(({ about, reason }) => [about.name, about.namespace, reason]),
    [['events', 'hostile', 'Flooded']],
  );
  assert.equal(await isWell(stage, recorded), true);
  assert.deepEqual([await recorded.says('10.0.0.7'), await recorded.says('10.0.0.9')], ['held web', 'free']);
  await stage.leap(121_000);
  await stage.until('it is over', () => changes.length === 2);
  assert.equal(changes[1]?.problem, undefined);
});

test('a recorder of some namespaces follows what lies in them, and no namespaces', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  stage.pod('web', { ip: '10.0.0.7' });
  const { recorded } = await startIn(stage, ['default']);
  const streams = recorded.recorder.status.streams.filter(({ role }) => role === 'evidence');
  assert.deepEqual(
    streams.map(({ resource }) => resource),
    STREAMS.slice(0, -1),
  );
  assert.deepEqual(new Set(streams.map(({ namespace }) => namespace)), new Set(['default']));
});

async function startIn(stage: FaultStage, namespaces: readonly string[]) {
  const recorded = await RecordedSandbox.open(stage, { causes: true, namespaces });
  await stage.until('it is current', () => recorded.recorder.status.current);
  return { recorded };
}

test('without causes nothing is asked for them and nothing is stored; who held what is recorded as ever', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const uid = stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage, { causes: false });
  event(stage, 'web.1', 'default', 'web');
  stage.remove('web');
  stage.pod('next', { ip: '10.0.0.8' });
  await recorded.current();
  const kinds = new Set(recorded.facts().map(({ kind }) => kind));
  assert.ok(kinds.has('tenure') && kinds.has('placement'));
  assert.deepEqual(
    [...kinds].filter((kind) => ['life', 'departure', 'evidence'].includes(kind)),
    [],
  );
  assert.deepEqual(
    recorded.recorder.status.streams.map(({ resource, role }) => `${resource} ${role}`),
    ['pods claims', 'services claims', 'nodes claims'],
  );
  assert.deepEqual(
    stage.requests.filter(({ resource }) => IN_PATHS.includes(resource ?? '')),
    [],
  );
  const moved = await withSnapshot(recorded.engine, recorded.cluster.id, (snapshot) => readCase(snapshot, uid));
  assert.equal(moved, undefined);
  assert.equal(await recorded.recorder.recordEvidence([]), false, 'nor is evidence taken from elsewhere');
  assert.deepEqual([await recorded.says('10.0.0.8'), await recorded.says('10.0.0.9')], ['held next', 'free']);
});
