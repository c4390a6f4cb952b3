import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podCodec } from '../codec/codec.ts';
import type { PodView } from '../codec/pod-view.ts';
import { Informer } from '../informer/informer.ts';
import { PODS } from '../objects/group-version-resource.ts';
import { feed } from '../testing/informer-feed.ts';
import { settle } from '../testing/manual-clock.ts';
import type { Transport } from '../transport/transport.ts';
import { Controller } from './controller.ts';
import { DONE } from './outcome.ts';
import { anyOf, generationChanged } from './predicate.ts';

test('a predicate decides which deltas ask for a pass: with generationChanged, status writes do not', async () => {
  const passes: string[] = [];
  const controller = new Controller({
    name: 'c',
    reconcile: (key) => {
      passes.push(key);
      return DONE;
    },
  });
  const informer = new Informer<PodView>({ transport: {} as Transport, resource: PODS, codec: podCodec });
  controller.follow(informer, ({ metadata }) => metadata.name, { when: generationChanged });
  const pod = (resourceVersion: string, generation: number) =>
    podCodec.fromJson({ metadata: { name: 'web', uid: 'u', resourceVersion, generation } });
  const stop = new AbortController();
  const ended = controller.run({ stop: stop.signal, abort: stop.signal });
  const target = feed(informer);
  for (const [type, version, generation, expected] of [
    ['ADDED', '1', 1, 1],
    ['MODIFIED', '2', 1, 1],
    ['MODIFIED', '3', 2, 2],
    ['DELETED', '4', 2, 3],
  ] as const) {
    target.onEvent(type, pod(version, generation));
    await settle();
    assert.equal(passes.length, expected, `${type} ${version}`);
  }
  stop.abort();
  await ended;
});

test('anyOf accepts what one of its predicates accepts', () => {
  const delta = {} as never;
  assert.equal(
    anyOf(
      () => false,
      () => true,
    )(delta),
    true,
  );
  assert.equal(anyOf(() => false)(delta), false);
});
