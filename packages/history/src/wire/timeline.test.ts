import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '../engines/engine.ts';
import {
  aBoundary,
  aCoverage,
  aHolder,
  aPlacement,
  aTenure,
  at,
  coverageFact,
  placementFact,
  tenureFact,
} from '../engines/testing/record-builders.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { NOT_KNOWN_YET } from '../model/time.ts';
import { ALL_VISIBLE } from '../query/visibility.ts';
import { CLUSTER, DAY, HOUR, ledgerFacts, ledgerOf } from '../testing/random-ledger.ts';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import { askQuestion } from './catalogue/ask.ts';
import { timelineSchema } from './schemas/index.ts';
import { askTimeline, type TimelineAsked } from './timeline.ts';

const SPAN = { from: at(0), to: at(100), hasSince: true, hasUntil: true };
const NOW = at(100);
const web = { kind: 'Deployment', name: 'web', inferred: true };
let ledger: Engine;
before(async () => {
  const moved = aHolder('web-2', { workload: web, node: 'node-b' });
  ledger = await ledgerOf([
    coverageFact(aCoverage(-100, 90)),
    placementFact(aPlacement(aHolder('web-1', { workload: web }), -50, aBoundary(40, { notAfter: at(45) }))),
    placementFact(aPlacement(moved, aBoundary(42, { notBefore: at(41) }))),
    placementFact(aPlacement(aHolder('lone', { workload: undefined, namespace: 'other' }), 10, 20)),
    placementFact(aPlacement(aHolder('before', { workload: web }), -80, -10)),
    tenureFact(aTenure('10.0.0.10', moved, 43)),
    tenureFact(
      aTenure('10.0.0.9', aHolder('web-1', { workload: web }), -45, aBoundary(40, { notAfter: NOT_KNOWN_YET })),
    ),
    tenureFact(aTenure('10.0.0.9', moved, 60, 70)),
  ]);
});

async function timeline(more: Partial<TimelineAsked> & Pick<TimelineAsked, 'by'>, engine = ledger) {
  const usual = { span: SPAN, asked: undefined, node: undefined, namespace: undefined, now: NOW };
  const document = await withSnapshot(engine, CLUSTER.id, (snapshot) =>
    askTimeline(snapshot, ALL_VISIBLE, CLUSTER, { ...usual, most: 1000, buckets: 10, lanes: 100, ...more }),
  );
  return timelineSchema.parse(document);
}

/** One line for each interval: lane, holder, start, end in seconds. */
function lines({ lanes, holders, intervals }: Awaited<ReturnType<typeof timeline>>): string[] {
  return intervals.lane.map((lane, i) => {
    const end = intervals.end[i] ?? null;
    const seconds = `${(intervals.start[i] ?? 0) / 1000}..${end === null ? '' : end / 1000}`;
    return `${lanes[lane]?.label}: ${holders.name[intervals.holder[i] ?? -1]} ${seconds}`;
  });
}

test('lanes of nodes have who was there, in the order of their names and of time', async () => {
  const document = await timeline({ by: 'node' });
  assert.deepEqual(lines(document), ['node-a: web-1 -50..40', 'node-a: lone 10..20', 'node-b: web-2 42..']);
  assert.equal(document.base, at(0));
  assert.deepEqual(document.ips, []);
  const { startEarlier, startLater, endEarlier, endLater } = document.intervals;
  assert.deepEqual([startEarlier[2], startLater[2]], [1_000, 0]);
  assert.deepEqual(
    [endEarlier, endLater],
    [
      [0, 0, null],
      [5_000, 0, null],
    ],
  );
});

test('holders are columns of places in the texts, each text once', async () => {
  const host = aHolder('host', { workload: undefined, hostNetwork: true, node: 'node-b' });
  const engine = await ledgerOf([
    coverageFact(aCoverage(-100, 90)),
    placementFact(aPlacement(aHolder('web-1', { workload: web }), 10, 20)),
    placementFact(aPlacement(host, 30)),
  ]);
  const { texts, holders } = await timeline({ by: 'node' }, engine);
  assert.equal(new Set(texts).size, texts.length);
  const named = (column: readonly number[]) => column.map((place) => texts[place] ?? null);
  assert.deepEqual(
    [holders.name, holders.uid, named(holders.kind), named(holders.node), named(holders.namespace)],
    [
      ['web-1', 'host'],
      ['uid-web-1', 'uid-host'],
      ['Pod', 'Pod'],
      ['node-a', 'node-b'],
      ['shop', 'shop'],
    ],
  );
  assert.deepEqual(
    [named(holders.workloadKind), named(holders.workload)],
    [
      ['Deployment', null],
      ['web', null],
    ],
  );
  assert.deepEqual(holders.hostNetwork, [1]);
});

test('lanes of workloads and pods say of which namespace and kind they are', async () => {
  const byWorkload = await timeline({ by: 'workload' });
  assert.deepEqual(byWorkload.lanes, [
    { id: 'other//', label: 'no workload', namespace: 'other', kind: null },
    { id: 'shop/Deployment/web', label: 'web', namespace: 'shop', kind: 'Deployment' },
  ]);
  const byPod = await timeline({ by: 'pod' });
  assert.deepEqual(byPod.lanes[0], { id: 'uid-lone', label: 'lone', namespace: 'other', kind: 'Pod' });
  assert.deepEqual(
    byPod.lanes.map(({ label }) => label),
    ['lone', 'web-1', 'web-2'],
  );
});

test('lanes of pods that had one name after the other are in the order in which they lived', async () => {
  const lives = ['z', 'a', 'm'].map((uid, i) =>
    placementFact(aPlacement(aHolder('db-0', { uid }), 10 * i, 10 * i + 5)),
  );
  const { lanes } = await timeline(
    { by: 'pod' },
    await ledgerOf([coverageFact(aCoverage(0, 90)), ...lives.toReversed()]),
  );
  assert.deepEqual(
    lanes.map(({ id }) => id),
    ['z', 'a', 'm'],
  );
});

test('lanes of addresses are in the order of their numbers, and each interval says which', async () => {
  const document = await timeline({ by: 'ip' });
  assert.deepEqual(lines(document), ['10.0.0.9: web-1 -45..40', '10.0.0.9: web-2 60..70', '10.0.0.10: web-2 43..']);
  assert.deepEqual(
    document.intervals.ip.map((place) => document.ips[place]),
    ['10.0.0.9', '10.0.0.9', '10.0.0.10'],
  );
  assert.equal(document.holders.uid.length, 2, 'each holder once');
  assert.deepEqual(document.intervals.endLater, [null, 0, null], 'nothing bounds the first end');
});

test('a subject, a node and a namespace narrow it', async () => {
  const ip = { by: 'ip', ip: '10.0.0.9' } as const as NonNullable<TimelineAsked['asked']>;
  assert.deepEqual(lines(await timeline({ by: 'node', asked: ip })), ['node-a: web-1 -45..40', 'node-b: web-2 60..70']);
  const workload = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
  assert.deepEqual((await timeline({ by: 'ip', asked: workload })).intervals.lane.length, 3);
  assert.deepEqual(lines(await timeline({ by: 'node', node: 'node-b' })), ['node-b: web-2 42..']);
  assert.deepEqual(lines(await timeline({ by: 'ip', node: 'node-a' })), ['10.0.0.9: web-1 -45..40']);
  assert.deepEqual(lines(await timeline({ by: 'node', namespace: 'other' })), ['node-a: lone 10..20']);
});

test('more than was asked for is counted, and not given; what lasts is counted as far as it is known to', async () => {
  const document = await timeline({ by: 'node', most: 2 });
  assert.equal(document.detail, 'density');
  assert.deepEqual([document.holders.uid, document.intervals.lane], [[], []]);
  const { bucketMs, lane, bucket, count } = document.density;
  assert.equal(bucketMs, 10_000);
  const cells = lane.map((one, i) => [one, bucket[i], count[i]]);
  const onA = [1, 2, 1, 1].map((many, i) => [0, i, many]);
  assert.deepEqual(cells, [...onA, ...[4, 5, 6, 7, 8].map((column) => [1, column, 1])]);
  assert.deepEqual(document.histogram.arrivals, [0, 1, 0, 0, 1, 0, 0, 0, 0, 0]);
  assert.deepEqual(document.histogram.departures, [0, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
});

test('of more lanes than were asked for the first are given, and it is said; the histogram is of all', async () => {
  const document = await timeline({ by: 'pod', lanes: 1 });
  assert.deepEqual([lines(document), document.moreLanes], [['lone: lone 10..20'], true]);
  assert.equal(
    document.histogram.arrivals.reduce((sum, one) => sum + one),
    2,
  );
});

test('few of many lanes are the first of all in their order', async () => {
  const numbers = new SeededNumbers(5);
  const engine = await ledgerOf(ledgerFacts(numbers));
  const span = { from: at(-1), to: at(0), hasSince: true, hasUntil: true };
  const day = { ...span, from: 0 as typeof span.from, to: DAY as typeof span.to };
  const all = await timeline({ by: 'pod', span: day, lanes: 1000 }, engine);
  const few = await timeline({ by: 'pod', span: day, lanes: 3 }, engine);
  assert.ok(all.lanes.length > 60);
  assert.deepEqual(few.lanes, all.lanes.slice(0, 3));
});

test('a density counts, in every bucket, the intervals that touch it', async () => {
  const numbers = new SeededNumbers(6);
  const engine = await ledgerOf(ledgerFacts(numbers));
  const span = {
    from: (2 * HOUR) as typeof SPAN.from,
    to: (20 * HOUR) as typeof SPAN.to,
    hasSince: true,
    hasUntil: true,
  };
  const usual = { span, now: (30 * DAY) as typeof NOW, buckets: 37 };
  const { intervals } = await timeline({ by: 'node', ...usual }, engine);
  const { density, lanes } = await timeline({ by: 'node', ...usual, most: 1 }, engine);
  const known = DAY - 2 * HOUR;
  const counted = new Map(density.lane.map((lane, i) => [`${lane} ${density.bucket[i]}`, density.count[i]]));
  for (let lane = 0; lane < lanes.length; lane++) {
    for (let bucket = 0; bucket < 37; bucket++) {
      const [from, to] = [bucket * density.bucketMs, (bucket + 1) * density.bucketMs];
      const expected = intervals.lane.filter((one, i) => {
        const start = intervals.start[i] ?? 0;
        const end = Math.min(intervals.end[i] ?? known, span.to - span.from);
        return one === lane && start < to && Math.max(end, start + 1) > from && end > 0;
      });
      assert.equal(counted.get(`${lane} ${bucket}`) ?? 0, expected.length, `lane ${lane}, bucket ${bucket}`);
    }
  }
});

test('without a beginning it is the last day', async () => {
  const asker = { visibility: ALL_VISIBLE, now: NOW };
  const { query } = await askQuestion(ledger, asker, 'timeline', { by: 'node' });
  assert.equal(Date.parse(query.until) - Date.parse(query.since), 86_400_001);
});
