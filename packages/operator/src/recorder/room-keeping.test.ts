import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_SIZE_LIMIT, epochMillis, type RoomKept, type StoredFact } from '@podtrail/history';
import { ManualClock } from '@podtrail/machinery/testing';
import type { Housekept } from './recorder-listener.ts';
import { keepRoom } from './room-keeping.ts';
import { daysLeft, RoomReport } from './room-report.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WITHIN: RoomKept = {
  ...{ bytes: 100, limitBytes: 1000, volume: { bytes: 2000, freeBytes: 1000 }, ballastBytes: 24 },
  ...{ removedOfKinds: {}, removedRecords: 0 },
};

test('room is looked at when the recorder begins and every half minute, a failure is tried again, and nothing is done while the time is not known', async () => {
  const clock = new ManualClock(1_000 * HOUR);
  const looks: number[] = [];
  const kept: RoomKept[] = [];
  const failures: Housekept[] = [];
  const engine = {
    keepRoom: async (_limit: unknown, now: number) => {
      looks.push(now);
      if (looks.length === 2) throw new Error('disk');
      return WITHIN;
    },
  };
  const stop = new AbortController();
  let isKnown = true;
  const now = () => (isKnown ? epochMillis(clock.now()) : undefined);
  const options = { engine, clock, now, limit: DEFAULT_SIZE_LIMIT };
  const keeping = keepRoom(
    { ...options, onKept: (one) => kept.push(one), onFailure: (one) => failures.push(one) },
    stop.signal,
  );
  await clock.advance(MINUTE);
  isKnown = false;
  await clock.advance(MINUTE);
  stop.abort();
  await keeping;
  assert.deepEqual(
    looks.map((look) => look - 1_000 * HOUR),
    [0, 30_000, 60_000],
  );
  assert.equal(kept.length, 2);
  assert.deepEqual(
    failures.map(({ what, error }) => [what, (error as Error).message]),
    [['room', 'disk']],
  );
});

test('a recorder that ends does not wait for records to be removed', async () => {
  const stop = new AbortController();
  const engine = { keepRoom: () => new Promise<RoomKept>(() => {}) };
  const clock = new ManualClock();
  const options = { engine, clock, now: () => epochMillis(1), limit: DEFAULT_SIZE_LIMIT };
  const keeping = keepRoom({ ...options, onKept() {}, onFailure() {} }, stop.signal);
  stop.abort();
  await keeping;
});

function reportOn(clock: ManualClock) {
  const lines: (readonly [message: string, fields: Readonly<Record<string, unknown>>])[] = [];
  return { lines, report: new RoomReport(clock, (message, fields) => lines.push([message, fields])) };
}

test('a store that grows is warned of from four fifths of its limit on, once an hour, with a forecast', async () => {
  const clock = new ManualClock();
  const { lines, report } = reportOn(clock);
  for (let bytes = 700; bytes <= 850; bytes += 10) {
    report.roomKept({ ...WITHIN, bytes });
    await clock.advance(MINUTE * 6);
  }
  assert.deepEqual(lines, [
    [
      'the store will reach its limit; then its oldest records go, annotation changes before all else',
      // 100 bytes an hour, and 200 are left.
      { bytes: 800, limitBytes: 1000, percent: 80, daysLeft: 0.1 },
    ],
  ]);
  await clock.advance(HOUR);
  report.roomKept({ ...WITHIN, bytes: 860 });
  assert.equal(lines.length, 2);
});

test('what went at the limit is reported with its number, gathered over an hour', async () => {
  const clock = new ManualClock();
  const { lines, report } = reportOn(clock);
  report.roomKept({ ...WITHIN, removedOfKinds: { change: 5 } });
  report.roomKept({ ...WITHIN, removedOfKinds: { change: 6, life: 1, evidence: 2 }, removedRecords: 7 });
  await clock.advance(HOUR);
  report.roomKept(WITHIN);
  assert.deepEqual(
    lines.map(([message, { removed }]) => [/annotation changes were removed/.test(message), removed]),
    [
      [true, 5],
      [false, 3],
      [false, 7],
      [true, 6],
    ],
  );
});

test('a disk that others fill is reported while there is still room', () => {
  const { lines, report } = reportOn(new ManualClock());
  report.roomKept({ ...WITHIN, volume: { bytes: 2000, freeBytes: 50 } });
  assert.deepEqual(
    lines.map(([message]) => message),
    ['the disk of the store is nearly full; when it is full, recording stops'],
  );
});

test('suppressed changes are reported with the number of pods and one of them', () => {
  const { lines, report } = reportOn(new ManualClock());
  const change = (name: string): StoredFact => {
    const pod = { kind: 'Pod', namespace: 'shop', name, uid: name, node: '', workload: undefined } as const;
    const provenance = { source: 'watch', epoch: 1, resourceVersion: '1', observedAt: epochMillis(1), collector: 'c' };
    const suppressed = { budget: 'pod', changes: 3, last: epochMillis(1) } as const;
    const values = { key: '', before: undefined, after: undefined, suppressed };
    return {
      kind: 'change',
      change: { ...provenance, source: 'watch', pod: { ...pod, hostNetwork: false }, ...values },
    };
  };
  report.stored({ batch: { facts: [change('web-1'), change('web-1'), change('web-2')] }, appendMs: 1, lagsMs: [] });
  report.roomKept(WITHIN);
  assert.deepEqual(lines, [
    [
      'annotation changes were counted and not recorded: the budget of the hour is used up',
      { pods: 2, pod: 'shop/web-1' },
    ],
  ]);
});

test('a forecast is by growth, and there is none where nothing grows', () => {
  const day = 24 * HOUR;
  assert.equal(daysLeft(800, 1000, 100, day), 2);
  assert.equal(daysLeft(1200, 1000, 100, day), 0);
  assert.equal(daysLeft(800, 1000, 0, day), undefined);
});
