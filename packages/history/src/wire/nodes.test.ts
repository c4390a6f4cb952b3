import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '../engines/engine.ts';
import {
  aBoundary,
  aCoverage,
  aDeparture,
  aHolder,
  aPlacement,
  aPodLife,
  aTenure,
  at,
  coverageFact,
  placementFact,
  tenureFact,
} from '../engines/testing/record-builders.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { occurrenceFact } from '../model/occurrence.ts';
import { ALL_VISIBLE } from '../query/visibility.ts';
import { CLUSTER, ledgerOf } from '../testing/random-ledger.ts';
import { readNodeDepartures } from './node-departures.ts';
import { askNodes, type NodesAsked } from './nodes.ts';
import { nodesSchema } from './schemas/index.ts';

const web = { kind: 'Deployment', name: 'web', inferred: true };
const db = { kind: 'StatefulSet', name: 'db', inferred: false };
const agent = { kind: 'DaemonSet', name: 'agent', inferred: false };
let ledger: Engine;
before(async () => {
  const on = (node: string, workload: typeof web | undefined, uid?: string) => ({
    ...{ node, workload },
    ...(uid === undefined ? {} : { uid }),
  });
  const node = aHolder('node-empty', { kind: 'Node', namespace: '', node: 'node-empty', workload: undefined });
  const evicted = { reason: 'EvictionByEvictionAPI', message: '', at: at(60) };
  const deletion = { requested: at(60), graceSeconds: 30 };
  ledger = await ledgerOf([
    coverageFact(aCoverage(0, 200)),
    tenureFact(aTenure('192.168.0.9', node, 1)),
    placementFact(aPlacement(aHolder('web-1', on('node-a', web)), 10, 60)),
    placementFact(aPlacement(aHolder('web-2', on('node-a', web)), 10)),
    placementFact(aPlacement(aHolder('web-3', on('node-b', web)), 61)),
    placementFact(aPlacement(aHolder('db-0', on('node-a', db, 'uid-old')), 10, 70)),
    placementFact(aPlacement(aHolder('db-0', on('node-b', db, 'uid-new')), 80)),
    placementFact(aPlacement(aHolder('agent-a', { ...on('node-a', agent), hostNetwork: true }), 10, 90)),
    placementFact(aPlacement(aHolder('agent-b', { ...on('node-b', agent), hostNetwork: true }), 95)),
    placementFact(aPlacement(aHolder('lone', { ...on('node-b', undefined), namespace: 'other' }), 10, 65)),
    placementFact(aPlacement(aHolder('late', on('node-c', web)), 10, aBoundary(90, { notBefore: at(30) }))),
    occurrenceFact('life', aPodLife('web-1', 10, { disruption: evicted, deletion, gone: at(60) })),
    occurrenceFact('departure', aDeparture('web-1', 60)),
  ]);
});

async function nodes(more: Partial<NodesAsked> = {}) {
  const usual = { at: at(100), against: undefined, namespace: undefined, windowMs: 3_600_000 };
  const document = await withSnapshot(ledger, CLUSTER.id, (snapshot) =>
    askNodes(snapshot, ALL_VISIBLE, CLUSTER, { ...usual, workload: undefined, now: at(200), ...more }),
  );
  return nodesSchema.parse(document);
}

test('every node has how many pods it had then, of which workloads, and how many are in doubt; empty ones are listed', async () => {
  const { nodes: found, moved, departuresComplete } = await nodes({ at: at(50) });
  const rest = { departures: {}, departuresUnjudged: 0, compared: null, workloadPods: null };
  const of = (kind: string, name: string, pods = 1) => ({ namespace: 'shop', kind, name, pods });
  const onA = [of('Deployment', 'web', 2), of('DaemonSet', 'agent'), of('StatefulSet', 'db')];
  assert.deepEqual(found, [
    { node: 'node-a', pods: 4, inDoubt: 0, hostNetwork: 1, workloads: onA, otherPods: 0, ...rest },
    { node: 'node-b', pods: 1, inDoubt: 0, hostNetwork: 0, workloads: [], otherPods: 1, ...rest },
    {
      node: 'node-c',
      pods: 1,
      inDoubt: 1,
      hostNetwork: 0,
      workloads: [of('Deployment', 'web')],
      otherPods: 0,
      ...rest,
    },
    { node: 'node-empty', pods: 0, inDoubt: 0, hostNetwork: 0, workloads: [], otherPods: 0, ...rest },
  ]);
  assert.deepEqual([moved, departuresComplete], [null, true]);
});

test('the pods of the workload that is asked for are counted on every node, also where it is not among the largest', async () => {
  const many = Array.from({ length: 13 }, (_, i) => ({ kind: 'Deployment', name: `large-${i}`, inferred: false }));
  const holders = many.flatMap((workload) => [1, 2].map((n) => aHolder(`${workload.name}-${n}`, { workload })));
  const lonely = await ledgerOf([
    coverageFact(aCoverage(0, 200)),
    ...[...holders, aHolder('agent-x', { workload: agent })].map((holder) => placementFact(aPlacement(holder, 10))),
  ]);
  const asked = { at: at(50), against: undefined, namespace: undefined, windowMs: 0, now: at(200) };
  const document = await withSnapshot(lonely, CLUSTER.id, (snapshot) =>
    askNodes(snapshot, ALL_VISIBLE, CLUSTER, { ...asked, workload: 'shop/daemonset/agent' }),
  );
  const { nodes: found, workloads } = nodesSchema.parse(document);
  assert.deepEqual(
    found.map((one) => [one.workloads.length, one.otherPods, one.workloadPods]),
    [[12, 3, 1]],
  );
  assert.equal(workloads.length, 14, 'all of them are listed');
  assert.deepEqual(workloads.at(-1), { namespace: 'shop', kind: 'DaemonSet', name: 'agent', pods: 1 });
  const { nodes: others } = await nodes({
    at: at(50),
    workload: 'shop/Deployment/web',
  });
  assert.deepEqual(
    others.map(({ workloadPods }) => workloadPods),
    [2, 0, 1, 0],
  );
});

test('why pods left is counted by node, within the window only', async () => {
  const causes = async (windowMs: number) => {
    const { nodes: found } = await nodes({ at: at(70), windowMs });
    return found.map(({ departures }) => departures);
  };
  assert.deepEqual(await causes(20_000), [{ Evicted: 1 }, {}, {}, {}]);
  assert.deepEqual(await causes(10_000), [{}, {}, {}, {}]);
  assert.deepEqual(await causes(0), [{}, {}, {}, {}]);
});

test('what is not judged in time is counted without a cause, and it is said', async () => {
  const late = () => Number.POSITIVE_INFINITY;
  const span = { from: at(0), to: at(100) };
  const { byNode, isComplete } = await withSnapshot(ledger, CLUSTER.id, (snapshot) =>
    readNodeDepartures(snapshot, { span, namespace: undefined, visibility: ALL_VISIBLE, monotonic: late }),
  );
  assert.deepEqual([...byNode], [['node-a', { causes: {}, unjudged: 1 }]]);
  assert.equal(isComplete, false);
});

test('two instants are compared from the earlier to the later, whichever is asked about', async () => {
  for (const [one, other] of [[50, 100] as const, [100, 50] as const]) {
    const { nodes: found, moved, movedMore } = await nodes({ at: at(one), against: at(other) });
    const compared = Object.fromEntries(found.map(({ node, compared: counts }) => [node, counts]));
    assert.deepEqual(compared, {
      'node-a': { arrived: 0, left: 3, stayed: 1 },
      'node-b': { arrived: 3, left: 1, stayed: 0 },
      'node-c': { arrived: 0, left: 1, stayed: 0 },
      'node-empty': { arrived: 0, left: 0, stayed: 0 },
    });
    const lines = (moved ?? []).map(
      ({ change, name, from, to, certain, successor }) =>
        `${change} ${name} ${from} ${to}${successor === null ? '' : ` ${successor.uid}`}${certain ? '' : ' ?'}`,
    );
    assert.deepEqual(lines, [
      'moved db-0 node-a node-b uid-new',
      'moved late node-c node-b uid-web-3 ?',
      'left lone node-b null',
      'left agent-a node-a null',
      'left web-1 node-a null',
      'arrived agent-b null node-b',
    ]);
    assert.equal(movedMore, false);
  }
});

test('only pods of a namespace are counted where one is asked for', async () => {
  const { nodes: found } = await nodes({ at: at(50), namespace: 'other' });
  assert.deepEqual(
    found.map(({ node, pods }) => [node, pods]),
    [
      ['node-b', 1],
      ['node-empty', 0],
    ],
  );
});

test('of an instant that has not come nothing is known', async () => {
  const { nodes: found, coverage } = await nodes({ at: at(300) });
  assert.deepEqual(
    found.filter(({ pods }) => pods > 0),
    [],
  );
  assert.ok(coverage.gaps.some(({ reason }) => reason === 'in-the-future'));
});
