// Which Events are dropped, and what is missing then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '@podtrail/history';
import { EVENT, type EventView } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import type { EvidenceStream } from '../recorded-streams.ts';
import { evidenceStreams } from './evidence-streams.ts';
import { FollowedEvidence } from './followed-evidence.ts';

function followed() {
  const clock = new ManualClock();
  const stream = evidenceStreams().find(({ resource }) => resource === EVENT.resource) as EvidenceStream;
  const evidence = new FollowedEvidence({ stream, namespace: undefined, watchedUntil: undefined, clock });
  const look = () => {
    const { observations } = evidence.look({ current: true, error: undefined }, epochMillis(clock.now()));
    return observations.map((one) => ('evidence' in one ? `${one.evidence.what} ${one.evidence.reason}` : one.kind));
  };
  look();
  const send = (count: number, kind: string, reason: string) =>
    Array.from({ length: count }, (_, i) =>
      evidence.wants(anEvent({ kind, namespace: kind === 'Node' ? '' : 'shop', name: 'web-1' }, reason, i), 'ADDED'),
    ).filter((isKept) => isKept).length;
  return { evidence, look, send };
}

function anEvent(regarding: { kind: string; namespace: string; name: string }, reason: string, i: number): EventView {
  const namespace = regarding.namespace || 'default';
  const json = {
    ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', reason, regarding },
    metadata: { name: `e${i}`, namespace, uid: `e${i}`, resourceVersion: '1' },
  };
  return EVENT.codec.fromJson(json);
}

for (const [kind, reason] of [
  ['Pod', 'FailedScheduling'],
  ['Pod', 'Killing'],
  ['Pod', 'SandboxChanged'],
  ['Node', 'NodeNotReady'],
] as const) {
  test(`${reason} of a ${kind} names no cause: however many there are, nothing is missing`, () => {
    const { evidence, look, send } = followed();
    const kept = send(200, kind, reason);
    assert.ok(kept > 0 && kept < 20, `${kept} are kept`);
    assert.equal(evidence.dropped, 200 - kept);
    assert.deepEqual([look(), evidence.problem], [[], undefined]);
  });
}

test('they use up nothing that a cause needs: what names one is kept after them', () => {
  const { send } = followed();
  send(5_000, 'Pod', 'FailedScheduling');
  assert.equal(send(1, 'Pod', 'Preempted'), 1);
});

test('as many Events as a controller sends about one object in an hour are kept', () => {
  const { look, send } = followed();
  assert.equal(send(37, 'ReplicaSet', 'SuccessfulDelete'), 37);
  assert.deepEqual(look(), []);
});

test('where more that names a cause was dropped, something is missing', () => {
  const { evidence, look, send } = followed();
  send(200, 'ReplicaSet', 'SuccessfulDelete');
  assert.deepEqual(look(), ['stream-lost Flooded']);
  assert.notEqual(evidence.problem, undefined);
});
