import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '../engines/engine.ts';
import type { Snapshot } from '../engines/snapshot.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import type { Provenance } from '../model/boundary.ts';
import { possibleFact, type StoredFact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import { occurrenceFact } from '../model/occurrence.ts';
import type { Anomaly, Change, Conflict, Holder } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { ALL_VISIBLE, type Visibility } from '../query/visibility.ts';
import {
  boundary,
  CLUSTER,
  coverage,
  DAY,
  HOUR,
  holder,
  IPS,
  ledgerFacts,
  ledgerOf,
  MINUTE,
} from '../testing/random-ledger.ts';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import { askAnomalies } from './anomalies.ts';
import { type Attribution, askAttributions } from './attribution.ts';
import { askQuestion } from './catalogue/ask.ts';
import { askChanges } from './changes.ts';
import { askGaps } from './gaps.ts';
import { askMoves } from './moves.ts';
import { askNode } from './node-pods.ts';
import type { WhoDocument } from './schemas/index.ts';
import { askTrail } from './trail.ts';
import { askWho, type WhoFound } from './who.ts';

const SEED = Number(process.env['SEED'] ?? 20261116);
const SPAN = { from: epochMillis(0), to: epochMillis(DAY), hasSince: true, hasUntil: true };
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(-DAY)]]) };

/** Two of three pods are in namespaces that the asker may not see. */
const NAMESPACES = ['shop', 'vault', 'kitchen'];
const isHidden = ({ kind, namespace }: Pick<Holder, 'kind' | 'namespace'>) => kind === 'Node' || namespace !== 'shop';

let facts: readonly StoredFact[];
/** Everything, and the same without what is hidden: an asker must not be able to tell one from the other. */
let whole: Engine;
let rest: Engine;
before(async () => {
  console.log(`SEED=${SEED}`);
  const numbers = new SeededNumbers(SEED);
  const random = ledgerFacts(numbers, NAMESPACES);
  const pods = random.flatMap((fact) => (fact.kind === 'placement' ? [fact.placement.pod] : []));
  const secret = holder('Service', 'secret', { namespace: 'vault' });
  const service = { ip: IPS[4] as IpAddress, holder: secret, start: boundary(0, 0, 0, 9000), end: undefined };
  facts = [
    ...random,
    ...random.flatMap(causesOf),
    ...pods.map(changeOf).map((change): StoredFact => ({ kind: 'change', change })),
    { kind: 'tenure', tenure: service },
  ];
  whole = await ledgerOf([...facts, { kind: 'anomaly', anomaly: anomalyOf(secret) }]);
  rest = await ledgerOf(facts.filter((fact) => !holdersOf(fact).some(isHidden)));
});

function anomalyOf({ uid, namespace, name }: Holder): Anomaly {
  return { ...provenance(9500, HOUR), what: 'clock-skew', uid, detail: `${namespace}/${name}` };
}

function provenance(version: number, observedAt: number): Provenance {
  return {
    ...{ source: 'watch', epoch: 1, resourceVersion: String(version), collector: 'c' },
    observedAt: epochMillis(observedAt),
  };
}

function changeOf(pod: Holder, i: number): Change {
  return {
    ...provenance(5000 + i, i * MINUTE),
    pod,
    key: 'team',
    before: undefined,
    after: { text: pod.name, sha256: undefined },
  };
}

/** How each pod on a node lived and ended. Their owners are one for each namespace, so that one takes another's place. */
function causesOf(fact: StoredFact, i: number): StoredFact[] {
  if (fact.kind !== 'placement') return [];
  const { pod, start, end } = fact.placement;
  const { namespace, name, uid } = pod;
  const known = provenance(6000 + i, start.at);
  const owner = { kind: 'ReplicaSet', namespace, name: 'agents', uid: `uid-agents-${namespace}` };
  const about = { kind: 'Pod', namespace, name, uid };
  const lived = { ...known, pod, owner, isMirror: false, qosClass: '', priority: 0, restarts: 0, endings: [] };
  // Nobody reads what was before 1970, where this day begins.
  const created = epochMillis(Math.max(0, start.at));
  const life = { ...lived, created, scheduled: created };
  if (end === undefined) return [occurrenceFact('life', life)];
  const ending = Math.floor(i / NAMESPACES.length) % 3;
  const reason = ['EvictionByEvictionAPI', 'PreemptionByScheduler', ''][ending] as string;
  const disruption = reason === '' ? undefined : { reason, message: '', at: end.at };
  const preemptor = { kind: 'Pod', namespace: 'vault', name: 'preemptor', uid: 'uid-preemptor' };
  const reported = { ...known, about, what: 'event' as const, at: end.at, by: '', count: 1 };
  return [
    occurrenceFact('life', { ...life, disruption, deletion: { requested: end.at, graceSeconds: 30 }, gone: end.at }),
    occurrenceFact('departure', { ...known, pod, owner, at: end.at }),
    occurrenceFact('evidence', { ...reported, id: `killed-${uid}`, reason: 'Killing', message: name }),
    ...(ending === 1
      ? [
          occurrenceFact('evidence', {
            ...reported,
            id: `by-${uid}`,
            reason: 'Preempted',
            message: 'vault/preemptor',
            related: preemptor,
          }),
        ]
      : []),
  ];
}

function holdersOf(fact: StoredFact): readonly Pick<Holder, 'kind' | 'namespace' | 'uid'>[] {
  if (fact.kind === 'life') return [fact.life.pod];
  if (fact.kind === 'departure') return [fact.departure.pod];
  if (fact.kind === 'evidence') {
    const { about, related } = fact.evidence;
    return [about, related ?? about].map(({ namespace, uid }) => ({ kind: 'Pod', namespace, uid }));
  }
  if (fact.kind === 'tenure') return [fact.tenure.holder];
  if (fact.kind === 'placement') return [fact.placement.pod];
  return fact.kind === 'change' ? [fact.change.pod] : [];
}

const who = (engine: Engine, visibility: Visibility, ip: IpAddress, at: EpochMillis): Promise<WhoFound> =>
  withSnapshot(engine, CLUSTER.id, (snapshot) => askWho(snapshot, visibility, CLUSTER, { ip, at }));

/** Whatever is hidden has a name of its own. */
function assertNamesNobodyHidden(document: object): void {
  const text = JSON.stringify({ ...document, query: undefined });
  assert.doesNotMatch(text, /vault|kitchen|node-b-|uid-node/);
  for (const fact of facts) {
    for (const { uid } of holdersOf(fact).filter(isHidden)) assert.ok(!text.includes(`"${uid}"`), uid);
  }
}

test('who: what the unrestricted answer says about visible holders, else unknown, never free', async () => {
  const numbers = new SeededNumbers(SEED);
  const kinds: Record<string, number> = {};
  for (let i = 0; i < 4000; i++) {
    const ip = IPS[numbers.between(0, IPS.length - 1)] as IpAddress;
    const at = epochMillis(numbers.between(-HOUR, DAY + HOUR));
    const full: WhoDocument = (await who(whole, ALL_VISIBLE, ip, at)).document;
    const seen: WhoDocument = (await who(whole, SHOP, ip, at)).document;
    const visible = full.holders.filter((one) => !isHidden(one));
    kinds[`${full.answer} ${seen.answer}`] = (kinds[`${full.answer} ${seen.answer}`] ?? 0) + 1;
    assertNamesNobodyHidden(seen);
    assert.equal(seen.narrowed, true);
    assert.notEqual(seen.answer, 'free');
    assert.deepEqual(
      seen.holders.map(({ uid }) => uid),
      visible.map(({ uid }) => uid),
    );
    assert.equal(seen.answer, visible.length === 0 ? 'unknown' : full.answer);
    if (full.answer === 'free') assert.ok(seen.answer === 'unknown' && seen.reason === 'not-visible');
    // Of an address that no visible pod can have had, the answer is the same whether or not there are hidden records.
    const alone: WhoDocument = (await who(rest, SHOP, ip, at)).document;
    if (alone.answer === 'unknown' || seen.answer === 'held') assert.deepEqual(seen, alone);
  }
  for (const kind of ['held held', 'held unknown', 'free unknown', 'ambiguous ambiguous', 'ambiguous unknown']) {
    assert.ok((kinds[kind] ?? 0) > 20, `${kind}: ${JSON.stringify(kinds)}`);
  }
});

test('who: a hidden candidate never lets the traffic of a row decide for the visible one', async () => {
  const at = (second: number) => second * 1000;
  const tenure = (one: Holder, n: number): StoredFact => {
    const times = { start: boundary(at(0), at(5), at(10), n), end: boundary(at(20), at(25), at(30), n + 1) };
    return { kind: 'tenure', tenure: { ip: IPS[0] as IpAddress, holder: one, ...times } };
  };
  const mine = tenure(holder('Pod', 'mine', { node: 'node-a' }), 1);
  const theirs = tenure(holder('Pod', 'theirs', { node: 'node-a', namespace: 'vault' }), 3);
  const question = { ip: IPS[0] as IpAddress, at: epochMillis(at(25)), seen: true };
  const answers: string[] = [];
  for (const lives of [[mine], [mine, theirs]]) {
    const engine = await ledgerOf([coverage(0, at(100)), ...lives]);
    const asked = await withSnapshot(engine, CLUSTER.id, (snapshot) => askWho(snapshot, SHOP, CLUSTER, question));
    answers.push(`${asked.document.answer} ${asked.document.holders.map(({ name }) => name)} ${asked.answer.isOnly}`);
  }
  assert.deepEqual(answers, ['held mine false', 'ambiguous mine false']);
});

test('who: a conflict with a hidden holder, and the namespaces of a recorder, are hidden', async () => {
  const ip = IPS[0] as IpAddress;
  const mine = holder('Pod', 'mine');
  const theirs = holder('Pod', 'theirs', { namespace: 'vault' });
  const lives = [mine, theirs].map((one, n): StoredFact => {
    return { kind: 'tenure', tenure: { ip, holder: one, start: boundary(0, 0, 0, n), end: undefined } };
  });
  const conflict: Conflict = { ...provenance(77, 1000), ip, holders: [mine, theirs] };
  const scope = { kind: 'namespaces' as const, namespaces: ['shop', 'vault'] };
  const engine = await ledgerOf([coverage(0, HOUR, { scope }), ...lives, { kind: 'conflict', conflict }]);
  const { document } = await who(engine, SHOP, ip, epochMillis(1000));
  assert.equal(document.answer, 'ambiguous');
  assert.deepEqual(document.coverage.scope, { namespaces: ['shop'] });
  assert.deepEqual(
    document.evidence.map(({ resourceVersion }) => resourceVersion),
    ['0'],
  );
  const all = (await who(engine, ALL_VISIBLE, ip, epochMillis(1000))).document;
  assert.deepEqual(
    all.evidence.map(({ resourceVersion }) => resourceVersion),
    ['0', '1', '77'],
  );
});

test('a namespace that was created again shows nothing of the one before it', async () => {
  const since: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(12 * HOUR)]]) };
  const ask = (visibility: Visibility) =>
    withSnapshot(whole, CLUSTER.id, (snapshot) =>
      askNode(snapshot, visibility, CLUSTER, {
        ...{ node: 'node-a', during: SPAN, namespace: undefined, paging: { limit: 0 }, now: SPAN.to },
      }),
    );
  const all = (await ask(SHOP)).document.pods;
  const seen = (await ask(since)).document.pods;
  const expected = all.filter(({ start }) => Date.parse(start.notBefore) >= 12 * HOUR);
  assert.ok(expected.length > 0 && expected.length < all.length, `${expected.length} of ${all.length}`);
  assert.deepEqual(seen, expected);
});

/** Every listing, for an asker and a page. */
const LISTINGS: Readonly<
  Record<
    string,
    (engine: Engine, visibility: Visibility, limit: number, cursor: string | undefined) => Promise<unknown>
  >
> = {
  'trail of an address': (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askTrail(snapshot, visibility, CLUSTER, {
        ...{ asked: { by: 'ip', ip: IPS[3] as IpAddress }, span: SPAN, paging: { limit, cursor }, now: SPAN.to },
      }),
    ),
  'trail of a pod that is hidden': (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askTrail(snapshot, visibility, CLUSTER, {
        ...{ asked: { by: 'uid', uid: 'uid-agent-0-1' }, span: SPAN, paging: { limit, cursor }, now: SPAN.to },
      }),
    ),
  'trail of a Service that is hidden': (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askTrail(snapshot, visibility, CLUSTER, {
        ...{ asked: { by: 'service', namespace: 'vault', name: 'secret' }, span: SPAN },
        ...{ paging: { limit, cursor }, now: SPAN.to },
      }),
    ),
  'the pods of a node': (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askNode(snapshot, visibility, CLUSTER, {
        ...{ node: 'node-a', during: SPAN, namespace: undefined, paging: { limit, cursor }, now: SPAN.to },
      }),
    ),
  'trail of a pod': (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askTrail(snapshot, visibility, CLUSTER, {
        ...{ asked: { by: 'uid', uid: 'uid-agent-0-3' }, span: SPAN, paging: { limit, cursor }, now: SPAN.to },
      }),
    ),
  moves: (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askMoves(snapshot, visibility, CLUSTER, { span: SPAN, paging: { limit, cursor }, now: SPAN.to }),
    ),
  'the changes of a pod': (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askChanges(snapshot, visibility, CLUSTER, {
        ...{ asked: { by: 'name', namespace: 'shop', name: 'agent-0-3' }, key: undefined, span: SPAN },
        ...{ paging: { limit, cursor }, now: SPAN.to },
      }),
    ),
  'the changes of a pod that is hidden': (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askChanges(snapshot, visibility, CLUSTER, {
        ...{ asked: { by: 'uid', uid: 'uid-agent-0-1' }, key: undefined, span: SPAN },
        ...{ paging: { limit, cursor }, now: SPAN.to },
      }),
    ),
  gaps: (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askGaps(snapshot, visibility, CLUSTER, { span: SPAN, paging: { limit, cursor }, now: SPAN.to }),
    ),
  anomalies: (engine, visibility, limit, cursor) =>
    listed(engine, (snapshot) =>
      askAnomalies(snapshot, visibility, CLUSTER, { span: SPAN, paging: { limit, cursor }, now: SPAN.to }),
    ),
};

async function listed(
  engine: Engine,
  ask: (snapshot: Snapshot) => Promise<{ readonly document: unknown }>,
): Promise<unknown> {
  return (await withSnapshot(engine, CLUSTER.id, ask)).document;
}

function recordsOf(document: unknown): unknown[] {
  const { stays, pods, changes, anomalies, moves, coverage } = document as Record<string, unknown>;
  return (stays ?? pods ?? changes ?? moves ?? anomalies ?? (coverage as { gaps: unknown }).gaps) as unknown[];
}

for (const [name, ask] of Object.entries(LISTINGS)) {
  test(`${name}: pages, counts and cursors are those of a ledger without what is hidden`, async () => {
    const all = recordsOf(await ask(whole, SHOP, 0, undefined));
    for (const limit of [0, 1, 2, 7]) {
      const given: unknown[] = [];
      let cursor: string | undefined;
      for (let pages = 0; ; pages++) {
        const seen = (await ask(whole, SHOP, limit, cursor)) as { cursor: string | null; narrowed?: true };
        const alone = await ask(rest, SHOP, limit, cursor);
        assert.deepEqual(seen, alone, `page ${pages} of ${limit}`);
        assert.equal(seen.narrowed, true);
        assertNamesNobodyHidden(seen);
        const place = Buffer.from(seen.cursor?.split('.')[2] ?? '', 'base64url').toString();
        for (const fact of facts)
          for (const { uid } of holdersOf(fact).filter(isHidden)) assert.ok(!place.startsWith(`${uid}|`), place);
        given.push(...recordsOf(seen));
        if (seen.cursor === null) break;
        cursor = seen.cursor;
      }
      assert.deepEqual(given, all, `pages of ${limit}`);
    }
  });
}

test('causes, successors and changes of a node are there for who may see one namespace, and name nobody hidden', async () => {
  const ask = (visibility: Visibility) =>
    withSnapshot(whole, CLUSTER.id, (snapshot) =>
      askNode(snapshot, visibility, CLUSTER, {
        ...{ node: 'node-a', during: SPAN, namespace: undefined, paging: { limit: 0 }, now: SPAN.to },
      }),
    );
  const { pods, changes = [] } = (await ask(SHOP)).document;
  const all = (await ask(ALL_VISIBLE)).document.pods.filter((one) => !isHidden(one));
  for (const cause of ['Evicted', 'Preempted'])
    assert.ok(
      pods.some((one) => one.cause === cause),
      cause,
    );
  assert.ok(
    pods.some(({ successor }) => successor !== null) && changes.some(({ predecessor }) => predecessor !== null),
  );
  assert.deepEqual(
    pods.map(({ uid, cause, successor }) => [uid, cause, successor]),
    all.map(({ uid, cause, successor }) => [uid, cause, successor]),
  );
  for (const { actor } of [...pods, ...changes]) assert.equal(actor, undefined);
  assertNamesNobodyHidden({ pods, changes });
});

interface Times {
  readonly start: { readonly notBefore: string };
  readonly evidence: { readonly observedAt: string };
}

test('records from before the namespace was created are in no listing', async () => {
  const noon = 12 * HOUR;
  const since: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(noon)]]) };
  const times: Readonly<Record<string, (record: Times) => number>> = {
    'trail of an address': ({ start }) => Date.parse(start.notBefore),
    'the pods of a node': ({ start }) => Date.parse(start.notBefore),
    'the changes of pods': ({ evidence }) => Date.parse(evidence.observedAt),
  };
  for (const [name, timeOf] of Object.entries(times)) {
    const ask = name === 'the changes of pods' ? changesOfAll : LISTINGS[name];
    const all = recordsOf(await ask?.(whole, SHOP, 0, undefined)) as Times[];
    const seen = recordsOf(await ask?.(whole, since, 0, undefined)) as Times[];
    assert.ok(seen.length < all.length, name);
    assert.deepEqual(
      seen,
      all.filter((record) => timeOf(record) >= noon),
      name,
    );
  }
});

/** One pod whose annotation changed before and after noon. */
async function changesOfAll(_: Engine, visibility: Visibility): Promise<unknown> {
  const pod = holder('Pod', 'web-1');
  const facts = [5, 20].map((hour): StoredFact => {
    const change = { ...changeOf(pod, hour), observedAt: epochMillis(hour * HOUR) };
    return { kind: 'change', change };
  });
  const engine = await ledgerOf([coverage(0, DAY), ...facts]);
  return await listed(engine, (snapshot) =>
    askChanges(snapshot, visibility, CLUSTER, {
      ...{ asked: { by: 'uid', uid: pod.uid }, key: undefined, span: SPAN, paging: { limit: 0 }, now: SPAN.to },
    }),
  );
}

test('the cursor of one question is refused by another, and by the same about another subject', async () => {
  const page = (await LISTINGS['the pods of a node']?.(whole, ALL_VISIBLE, 1, undefined)) as { cursor: string };
  assert.equal(typeof page.cursor, 'string');
  for (const [name, ask] of Object.entries(LISTINGS)) {
    if (name === 'the pods of a node') continue;
    await assert.rejects(ask(whole, ALL_VISIBLE, 1, page.cursor), { code: 'bad-cursor', message: /another question/ });
  }
  const other = (cursor: string) =>
    withSnapshot(whole, CLUSTER.id, (snapshot) =>
      askNode(snapshot, ALL_VISIBLE, CLUSTER, {
        ...{ node: 'node-b', during: SPAN, namespace: undefined, paging: { limit: 1, cursor }, now: SPAN.to },
      }),
    );
  await assert.rejects(other(page.cursor), { code: 'bad-cursor' });
  for (const more of [{ namespace: 'shop' }, { cluster: { id: 'other', name: 'other' } }]) {
    const { cluster = CLUSTER, namespace } = more as { cluster?: typeof CLUSTER; namespace?: string };
    const question = {
      node: 'node-a',
      during: SPAN,
      namespace,
      paging: { limit: 1, cursor: page.cursor },
      now: SPAN.to,
    };
    const asked = withSnapshot(whole, CLUSTER.id, (snapshot) => askNode(snapshot, ALL_VISIBLE, cluster, question));
    await assert.rejects(asked, { code: 'bad-cursor', message: /another question/ });
  }
  // As podtrail gave them before cursors named their question.
  await assert.rejects(other(page.cursor.slice(9)), { code: 'bad-cursor' });
});

test('attribution: the answers of a narrowed who, row by row', async () => {
  const numbers = new SeededNumbers(SEED + 1);
  const moments = Array.from({ length: 1500 }, () => ({
    ip: IPS[numbers.between(0, IPS.length - 1)] as IpAddress,
    at: epochMillis(numbers.between(-HOUR, DAY + HOUR)),
  }));
  const windows = askAttributions(whole, SHOP, CLUSTER.id, () => epochMillis(2 * DAY))((one) => one, true);
  const kept = moments.map(({ ip, at }) => ({ window: windows.of(ip), at }));
  for (const { window, at } of kept) windows.want(window, at);
  await windows.read();
  const asked = await windows.askEach(moments);
  let fromWindows = 0;
  for (const [i, { ip, at }] of moments.entries()) {
    const question = { ip, at, now: epochMillis(2 * DAY) };
    const ask = (snapshot: Snapshot): Promise<WhoFound> => askWho(snapshot, SHOP, CLUSTER, question);
    const { document }: WhoFound = await withSnapshot(whole, CLUSTER.id, ask);
    const looked = windows.answer(kept[i]?.window as never, at);
    if (looked !== undefined) fromWindows++;
    for (const one of [asked[i] as Attribution, looked ?? (asked[i] as Attribution)]) {
      const expected = document.holders.map(({ uid }) => uid).sort();
      assert.deepEqual([one.answer, one.holders.map(({ uid }) => uid).sort()], [document.answer, expected]);
      assert.deepEqual([one.last, one.next, one.reason], [undefined, undefined, undefined]);
    }
  }
  assert.ok(fromWindows > 1000, String(fromWindows));
});

test('who: a pod that never showed its address says nothing of the addresses of its node', async () => {
  const pod = holder('Pod', 'mine', { node: 'node-a' });
  const possible = { pod, within: ['10.0.0.0/24'], start: boundary(0, 0, 0, 1), end: boundary(HOUR, HOUR, HOUR, 2) };
  const theirs = holder('Pod', 'theirs', { node: 'node-a', namespace: 'vault' });
  const ip = IPS[5] as IpAddress;
  const life = { start: boundary(10, 10, 10, 3), end: boundary(20 * MINUTE, 20 * MINUTE, 20 * MINUTE, 4) };
  const mine = [coverage(0, DAY), possibleFact(possible)];
  const answers: unknown[] = [];
  for (const facts of [mine, [...mine, { kind: 'tenure', tenure: { ip, holder: theirs, ...life } } as StoredFact]]) {
    const engine = await ledgerOf(facts);
    const windows = askAttributions(engine, SHOP, CLUSTER.id, () => epochMillis(DAY))((one) => one, true);
    for (const minute of [10, 30]) {
      const at = epochMillis(minute * MINUTE);
      answers.push((await who(engine, SHOP, ip, at)).document, await windows.askEach([{ ip, at }]));
    }
    const all = (await who(engine, ALL_VISIBLE, ip, epochMillis(30 * MINUTE))).document;
    // A sandbox has one address for all of its life: whoever held this one meanwhile excludes it.
    assert.equal(all.answer, facts === mine ? 'ambiguous' : 'free');
  }
  assert.deepEqual(answers.slice(0, 4), answers.slice(4));
});

test('who: however many hidden pods share the address of a node, the visible one is named', async () => {
  const placement = (pod: Holder, n: number): StoredFact => {
    return { kind: 'placement', placement: { pod, start: boundary(n, n, n, n), end: undefined } };
  };
  const agent = (name: string, namespace: string) => holder('Pod', name, { node: 'n', namespace, hostNetwork: true });
  const ip = '192.168.0.9' as IpAddress;
  const node = holder('Node', 'n', { node: 'n' });
  const hidden = Array.from({ length: 1200 }, (_, i) => placement(agent(`hidden-${i}`, 'vault'), i + 1));
  const engine = await ledgerOf([
    coverage(0, DAY),
    { kind: 'tenure', tenure: { ip, holder: node, start: boundary(0, 0, 0, 1), end: undefined } },
    ...hidden,
    placement(agent('mine', 'shop'), 5000),
  ]);
  const { document } = await who(engine, SHOP, ip, epochMillis(HOUR));
  assert.deepEqual([document.answer, document.holders.map(({ name }) => name)], ['ambiguous', ['mine']]);
  const windows = askAttributions(engine, SHOP, CLUSTER.id, () => epochMillis(DAY))((one) => one, true);
  const [row] = await windows.askEach([{ ip, at: epochMillis(HOUR) }]);
  assert.deepEqual(
    row?.holders.map(({ name }) => name),
    ['mine'],
  );
});

test('attribution: an address that changed hands too often is refused, and unknown to who may not see that', async () => {
  const ip = IPS[6] as IpAddress;
  const lives = Array.from({ length: 10_001 }, (_, i): StoredFact => {
    const one = holder('Pod', `hidden-${i}`, { namespace: 'vault' });
    const [from, to] = [i * 1000, i * 1000 + 500];
    return {
      kind: 'tenure',
      tenure: { ip, holder: one, start: boundary(from, from, from, i), end: boundary(to, to, to, i) },
    };
  });
  const engine = await ledgerOf([coverage(0, DAY), ...lives]);
  const stretch = { ip, from: epochMillis(0), to: epochMillis(11_000_000) };
  const ask = (visibility: Visibility) =>
    askAttributions(engine, visibility, CLUSTER.id, () => epochMillis(DAY))((one) => one, true).askEachDuring([
      stretch,
    ]);
  await assert.rejects(ask(ALL_VISIBLE), { code: 'window-too-full' });
  const [row] = await ask(SHOP);
  assert.deepEqual([row?.answer, row?.holders], ['unknown', []]);
});

test('a limit that is no whole number, and a cursor with more behind it, are refused in every listing', async () => {
  for (const ask of Object.values(LISTINGS)) {
    for (const limit of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      await assert.rejects(ask(whole, ALL_VISIBLE, limit, undefined), { code: 'bad-page' });
  }
  const page = (await LISTINGS['the pods of a node']?.(whole, ALL_VISIBLE, 1, undefined)) as { cursor: string };
  await assert.rejects(LISTINGS['the pods of a node']!(whole, ALL_VISIBLE, 1, `${page.cursor}.more`), {
    code: 'bad-cursor',
  });
});

test('what is typed and drawn is the same as if the hidden had never been', async (t) => {
  // Some of it is read for a bounded time: on a busy machine one of two readings could end early.
  t.mock.method(performance, 'now', () => 0);
  const asker = { visibility: SHOP, now: epochMillis(2 * DAY) };
  const span = { since: '1970-01-01T00:00:00Z', until: '1970-01-02T00:00:00Z' };
  const texts = ['pod-1', 'agent', 'vault', 'kitchen', 'secret', 'cart', 'node', 'uid-pod-', 'uid-node-a', ...IPS];
  const asked = [
    ...['oldest', 'newest'].flatMap((order) =>
      [{}, { namespace: 'shop' }, { namespace: 'vault' }, { limit: 2 }, { subject: 'uid/uid-pod-1' }].flatMap((more) =>
        (['changes', 'moves'] as const).map((name) => [name, { ...span, order, ...more }] as const),
      ),
    ),
    ...[0, 9, 10, 16, 23].flatMap((hour) => {
      const at = new Date(hour * HOUR).toISOString();
      const against = new Date(12 * HOUR).toISOString();
      return [{}, { against }, { namespace: 'vault' }, { window: 86_400 }].map(
        (more) => ['nodes', { at, ...more }] as const,
      );
    }),
    ...texts.map((text) => ['find', { text, limit: 100 }] as const),
    ...(['node', 'workload', 'pod', 'ip'] as const).flatMap((by) =>
      [{}, { most: 1 }, { lanes: 1 }, { node: 'node-b' }, { namespace: 'vault' }, { subject: IPS[3] }].map(
        (more) => ['timeline', { by, ...span, ...more }] as const,
      ),
    ),
  ];
  for (const [name, parameters] of asked) {
    const document = await askQuestion(whole, asker, name, parameters);
    assert.deepEqual(document, await askQuestion(rest, asker, name, parameters), JSON.stringify(parameters));
    assertNamesNobodyHidden(document);
  }
});
