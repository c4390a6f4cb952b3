import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeerResult } from './peer-process.ts';
import { speaksAsNamed } from './peers.ts';
import { requireSameWork, type SyncRound } from './sync.ts';

function finished(peer: string, over: Partial<PeerResult> = {}): SyncRound {
  const result = { pods: 3, added: 3, cacheHash: 'aa', cpuSeconds: 1, wallSeconds: 1, peakRssBytes: 1, rssBytes: 1 };
  return {
    peer,
    round: 1,
    end: { kind: 'finished', result: { ...result, clientVersion: '', contentType: '', ...over } },
  };
}

test('equal caches give their one hash', () => {
  assert.equal(requireSameWork([finished('ours'), finished('client-go')]), 'aa');
});

test('a peer that died has no cache to compare', () => {
  const died: SyncRound = { peer: 'x', round: 1, end: { kind: 'died', how: '', wallSeconds: 1, peakRssBytes: 1 } };
  assert.equal(requireSameWork([died, finished('ours')]), 'aa');
});

test('caches with different content fail and name both peers', () => {
  const rounds = [finished('ours'), finished('client-go', { cacheHash: 'bb' })];
  assert.throws(() => requireSameWork(rounds), /NOT THE SAME WORK: the cache of ours .* aa, that of client-go .* bb/);
});

test('a handler that was not notified of every pod fails', () => {
  assert.throws(() => requireSameWork([finished('ours', { added: 2 })]), /ours holds 3 pods, .* notified of 2/);
});

test('a peer speaks as named only when the answer has its encoding', () => {
  const peer = { name: 'x', command: '', args: [], mayDie: false } as const;
  const protobuf = 'application/vnd.kubernetes.protobuf;stream=watch';
  assert.equal(speaksAsNamed({ ...peer, encoding: 'protobuf' }, protobuf), true);
  assert.equal(speaksAsNamed({ ...peer, encoding: 'json' }, 'application/json'), true);
  assert.equal(speaksAsNamed({ ...peer, encoding: 'json' }, protobuf), false);
  assert.equal(speaksAsNamed({ ...peer, encoding: 'protobuf' }, 'application/json'), false);
  assert.equal(speaksAsNamed({ ...peer, encoding: 'json' }, ''), false);
});
