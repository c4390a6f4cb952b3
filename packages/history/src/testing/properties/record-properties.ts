// Invariants 1 to 6 and 8: what any record must look like, whatever was observed.
import assert from 'node:assert/strict';
import type { Boundary } from '../../model/boundary.ts';
import type { Tenure } from '../../model/records.ts';
import { type EpochMillis, REPORTING_LAG_MS } from '../../model/time.ts';
import { isDoubtful } from '../../observe/boundaries.ts';
import { storyOf } from '../story.ts';
import { happenings, plans } from './plans.ts';
import { type PropertySubject, propertySuite } from './property-suite.ts';
import { recordsOf } from './stored.ts';

export function recordProperties(subject: PropertySubject): void {
  propertySuite(subject, (suite) => {
    suite.check(
      '1, 2, 6, 8: bounds nest, tenures do not overlap, boundaries have provenance, inferred ends have room',
      plans(),
      async (plan) => {
        const { id } = await suite.play(plan);
        const { tenures, intervals } = await recordsOf(suite.engine, id);
        let inferred = 0;
        let doubts = 0;
        for (const { start, end } of intervals) {
          // The one exception: while it is in doubt, a beginning has no latest time; an end puts one to it.
          const isInDoubt = start.notAfter > start.observedAt;
          wellBounded(isInDoubt ? { ...start, notAfter: start.observedAt } : start);
          if (isInDoubt) doubts++;
          if (isInDoubt) assert.ok(end === undefined ? isDoubtful(start) : start.notAfter <= end.notAfter);
          if (end === undefined) continue;
          // A deletion begins an end: it may lie after what was seen of it, and be open.
          wellBounded({ ...end, at: earlier(end.at, end.observedAt), notAfter: earlier(end.notAfter, end.observedAt) });
          assert.ok(end.at <= end.notAfter, 'at ≤ notAfter');
          assert.ok(
            start.at <= end.at && start.notBefore <= end.notBefore && start.notAfter <= end.notAfter,
            'start ≤ end',
          );
          if (end.source !== 'inferred') continue;
          inferred++;
          assert.ok(end.notBefore < end.notAfter, 'an inferred end is not a point');
          assert.ok(end.notAfter >= end.observedAt, 'it reaches to the first missing, or beyond');
        }
        const ofOne = Map.groupBy(tenures, ({ ip, holder }) => `${holder.uid} ${ip}`);
        let returns = 0;
        for (const group of ofOne.values()) {
          noOverlap(group);
          returns += group.length - 1;
        }
        return { intervals: intervals.length, 'returns to an address': returns, 'inferred ends': inferred, doubts };
      },
    );

    suite.check(
      '3, 4, 5: conflicts are stored, tenures end at the first end, a node that changes is an anomaly',
      happenings,
      async (happenings) => {
        const { log, expected } = storyOf(happenings);
        const id = await suite.store(log);
        const { facts, tenures } = await recordsOf(suite.engine, id);
        const conflicts = facts.flatMap((fact) => (fact.kind === 'conflict' ? [fact.conflict] : []));
        const found = conflicts.map(({ ip, holders: [one, other] }) => `${ip} ${one.uid} ${other.uid}`);
        assert.deepEqual(new Set(found), expected.conflicts);
        for (const [key, version] of expected.ends) {
          const [uid, ip] = key.split(' ');
          const first = tenures.find((tenure) => tenure.holder.uid === uid && tenure.ip === ip);
          assert.ok(first !== undefined, `${key} has a tenure`);
          assert.equal(first.end?.resourceVersion, version, `${key} ends where it should`);
        }
        const anomalies = facts.flatMap((fact) => (fact.kind === 'anomaly' ? [fact.anomaly] : []));
        assert.deepEqual(new Set(anomalies.map(({ uid }) => uid)), expected.moved);
        const placed = facts.flatMap((fact) => (fact.kind === 'placement' ? [fact.placement.pod] : []));
        assert.equal(new Set(placed.map((pod) => pod.uid)).size, placed.length, 'one placement for a UID');
        assert.ok(placed.every((pod) => pod.node === 'node-a'));
        const ended = [...expected.ends.values()].filter((version) => version !== undefined).length;
        return { conflicts: conflicts.length, ends: ended, anomalies: anomalies.length };
      },
    );
  });
}

function earlier(one: EpochMillis, other: EpochMillis): EpochMillis {
  return one < other ? one : other;
}

function wellBounded(boundary: Boundary): void {
  const { at, notBefore, notAfter, source, epoch, resourceVersion, observedAt, collector } = boundary;
  assert.ok(notBefore <= at && at <= notAfter, 'notBefore ≤ at ≤ notAfter');
  // What a rewind undid runs on until kubelets notice.
  const runsOn = epoch > 1 ? REPORTING_LAG_MS : 0;
  assert.ok(notAfter <= observedAt + runsOn, 'nothing is known before it is seen');
  assert.ok(['watch', 'list', 'inferred'].includes(source) && epoch >= 1 && /^\d+$/.test(resourceVersion));
  assert.equal(collector, 'simulated');
}

function noOverlap(tenures: readonly Tenure[]): void {
  for (const [i, { end }] of tenures.entries()) {
    const next = tenures[i + 1];
    if (next === undefined) continue;
    assert.ok(end !== undefined && end.at <= next.start.at, 'one UID’s tenures of one address do not overlap');
    assert.ok(end.notBefore <= next.start.notAfter, 'nor do the times in which they are certain');
  }
}
