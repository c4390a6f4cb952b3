import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aBoundary,
  aHolder,
  aLiveHolder,
  aPlacement,
  aPossibleTenure,
  aTenure,
  at,
} from '../engines/testing/record-builders.ts';
import type { LiveHolder } from '../model/fact.ts';
import { NOT_KNOWN_YET } from '../model/time.ts';
import { deserializeLive, restoredFact, serializeLive, storedFact } from './live-state.ts';

const MACHINE = { ready: true, since: at(5), bootId: 'b-1', kubeletVersion: 'v1.36.3', podCidrs: ['10.0.0.0/24'] };
const GOING = { why: 'deleted', since: at(9), resourceVersion: '77', notBefore: at(12) } as const;
const DISRUPTION = {
  ...{ reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting', at: at(8) },
  seenIn: { epoch: 1, resourceVersion: '70', listed: true },
} as const;
const GROWN = aHolder('web-1', { workload: undefined });

const LIVES: Readonly<Record<string, LiveHolder>> = {
  'a plain pod': aLiveHolder('web-1', 100),
  'a node': aLiveHolder('node-a', 100, {
    holder: aHolder('node-a', { kind: 'Node', namespace: '', workload: undefined }),
    more: { machine: MACHINE },
  }),
  'a mirror pod on its way out that never showed its address': aLiveHolder('static', 100, {
    more: { mirror: 'node-a/abc', graceUntil: at(7), going: GOING, possible: aPossibleTenure('static', 90) },
  }),
  'one without a workload that waits': aLiveHolder('lone', 100, {
    holder: aHolder('lone', { workload: undefined, hostNetwork: true }),
    more: { rebooted: true, possible: aPossibleTenure(aHolder('lone', { workload: undefined }), 90, 95) },
  }),
  'one that somebody is about to end': aLiveHolder('web-1', 100, { more: { disruption: DISRUPTION } }),
  'one that has ended, with two addresses and nothing else': aLiveHolder('done', 100, {
    terminal: true,
    placement: undefined,
    tenures: [aTenure('10.0.0.7', 'done', 1, 2), aTenure('fd00::7', 'done', 1, 2)],
    blankSince: at(3),
    networkReadyAt: undefined,
    networkLostAt: at(4),
    annotations: [],
  }),
  'one whose records began when less was known of it': aLiveHolder('web-1', 100, {
    tenures: [aTenure('10.0.0.7', GROWN, 10)],
    placement: aPlacement(GROWN, 5, aBoundary(20, { source: 'inferred', notAfter: NOT_KNOWN_YET, epoch: 3 })),
  }),
  'strange texts': aLiveHolder('x', 100, {
    resourceVersion: '99999999999999999999',
    annotations: [
      ['__proto__', { text: '\0\u2028😀\ud800', sha256: undefined }],
      ['', { text: '', sha256: 'f'.repeat(64) }],
    ],
  }),
};

for (const [name, live] of Object.entries(LIVES)) {
  test(`what is remembered comes back as it was: ${name}`, () => {
    const { uid } = live.holder;
    assert.deepEqual(deserializeLive({ uid, state: serializeLive(live) }), live);
    assert.deepEqual(restoredFact(storedFact({ kind: 'live', uid, live })), { kind: 'live', uid, live });
  });
}

test('the text of version 1 stays readable, and is small', () => {
  const state =
    '[1,["Pod","shop","web-1","uid-web-1","node-a",0,"Deployment","web",1],[1,"1100",1794182500000,0],' +
    '[null,1794182500000,null],[["10.0.0.7",[1794182500000,0,0,0,0,"1100"],0]],[[1794182500000,0,0,0,0,"1100"],0],' +
    '[["note","kept"]],[["watch",1,"recorder-1"]]]';
  assert.deepEqual(deserializeLive({ uid: 'uid-web-1', state }), aLiveHolder('web-1', 100));
  assert.equal(serializeLive(aLiveHolder('web-1', 100)), state);
});

test('a text of a newer podtrail is refused by its version, with what to do', () => {
  assert.throws(() => deserializeLive({ uid: 'uid-web-1', state: '[2,"something else"]' }), {
    code: 'live-state-newer',
    hint: 'use the newer podtrail.',
  });
});

test('all other facts are stored as they are observed', () => {
  const fact = { kind: 'tenure', tenure: aTenure('10.0.0.7', 'web-1', 1) } as const;
  assert.equal(storedFact(fact), fact);
  assert.equal(restoredFact(fact), fact);
  assert.deepEqual(storedFact({ kind: 'live', uid: 'u', live: undefined }), {
    kind: 'live',
    uid: 'u',
    state: undefined,
  });
});
