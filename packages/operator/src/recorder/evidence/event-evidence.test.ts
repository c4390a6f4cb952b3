import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '@podtrail/history';
import { EVENT, type EventView, type ObjectDelta } from '@podtrail/machinery';
import { evidenceOfEvent, isWantedEvent } from './event-evidence.ts';

const FIRST = '2026-11-16T10:00:00Z';
const LAST = '2026-11-16T10:30:00Z';
const NOW = epochMillis(Date.parse('2026-11-16T10:30:01Z'));

const METADATA = { name: 'web-0.1', namespace: 'shop', uid: 'event-1', resourceVersion: '7' };

/** A pod's taint eviction, as kube-controller-manager writes it: no UID of the pod. */
function anEvent(fields: Record<string, unknown> = {}): EventView {
  return EVENT.codec.fromJson({
    metadata: METADATA,
    regarding: { kind: 'Pod', namespace: 'shop', name: 'web-0' },
    reason: 'TaintManagerEviction',
    note: 'Marking for deletion Pod shop/web-0',
    reportingController: 'taint-eviction-controller',
    deprecatedFirstTimestamp: FIRST,
    deprecatedLastTimestamp: FIRST,
    deprecatedCount: 1,
    ...fields,
  });
}

const added = (object: EventView): ObjectDelta<EventView> => ({
  ...{ kind: 'added', object, source: 'watch', initial: false, observedAt: NOW },
});
const updated = (object: EventView): ObjectDelta<EventView> => ({
  ...{ kind: 'updated', object, previous: object, source: 'watch', resync: false, observedAt: NOW },
});

test('an Event becomes one record: what was said, of whom, by whom, when', () => {
  assert.deepEqual(evidenceOfEvent(added(anEvent()), NOW), [
    {
      id: 'event-1',
      what: 'event',
      about: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: '' },
      at: Date.parse(FIRST),
      reason: 'TaintManagerEviction',
      message: 'Marking for deletion Pod shop/web-0',
      by: 'taint-eviction-controller',
      count: 1,
      source: 'watch',
      resourceVersion: '7',
    },
  ]);
});

test('a preemptor is related, and a message is cut', () => {
  const related = { kind: 'Pod', namespace: 'shop', name: 'big', uid: 'uid-big' };
  const [found] = evidenceOfEvent(added(anEvent({ reason: 'Preempted', related, note: 'x'.repeat(900) })), NOW);
  assert.deepEqual(found?.related, related);
  assert.equal(found?.message.length, 512);
});

test('what happens again is a record of its own, at its own time: the pod of that name may be another one', () => {
  const again = anEvent({ deprecatedCount: 2, deprecatedLastTimestamp: LAST });
  const places = (delta: ObjectDelta<EventView>) => evidenceOfEvent(delta, NOW).map(({ id, at }) => [id, at]);
  assert.deepEqual(places(updated(again)), [['event-1/2', Date.parse(LAST)]]);
  assert.deepEqual(places(added(again)), [
    ['event-1', Date.parse(FIRST)],
    ['event-1/2', Date.parse(LAST)],
  ]);
});

test('of many alike that are one Event, each change is a record with the text of the last', () => {
  const regarding = { kind: 'ReplicaSet', namespace: 'shop', name: 'web-1', uid: 'rs' };
  const note = '(combined from similar events): Deleted pod: web-1-xyz';
  const combined = { reason: 'SuccessfulDelete', regarding, note, deprecatedCount: 12, deprecatedLastTimestamp: LAST };
  const found = evidenceOfEvent(added(anEvent(combined)), NOW);
  assert.deepEqual(
    found.map(({ id, at, message }) => [id, at, message]),
    [['event-1/12', Date.parse(LAST), 'Deleted pod: web-1-xyz']],
  );
});

test('a kubelet that writes the name of its node as UID has given no UID', () => {
  const regarding = { kind: 'Node', name: 'node-1', uid: 'node-1' };
  const [found] = evidenceOfEvent(added(anEvent({ reason: 'Rebooted', regarding })), NOW);
  assert.deepEqual(found?.about, { kind: 'Node', namespace: '', name: 'node-1', uid: '' });
});

const A_NODE = { kind: 'Node', name: 'node-1' };
const SHUTDOWN = { reason: 'Shutdown', regarding: A_NODE };
const IN_DEFAULT = { ...METADATA, namespace: 'default' };

const WANTED: Record<string, [Record<string, unknown>, boolean]> = {
  'an eviction by a taint': [{}, true],
  'a reason that no cause rests on': [{ reason: 'Pulled' }, false],
  'a reason of another kind': [{ reason: 'ScalingReplicaSet' }, false],
  'a strategy of the descheduler': [
    { reason: 'LowNodeUtilization', reportingController: 'sigs.k8s.io.descheduler' },
    true,
  ],
  'a strategy of the descheduler, from somebody else': [{ reason: 'LowNodeUtilization' }, false],
  'an Event of the descheduler about a node': [
    {
      reason: 'LowNodeUtilization',
      reportingController: 'sigs.k8s.io.descheduler',
      regarding: A_NODE,
      metadata: IN_DEFAULT,
    },
    false,
  ],
  'a word of JavaScript': [{ reason: 'constructor' }, false],
  'a kind that is a word of JavaScript': [{ regarding: { kind: 'toString', namespace: 'shop', name: 'a' } }, false],
  'an object of another namespace': [{ regarding: { kind: 'Pod', namespace: 'bank', name: 'a' } }, false],
  'a node, whose Events are in default': [{ ...SHUTDOWN, metadata: IN_DEFAULT }, true],
  'a node, in kube-system': [{ ...SHUTDOWN, metadata: { ...METADATA, namespace: 'kube-system' } }, true],
  'a node, by who may write Events of a namespace': [SHUTDOWN, false],
  'a node as if it were of a namespace': [{ reason: 'Shutdown', regarding: { ...A_NODE, namespace: 'shop' } }, false],
  'a pod of no namespace': [{ regarding: { kind: 'Pod', name: 'web-0' }, metadata: IN_DEFAULT }, false],
  'a name that is too long for one': [{ regarding: { kind: 'Pod', namespace: 'shop', name: 'a'.repeat(300) } }, false],
  'no name': [{ regarding: { kind: 'Pod', namespace: 'shop' } }, false],
  'what is repeated, the first time': [{ reason: 'FailedScheduling' }, true],
  'what is repeated, the third time': [{ reason: 'FailedScheduling', deprecatedCount: 3 }, false],
  'what is repeated, the fourth time': [{ reason: 'FailedScheduling', series: { count: 4 } }, true],
};
for (const [title, [fields, isWanted]] of Object.entries(WANTED)) {
  test(`an Event is ${isWanted ? '' : 'not '}wanted: ${title}`, () => {
    assert.equal(isWantedEvent(anEvent(fields)), isWanted);
  });
}
