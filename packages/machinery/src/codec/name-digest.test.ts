import assert from 'node:assert/strict';
import { it } from 'node:test';
import { digestText, NOTHING_DIGESTED } from './name-digest.ts';
import { nodeCodec } from './node-codec.ts';
import { podCodec } from './pod-codec.ts';

const digest = (...names: string[]): number =>
  names.reduce((before, name) => digestText(name, before), NOTHING_DIGESTED);

it('tells names, their order and their borders apart', () => {
  const all = [digest('a', 'b'), digest('b', 'a'), digest('ab'), digest('a', 'b', 'c'), digest('a'), digest()];
  assert.equal(new Set(all).size, all.length);
  assert.equal(digest('a', '', 'b'), digest('a', 'b'));
});

it('a node has other contents when its images or volumes change, and the same when only a heartbeat does', () => {
  const node = (images: string[], volumesInUse: string[], lastHeartbeatTime: string) =>
    nodeCodec.fromJson({
      metadata: { name: 'a' },
      status: {
        images: images.map((name) => ({ names: [name, `${name}:1`], sizeBytes: 5 })),
        volumesInUse,
        conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }],
      },
    }).status.contents;
  const first = node(['web'], ['v1'], '2026-11-16T07:00:00Z');
  assert.equal(node(['web'], ['v1'], '2026-11-16T07:05:00Z'), first);
  assert.notEqual(node(['web', 'db'], ['v1'], '2026-11-16T07:05:00Z'), first);
  assert.notEqual(node(['web'], [], '2026-11-16T07:05:00Z'), first);
});

it('pods with the same images have the same digest, whatever state their containers are in', () => {
  const pod = (image: string, state: object) =>
    podCodec.fromJson({ metadata: { name: 'a' }, status: { containerStatuses: [{ name: 'main', image, state }] } })
      .status.images;
  const running = pod('web:1', { running: { startedAt: '2026-11-16T07:00:00Z' } });
  assert.equal(pod('web:1', { waiting: { reason: 'ContainerCreating' } }), running);
  assert.notEqual(pod('web:2', { waiting: { reason: 'ContainerCreating' } }), running);
});
