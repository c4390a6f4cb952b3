// Candidates are explained with as few reads as their reasons need.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boundary } from '../model/boundary.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Holder } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import type { Ambiguous } from './answer.ts';
import { withDoubts } from './doubts.ts';

function boundary(at: number, version: number): Boundary {
  const times = { at: epochMillis(at), notBefore: epochMillis(at - 10), notAfter: epochMillis(at + 10) };
  const word = { source: 'watch', epoch: 1, resourceVersion: String(version), collector: 'c' } as const;
  return { ...times, ...word, observedAt: epochMillis(at + 10) };
}

function candidate(uid: string, start: number, end: number) {
  const pod: Holder = {
    ...{ kind: 'Pod', namespace: 'shop', name: uid, uid, node: 'node-a' },
    ...{ workload: undefined, hostNetwork: false },
  };
  return { ...pod, start: boundary(start, start), end: boundary(end, end) };
}

/** Two of them, of which the second is about to end. */
const ANSWER: Ambiguous = {
  ...{ answer: 'ambiguous', cluster: 'c', ip: '10.0.0.1' as IpAddress, at: epochMillis(1000), provisional: false },
  ...{ conflicts: [], coverage: { scope: undefined, from: undefined, to: undefined, gaps: [] }, evidence: [] },
  ...{ reason: undefined, isOnly: false, basis: undefined, last: undefined, next: undefined },
  holders: [candidate('stays', 500, 2000), candidate('ends', 500, 1000)],
};

test('a placement is read of candidates whose end is in doubt, and of no others', async () => {
  const read: unknown[] = [];
  const snapshot = {
    possibleTenures: async () => [],
    placementsOf: async (subject: unknown) => {
      read.push(subject);
      return { items: [], cursor: undefined };
    },
  };
  const explained = await withDoubts(snapshot, ANSWER);
  assert.deepEqual(
    explained.holders.map(({ why }) => why?.code),
    ['several-showed-it', 'end-not-exact'],
  );
  assert.deepEqual(read, [{ by: 'uid', uid: 'ends' }]);
});
