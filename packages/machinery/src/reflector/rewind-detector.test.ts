import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PODS } from '../objects/group-version-resource.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import type { Transport } from '../transport/transport.ts';
import type { ComparedAside } from './consistency-check.ts';
import type { ReflectionTarget } from './reflection-target.ts';
import { RewindDetector } from './rewind-detector.ts';

const NEVER = new AbortController().signal;
const HELD: readonly (readonly [string, Cacheable])[] = [
  ['default/a', { metadata: { name: 'a', namespace: 'default', uid: 'uid-a', resourceVersion: '90' } }],
];

function detector(options: { resumes?: boolean; compared?: Partial<ComparedAside> } = {}) {
  const compared = { version: '130', isBroken: false, missing: new Map<string, string>(), ...options.compared };
  return new RewindDetector<Cacheable>({
    transport: {} as Transport,
    collection: { resource: PODS },
    target: { held: () => HELD } as unknown as ReflectionTarget<Cacheable>,
    clock: new ManualClock(),
    check: { compareAside: () => Promise.resolve(compared) },
    resumes: options.resumes ?? false,
  });
}

const missing = new Map([['default/a', 'uid-a']]);
const at100 = { version: '100', isFresh: false, isReplaying: false };

test('the first break counts: a rewind that is found late reaches back to it', () => {
  const rewinds = detector();
  rewinds.broke(5);
  rewinds.broke(9);
  assert.equal(rewinds.since, 5);
  rewinds.report(7);
  assert.equal(rewinds.since, 5);
  assert.equal(rewinds.report(3), false, 'known already');
  assert.deepEqual([rewinds.since, rewinds.count], [3, 1]);
});

test('a break after which everything agrees is over: the next check begins with the next break', async () => {
  const rewinds = detector();
  assert.equal(rewinds.mustVerify(false), false);
  rewinds.broke(5);
  assert.equal(rewinds.mustVerify(false), true);
  await rewinds.verify(at100, NEVER);
  assert.deepEqual([rewinds.since, rewinds.isKnown, rewinds.mustVerify(false)], [undefined, false, false]);
});

test('what a listing after a break lacks must be deleted by the time the watch is there; what is held still shows the rewind', async () => {
  const rewinds = detector({ compared: { missing } });
  rewinds.broke(5);
  await rewinds.verify(at100, NEVER);
  assert.equal(rewinds.settle('129', false), false, 'the watch is not there yet');
  assert.equal(rewinds.isKnown, false);
  assert.equal(rewinds.settle('130', false), true);
  assert.deepEqual([rewinds.isKnown, rewinds.since], [true, 5]);
});

test('during a replay the cache holds the listing: what is missing is not settled before it has ended', async () => {
  const rewinds = detector({ resumes: true, compared: { missing } });
  rewinds.listed('start', true);
  await rewinds.verify({ ...at100, isReplaying: true }, NEVER);
  assert.equal(rewinds.settle('140', true), false);
  rewinds.replayEnded();
  assert.equal(rewinds.settle('140', false), true);
});

test('a stored version is in doubt until its replay has ended, and not after a listing without a replay', () => {
  const replayed = detector({ resumes: true });
  replayed.listed('start', true);
  assert.deepEqual([replayed.since, replayed.mustVerify(false), replayed.mustVerify(true)], [0, true, false]);
  replayed.replayEnded();
  assert.equal(replayed.since, undefined);
  const listed = detector({ resumes: true });
  listed.listed('start', false);
  assert.equal(listed.since, undefined);
});

test('a rewind that is found in a replay does not reach back beyond the listing, which was of the same life', () => {
  const rewinds = detector({ resumes: true });
  rewinds.listed('start', true);
  rewinds.report(undefined);
  rewinds.replayEnded();
  assert.deepEqual([rewinds.since, rewinds.isKnown], [undefined, true]);
});

test('a probe that is still to be made outlasts what else is settled', async () => {
  const rewinds = detector({ compared: { missing: new Map([['default/gone', 'uid-gone']]) } });
  rewinds.broke(5);
  await rewinds.verify(at100, NEVER);
  rewinds.mustProbe();
  assert.equal(rewinds.settle('130', false), false);
  assert.deepEqual([rewinds.since, rewinds.mustVerify(true)], [undefined, true]);
});

test('one listing from the past is not taken; the next is a rewind; after that listings are as before', () => {
  const rewinds = detector();
  assert.equal(rewinds.judge('50', 'expired', '100'), undefined);
  assert.equal(rewinds.distrustsVersions('expired'), true);
  assert.equal(rewinds.judge('150', 'expired', '100'), 'rewound');
  rewinds.listed('rewound', false);
  assert.equal(rewinds.distrustsVersions('expired'), false);
  assert.equal(rewinds.judge('160', 'expired', '150'), 'expired');
});

test('listings that stay behind three times are a rewind', () => {
  const rewinds = detector();
  const judged = ['50', '51', '52'].map((version) => rewinds.judge(version, 'expired', '100'));
  assert.deepEqual(judged, [undefined, undefined, 'rewound']);
});
