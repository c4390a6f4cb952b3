// Who took whose place, in workloads of any size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../engines/testing/record-builders.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { explain } from '../explain.ts';
import { aCase, aLife, aPod, disrupted, END, event, object } from '../testing/case-builders.ts';
import { successorOf } from './successor.ts';

const OWNER = object('ReplicaSet', 'web-1');
const WORKLOAD = { workload: { kind: 'Deployment', name: 'web', inferred: false } };

/** So many that are evicted in 50 minutes, each replaced a second later. In the order of creation. */
function drained(count: number): PodLife[] {
  return Array.from({ length: count }, (_, i) => {
    const seconds = END - 1500 + (i * 3000) / count;
    const of = (name: string, more: Partial<PodLife>) =>
      aLife({ owner: OWNER, revision: '1', pod: aPod(name, { uid: name, ...WORKLOAD }), ...more });
    const deletion = { requested: at(seconds), graceSeconds: 30 };
    return [
      of(`old-${i}`, { deletion, gone: at(seconds + 5) }),
      of(`new-${i}`, { created: at(seconds + 1), deletion: undefined, gone: undefined }),
    ];
  })
    .flat()
    .sort((a, b) => a.created - b.created);
}

/** The successor of one that was evicted among them, and how often the creation of a pod was looked at. */
function find(siblings: readonly PodLife[]) {
  let looks = 0;
  const counted = siblings.map((life) =>
    Object.defineProperty({ ...life }, 'created', {
      get: () => {
        looks++;
        return life.created;
      },
    }),
  );
  const removed = Array.from({ length: 60 }, (_, i) =>
    event(OWNER, 'replicaset-controller', 'SuccessfulDelete', END - 100 + i, `Deleted pod: other-${i}`),
  );
  const life = disrupted('EvictionByEvictionAPI', { owner: OWNER, revision: '1', pod: aPod('web-1-x', WORKLOAD) });
  const known = aCase(life, { siblings: counted, owner: removed });
  const verdict = explain(known);
  looks = 0;
  return { successor: successorOf(known, verdict), looks };
}

test('twice as many pods of a workload are twice the work: each is looked at a few times', () => {
  for (const count of [250, 1000, 2000]) {
    const { successor, looks } = find(drained(count));
    assert.equal(successor?.certainty, 'inferred');
    assert.ok(looks <= 10 * 2 * count, `${looks} looks at ${2 * count} pods`);
  }
});
