// The two names of an event's fields, and the way there and back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../api/cluster-api.ts';
import { fromCoreEvent, patchingView, toCoreEvent } from './event-view.ts';

const CORE = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'a.1', namespace: 'shop' },
  involvedObject: { kind: 'Pod', name: 'a' },
  message: 'it was moved',
  source: { component: 'mover' },
  count: 3,
  reason: 'Moved',
  reportingComponent: 'example.com/mover',
} as unknown as KubeObject;

test('an event of the core group is reported under the names of events.k8s.io, and the way back gives the same', () => {
  const view = fromCoreEvent(CORE);
  assert.deepEqual(view, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'a.1', namespace: 'shop' },
    regarding: { kind: 'Pod', name: 'a' },
    note: 'it was moved',
    deprecatedSource: { component: 'mover' },
    deprecatedCount: 3,
    reason: 'Moved',
    reportingController: 'example.com/mover',
  });
  assert.deepEqual(toCoreEvent(view), CORE);
});

test('a patch speaks the names of the view and changes the stored event', () => {
  const change = patchingView((current) => ({ ...(current as object), note: 'it stays' }));
  assert.deepEqual(change(CORE), { ...CORE, message: 'it stays' });
});
