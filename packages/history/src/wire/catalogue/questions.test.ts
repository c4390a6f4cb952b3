// Every question of the catalogue: it can be described, asked with what it says, and refuses everything else in words.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { z } from 'zod';
import type { Engine } from '../../engines/engine.ts';
import { aDeparture, aHolder, at } from '../../engines/testing/record-builders.ts';
import { HistoryError } from '../../errors.ts';
import { CAUSES } from '../../explain/cause.ts';
import type { StoredFact } from '../../model/fact.ts';
import { occurrenceFact } from '../../model/occurrence.ts';
import { epochMillis } from '../../model/time.ts';
import { ALL_VISIBLE, type Visibility } from '../../query/visibility.ts';
import { boundary, DAY, HOUR, holder, IPS, ledgerFacts, ledgerOf } from '../../testing/random-ledger.ts';
import { SeededNumbers } from '../../testing/seeded-numbers.ts';
import { movesSchema } from '../schemas/index.ts';
import { askQuestion } from './ask.ts';
import { QUESTIONS, type QuestionName } from './questions.ts';

const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };
const now = epochMillis(Date.UTC(2026, 10, 16));
/** Something that each of them can be asked with. */
const PARAMETERS: { readonly [Name in QuestionName]: Readonly<Record<string, unknown>> } = {
  who: { ip: IPS[0], at: '1973-03-04T00:00:00Z' },
  trail: { subject: IPS[0], limit: 3 },
  node: { node: 'node-a', since: '2026-11-15T00:00:00+01:00' },
  moves: { cause: ['Evicted', 'Rollout'], since: '1794700800' },
  explain: { subject: 'web-1', namespace: 'shop' },
  changes: { subject: 'deploy/cart', namespace: 'shop', key: 'team' },
  gaps: {},
  anomalies: { until: String(now) },
  nodes: { at: '1970-01-01T10:00:00Z', against: '1970-01-01T20:00:00Z' },
  find: { text: 'pod-1' },
  timeline: { by: 'ip', since: '1973-03-04T00:00:00Z', until: '1973-03-05T00:00:00Z', most: 10 },
};

let ledger: Engine;
before(async () => {
  const facts: readonly StoredFact[] = ledgerFacts(new SeededNumbers(7), ['shop', 'vault']);
  ledger = await ledgerOf(facts);
});

async function ask(name: QuestionName, parameters: unknown, visibility: Visibility = ALL_VISIBLE): Promise<unknown> {
  return await askQuestion(ledger, { visibility, now }, name, parameters);
}

for (const name of Object.keys(QUESTIONS) as QuestionName[]) {
  test(`${name} answers with the document that its schema describes`, async () => {
    const document = await ask(name, PARAMETERS[name]);
    assert.deepEqual(QUESTIONS[name].document.parse(document), document);
  });

  test(`${name} can be described: every parameter has its sentence`, () => {
    const { parameters, document } = QUESTIONS[name];
    const described = z.toJSONSchema(parameters, { io: 'input' });
    for (const [parameter, schema] of Object.entries(described.properties ?? {}))
      assert.match((schema as { description?: string }).description ?? '', /\.$/, parameter);
    assert.ok(z.toJSONSchema(document).$schema);
  });

  test(`${name} refuses a parameter that it does not have, and names those that it has`, async () => {
    await assert.rejects(ask(name, { ...PARAMETERS[name], colour: 'red' }), ({ code, message, hint }: HistoryError) => {
      assert.equal(code, 'bad-parameter');
      assert.equal(message, `${name} has no parameter colour`);
      assert.match(hint ?? '', /cluster/);
      return true;
    });
  });
}

test('who may see some namespaces only is refused what names none', async () => {
  await assert.rejects(ask('anomalies', {}, SHOP), { code: 'forbidden' });
  for (const name of Object.keys(QUESTIONS) as QuestionName[]) {
    if (QUESTIONS[name].audience === 'all-namespaces') continue;
    const document = (await ask(name, PARAMETERS[name], SHOP)) as { readonly narrowed?: boolean };
    assert.equal(document.narrowed, true, name);
  }
});

test('moves of all causes but one: the document says which causes those are', async () => {
  const { query } = movesSchema.parse(await ask('moves', { cause: ['!Rollout', '!Completed'] }));
  assert.deepEqual([query.causes?.length, query.causes?.includes('Rollout')], [CAUSES.length - 2, false]);
});

test('what cannot be meant is refused in a sentence that names the parameter', async () => {
  const cases: readonly [QuestionName, object, RegExp][] = [
    ['who', { ip: '10.1.2', at: String(now) }, /"10\.1\.2" is not an IP address/],
    ['who', {}, /^ip: /],
    ['who', { ip: IPS[0], at: '15m' }, /^at: is no time that is understood/],
    ['who', { ip: IPS[0], at: '1794700800000000' }, /^at: is no time/],
    ['trail', { subject: 'web-1' }, /"web-1" is a name, and names are of a namespace/],
    ['trail', { subject: IPS[0], limit: 0 }, /^limit: /],
    ['trail', { subject: IPS[0], limit: 10_001 }, /^limit: /],
    ['node', { node: 'a', at: String(now), since: String(now - DAY) }, /at is an instant, since and until are a span/],
    ['moves', { cause: ['Bored'] }, /^cause\.0: /],
    ['moves', { since: String(now), until: String(now) }, /since is not before until/],
    ['gaps', { since: '1300000000' }, /400 days/],
    ['moves', { until: String(now + 900 * DAY) }, /until is so far ahead/],
    ['changes', { subject: IPS[0] }, /annotations are recorded of pods/],
    ['moves', { subject: IPS[0] }, /pods end, addresses and Services do not/],
    ['gaps', { cluster: 'other' }, /holds no cluster other/],
  ];
  for (const [name, parameters, expected] of cases) {
    await assert.rejects(ask(name, parameters), (error: HistoryError) => {
      assert.ok(error instanceof HistoryError, String(error));
      assert.match(error.message, expected);
      assert.ok(error.hint);
      return true;
    });
  }
});

test('a time without a zone is refused with the zone that is missing', async () => {
  for (const [at, message, hint] of [
    ['2026-11-15T10:05:00', 'at: has no zone', /Z or .*\+02:00: 2026-11-15T10:05:00Z, 2026-11-15T10:05:00\+02:00\.$/],
    ['2026-11-15T10:05', 'at: has no zone', /2026-11-15T10:05:00Z/],
    ['2026-11-15 10:05:00.123', 'at: has no zone', /2026-11-15T10:05:00\.123Z/],
    ['2026-11-15', 'at: is a day without a time and a zone', /2026-11-15T00:00:00Z/],
  ] as const) {
    const asked = ask('who', { ip: IPS[0], at });
    await assert.rejects(asked, (error: HistoryError) => {
      assert.deepEqual([error.code, error.message], ['bad-parameter', message]);
      assert.match(error.hint ?? '', hint);
      return true;
    });
  }
});

test('seconds, milliseconds and any zone name the same instant', async () => {
  const at = ['1794700800', '1794700800000', '2026-11-15T00:00:00Z', '2026-11-15T01:00:00+01:00'];
  const documents = await Promise.all(at.map((text) => ask('who', { ip: IPS[0], at: text })));
  for (const document of documents) assert.deepEqual(document, documents[0]);
});

test('a UID beside a namespace that it is not in is as one that is not there, for whoever asks', async () => {
  const uid = 'uid-web-1';
  const pod = holder('Pod', 'web-1', { namespace: 'shop', uid });
  const created = epochMillis(now - HOUR);
  const start = boundary(created, created, created, 1);
  const { source, epoch, resourceVersion, observedAt, collector } = start;
  const provenance = { source, epoch, resourceVersion, observedAt, collector };
  const change = { ...provenance, pod, key: 'team', before: undefined, after: { text: '', sha256: undefined } };
  const traits = { isMirror: false, qosClass: 'Burstable', priority: 0, restarts: 0, endings: [] };
  const engine = await ledgerOf([
    { kind: 'placement', placement: { pod, start, end: undefined } },
    { kind: 'change', change },
    { kind: 'life', life: { ...provenance, pod, created, ...traits } },
  ]);
  const span = { since: String(now - DAY), until: String(now) };
  const said = async (name: 'trail' | 'explain' | 'changes' | 'timeline', asked: object, visibility: Visibility) => {
    const times = name === 'explain' ? { at: span.until } : span;
    const by = name === 'timeline' ? { by: 'pod' } : {};
    const document = await askQuestion(engine, { visibility, now }, name, { ...asked, ...times, ...by });
    const { query: _, ...rest } = QUESTIONS[name].document.parse(document) as { readonly query: object };
    return JSON.stringify(rest);
  };
  for (const name of ['trail', 'explain', 'changes', 'timeline'] as const) {
    for (const visibility of [ALL_VISIBLE, SHOP]) {
      const whole = await said(name, { subject: `uid/${uid}` }, visibility);
      assert.match(whole, new RegExp(uid), name);
      assert.equal(await said(name, { subject: `uid/${uid}`, namespace: 'shop' }, visibility), whole, name);
      const none = await said(name, { subject: 'uid/none', namespace: 'vault' }, visibility);
      assert.equal(await said(name, { subject: `uid/${uid}`, namespace: 'vault' }, visibility), none, name);
      assert.doesNotMatch(none, new RegExp(uid));
    }
  }
});

test('changes are of all pods where no subject is given, of one namespace where one is; the newest first where asked', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  const engine = await ledgerOf(
    keys.map((key, i) => {
      const pod = holder('Pod', `pod-${i % 2}`, { namespace: i % 2 === 0 ? 'shop' : 'vault' });
      const { source, epoch, resourceVersion, observedAt, collector } = boundary(0, 0, (i + 1) * 1000, i);
      const provenance = { source, epoch, resourceVersion, observedAt, collector };
      const change = { ...provenance, pod, key, before: undefined, after: { text: '', sha256: undefined } };
      return { kind: 'change', change } as const;
    }),
  );
  const read = async (parameters: object, visibility: Visibility = ALL_VISIBLE) => {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: object = cursor === null ? {} : { cursor };
      const asked = { until: '1970-01-02T00:00:00Z', limit: 1, ...parameters, ...page };
      const document = await askQuestion(engine, { visibility, now }, 'changes', asked);
      assert.deepEqual(QUESTIONS.changes.document.parse(document), document);
      found.push(...document.changes.map(({ key }) => key));
      cursor = document.cursor;
    } while (cursor !== null);
    return found.join('');
  };
  assert.equal(await read({}), 'abcd');
  assert.equal(await read({ order: 'newest' }), 'dcba');
  assert.equal(await read({ namespace: 'vault' }), 'bd');
  assert.equal(await read({ order: 'newest' }, SHOP), 'ca');
  const { cursor } = await askQuestion(engine, { visibility: ALL_VISIBLE, now }, 'changes', {
    ...{ until: '1970-01-02T00:00:00Z', limit: 1 },
  });
  await assert.rejects(
    askQuestion(engine, { visibility: ALL_VISIBLE, now }, 'changes', { order: 'newest', limit: 1, cursor }),
    { code: 'bad-cursor' },
  );
});

test('moves are of all pods where no subject is given, else of that pod or of the pods of that workload', async () => {
  const cart = { kind: 'Deployment', name: 'cart', inferred: true };
  const uids = ['uid-a', 'uid-b', 'uid-c'];
  const engine = await ledgerOf(
    uids.map((uid, i) => {
      const pod = aHolder(`pod-${i}`, { uid, workload: i < 2 ? cart : undefined, node: `node-${i}` });
      return occurrenceFact('departure', { ...aDeparture(pod.name, i + 1), pod });
    }),
  );
  const read = async (parameters: object, visibility: Visibility = ALL_VISIBLE) => {
    const asked = { since: String(at(0)), until: String(at(100)), ...parameters };
    const document = await askQuestion(engine, { visibility, now }, 'moves', asked);
    assert.deepEqual(QUESTIONS.moves.document.parse(document), document);
    return document.moves.map(({ uid }) => uid).join(' ');
  };
  assert.equal(await read({}), 'uid-a uid-b uid-c');
  assert.equal(await read({ subject: 'uid/uid-b' }), 'uid-b');
  assert.equal(await read({ subject: 'uid/uid-b', namespace: 'vault' }), '');
  assert.equal(await read({ subject: 'pod-2', namespace: 'shop' }), 'uid-c');
  assert.equal(await read({ subject: 'deploy/cart', namespace: 'shop' }), 'uid-a uid-b');
  assert.equal(await read({ subject: 'deploy/cart', namespace: 'shop', fromNode: 'node-1' }), 'uid-b');
});
