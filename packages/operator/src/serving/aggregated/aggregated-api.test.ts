// The API on ledgers from seeds, over plain HTTP and with an access of the test's own.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { StoredFact } from '@podtrail/history';
import { IPS, ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { epochMillis, parseIp, type Visibility } from '@podtrail/history/wire';
import { systemClock } from '@podtrail/machinery';
import { AskedLedger } from '../api/asked-ledger.ts';
import type { AccessLogEntry } from '../http/access-log.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { startedServer } from '../testing/started-server.ts';
import { aggregatedRoutes } from './aggregated-api.ts';
import { clusterCommandRoutes } from './commands.ts';
import { POSTED } from './discovery.ts';
import type { HistoryObject } from './history-object.ts';
import type { PresentPod } from './resource.ts';
import { statusReply } from './status.ts';

const ROOT = '/apis/history.podtrail.dev/v1';
const ALL: Visibility = { kind: 'all' };
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(-1e12)]]) };
const NOTHING: Visibility = { kind: 'namespaces', since: new Map() };
/** The ledger's day is the first of 1970; no more than 400 days may be asked about. */
const NOW = Date.UTC(1970, 0, 20);

const FACTS = ledgerFacts(new SeededNumbers(11), ['shop', 'vault']);

async function served(
  t: TestContext,
  visibility: Visibility,
  present: readonly PresentPod[] = [],
  perSecond = 1_000_000,
  facts: readonly StoredFact[] = FACTS,
) {
  const reader = await ledgerOf(facts);
  const [cluster] = await reader.clusters();
  assert.ok(cluster);
  const errors: unknown[] = [];
  const clock = { ...systemClock, now: () => NOW, monotonic: () => performance.now() } as typeof systemClock;
  const ledger = new AskedLedger(reader, clock, { atOnce: 4, mostWaiting: 64 });
  const routes = [
    ...aggregatedRoutes({ ledger, cluster, clock, replica: 'one', present: () => present }),
    ...clusterCommandRoutes(async () => ({})),
  ];
  const { origin } = await startedServer(t, routes, {
    rateLimit: new RateLimit({ perSecond, burst: perSecond, now: () => 0 }),
    renderProblem: (problem, _requestId, path) => statusReply(problem, path),
    log: ({ error }: AccessLogEntry) => error !== undefined && errors.push(error),
    access: {
      identify: async () => ({ name: 'jane', groups: [] }),
      visibility: async (_caller, namespace) => {
        if (visibility.kind === 'all' || namespace === undefined) return visibility;
        const since = visibility.since.get(namespace);
        return { kind: 'namespaces', since: new Map(since === undefined ? [] : [[namespace, since]]) };
      },
    },
  });
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${origin}${path}`, init);
    assert.deepEqual(errors, []);
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
  };
  return { ask, origin };
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads what it knows to be there.
type Body = any;
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

test('every record that a list shows is found again by its name, and names are valid and unique', async (t) => {
  const { ask } = await served(t, ALL);
  const seen = new Map<string, HistoryObject>();
  for (const ip of IPS) {
    const { status, body } = await ask(`${ROOT}/tenures?fieldSelector=${encodeURIComponent(`ip=${ip}`)}`);
    assert.equal(status, 200, JSON.stringify(body));
    for (const object of body.items as HistoryObject[]) {
      const { name, namespace = '', resourceVersion } = object.metadata;
      assert.match(name, NAME);
      assert.ok(name.length <= 253);
      assert.match(resourceVersion, /^\d+$/);
      assert.equal(seen.has(name), false, name);
      seen.set(name, object);
      // A node is in no namespace, and is found by its address only.
      if (namespace === '') continue;
      const one = await ask(`${ROOT}/namespaces/${namespace}/tenures/${name}`);
      assert.deepEqual(one.body, object);
      assert.equal((await ask(`${ROOT}/namespaces/elsewhere/tenures/${name}`)).status, 404);
    }
  }
  assert.ok(seen.size > 10, `${seen.size}`);
});

test('pages of any size give the same records as one page', async (t) => {
  const { ask } = await served(t, ALL);
  const list = `${ROOT}/placements?fieldSelector=node%3Dnode-a`;
  const whole = (await ask(list)).body.items;
  assert.ok(whole.length > 3, `${whole.length}`);
  for (const limit of [1, 2, 7]) {
    const found: unknown[] = [];
    let token = '';
    do {
      const { body } = await ask(`${list}&limit=${limit}&continue=${token}`);
      assert.ok(body.items.length <= limit);
      found.push(...body.items);
      token = body.metadata.continue ?? '';
    } while (token !== '');
    assert.deepEqual(found, whole);
  }
});

test('pages of tenures by node= have no more objects than asked for, but for one pod with more addresses', async (t) => {
  const addresses = FACTS.flatMap((fact, i): StoredFact[] => {
    if (fact.kind !== 'placement') return [];
    const { pod: holder, ...times } = fact.placement;
    const ips = Array.from({ length: 1 + (i % 3) }, (_, n) => parseIp(`fd00::${i.toString(16)}:${n}`));
    return ips.flatMap((ip) => (ip === undefined ? [] : [{ kind: 'tenure', tenure: { ip, holder, ...times } }]));
  });
  const { ask } = await served(t, ALL, [], undefined, [...FACTS, ...addresses]);
  const list = `${ROOT}/tenures?fieldSelector=node%3Dnode-a`;
  const uidOf = ({ holder }: Body) => holder.uid;
  const whole = (await ask(list)).body.items;
  assert.ok(new Set(whole.map(uidOf)).size < whole.length, 'some pod had several addresses');
  for (const limit of [2, 3, 7]) {
    const found: Body[] = [];
    let token = '';
    do {
      const { body } = await ask(`${list}&limit=${limit}&continue=${token}`);
      const isOne = new Set(body.items.map(uidOf)).size === 1;
      assert.ok(body.items.length <= limit || isOne, `${body.items.length} of ${limit}`);
      found.push(...body.items);
      token = body.metadata.continue ?? '';
    } while (token !== '');
    assert.deepEqual(found, whole);
  }
});

test('who sees one namespace gets what the whole list says about it, in every form', async (t) => {
  const all = await served(t, ALL);
  const shop = await served(t, SHOP);
  const table = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } };
  const metadata = { headers: { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' } };
  for (const ip of IPS) {
    const path = `${ROOT}/tenures?fieldSelector=${encodeURIComponent(`ip=${ip}`)}`;
    const isShop = ({ metadata: { namespace } }: HistoryObject) => namespace === 'shop';
    const expected = (await all.ask(path)).body.items.filter(isShop);
    const { body, headers } = await shop.ask(path);
    assert.deepEqual(body.items, expected);
    assert.match(headers.get('warning') ?? '', /299 - "narrowed to the namespaces/);
    const rows = (await shop.ask(path, table)).body.rows;
    assert.deepEqual(
      rows.map((row: Body) => row.object.metadata.name),
      expected.map((object: HistoryObject) => object.metadata.name),
    );
    assert.equal((await shop.ask(path, metadata)).body.items.length, expected.length);
    const within = path.replace('/tenures', '/namespaces/shop/tenures');
    assert.deepEqual((await all.ask(within)).body.items, expected, 'within the namespace, for who sees everything');
  }
  assert.equal((await shop.ask(`${ROOT}/namespaces/vault/tenures`)).status, 403);
});

test('who sees nothing is refused everywhere, and who asks for what is not there learns nothing else', async (t) => {
  const { ask } = await served(t, NOTHING);
  for (const path of ['/tenures', '/namespaces/shop/moves', '/namespaces/shop/changes/x', '/gaps']) {
    const { status, body } = await ask(ROOT + path);
    assert.deepEqual([status, body.kind, body.reason], [403, 'Status', 'Forbidden'], path);
  }
  const post = {
    method: 'POST',
    body: JSON.stringify({ spec: { ip: IPS[0] } }),
    headers: { 'content-type': 'application/json' },
  };
  assert.equal((await ask(`${ROOT}/ipattributions`, post)).status, 403);
});

test('what cannot be meant is a Status with a sentence, never a 500', async (t) => {
  const { ask } = await served(t, ALL);
  const cases: readonly [string, RequestInit, number][] = [
    ['/tenures/x/y/z', {}, 404],
    ['/namespaces/shop', {}, 404],
    ['/namespaces/shop/gaps', {}, 404],
    ['/tenures/x', {}, 404],
    ['/%ff', {}, 404],
    ['/tenures', { method: 'DELETE' }, 405],
    ['/ipattributions', {}, 405],
    ['/tenures', { headers: { accept: 'application/yaml' } }, 406],
    ['/tenures', { headers: { accept: 'application/json;as=constructor;g=meta.k8s.io;v=v1' } }, 406],
    ['/tenures?limit=x', {}, 400],
    ['/tenures?continue=%00', {}, 400],
    ['/tenures?fieldSelector=ip', {}, 400],
    ['/tenures?fieldSelector=ip%3D10.0.0.1,ip%3D10.0.0.2', {}, 400],
    ['/tenures?fieldSelector=ip%3D10.0.0.1,pod%3Dcart', {}, 400],
    ['/moves?fieldSelector=metadata.name%3Dx,workload%3Ddeploy/cart', {}, 400],
    ['/moves?fieldSelector=metadata.name%3Dx,node%3Dnode-a', {}, 400],
    ['/moves?fieldSelector=metadata.name%3Dx&labelSelector=a%3Db', {}, 400],
    ['/tenures?fieldSelector=metadata.name%3Dx,at%3Dyesterday', {}, 400],
    ['/tenures?fieldSelector=ip%3D10.0.0.1,at%3Dyesterday', {}, 400],
    ['/tenures?labelSelector=a%3Db', {}, 400],
    ['/moves?labelSelector=%3D%3D', {}, 400],
    ['/tenures?resourceVersionMatch=Exact&resourceVersion=1', {}, 400],
    ['/tenures?watch=1&resourceVersion=x', {}, 400],
    ['/tenures?watch=1&resourceVersion=1', {}, 410],
    ['/ipattributions', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['/ipattributions', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }, 400],
    ['/ipattributions', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }, 415],
    [
      '/ipattributions',
      { method: 'POST', body: `"${'x'.repeat(70_000)}"`, headers: { 'content-type': 'application/json' } },
      413,
    ],
  ];
  for (const [path, init, expected] of cases) {
    const { status, body } = await ask(ROOT + path, init);
    assert.deepEqual([status, body.kind, body.code], [expected, 'Status', expected], `${path} ${JSON.stringify(body)}`);
    assert.ok(body.message.length > 5);
  }
});

test('what can only be created says so of itself, and what can only be read says that', async (t) => {
  const { ask } = await served(t, ALL);
  const sentences: readonly [string, string, RegExp][] = [
    ['GET', '/ipattributions', /^ipattributions are questions, and none is kept: create one/],
    ['GET', '/commands', /^commands are run as they are posted, and none is kept: run podtrail/],
    ['GET', '/namespaces/shop/commands', /^commands are run/],
    ['DELETE', '/tenures', /^the history is read-only/],
  ];
  for (const [method, path, expected] of sentences) {
    const { status, body } = await ask(ROOT + path, { method });
    assert.equal(status, 405, path);
    assert.match(body.message, expected);
  }
  assert.deepEqual(
    sentences.slice(0, 2).map(([, path]) => path.slice(1)),
    POSTED.map(({ plural }) => plural),
  );
});

test('a list that names nobody is of the pods that are there, and not of those of other namespaces', async (t) => {
  const here = [
    { namespace: 'shop', name: 'a', uid: 'uid-a' },
    { namespace: 'vault', name: 'b', uid: 'uid-b' },
  ];
  const { ask } = await served(t, SHOP, here);
  const { status, body } = await ask(`${ROOT}/placements`);
  assert.equal(status, 200);
  for (const { metadata } of body.items) assert.equal(metadata.namespace, 'shop');
});

test('who asks too often is sent away, with when to come again; documents about the API are always served', async (t) => {
  const { ask } = await served(t, ALL, [], 3);
  for (let i = 0; i < 3; i++) assert.equal((await ask(`${ROOT}/gaps`)).status, 200);
  const { status, headers, body } = await ask(`${ROOT}/gaps`);
  assert.deepEqual([status, headers.get('retry-after'), body.reason], [429, '1', 'TooManyRequests']);
  assert.equal((await ask(ROOT)).status, 200);
});

test('a Service is refused where records are of pods: it would be passed over, and everything be listed', async (t) => {
  const { ask } = await served(t, ALL);
  for (const plural of ['placements', 'moves', 'changes']) {
    const { status, body } = await ask(`${ROOT}/namespaces/shop/${plural}?fieldSelector=workload%3Dsvc%2Fno-such`);
    assert.deepEqual([status, body.reason], [400, 'BadRequest'], plural);
    assert.match(body.message, new RegExp(`${plural} are of pods, and a Service is none`));
  }
});

test('a name with a number at the limits of dates is of nothing that is there', async (t) => {
  const { ask } = await served(t, ALL);
  const numbers = ['0', '8639999999999999', '8640000000000000', '8640000000000001', '9999999999999999', '9'.repeat(40)];
  for (const number of numbers) {
    for (const path of [
      `${ROOT}/gaps/start-${number}`,
      ...['tenures', 'placements', 'moves', 'changes'].flatMap((plural) =>
        [`${number}`, `10-0-0-1.${number}`, `uid.x.${number}`, `uid.${number}.1-${number}`].map(
          (name) => `${ROOT}/namespaces/shop/${plural}/${name}`,
        ),
      ),
    ]) {
      const { status, body } = await ask(path);
      assert.deepEqual([status, body.reason], [404, 'NotFound'], path);
    }
  }
});
