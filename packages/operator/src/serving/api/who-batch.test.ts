// Many addresses at once, and what is said about the ledger itself.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { IPS, ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type Visibility } from '@podtrail/history/wire';
import { ManualClock } from '@podtrail/machinery/testing';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { apiRoutes } from './api-routes.ts';
import { AskedLedger } from './asked-ledger.ts';

const SOON = { timeout: 60_000 };
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };
const AT = '1970-01-01T10:00:00Z';

async function served(t: TestContext) {
  const engine: Engine = await ledgerOf(ledgerFacts(new SeededNumbers(7), ['shop', 'vault']));
  const clock = new ManualClock(Date.UTC(1973, 0, 3));
  const routes = apiRoutes({ ledger: new AskedLedger(engine, clock), version: '0', status: () => engine.status() });
  const started = await startedServer(t, routes, { access: accessOf({ jane: ALL_VISIBLE, sam: SHOP }) });
  const post = (body: unknown, as = 'jane') =>
    started.get('/api/v1/who', {
      ...{ method: 'POST', body: JSON.stringify(body), as },
      headers: { 'content-type': 'application/json' },
    });
  return { ...started, post };
}

test('a batch is answered as each of its questions would be, in their order', SOON, async (t) => {
  const { get, post } = await served(t);
  for (const as of ['jane', 'sam']) {
    const questions = IPS.map((ip) => ({ ip, at: AT }));
    const { answers } = (await (await post({ questions }, as)).json()) as { answers: unknown[] };
    const single = await Promise.all(
      IPS.map(async (ip) => await (await get(`/api/v1/who?ip=${ip}&at=${AT}`, { as })).json()),
    );
    assert.deepEqual(answers, single);
  }
});

test('a batch that is too long, or of which one is wrong, is refused with the place', SOON, async (t) => {
  const { post } = await served(t);
  const cases: readonly [unknown, RegExp][] = [
    [{ questions: [] }, /^questions: /],
    [{ questions: Array.from({ length: 1_001 }, () => ({ ip: '10.0.0.1' })) }, /^questions: .*1000/],
    [{ questions: [{ ip: '10.0.0.1' }, { ip: '10.0' }] }, /^questions\.1: .*not an IP address/],
    [{ questions: [{ ip: '10.0.0.1', at: 'then' }] }, /^questions\.0\.at: /],
    [[], /POST who/],
    [{ questions: [{ ip: '10.0.0.1', colour: 'red' }] }, /colour/],
  ];
  for (const [body, expected] of cases) {
    const response = await post(body);
    const { detail } = (await response.json()) as { detail: string };
    assert.equal(response.status, 400, detail);
    assert.match(detail, expected);
  }
  assert.equal((await post({ questions: [{ ip: '10.0.0.1', cluster: 'other' }] })).status, 404);
});

test('a batch has no parameters beside its body: what stands in the query would be passed over', SOON, async (t) => {
  const { get } = await served(t);
  for (const query of ['at=2020-01-01T00:00:00Z', 'cluster=c', 'ip=10.0.0.1', 'colour=red']) {
    const response = await get(`/api/v1/who?${query}`, {
      ...{ method: 'POST', body: JSON.stringify({ questions: [{ ip: '10.0.0.1' }] }), as: 'jane' },
      headers: { 'content-type': 'application/json' },
    });
    const { code, detail, hint } = (await response.json()) as { code: string; detail: string; hint: string };
    assert.equal(response.status, 400, query);
    assert.equal(code, 'bad-parameter');
    assert.match(detail, new RegExp(`^POST who has no parameter ${query.split('=')[0]}$`));
    assert.equal(hint, 'it has no parameters.');
  }
});

test('clusters are for all callers; how much there is only for who may see all of it', SOON, async (t) => {
  const { get } = await served(t);
  assert.deepEqual(await (await get('/api/v1/clusters', { as: 'sam' })).json(), { clusters: [{ name: 'c', id: 'c' }] });
  const stats = (await (await get('/api/v1/stats')).json()) as { clusters: { tenures: number }[] };
  assert.ok((stats.clusters[0]?.tenures ?? 0) > 100);
  assert.equal((await get('/api/v1/stats', { as: 'sam' })).status, 403);
  assert.equal((await get('/api/v1/clusters?a=1')).status, 400);
});
