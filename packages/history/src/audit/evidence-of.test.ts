import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceOf } from './evidence-of.ts';
import { actionIn, actionsIn, anEvent, type EventFields, recordedLines, refused } from './testing/an-event.ts';

const evidence = (event: EventFields) => evidenceOf(actionIn(event)!);
const recorded = (name: string) => {
  const events = recordedLines().filter((line) => line.case === name);
  return evidenceOf(actionsIn(events.map(({ event }) => `${JSON.stringify(event)}\n`).join(''))[0]!);
};

test('a deletion is evidence about its pod: who, when, and how sure that is', () => {
  const event = anEvent({
    auditID: 'id',
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web-1', uid: 'uid-1' },
  });
  assert.deepEqual(evidence(event), [
    {
      id: `audit/id/${Date.UTC(2026, 10, 16, 10)}/delete/Pod/shop/web-1`,
      about: { kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'uid-1' },
      what: 'audited',
      at: Date.UTC(2026, 10, 16, 10),
      reason: 'delete',
      message: 'may have been a dry run: level Metadata; with kubectl/v1.36.3',
      by: 'jane',
      count: 1,
      unconfirmed: true,
      source: 'audit',
      epoch: 0,
      resourceVersion: String(Date.UTC(2026, 10, 16, 10)),
      observedAt: Date.UTC(2026, 10, 16, 10, 0, 0, 250),
      collector: 'audit-log',
    },
  ]);
});

const NONE: Readonly<Record<string, EventFields>> = {
  'what was refused': refused(403, 'no'),
  'what failed': refused(500, 'no'),
  'a dry run': anEvent({ requestURI: '/api/v1/namespaces/shop/pods/x?dryRun=All' }),
  'a request without an answer': anEvent({ stage: 'RequestReceived', responseStatus: undefined }),
  'a write of a status': anEvent({ verb: 'patch', objectRef: { resource: 'pods', subresource: 'status', name: 'x' } }),
  'a connection': anEvent({ verb: 'create', objectRef: { resource: 'pods', subresource: 'exec', name: 'x' } }),
  'a pod whose name is not known': anEvent({ verb: 'create', objectRef: { resource: 'pods', namespace: 'shop' } }),
  'a collection that is not listed': anEvent({ verb: 'deletecollection', objectRef: { resource: 'pods' } }),
};
for (const [sentence, event] of Object.entries(NONE)) {
  test(`${sentence} is no evidence`, () => assert.deepEqual(evidence(event), []));
}

test('recorded: a drain is evidence about the node and about the pods', () => {
  const [cordon] = recorded('drain-cordons');
  assert.deepEqual([cordon?.about.kind, cordon?.reason, cordon?.by], ['Node', 'cordon', 'admin']);
  const [evicted] = recorded('drain-evicts');
  assert.deepEqual([evicted?.about.kind, evicted?.reason, evicted?.by], ['Pod', 'evict', 'admin']);
});

test('recorded: each pod of a collection has its own evidence', () => {
  const all = recorded('deletecollection-in-bodies');
  assert.equal(all.length, 1);
  assert.match(all[0]!.about.uid, /^[0-9a-f-]{36}$/);
  assert.equal(all[0]!.reason, 'delete-collection');
});

test('recorded: who acted in the name of another is in the message', () => {
  assert.match(recorded('as-jane')[0]!.message, /^asked for by ci; /);
});

test('recorded: who acted in the name of another is a field of the evidence', () => {
  const [one] = recorded('as-jane');
  assert.deepEqual([one?.by, one?.impersonatedBy], ['jane', 'ci']);
});

test('an event without its bodies, because it was too large, may have been a dry run', () => {
  const whole = anEvent({ level: 'RequestResponse', requestObject: {} });
  const annotations = { 'audit.k8s.io/truncated': 'true' };
  assert.deepEqual(
    [whole, { ...whole, requestObject: undefined, annotations }].map((event) => evidence(event)[0]?.unconfirmed),
    [undefined, true],
  );
});

test('requests of one audit ID, which its client may choose, and of one millisecond are evidence each', () => {
  const about = { auditID: 'chosen', objectRef: { resource: 'pods', namespace: 'shop', name: 'web-1' } };
  const ids = ['delete', 'patch'].flatMap((verb) => evidence(anEvent({ ...about, verb })).map(({ id }) => id));
  assert.equal(new Set(ids).size, 2, ids.join('\n'));
});
