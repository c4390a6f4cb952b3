import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodView } from '../codec/pod-view.ts';
import { FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';

/** Counts calls per name and version, and marks what went through it. */
function marking() {
  const calls: string[] = [];
  return {
    calls,
    transform(pod: PodView): PodView {
      calls.push(`${pod.metadata.name}@${pod.metadata.resourceVersion}`);
      assert.notEqual(pod.spec.nodeName, 'transformed', 'an object came twice');
      return { ...pod, spec: { ...pod.spec, nodeName: 'transformed' } };
    },
  };
}

test('the transform runs exactly once on each object of the listing, each event and each final state', async (t) => {
  const { calls, transform } = marking();
  const pods = await FollowedPods.start(t, { transform });
  const stream = await pods.sync('3', [aPod('a').atVersion(1).build(), aPod('b').atVersion(2).build()]);
  stream.event('MODIFIED', aPod('a').atVersion(4).build());
  stream.event('DELETED', aPod('b').atVersion(5).build());
  stream.event('ADDED', aPod('c').atVersion(6).build());
  await pods.untilDelivered('added c');
  assert.deepEqual(calls, ['a@1', 'b@2', 'a@4', 'b@5', 'c@6']);
  for (const delta of pods.deltas) if ('object' in delta) assert.equal(delta.object.spec.nodeName, 'transformed');
  const updated = pods.deltas.find((delta) => delta.kind === 'updated');
  assert.equal(updated?.kind === 'updated' && updated.previous.spec.nodeName, 'transformed');
});

test('neither a relist of unchanged objects, nor a tombstone, nor a reminder transforms anything again', async (t) => {
  const { calls, transform } = marking();
  const pods = await FollowedPods.start(t, { transform });
  let reminders = 0;
  pods.informer.addHandler({ resyncMs: 1000, onDelta: (d) => void (d.kind === 'updated' && d.resync && reminders++) });
  const stream = await pods.sync('3', [aPod('a').atVersion(1).build(), aPod('b').atVersion(2).build()]);
  stream.bookmark('Pod', '4');
  await pods.untilDelivered('progress 4');
  stream.error(410, 'Expired');
  await pods.sync('9', [aPod('a').atVersion(1).build()]);
  await pods.clock.advance(1000);
  assert.equal(reminders, 1);
  assert.deepEqual(calls, ['a@1', 'b@2']);
  const deleted = pods.deltas.findLast((delta) => delta.kind === 'deleted');
  assert.equal(deleted?.kind === 'deleted' && deleted.object.spec.nodeName, 'transformed');
});

test('a transform may rename or strip the version: keys, order and the watch go by what the server said', async (t) => {
  const pods = await FollowedPods.start(t, {
    transform: (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, name: pod.metadata.name.toUpperCase(), resourceVersion: '' },
    }),
  });
  const stream = await pods.sync('3', [aPod('pod1').atVersion(1).build(), aPod('pod2').atVersion(2).build()]);
  stream.event('MODIFIED', aPod('pod1').atVersion(4).build());
  stream.event('DELETED', aPod('pod2').atVersion(5).build());
  await pods.untilDelivered('deleted POD2');
  assert.deepEqual(pods.story, ['relisted start@3', 'added POD1', 'added POD2', 'updated POD1', 'deleted POD2']);
  assert.equal(pods.informer.lister.get('default/pod1')?.metadata.name, 'POD1');
  assert.equal(pods.informer.lastVersion, '5');
});
