import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podCodec } from '../codec/pod-codec.ts';
import { PODS } from '../objects/group-version-resource.ts';
import { feed } from '../testing/informer-feed.ts';
import type { Transport } from '../transport/transport.ts';
import { Informer } from './informer.ts';

test('only the reflector can change the cache: nothing that an informer shows to its users does', () => {
  const informer = new Informer({ transport: {} as Transport, resource: PODS, codec: podCodec });
  const target = feed(informer);
  const shown: string[] = [];
  for (let type = target; type !== null && type !== Object.prototype; type = Object.getPrototypeOf(type)) {
    shown.push(...Object.getOwnPropertyNames(type).filter((name) => name in informer));
  }
  assert.deepEqual(shown.sort(), ['constructor', 'counters', 'synced']);
  for (const name of ['onEvent', 'beginReplace', 'correct', 'replay', 'caughtUp', 'progress', 'held', 'onDrained']) {
    assert.equal(name in informer, false, name);
    assert.equal(name in target || name === 'onDrained', true, `${name} is what a reflector calls`);
  }
});
