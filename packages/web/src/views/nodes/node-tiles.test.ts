import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodesDocument } from '@podtrail/history/wire';
import { NOW, watched } from '../../testing/records.ts';
import { instantText } from '../../times/span.ts';
import { departuresText, familiesOf, type NodeSummary, nodeTiles, type TileChoice } from './node-tiles.ts';
import { nodesCsv } from './nodes-csv.ts';

function aNode(node: string, rest: Partial<NodeSummary> = {}): NodeSummary {
  return {
    ...{ node, pods: 0, inDoubt: 0, hostNetwork: 0, workloads: [], otherPods: 0, workloadPods: null },
    ...{ departures: {}, departuresUnjudged: 0, compared: null },
    ...rest,
  };
}

const documentOf = (...nodes: readonly NodeSummary[]): NodesDocument => ({
  query: {
    ...{ cluster: 'c', clusterId: 'c', at: instantText(NOW), against: null, namespace: null, workload: null },
    window: 3_600,
  },
  workloads: [],
  ...{ nodes, departuresComplete: true, moved: null, movedMore: false, coverage: watched(NOW - 1) },
});
const choice = (rest: Partial<TileChoice> = {}): TileChoice => ({
  ...{ colouring: 'pods', workload: undefined, text: '' },
  ...rest,
});
const web = (pods: number) => ({ namespace: 'shop', kind: 'Deployment', name: 'web', pods });

test('nodes are in the order in which people count', () => {
  const tiles = nodeTiles(documentOf(aNode('worker-10'), aNode('worker-2')), choice());
  assert.deepEqual(
    tiles.map(({ node }) => node),
    ['worker-2', 'worker-10'],
  );
});

test('shades are of all nodes, also where some are filtered out', () => {
  const nodes = documentOf(aNode('a', { pods: 100 }), aNode('b', { pods: 20 }), aNode('c'), aNode('B2', { pods: 1 }));
  assert.deepEqual(
    nodeTiles(nodes, choice({ text: 'b' })).map(({ node, count, level }) => [node, count, level]),
    [
      ['b', 20, 1],
      ['B2', 1, 1],
    ],
  );
  assert.deepEqual(
    nodeTiles(nodes, choice()).map(({ level, bars }) => [level, bars.length]),
    [
      [5, 1],
      [1, 1],
      [1, 1],
      [0, 0],
    ],
  );
});

test('by workload the pods count that the server counted, also of one that is not among the largest of a node', () => {
  const nodes = [aNode('a', { pods: 9, workloads: [web(4)], otherPods: 5, workloadPods: 2 }), aNode('b', { pods: 3 })];
  const document = documentOf(...nodes);
  const answered = { ...document, query: { ...document.query, workload: 'shop/Deployment/cart' } };
  const counts = (of: NodesDocument, workload?: string) =>
    nodeTiles(of, choice({ colouring: 'workload', workload })).map(({ count }) => count);
  assert.deepEqual(counts(answered, 'shop/Deployment/cart'), [2, 0]);
  assert.deepEqual(counts(answered, 'shop/Deployment/web'), [undefined, undefined], 'it is not 0 until it is answered');
  assert.deepEqual(counts(document), [9, 3], 'where none is chosen, all pods');
});

test('departures are counted by family, those without a looked-up cause apart, and their bars together are as long as their number', () => {
  const node = aNode('a', { departures: { Rollout: 2, Evicted: 1, Taint: 3 }, departuresUnjudged: 1 });
  assert.deepEqual(
    familiesOf(node).map(({ family, count }) => [family.name, count]),
    [
      ['Moved by the cluster', 4],
      ['New version', 2],
      ['Not looked up', 1],
    ],
  );
  const other = aNode('b', { departures: { Rollout: 14 } });
  const [tile] = nodeTiles(documentOf(node, other), choice({ colouring: 'cause' }));
  assert.equal(tile?.count, 7);
  assert.equal(
    tile?.bars.reduce((sum, { share }) => sum + share, 0),
    0.5,
  );
});

test('any number of nodes is taken', () => {
  const nodes = Array.from({ length: 200_000 }, (_, i) => aNode(`n${i}`, { pods: i }));
  const document = { ...documentOf(), nodes };
  assert.equal(nodeTiles(document, choice({ text: 'n199999' }))[0]?.level, 5);
});

test('the CSV has each value below its name', () => {
  const compared = { arrived: 1, left: 2, stayed: 3 };
  const counts = { pods: 5, inDoubt: 1, workloads: [web(4)], otherPods: 1, workloadPods: 1 };
  const summary = aNode('a', { ...counts, departures: { Taint: 2 }, departuresUnjudged: 7, compared });
  assert.equal(
    nodesCsv(nodeTiles(documentOf(summary), choice())),
    'node,pods,in_doubt,host_network,workloads,other_pods,chosen_workload_pods,' +
      'departures,departures_not_looked_up,arrived,left,stayed\r\n' +
      'a,5,1,0,shop/Deployment/web 4,1,1,Taint 2,7,1,2,3\r\n',
  );
});

test('the legend says where not all causes were looked up', () => {
  const document = documentOf(aNode('a', { departuresUnjudged: 1 }));
  assert.equal(departuresText(undefined), 'Pods that left within 1 h before');
  assert.equal(departuresText({ ...document, departuresComplete: true }), 'Pods that left within 1 h before');
  assert.equal(
    departuresText({ ...document, departuresComplete: false }),
    'Pods that left within 1 h before, as far as they were found in time',
  );
});
