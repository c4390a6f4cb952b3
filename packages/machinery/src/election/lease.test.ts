import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ElectionRecord, type LeaseSpec, recordOf, renewTimeOf, sameRecord, specWith } from './lease.ts';

const RECORD: ElectionRecord = {
  holderIdentity: 'me',
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.000000Z',
  renewTime: '2026-01-01T00:00:10.000000Z',
  leaderTransitions: 1,
  strategy: 'OldestEmulationVersion',
  preferredHolder: 'you',
};

describe('lease record', () => {
  test('a spec read into a record and written back is the same spec', () => {
    const spec: LeaseSpec = {
      holderIdentity: 'foo',
      leaseDurationSeconds: 10,
      leaseTransitions: 1,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:10.000000Z',
    };
    const record = recordOf(spec);
    assert.deepEqual(specWith(undefined, record), spec);
    assert.deepEqual(recordOf(specWith(undefined, record)), record);
  });

  test('every field of a record has its place in the spec, and comes back from there', () => {
    assert.deepEqual(specWith(undefined, RECORD), {
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:10.000000Z',
      strategy: 'OldestEmulationVersion',
      preferredHolder: 'you',
    });
    assert.deepEqual(recordOf(specWith(undefined, RECORD)), RECORD);
  });

  test('an absent, empty or null spec is a record without a holder', () => {
    const empty = recordOf(undefined);
    assert.equal(empty.holderIdentity, '');
    assert.equal(empty.leaderTransitions, 0);
    assert.ok(sameRecord(empty, recordOf({})));
    assert.ok(sameRecord(empty, recordOf({ holderIdentity: null, leaseDurationSeconds: null, renewTime: null })));
  });

  test('fields of the spec that we do not know are kept', () => {
    const spec = specWith(
      { future: { a: 1 }, strategy: 'S', preferredHolder: 'p' },
      { ...RECORD, strategy: '', preferredHolder: '' },
    );
    assert.deepEqual(spec['future'], { a: 1 });
    assert.equal(spec.strategy, 'S');
    assert.equal(spec.preferredHolder, 'p');
  });

  test('the time of the last renewal is read in whole milliseconds, and is undefined where there is none', () => {
    const of = (renewTime?: string | null) => renewTimeOf({ metadata: {}, spec: { renewTime } as LeaseSpec });
    assert.equal(of('2026-11-16T06:42:47.123999Z'), Date.UTC(2026, 10, 16, 6, 42, 47, 123));
    assert.equal(of('2026-11-16T06:42:47Z'), Date.UTC(2026, 10, 16, 6, 42, 47));
    assert.deepEqual([of(), of(null), of(''), of('soon')], [undefined, undefined, undefined, undefined]);
    assert.equal(renewTimeOf({ metadata: {} }), undefined);
  });

  test('two records differ as soon as one field does', () => {
    for (const field of Object.keys(RECORD) as (keyof ElectionRecord)[]) {
      assert.ok(!sameRecord(RECORD, { ...RECORD, [field]: 'other' }), field);
    }
    assert.ok(sameRecord(RECORD, { ...RECORD }));
  });
});
