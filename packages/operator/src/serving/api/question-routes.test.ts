// Every question over HTTP: the wire's document, problems with code and hint, and nothing by which the hidden are known.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Engine, StoredFact } from '@podtrail/history';
import { IPS, ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type Visibility } from '@podtrail/history/wire';
import { QUESTIONS, type QuestionName } from '@podtrail/history/wire/catalogue';
import { ManualClock } from '@podtrail/machinery/testing';
import { accessOf, type StartedServer, startedServer } from '../testing/started-server.ts';
import { changeFact } from '../testing/two-tenants.ts';
import { AskedLedger } from './asked-ledger.ts';
import { questionRoutes } from './question-routes.ts';

const SOON = { timeout: 60_000 };
const NOW = Date.UTC(1973, 0, 3);
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };
const facts = ledgerFacts(new SeededNumbers(7), ['shop', 'vault']);

/** Of each something that it can be asked with. */
const ASKED: { readonly [Name in QuestionName]: string } = {
  who: `ip=${IPS[0]}&at=1970-01-01T10:00:00Z`,
  trail: `subject=${IPS[0]}&since=1970-01-01T00:00:00Z&until=1970-01-02T00:00:00Z&limit=3`,
  node: 'node=node-a&at=1970-01-01T10:00:00%2B00:00',
  moves: 'cause=Evicted,!Rollout&since=1970-01-01T00:00:00Z&until=1970-01-02T00:00:00Z',
  explain: 'subject=web-1&namespace=shop&at=1970-01-01T10:00:00Z',
  changes: 'subject=deploy/cart&namespace=shop&until=1970-01-02T00:00:00Z',
  gaps: 'since=1970-01-01T00:00:00Z&until=1970-01-02T00:00:00Z',
  anomalies: 'until=1970-01-02T00:00:00Z',
  nodes: 'at=1970-01-01T10:00:00Z&against=1970-01-01T12:00:00Z',
  find: 'text=10.0.0',
  timeline: 'by=pod&since=1970-01-01T00:00:00Z&until=1970-01-02T00:00:00Z',
};

async function served(t: TestContext, engine: Engine): Promise<StartedServer> {
  const clock = new ManualClock(NOW);
  const access = accessOf({ jane: ALL_VISIBLE, sam: SHOP });
  return await startedServer(t, questionRoutes(new AskedLedger(engine, clock)), { access });
}

for (const name of Object.keys(QUESTIONS) as QuestionName[]) {
  test(`GET /api/v1/${name} sends the document that the schema describes`, SOON, async (t) => {
    const { get } = await served(t, await ledgerOf(facts));
    const response = await get(`/api/v1/${name}?${ASKED[name]}`);
    const document = await response.json();
    assert.equal(response.status, 200, JSON.stringify(document));
    assert.equal(response.headers.get('content-type'), 'application/json');
    assert.deepEqual(QUESTIONS[name].document.parse(document), document);
  });
}

test('a page of changes goes on behind the longest key that an annotation may have', SOON, async (t) => {
  // The UID is made of the name, and as long as one of a real pod.
  const pod = { namespace: 'shop', name: 'w'.repeat(32), ip: '10.0.0.7', from: NOW - 9_000, to: undefined };
  const keys = ['a', 'b'].map((letter) => `${'example.'.repeat(31)}local/${letter.repeat(63)}`);
  const made = keys.map((key, i) => {
    const fact = changeFact(pod, NOW - 5_000 + i, key, 'x');
    assert.ok(fact.kind === 'change');
    return { ...fact, change: { ...fact.change, resourceVersion: `1234567890123${i}` } };
  });
  const { get } = await served(t, await ledgerOf([...facts, ...made]));
  const page = async (more: string) =>
    (await get(`/api/v1/changes?limit=1&order=newest${more}`)).json() as Promise<Page>;
  const first = await page('');
  assert.equal(first.changes[0]?.key, keys[1]);
  const second = await page(`&cursor=${encodeURIComponent(first.cursor ?? '')}`);
  assert.equal(second.changes[0]?.key, keys[0], JSON.stringify(second));
});

interface Page {
  readonly changes: readonly { readonly key: string }[];
  readonly cursor: string | null;
}

test('hints say what to do over HTTP: parameters and questions, no commands and no flags', SOON, async (t) => {
  const { get } = await served(t, await ledgerOf(facts));
  const service = facts.find((fact) => fact.kind === 'tenure' && fact.tenure.holder.kind === 'Service');
  assert.ok(service?.kind === 'tenure');
  const { ip, start } = service.tenure;
  const cases: readonly [string, RegExp][] = [
    ['who?ip=web-1', /ask trail, with subject=web-1 and namespace=NAME\.$/],
    ['who?ip=10.1', /four numbers/],
    ['who?ip=10.0.0.1&at=1970-01-01T10:00:00', /add Z or an offset as \+02:00: 1970-01-01T10:00:00Z/],
    ['trail?subject=shop/web-1/x', /namespace=NAME\.$/],
    ['trail?subject=shop/web-1', /write a namespace as namespace=NAME, /],
    ['trail?subject=web-1', /add namespace=NAME\.$/],
    ['trail?subject=no/node-a', /ask node, with node=node-a and since=TIME/],
    ['trail?subject=cj/backup', /job\/backup-29384710/],
    ['explain?subject=deploy/cart&namespace=shop', /ask moves, with namespace=shop and since=TIME/],
    [`explain?subject=${ip}&at=${new Date(start.notAfter).toISOString()}`, /ask (trail|node), with /],
    ['gaps?limit=0', /gaps has since, until, limit, cursor, cluster\.$/],
    ['gaps?cursor=x', /pass the cursor of the page before/],
    ['gaps?cluster=other', /cluster=NAME/],
  ];
  for (const [asked, expected] of cases) {
    const { hint } = (await (await get(`/api/v1/${asked}`)).json()) as { hint: string };
    assert.match(hint, expected, asked);
    assert.doesNotMatch(hint, /podtrail| -\w\b|--/, asked);
  }
});

test('what cannot be meant is a 400 with a code and a hint; limits are said', SOON, async (t) => {
  const { get } = await served(t, await ledgerOf(facts));
  const cases: readonly [string, number, string, RegExp][] = [
    ['who', 400, 'bad-parameter', /^ip: /],
    ['who?ip=10.1', 400, 'bad-address', /not an IP address/],
    ['who?ip=10.0.0.1&at=yesterday', 400, 'bad-parameter', /^at: is no time/],
    ['who?ip=10.0.0.1&seen=maybe', 400, 'bad-parameter', /^seen: /],
    ['who?ip=10.0.0.1&colour=red', 400, 'bad-parameter', /no parameter colour/],
    ['who?ip=10.0.0.1&ip=10.0.0.1', 400, 'bad-parameter', /given twice/],
    ['gaps?limit=10001', 400, 'bad-parameter', /^limit: .*10000/],
    ['gaps?since=1970-01-01T00:00:00Z&until=1972-01-01T00:00:00Z', 400, 'span-too-long', /400 days/],
    ['gaps?cursor=nonsense', 400, 'bad-cursor', /no cursor/],
    ['gaps?cluster=other', 404, 'unknown-cluster', /no cluster other/],
    ['trail?subject=web-1', 400, 'bad-subject', /names are of a namespace/],
  ];
  for (const [asked, status, code, detail] of cases) {
    const response = await get(`/api/v1/${asked}`);
    const problem = (await response.json()) as { code: string; detail: string; hint: string };
    assert.equal(response.status, status, asked);
    assert.equal(problem.code, code, asked);
    assert.match(problem.detail, detail, asked);
    assert.ok(problem.hint, asked);
  }
});

test('pages follow each other by their cursors, and hold everything once', SOON, async (t) => {
  const { get } = await served(t, await ledgerOf(facts));
  const asked = `/api/v1/trail?subject=${IPS[0]}&since=1970-01-01T00:00:00Z&until=1970-01-02T00:00:00Z`;
  const whole = (await (await get(`${asked}&limit=10000`)).json()) as { stays: unknown[] };
  const pieces: unknown[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = (await (await get(`${asked}&limit=2${cursor && `&cursor=${cursor}`}`)).json()) as typeof whole & {
      cursor: string | null;
    };
    pieces.push(...page.stays);
    cursor = page.cursor;
  }
  assert.ok(whole.stays.length > 2);
  assert.deepEqual(pieces, whole.stays);
});

test(
  'what has ended has a strong ETag, which changes when the ledger says something else; what goes on has none',
  SOON,
  async (t) => {
    const engine = await ledgerOf(facts);
    const { get } = await served(t, engine);
    const asked = `/api/v1/${'trail'}?${ASKED.trail}`;
    const first = await get(asked);
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]+"$/);
    assert.equal((await get(asked, { headers: { 'if-none-match': etag } })).status, 304);
    assert.equal((await get(`/api/v1/who?ip=${IPS[0]}`)).headers.get('etag'), null);
    assert.equal((await get('/api/v1/gaps?since=1972-12-31T00:00:00Z')).headers.get('etag'), null);
    await engine.prune('c', epochMillis(86_400_000));
    const after = await get(asked, { headers: { 'if-none-match': etag } });
    assert.equal(after.status, 200);
    assert.notEqual(after.headers.get('etag'), etag);
  },
);

test('who may not see a namespace gets the same answer whether or not anybody is in it', SOON, async (t) => {
  const hidden = (fact: StoredFact) => JSON.stringify(fact).includes('"vault"');
  const visible = facts.filter((fact) => !hidden(fact));
  assert.ok(visible.length < facts.length);
  const names = new Set(facts.filter(hidden).flatMap((fact) => ('tenure' in fact ? [fact.tenure] : [])));
  const full = await served(t, await ledgerOf(facts));
  const bare = await served(t, await ledgerOf(visible));
  const paths = Object.entries(ASKED).map(([name, asked]) => `/api/v1/${name}?${asked}`);
  for (const { holder } of names) {
    paths.push(`/api/v1/trail?subject=${holder.uid}&until=1970-01-02T00:00:00Z`);
    paths.push(`/api/v1/explain?subject=${holder.name}&namespace=vault&at=1970-01-01T10:00:00Z`);
    paths.push(`/api/v1/changes?subject=${holder.name}&namespace=vault&until=1970-01-02T00:00:00Z`);
  }
  for (const path of paths.filter((one) => !one.includes('/who?'))) {
    const [a, b] = [await full.get(path, { as: 'sam' }), await bare.get(path, { as: 'sam' })];
    assert.equal(a.status, b.status, path);
    assert.equal(a.headers.get('etag'), b.headers.get('etag'), path);
    assert.equal(a.headers.get('content-length'), b.headers.get('content-length'), path);
    const [left, right] = [(await a.json()) as object, (await b.json()) as object];
    for (const document of [left, right]) delete (document as { requestId?: string }).requestId;
    assert.deepEqual(left, right, path);
  }
});

test('rights are asked for in the namespace that a question names, and in all where it names none', SOON, async (t) => {
  const asked: (string | undefined)[] = [];
  const access = {
    ...accessOf(),
    visibility: async (_: unknown, namespace?: string) => {
      asked.push(namespace);
      return SHOP;
    },
  };
  const ledger = new AskedLedger(await ledgerOf(facts), new ManualClock(NOW));
  const { get } = await startedServer(t, questionRoutes(ledger), { access });
  for (const [path, namespace] of [
    ['moves?namespace=shop', 'shop'],
    ['trail?subject=web-1&namespace=vault', 'vault'],
    ['trail?subject=10.0.0.1&namespace=vault', undefined],
    ['moves', undefined],
  ] as const) {
    assert.equal((await get(`/api/v1/${path}`)).status, 200, path);
    assert.equal(asked.pop(), namespace, path);
  }
});
