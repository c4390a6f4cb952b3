import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerOf } from '@podtrail/history/testing';
import { systemClock } from '@podtrail/machinery';
import { z } from 'zod';
import { Problem } from '../problem.ts';
import { startedServer } from '../testing/started-server.ts';
import { tenantFacts } from '../testing/two-tenants.ts';
import { apiRoutes } from './api-routes.ts';
import { AskedLedger } from './asked-ledger.ts';
import { QueryParameters } from './query-parameters.ts';

const parameters = new QueryParameters(
  z.strictObject({
    ip: z.string(),
    limit: z.int().default(100),
    seen: z.boolean().optional(),
    cause: z.array(z.enum(['Evicted', 'Rollout'])).optional(),
  }),
);

test('texts become what the schema asks for; what does not fit stays text, for the schema to refuse', () => {
  assert.deepEqual(parameters.read('ip=10.0.0.7&limit=5&seen=true&cause=Evicted,Rollout'), {
    ...{ ip: '10.0.0.7', limit: 5, seen: true, cause: ['Evicted', 'Rollout'] },
  });
  assert.deepEqual(parameters.read('limit=5e5&seen=yes&limitt=1'), { limit: '5e5', seen: 'yes', limitt: '1' });
  assert.deepEqual(parameters.read('limit=5.5'), { limit: 5.5 });
  assert.deepEqual(parameters.read(''), {});
  assert.deepEqual(parameters.read('ip&&'), { ip: '' });
});

test('a number that is refused is refused with its limit, however long it is', () => {
  const limited = new QueryParameters(z.strictObject({ limit: z.int().min(1).max(100).default(10) }));
  for (const [text, expected] of [
    ['101', 'limit: is at most 100'],
    ['99999999999999999999', 'limit: is at most 100'],
    ['-99999999999999999999', 'limit: is at least 1'],
    ['1.5', 'limit: is not a whole number'],
    ['1e3', 'limit: is not a number'],
  ])
    assert.throws(() => limited.checked('moves', `limit=${text}`), { status: 400, message: expected });
});

test('percents are decoded, and a plus is a plus, as in the offset of a time', () => {
  assert.deepEqual(parameters.read('ip=fd00%3A%3A17+1'), { ip: 'fd00::17+1' });
});

test('a parameter that is given twice, or is not UTF-8, is refused with what to do', () => {
  for (const [query, expected] of [
    ['ip=1&ip=2', /^ip is given twice$/],
    ['ip=1&%69p=2', /^ip is given twice$/],
    ['ip=%ff', /not encoded/],
    ['%', /not encoded/],
  ] as const) {
    assert.throws(
      () => parameters.read(query),
      (error) =>
        error instanceof Problem && error.status === 400 && expected.test(error.message) && error.hint !== undefined,
    );
  }
});

test('names that objects have anyway are names like any other', () => {
  assert.deepEqual(Object.keys(parameters.read('__proto__=1&constructor=2')), ['__proto__', 'constructor']);
});

test('whatever a route is, a parameter that it does not have is refused in the same words', async (t) => {
  const ledger = new AskedLedger(await ledgerOf(tenantFacts(['shop'])), systemClock);
  const routes = apiRoutes({
    ...{ ledger, version: '1', trackers: () => [], attribute: async () => {} },
    status: async () => ({ version: 1, bytes: 1, clusters: [] }),
  }).filter(({ query }) => query !== undefined);
  const { get } = await startedServer(t, routes);
  assert.ok(routes.some(({ id }) => id === 'attribute') && routes.some(({ id }) => id === 'stats'));
  for (const { method, path, id, query } of routes) {
    const response = await get(`${path}?colour=red&by=node&subject=x&node=x&text=x&ip=10.0.0.1`, { method });
    const { code, detail, hint } = (await response.json()) as Record<string, string>;
    assert.deepEqual([response.status, code], [400, 'bad-parameter'], id);
    // Two of them have one path.
    const name = id === 'whoMany' ? 'POST who' : id;
    assert.match(detail ?? '', new RegExp(`^${name} has no parameter colour\\b`));
    assert.equal(hint, `it has ${Object.keys(query?.shape ?? {}).join(', ') || 'no parameters'}.`);
  }
});
