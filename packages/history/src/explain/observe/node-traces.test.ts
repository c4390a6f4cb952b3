// Evidence about nodes, by what changes in their objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObservedNode, ObservedTaint } from '../../observe/observation.ts';
import { aNode } from '../../testing/observed-pod.ts';
import { TestCauses } from '../../testing/test-causes.ts';
import { at } from '../../testing/test-ledger.ts';

const FOLLOWED = { scope: { kind: 'cluster' }, alsoFollows: ['Node'] } as const;

type Condition = NonNullable<ObservedNode['status']['conditions']>[number];

const condition = (type: string, status: string, second: number, reason = ''): Condition => ({
  ...{ type, status, reason },
  ...{ lastTransitionTime: at(second), lastHeartbeatTime: at(second) },
});
const WELL = [condition('Ready', 'True', -100, 'KubeletReady'), condition('MemoryPressure', 'False', -100)];

interface Shown {
  readonly version?: number;
  readonly unschedulable?: boolean;
  readonly taints?: readonly ObservedTaint[];
  readonly conditions?: readonly Condition[];
  readonly bootID?: string;
}

function node({ version = 1, unschedulable = false, taints = [], conditions = WELL, bootID = 'boot-1' }: Shown = {}) {
  const { metadata, status } = aNode('node-a', version, '192.0.2.1');
  const nodeInfo = { bootID, kubeletVersion: 'v1.36.3' };
  const known: ObservedNode = {
    metadata: { ...metadata, creationTimestamp: at(-1000) },
    spec: { podCIDRs: [], unschedulable, taints },
    status: { ...status, conditions, nodeInfo },
  };
  return known;
}

const taint = (key: string, effect: string, second?: number, value = ''): ObservedTaint => ({
  ...{ key, value, effect },
  timeAdded: second === undefined ? undefined : at(second),
});

/** Every 20 s, for an hour: a kubelet writes its status every 10 s. */
const TIMES = 179;

test('a node that is lost and comes back as often as a kubelet can say it: every taint that is put on is taken off', async () => {
  const ledger = new TestCauses(FOLLOWED);
  await ledger.listNodes(1, 'start', node());
  const lost = (second: number) => [
    condition('Ready', 'Unknown', second, 'NodeStatusUnknown'),
    condition('MemoryPressure', 'Unknown', second, 'NodeStatusUnknown'),
  ];
  const unreachable = (second: number) =>
    (['NoSchedule', 'NoExecute'] as const).map((effect) => taint('node.kubernetes.io/unreachable', effect, second));
  for (let time = 0; time < TIMES; time++) {
    const second = 10 + time * 20;
    await ledger.seeNode(second, node({ conditions: lost(second), taints: unreachable(second) }));
    const well = [condition('Ready', 'True', second + 10), condition('MemoryPressure', 'False', second + 10)];
    await ledger.seeNode(second + 10, node({ conditions: well }));
  }
  const counts = Object.entries(Object.groupBy(await ledger.traces(), (trace) => trace.split(/[ =]/)[1] ?? ''));
  assert.deepEqual(
    counts.map(([what, all]) => [what, all?.length]),
    [
      ['Ready', 2 * TIMES],
      ['node.kubernetes.io/unreachable:NoExecute', 2 * TIMES],
      ['node.kubernetes.io/unreachable:NoSchedule', 2 * TIMES],
    ],
  );
});

test('that a node is short of nothing is a trace after it was short only', async () => {
  const ledger = new TestCauses(FOLLOWED);
  await ledger.listNodes(1, 'start', node());
  const ready = condition('Ready', 'True', -100, 'KubeletReady');
  for (const [second, status] of [
    [10, 'Unknown'],
    [20, 'False'],
    [30, 'True'],
    [40, 'Unknown'],
    [50, 'False'],
  ] as const) {
    await ledger.seeNode(second, node({ conditions: [ready, condition('MemoryPressure', status, second)] }));
  }
  assert.deepEqual(await ledger.traces(), ['condition MemoryPressure=True', 'condition MemoryPressure=Unknown']);
});

test('a cordon and its end, and the taint that a controller adds, are evidence about the node', async () => {
  const ledger = new TestCauses(FOLLOWED);
  await ledger.listNodes(1, 'start', node());
  await ledger.seeNode(10, node({ unschedulable: true }));
  const tainted = node({ unschedulable: true, taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule', 10)] });
  await ledger.seeNode(10.5, tainted);
  await ledger.seeNode(20, tainted);
  await ledger.seeNode(30, node());
  assert.deepEqual(await ledger.traces(), [
    'cordoned',
    'tainted node.kubernetes.io/unschedulable:NoSchedule',
    'uncordoned',
    'untainted node.kubernetes.io/unschedulable:NoSchedule',
  ]);
  const [first] = await ledger.records('evidence');
  assert.deepEqual(first?.about, { kind: 'Node', namespace: '', name: 'node-a', uid: 'uid-node-a' });
});

test('a taint is written as kubectl writes it, at the time at which it was added, once', async () => {
  const ledger = new TestCauses(FOLLOWED);
  await ledger.listNodes(1, 'start', node());
  const taints = [taint('node.kubernetes.io/unreachable', 'NoExecute', 50), taint('team', 'NoExecute', undefined, 'a')];
  await ledger.seeNode(51, node({ taints }));
  await ledger.restart();
  await ledger.seeNode(60, node({ taints }));
  const found = (await ledger.records('evidence')).filter(({ reason }) => reason.includes('unreachable'));
  assert.deepEqual(
    found.map(({ reason, at: when }) => [reason, when]),
    [['node.kubernetes.io/unreachable:NoExecute', at(50)]],
  );
  assert.ok((await ledger.traces()).includes('tainted team=a:NoExecute'));
});

test('a condition is evidence when it changes, with its own reason; a heartbeat is none', async () => {
  const ledger = new TestCauses(FOLLOWED);
  await ledger.listNodes(1, 'start', node());
  await ledger.seeNode(9, node({ conditions: WELL.map((one) => ({ ...one, lastHeartbeatTime: at(9) })) }));
  await ledger.seeNode(50, node({ conditions: [condition('Ready', 'Unknown', 50, 'NodeStatusUnknown')] }));
  await ledger.seeNode(70, node({ conditions: [condition('Ready', 'True', 70, 'KubeletReady')] }));
  const found = await ledger.records('evidence');
  assert.deepEqual(
    found.map(({ what, reason, message, at: when }) => [what, reason, message, when]),
    [
      ['condition', 'Ready=Unknown', 'NodeStatusUnknown', at(50)],
      ['condition', 'Ready=True', 'KubeletReady', at(70)],
    ],
  );
});

test('what is not normal is evidence at the first sight of a node, too, and what is normal is not', async () => {
  const ledger = new TestCauses(FOLLOWED);
  const conditions = [
    condition('Ready', 'True', -50),
    condition('DiskPressure', 'True', -40, 'KubeletHasDiskPressure'),
  ];
  await ledger.listNodes(1, 'start', node({ conditions, unschedulable: true }));
  assert.deepEqual(await ledger.traces(), ['condition DiskPressure=True', 'cordoned']);
});

test('another boot is evidence, also one that nobody saw', async () => {
  const ledger = new TestCauses(FOLLOWED);
  await ledger.listNodes(1, 'start', node());
  await ledger.seeNode(10, node({ bootID: 'boot-2' }));
  await ledger.restart();
  await ledger.seeNode(20, node({ bootID: 'boot-3' }));
  assert.deepEqual(await ledger.traces(), ['booted boot-2', 'booted boot-3', 'uncordoned']);
});

test('a node that an event shows first was created; one that is gone was deleted', async () => {
  const ledger = new TestCauses(FOLLOWED);
  await ledger.listNodes(1, 'start');
  await ledger.seeNode(5, node());
  await ledger.seeNode(9, node(), 'deleted');
  assert.deepEqual(await ledger.traces(), ['created', 'deleted']);
});

test('a node that a listing lacks was deleted, by inference', async () => {
  const ledger = new TestCauses(FOLLOWED);
  await ledger.listNodes(1, 'start', node());
  await ledger.listNodes(90, 'expired');
  assert.deepEqual(
    (await ledger.records('evidence')).map(({ what, source, at: when }) => [what, source, when]),
    [['deleted', 'inferred', at(90)]],
  );
});

test('after a restart nothing is written of a node that is as it was', async () => {
  const ledger = new TestCauses(FOLLOWED);
  const cordoned = { unschedulable: true, taints: [taint('node.kubernetes.io/unschedulable', 'NoSchedule', 10)] };
  await ledger.listNodes(11, 'start', node({ ...cordoned, version: 7 }));
  await ledger.seeNode(500, node({ ...cordoned, version: 9 }));
  const before = await ledger.traces();
  await ledger.restart();
  assert.deepEqual(await ledger.listNodes(600, 'expired', node({ ...cordoned, version: 9 })), []);
  await ledger.restart();
  assert.deepEqual(await ledger.listNodes(900, 'expired', node({ ...cordoned, version: 20 })), []);
  assert.deepEqual(await ledger.traces(), before);
  // It was uncordoned while nobody watched.
  await ledger.restart();
  await ledger.listNodes(1200, 'expired', node({ version: 30 }));
  assert.deepEqual((await ledger.traces()).at(-1), 'uncordoned');
});
