import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis, type Observed } from '@podtrail/history';
import { type Delta, type PodView, podCodec, type Relist } from '@podtrail/machinery';
import { aPod } from '@podtrail/machinery/testing';
import { DeltaLog } from './delta-log.ts';

const AT = epochMillis(1_000);
const pod = (name: string, version: number): PodView => podCodec.fromJson(aPod(name).atVersion(version).build());
const wrap = (object: PodView): Observed => ({ kind: 'Pod', object });
const relist = (reason: Relist['reason'], resourceVersion: string): Relist => ({
  reason,
  resourceVersion,
  previousVersion: '1',
  from: 500,
  to: 1_000,
});
const mark = (kind: 'relist-began' | 'relist-ended', of: Relist): Delta<PodView> => ({
  kind,
  relist: of,
  observedAt: 1_000,
});
const added = (object: PodView, source: 'list' | 'watch' = 'list'): Delta<PodView> => ({
  kind: 'added',
  object,
  source,
  initial: source === 'list',
  observedAt: 1_000,
});
const deleted = (object: PodView, source: 'list' | 'watch', finalStateUnknown: boolean): Delta<PodView> => ({
  kind: 'deleted',
  object,
  source,
  finalStateUnknown,
  observedAt: 1_000,
});

/** What the log makes of these deltas, in short. */
function translate(log: DeltaLog<PodView>, ...deltas: Delta<PodView>[]): string[] {
  return deltas.flatMap((delta) =>
    log.translate(delta, AT).observations.map((o) => {
      switch (o.kind) {
        case 'listed':
          return `listed ${o.reason} whole=${o.whole} +${o.present.length} -${o.goneUids} since ${o.since}`;
        case 'event':
        case 'corrected':
          return `${o.kind} ${o.type} ${o.seen.object.metadata.name}`;
        case 'progress':
          return `progress ${o.resourceVersion}`;
        case 'checked':
          return `checked ${o.uids} at ${o.resourceVersion}`;
        default:
          return o.kind;
      }
    }),
  );
}

test('the first listing is observed as one whole', () => {
  const log = new DeltaLog('Pod', wrap);
  const start = relist('start', '10');
  const observed = translate(
    log,
    mark('relist-began', start),
    added(pod('a', 3)),
    added(pod('b', 4)),
    mark('relist-ended', start),
  );
  assert.deepEqual(observed, ['listed start whole=true +2 - since 500']);
});

test('a later listing is observed by what it changed and what it lacked', () => {
  const log = new DeltaLog('Pod', wrap);
  const [start, expired] = [relist('start', '10'), relist('expired', '20')];
  translate(log, mark('relist-began', start), mark('relist-ended', start));
  const observed = translate(
    log,
    mark('relist-began', expired),
    deleted(pod('gone', 5), 'list', true),
    added(pod('new', 15)),
    mark('relist-ended', expired),
  );
  assert.deepEqual(observed, ['listed expired whole=false +1 -uid-gone since 500']);
});

test('during a catch-up the listing waits; when the replay is complete it only cross-checks', () => {
  const log = new DeltaLog('Pod', wrap, { catchesUp: true });
  const start = relist('start', '10');
  assert.deepEqual(translate(log, mark('relist-began', start), added(pod('a', 8)), mark('relist-ended', start)), []);
  assert.equal(log.catchingUp, true);
  const observed = translate(
    log,
    { kind: 'replayed', type: 'updated', object: pod('a', 7), observedAt: 1_000 },
    { kind: 'replayed', type: 'deleted', object: pod('b', 9), observedAt: 1_000 },
    { kind: 'caught-up', outcome: 'complete', from: '5', to: '10', observedAt: 1_000 },
  );
  assert.deepEqual(observed, [
    ...['event present a', 'event deleted b', 'corrected present a', 'checked uid-a at 10', 'progress 10'],
  ]);
  assert.equal(log.catchingUp, false);
});

test('a second listing during a catch-up delivers only what it changed; what is observed in the end is the whole', () => {
  for (const outcome of ['complete', 'expired'] as const) {
    const log = new DeltaLog('Pod', wrap, { catchesUp: true });
    const [start, again] = [relist('start', '10'), relist('expired', '20')];
    translate(log, mark('relist-began', start), added(pod('a', 8)), added(pod('b', 9)), mark('relist-ended', start));
    translate(log, added(pod('c', 12), 'watch'), deleted(pod('b', 13), 'watch', false));
    assert.deepEqual(translate(log, mark('relist-began', again), added(pod('d', 18)), mark('relist-ended', again)), []);
    const observed = translate(log, { kind: 'caught-up', outcome, from: '5', to: '20', observedAt: 1_000 });
    if (outcome === 'complete') assert.equal(observed.at(-2), 'checked uid-a,uid-c,uid-d at 20');
    else assert.deepEqual(observed, ['listed expired whole=true +3 - since 500']);
  }
});

test('a catch-up that has expired makes the listing count, as a whole', () => {
  const log = new DeltaLog('Pod', wrap, { catchesUp: true });
  const start = relist('start', '10');
  translate(log, mark('relist-began', start), added(pod('a', 8)), mark('relist-ended', start));
  const observed = translate(log, { kind: 'caught-up', outcome: 'expired', from: '5', to: '10', observedAt: 1_000 });
  assert.deepEqual(observed, ['listed expired whole=true +1 - since 500']);
});

test('a rewind ends the hope of a catch-up at once', () => {
  const log = new DeltaLog('Pod', wrap, { catchesUp: true });
  const rewound = relist('rewound', '10');
  const observed = translate(log, mark('relist-began', rewound), added(pod('a', 8)), mark('relist-ended', rewound), {
    kind: 'caught-up',
    outcome: 'expired',
    from: '500',
    to: '10',
    observedAt: 1_000,
  });
  assert.deepEqual(observed, ['listed rewound whole=true +1 - since 500']);
});

test('a delete that nobody saw, and what a consistency check found, are corrections, not events', () => {
  const log = new DeltaLog('Pod', wrap);
  const found: Delta<PodView> = { ...added(pod('lost', 9)), source: 'consistency', initial: false } as Delta<PodView>;
  const observed = translate(
    log,
    added(pod('a', 3), 'watch'),
    deleted(pod('a', 4), 'watch', false),
    deleted(pod('b', 5), 'watch', true),
    found,
  );
  assert.deepEqual(observed, ['event present a', 'event deleted a', 'corrected deleted b', 'corrected present lost']);
});

test('the version to go on from is that of the last event or mark; corrections and reminders move nothing', () => {
  const log = new DeltaLog('Pod', wrap);
  assert.equal(log.translate(added(pod('a', 3), 'watch'), AT).resourceVersion, '3');
  assert.equal(log.translate({ kind: 'progress', resourceVersion: '12', observedAt: 1_000 }, AT).resourceVersion, '12');
  assert.equal(log.translate(deleted(pod('b', 5), 'watch', true), AT).resourceVersion, undefined);
  const reminder: Delta<PodView> = {
    kind: 'updated',
    object: pod('a', 3),
    previous: pod('a', 3),
    source: 'list',
    resync: true,
    observedAt: 1_000,
  };
  assert.deepEqual(log.translate(reminder, AT), { observations: [], resourceVersion: undefined });
});

const CONTRADICTED = { contradicts: () => true, resumedAt: () => epochMillis(300) };

test('a first listing that contradicts the ledger is observed as one after a rewind, since the earlier recorder', () => {
  const log = new DeltaLog('Pod', wrap, { catchesUp: true, ...CONTRADICTED });
  const start = relist('start', '10');
  const observed = translate(log, mark('relist-began', start), added(pod('a', 8)), mark('relist-ended', start));
  assert.deepEqual(observed, ['listed rewound whole=true +1 - since 300']);
  assert.equal(log.catchingUp, false);
  const end: Delta<PodView> = { kind: 'caught-up', outcome: 'complete', from: '5', to: '10', observedAt: 1_000 };
  assert.deepEqual(translate(log, end), [], 'and the catch-up is over');
});

test('a catch-up after which something is missing was one of another history', () => {
  const asked: (readonly [number, boolean])[] = [];
  const contradicts = (present: readonly Observed[], isWhole: boolean) => {
    asked.push([present.length, isWhole]);
    return isWhole;
  };
  const log = new DeltaLog('Pod', wrap, { catchesUp: true, contradicts, resumedAt: () => epochMillis(300) });
  const start = relist('start', '10');
  assert.deepEqual(translate(log, mark('relist-began', start), added(pod('a', 8)), mark('relist-ended', start)), []);
  const end: Delta<PodView> = { kind: 'caught-up', outcome: 'complete', from: '5', to: '10', observedAt: 1_000 };
  assert.deepEqual(translate(log, end), ['listed rewound whole=true +1 - since 300']);
  assert.deepEqual(asked, [
    [1, false],
    [1, true],
  ]);
});

test('a recorder that does not catch up notices a rewind by its first listing, and by no later one', () => {
  const log = new DeltaLog('Pod', wrap, CONTRADICTED);
  const [start, expired] = [relist('start', '10'), relist('expired', '20')];
  const first = translate(log, mark('relist-began', start), added(pod('a', 8)), mark('relist-ended', start));
  assert.deepEqual(first, ['listed rewound whole=true +1 - since 300']);
  const later = translate(log, mark('relist-began', expired), mark('relist-ended', expired));
  assert.deepEqual(later, ['listed expired whole=false +0 - since 500']);
});
