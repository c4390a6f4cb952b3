import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boundary } from '../model/boundary.ts';
import type { IpAddress } from '../model/ip-address.ts';
import { epochMillis } from '../model/time.ts';
import type { AnsweredHolder, Held } from '../query/answer.ts';
import { plainHeldText } from './held-text.ts';
import { ALL_VISIBLE } from './narrowed.ts';
import { whoDocument } from './who.ts';

const CLUSTER = { id: 'c', name: 'prod "west" \\ \u{1F30D}' };
const NOW = epochMillis(9_000_000);

function boundary(at: number): Boundary {
  const times = { at: epochMillis(at), notBefore: epochMillis(at - 1), notAfter: epochMillis(at + 1) };
  return { ...times, source: 'watch', epoch: 1, resourceVersion: '7"\n', observedAt: epochMillis(at), collector: 'c' };
}

const HOLDER: AnsweredHolder = {
  ...{ kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'u\u2028', node: 'node-\u00e4', hostNetwork: false },
  workload: { kind: 'Deployment', name: 'web', inferred: true },
  ...{ start: boundary(1000), end: boundary(3000) },
};

function held(more: Partial<Held>): Held {
  const coverage = { scope: { kind: 'cluster' as const }, from: epochMillis(0), to: epochMillis(8_000_000), gaps: [] };
  return {
    ...{ answer: 'held', cluster: 'c', ip: '10.0.0.1' as IpAddress, at: epochMillis(2000), provisional: false },
    ...{ conflicts: [], coverage, evidence: [HOLDER.start], holders: [HOLDER] },
    ...{ basis: undefined, reason: undefined, isOnly: false, last: undefined, next: undefined },
    ...more,
  };
}

const USUAL: Readonly<Record<string, Partial<Held>>> = {
  'texts with quotes, controls and letters of any script': {},
  'a holder without an end and a workload': { holders: [{ ...HOLDER, end: undefined, workload: undefined }] },
  'a workload that was seen': { holders: [{ ...HOLDER, workload: { kind: 'Job', name: 'x', inferred: false } }] },
  'two observations': { evidence: [HOLDER.start, boundary(3000)], provisional: true },
};

for (const [sentence, more] of Object.entries(USUAL)) {
  test(`a held answer as text has the bytes of its document: ${sentence}`, () => {
    const answer = held(more);
    const expected = JSON.stringify(whoDocument(answer, ALL_VISIBLE, CLUSTER, NOW));
    assert.equal(plainHeldText(answer, CLUSTER, NOW), expected);
  });
}

test('an answer that says more than usual is left to its document', () => {
  const gap = { from: epochMillis(1), to: epochMillis(2), reason: 'restart' };
  const { coverage } = held({});
  const unusual: Partial<Held>[] = [
    { basis: 'traffic' },
    { coverage: { ...coverage, gaps: [gap] } },
    { coverage: { ...coverage, scope: undefined } },
    { coverage: { ...coverage, from: undefined } },
  ];
  for (const more of unusual) assert.equal(plainHeldText(held(more), CLUSTER, NOW), undefined);
});
