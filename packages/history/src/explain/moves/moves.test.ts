// Who took whose place, why, and how long nobody was there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTenure, at, tenureFact } from '../../engines/testing/record-builders.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { StoredFact } from '../../model/fact.ts';
import type { PodLife } from '../../model/pod-life.ts';
import type { Holder } from '../../model/records.ts';
import { aLife, aPod, END, event, evidence, NODE, object } from '../testing/case-builders.ts';
import { askStore, evidenceFact, livedFacts } from '../testing/case-store.ts';
import { isWantedDeparture, isWantedMove } from './move-filters.ts';
import { type Move, movePlace, moves } from './moves.ts';

const SPAN = { from: at(0), to: at(100_000) };
const living = { deletion: undefined, gone: undefined };
const ends = (seconds: number): Partial<PodLife> => ({
  deletion: { requested: at(seconds), graceSeconds: 30 },
  gone: at(seconds + 5),
});

function life(
  kind: string,
  owner: string,
  pod: string,
  seconds: number,
  more: Partial<PodLife> & { node?: string } = {},
) {
  const { node = 'worker-2', ...rest } = more;
  const workload: Holder['workload'] = {
    kind: kind === 'ReplicaSet' ? 'Deployment' : kind,
    name: 'w',
    inferred: false,
  };
  return aLife({
    ...{
      pod: aPod(pod, { node, uid: `uid-${pod}-${seconds}`, workload }),
      owner: object(kind, owner),
      revision: owner,
    },
    ...{ created: at(seconds), ready: at(seconds + 3), ...living },
    ...rest,
  });
}

async function movesOf(lives: readonly PodLife[], said: readonly Evidence[] = [], more: readonly StoredFact[] = []) {
  const watched = evidence({ kind: 'Stream', namespace: '', name: 'events', uid: '' }, 'stream-followed', 0);
  const facts = [...lives.flatMap((one) => livedFacts(one)), ...[watched, ...said].map(evidenceFact), ...more];
  const found = await askStore(facts, (snapshot) => moves(snapshot, { span: SPAN, page: { limit: 100 } }));
  return found.items;
}

const line = ({ from, to, verdict }: Move) =>
  `${from.pod.name} ${from.pod.node} → ${to === undefined ? 'nobody' : `${to.life.pod.name} ${to.life.pod.node} (${to.certainty})`}: ${verdict.cause}`;

test('a StatefulSet: the next pod of the name, with its node, its addresses and the time without it', async () => {
  const first = life('StatefulSet', 'db', 'db-0', 10, {
    ...ends(END),
    disruption: { reason: 'EvictionByEvictionAPI', message: '', at: at(END) },
  });
  const next = life('StatefulSet', 'db', 'db-0', END + 6, { node: 'worker-7' });
  const other = life('StatefulSet', 'db', 'db-1', 20);
  const [move, ...others] = await movesOf(
    [first, next, other],
    [evidence(NODE, 'cordoned', 990)],
    [
      tenureFact(aTenure('10.0.0.7', first.pod, 12, END + 4)),
      tenureFact(aTenure('10.0.0.9', next.pod, END + 8)),
      tenureFact(aTenure('10.0.0.8', other.pod, 22)),
    ],
  );
  assert.deepEqual(others, []);
  assert.ok(move);
  assert.equal(line(move), 'db-0 worker-2 → db-0 worker-7 (certain): Evicted');
  assert.equal(move.verdict.sentence, 'was evicted: worker-2 was drained.');
  assert.deepEqual(
    [move.addresses.from, move.addresses.to].map((all) => all.map(({ ip }) => ip)),
    [['10.0.0.7'], ['10.0.0.9']],
  );
  assert.equal(move.downtimeMs, 9000);
  assert.deepEqual(movePlace(move), { time: at(END), key: first.pod.uid });
});

test('a successor that is not ready yet leaves the time without it open', async () => {
  const next = life('StatefulSet', 'db', 'db-0', END + 6, { ready: undefined });
  const [move] = await movesOf([life('StatefulSet', 'db', 'db-0', 10, ends(END)), next]);
  assert.deepEqual([move?.to?.life.pod.uid, move?.downtimeMs], [next.pod.uid, undefined]);
});

test('a pod that had been unready before it was deleted was away since then', async () => {
  const [move] = await movesOf([
    life('StatefulSet', 'db', 'db-0', 10, { ...ends(END), notReady: at(END - 60) }),
    life('StatefulSet', 'db', 'db-0', END + 6),
  ]);
  assert.equal(move?.downtimeMs, 69_000);
});

test('a static pod: the next of the name', async () => {
  const bare = { owner: undefined, revision: undefined, isMirror: true };
  const mirror = (seconds: number, more: Partial<PodLife> = {}) => {
    const one = life('Node', 'worker-2', 'etcd-worker-2', seconds, { ...bare, ...more });
    return { ...one, pod: { ...one.pod, workload: undefined } };
  };
  const found = await movesOf([mirror(10, ends(END)), mirror(END + 1)]);
  assert.deepEqual(found.map(line), ['etcd-worker-2 worker-2 → etcd-worker-2 worker-2 (certain): DeletedOnRequest']);
});

test('a DaemonSet: the next pod on the node, and not one on another', async () => {
  const found = await movesOf([
    life('DaemonSet', 'agent', 'agent-a', 10, ends(END)),
    life('DaemonSet', 'agent', 'agent-b', END + 1, { node: 'worker-9' }),
    life('DaemonSet', 'agent', 'agent-c', END + 6),
  ]);
  assert.deepEqual(found.map(line), ['agent-a worker-2 → agent-c worker-2 (certain): DeletedOnRequest']);
});

test('a ReplicaSet: one end and one replacement are certain', async () => {
  const found = await movesOf([
    life('ReplicaSet', 'w-1', 'w-1-a', 10, ends(END)),
    life('ReplicaSet', 'w-1', 'w-1-b', 10),
    life('ReplicaSet', 'w-1', 'w-1-c', END + 1, { node: 'worker-5' }),
  ]);
  assert.deepEqual(found.map(line), ['w-1-a worker-2 → w-1-c worker-5 (certain): DeletedOnRequest']);
});

test('a ReplicaSet: one that comes more than a minute later may be there because it was scaled up, and is inferred', async () => {
  const after = async (seconds: number) => {
    const found = await movesOf([
      life('ReplicaSet', 'w-1', 'w-1-a', 10, ends(END)),
      life('ReplicaSet', 'w-1', 'w-1-b', END + seconds),
    ]);
    return found[0]?.to?.certainty;
  };
  assert.deepEqual([await after(64), await after(70), await after(800)], ['certain', 'inferred', 'inferred']);
});

test('of a workload with more pods than are read, those that came after the end are read first', async () => {
  const many = Array.from({ length: 2100 }, (_, i) => life('Job', 'batch', `m-${i}`, i * 0.4));
  const found = await movesOf([
    ...many,
    life('Job', 'batch', 'a', 10, {
      ...ends(END),
      disruption: { reason: 'EvictionByEvictionAPI', message: '', at: at(END) },
    }),
    life('Job', 'batch', 'b', END + 2, { node: 'worker-5' }),
  ]);
  assert.deepEqual(found.map(line), ['a worker-2 → b worker-5 (certain): Evicted']);
  const read = found[0]?.known.siblings.map(({ pod }) => pod.name) ?? [];
  assert.ok(read.includes('m-2099') && read.length <= 4000, `${read.length} are read`);
});

test('a ReplicaSet: several at once are matched one to one in order, and inferred', async () => {
  const found = await movesOf([
    life('ReplicaSet', 'w-1', 'w-1-a', 10, ends(END)),
    life('ReplicaSet', 'w-1', 'w-1-b', 10, ends(END + 1)),
    life('ReplicaSet', 'w-1', 'w-1-c', END + 1),
    life('ReplicaSet', 'w-1', 'w-1-d', END + 2),
  ]);
  assert.deepEqual(found.map(line), [
    'w-1-a worker-2 → w-1-c worker-2 (inferred): DeletedOnRequest',
    'w-1-b worker-2 → w-1-d worker-2 (inferred): DeletedOnRequest',
  ]);
});

test('a pod that its owner removed takes no replacement from one that was evicted', async () => {
  const found = await movesOf(
    [
      life('ReplicaSet', 'w-1', 'w-1-a', 10, ends(END)),
      life('ReplicaSet', 'w-1', 'w-1-b', 10, {
        ...ends(END + 1),
        disruption: { reason: 'EvictionByEvictionAPI', message: '', at: at(END + 1) },
      }),
      life('ReplicaSet', 'w-1', 'w-1-c', END + 2, { node: 'worker-5' }),
    ],
    [event(object('ReplicaSet', 'w-1'), 'replicaset-controller', 'SuccessfulDelete', END, 'Deleted pod: w-1-a')],
  );
  assert.deepEqual(found.map(line), [
    'w-1-a worker-2 → nobody: ScaledDown',
    'w-1-b worker-2 → w-1-c worker-5 (certain): Evicted',
  ]);
});

test('a rollout: the pods of the newer revision in the order of their creation', async () => {
  const removed = (name: string, seconds: number) =>
    event(object('ReplicaSet', 'w-1'), 'replicaset-controller', 'SuccessfulDelete', seconds, `Deleted pod: ${name}`);
  const found = await movesOf(
    [
      life('ReplicaSet', 'w-1', 'w-1-a', 10, ends(END)),
      life('ReplicaSet', 'w-1', 'w-1-b', 11, ends(END + 10)),
      life('ReplicaSet', 'w-2', 'w-2-a', END - 5),
      life('ReplicaSet', 'w-2', 'w-2-b', END + 2),
    ],
    [removed('w-1-a', END), removed('w-1-b', END + 10)],
  );
  assert.deepEqual(found.map(line), [
    'w-1-a worker-2 → w-2-a worker-2 (inferred): Rollout',
    'w-1-b worker-2 → w-2-b worker-2 (inferred): Rollout',
  ]);
  assert.deepEqual(
    found.map(({ downtimeMs }) => downtimeMs),
    [0, 0],
  );
});

test('pods that lived for days, and are filed under their ends, are siblings of each other', async () => {
  const old = (name: string, end: number) =>
    life('ReplicaSet', 'w-1', name, -200_000, { ...ends(end), filedAt: at(end) });
  const found = await movesOf([
    old('w-1-a', END),
    old('w-1-b', END + 1),
    life('ReplicaSet', 'w-1', 'w-1-c', END + 1),
    life('ReplicaSet', 'w-1', 'w-1-d', END + 2),
  ]);
  assert.deepEqual(found.map(line), [
    'w-1-a worker-2 → w-1-c worker-2 (inferred): DeletedOnRequest',
    'w-1-b worker-2 → w-1-d worker-2 (inferred): DeletedOnRequest',
  ]);
});

test('a bare pod has no successor, whoever gets its name', async () => {
  const found = await movesOf([
    aLife(),
    aLife({ pod: aPod('cart-1', { uid: 'uid-next' }), created: at(END + 9), ...living }),
  ]);
  assert.deepEqual(found.map(line), ['cart-1 worker-2 → nobody: DeletedOnRequest']);
});

test('pages follow each other by the place of the departure, and what is not wanted takes no place', async () => {
  const lives = Array.from({ length: 5 }, (_, i) =>
    aLife({ pod: aPod(`p-${i}`, { node: i % 2 === 0 ? 'even' : 'odd' }), ...ends(END + i) }),
  );
  const facts = lives.flatMap((one) => livedFacts(one));
  const pages = await askStore(facts, async (snapshot) => {
    const found: string[][] = [];
    let cursor: string | undefined;
    do {
      const isWanted = (departure: Move['departure']) => isWantedDeparture({ fromNode: 'even' }, departure);
      const page = await moves(snapshot, { span: SPAN, page: { limit: 2, cursor }, isWanted });
      found.push(page.items.map(({ from }) => from.pod.name));
      cursor = page.cursor;
    } while (cursor !== undefined);
    return found;
  });
  assert.deepEqual(pages, [['p-0', 'p-2'], ['p-4']]);
});

test('filters by cause, by the node of the successor and by namespace', async () => {
  const [move] = await movesOf([
    life('StatefulSet', 'db', 'db-0', 10, ends(END)),
    life('StatefulSet', 'db', 'db-0', END + 6, { node: 'worker-7' }),
  ]);
  assert.ok(move);
  const wanted = [
    ...[{}, { causes: ['DeletedOnRequest'] }, { toNode: 'worker-7', fromNode: 'worker-2', namespace: 'shop' }],
  ] as const;
  const unwanted = [{ causes: ['Evicted'] }, { toNode: 'worker-2' }, { namespace: 'bank' }] as const;
  assert.deepEqual(
    [...wanted, ...unwanted].map((filters) => isWantedMove(filters, move)),
    [true, true, true, false, false, false],
  );
});

test('the pods of a workload are read once for all of them that end together, not for each', async () => {
  const lives = Array.from({ length: 40 }, (_, i) => [
    life('ReplicaSet', 'w-1', `w-1-old${i}`, 10, ends(END + i / 10)),
    life('ReplicaSet', 'w-1', `w-1-new${i}`, END + 1 + i / 10),
  ]).flat();
  let reads = 0;
  const facts = lives.flatMap((one) => livedFacts(one));
  const found = await askStore(facts, (snapshot) => {
    const counting = new Proxy(snapshot, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...parameters: [{ kind: string; subject?: { by: string; uid?: string } }?]) => {
          const { kind, subject } = parameters[0] ?? {};
          if (name === 'occurrences' && kind === 'life' && (subject?.by === 'workload' || subject?.uid === 'uid-w-1'))
            reads++;
          return value.apply(target, parameters);
        };
      },
    });
    return moves(counting, { span: SPAN, page: { limit: 100 } });
  });
  assert.equal(found.items.filter(({ to }) => to !== undefined).length, 40);
  assert.ok(reads <= 4, `${reads} reads of the workload`);
});
