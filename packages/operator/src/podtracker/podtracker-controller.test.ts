import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Move, PodLife } from '@podtrail/history';
import { EventRecorder } from '@podtrail/machinery';
import type { TrackerFailure } from './podtracker-controller.ts';
import { ControllerStage } from './testing/controller-stage.ts';

/** As no schema would let it pass: matching any pod throws. */
const MALFORMED = { podSelector: { matchExpressions: 5 } };

test('a tracker that cannot be worked with is Degraded, reported and counted, and the others go on', async (t) => {
  const failures: TrackerFailure[] = [];
  const stage = new ControllerStage(t, { onTrackerFailure: (failure) => failures.push(failure) });
  await stage.putTracker('broken', MALFORMED);
  await stage.putTracker('sound', {});
  await stage.settle();
  stage.putPod('a');
  await stage.settle();
  stage.putPod('b');
  await stage.settle();
  assert.deepEqual(stage.listed('sound'), ['a', 'b']);
  assert.equal(stage.condition('sound', 'Degraded')?.status, 'False');
  assert.equal(stage.condition('broken', 'Degraded')?.status, 'True');
  assert.equal(stage.condition('broken', 'Degraded')?.reason, 'CannotSelect');
  assert.match(stage.condition('broken', 'Degraded')?.message ?? '', /correct it: .*is not a function/);
  assert.equal(stage.condition('broken', 'Ready')?.status, 'False');
  assert.deepEqual(
    failures.map(({ tracker }) => tracker),
    ['broken'],
    'once, not for every pod',
  );
  assert.equal(stage.controller.writes.failures, 1);
});

test('a tracker that is malformed from the start does not keep others from being adopted, nor from its own cure', async (t) => {
  const stage = new ControllerStage(t);
  stage.putPod('a');
  await stage.putTracker('broken', { namespaces: 5, nodeNames: 5, ...MALFORMED });
  await stage.putTracker('sound', {});
  await stage.settle();
  assert.deepEqual(stage.listed('sound'), ['a']);
  assert.equal(stage.condition('broken', 'Degraded')?.status, 'True');
  await stage.collections.trackers.patch('broken', {
    kind: 'merge',
    body: { metadata: { generation: 2 }, spec: { namespaces: null, nodeNames: null, podSelector: null } },
  });
  const cured = stage.collections.trackers.peek('broken');
  assert.ok(cured !== undefined);
  stage.deliverTracker(cured);
  await stage.settle();
  assert.deepEqual(stage.listed('broken'), ['a']);
  assert.equal(stage.condition('broken', 'Degraded')?.status, 'False');
});

test('what its listener does with a failure cannot keep others from their turn', async (t) => {
  const stage = new ControllerStage(t, {
    onTrackerFailure: () => {
      throw new Error('the log is broken');
    },
  });
  await stage.putTracker('broken', MALFORMED);
  await stage.putTracker('sound', {});
  stage.putPod('a');
  await stage.settle();
  assert.deepEqual(stage.listed('sound'), ['a']);
});

test('pods that were not watched for a while are reported on every tracker, once each and by the leader', async (t) => {
  let leads = true;
  const stage = new ControllerStage(t, { isLeader: () => leads });
  await stage.putTracker('a', {});
  await stage.putTracker('b', { namespaces: ['shop'] });
  const from = stage.clock.now();
  await stage.clock.advance(90_000);
  stage.relist('start', from);
  assert.equal(stage.events.length, 0, 'a first listing is no gap');
  stage.relist('expired', from);
  const note = [
    'Pods were not watched from 2026-01-01T00:00:00.000Z to 2026-01-01T00:01:30.000Z (expired): ',
    'what came and went in between was not seen',
  ].join('');
  assert.deepEqual(
    stage.events.map((event) => [event.regarding.name, event.type, event.reason, event.note]),
    [
      ['a', 'Warning', 'WatchGap', note],
      ['b', 'Warning', 'WatchGap', note],
    ],
  );
  leads = false;
  stage.relist('expired', from);
  assert.equal(stage.events.length, 2);
});

const MOVED_TEXT = 'shop/kafka-0 moved node-35 → node-06: out of memory';

function moveOf(name: string, from: string, to: string): Move {
  const pod = (uid: string, node: string) =>
    ({ kind: 'Pod', namespace: 'shop', name, uid, node }) as Move['from']['pod'];
  const verdict = { cause: 'OOMKilled', certainty: 'certain', sentence: '', evidence: [] } as const;
  const successor = { life: { pod: pod(`uid-${name}`, to) } as PodLife, certainty: 'certain' } as const;
  return { from: { pod: pod('uid-before', from) }, to: successor, verdict, known: { node: [] } } as unknown as Move;
}

test('a move is an Event on the trackers that ask for it and select the pod, by the leader only', async (t) => {
  let leads = true;
  const stage = new ControllerStage(t, { isLeader: () => leads });
  const events = { podMoved: true };
  await stage.putTracker('asks', { namespaces: ['shop'], events });
  await stage.putTracker('of-the-node', { nodeNames: ['node-35'], events });
  await stage.putTracker('of-another-node', { nodeNames: ['node-7'], events });
  await stage.putTracker('of-other-pods', { podSelector: { matchLabels: { app: 'other' } }, events });
  await stage.putTracker('does-not-ask', { namespaces: ['shop'] });
  await stage.putTracker('asks-not', { events: { podMoved: false } });
  stage.putPod('kafka-0', { namespace: 'shop', node: 'node-06' });
  stage.controller.podMoved(moveOf('kafka-0', 'node-35', 'node-06'));
  assert.deepEqual(
    stage.events.map(({ regarding, reason, type, note }) => [regarding.name, type, reason, note]),
    [
      ['asks', 'Normal', 'PodMoved', MOVED_TEXT],
      ['of-the-node', 'Normal', 'PodMoved', MOVED_TEXT],
    ],
  );
  assert.equal(stage.events[0]?.related?.uid, 'uid-kafka-0');
  stage.controller.podMoved(moveOf('kafka-0', 'node-06', 'node-06'));
  stage.controller.podMoved(moveOf('unknown', 'node-35', 'node-06'));
  leads = false;
  stage.controller.podMoved(moveOf('kafka-0', 'node-35', 'node-06'));
  assert.equal(stage.events.length, 2, 'not on the same node, not of a pod that is gone, not by another replica');
});

test('the Event of a move names neither a user of the audit log nor a preemptor of another namespace', async (t) => {
  const stage = new ControllerStage(t, {});
  await stage.putTracker('asks', { namespaces: ['shop'], events: { podMoved: true } });
  stage.putPod('kafka-0', { namespace: 'shop', node: 'node-06' });
  const move = moveOf('kafka-0', 'node-35', 'node-06');
  const by = (cause: 'Evicted' | 'Preempted', actor: string) => ({
    ...move,
    verdict: { ...move.verdict, cause, actor },
  });
  stage.controller.podMoved(by('Evicted', 'alice@example.com'));
  stage.controller.podMoved(by('Preempted', 'payments/secret-1'));
  assert.deepEqual(
    stage.events.map(({ note }) => note),
    ['evicted', 'preempted'].map((words) => `shop/kafka-0 moved node-35 → node-06: ${words}`),
  );
});

test('a thousand moves at once are twenty-five Events on a tracker, and as many on another', async (t) => {
  let writes = 0;
  const note = async () => {
    writes++;
    return {} as never;
  };
  const events = new EventRecorder({
    events: () => ({ create: note, patch: note }),
    ...{ reportingController: 'podtrail.dev/operator', reportingInstance: 'test' },
  });
  const stage = new ControllerStage(t, { events });
  for (const name of ['one', 'other']) await stage.putTracker(name, { events: { podMoved: true } });
  for (let i = 0; i < 1_000; i++) {
    stage.putPod(`web-${i}`, { namespace: 'shop', node: 'node-06' });
    stage.controller.podMoved(moveOf(`web-${i}`, 'node-35', 'node-06'));
  }
  await events.shutDown(10_000);
  assert.equal(writes, 50);
  assert.equal(events.counts.spam, 1_950);
});
