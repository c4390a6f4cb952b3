// The OpenAPI document: an independent validator takes it, a generated client type-checks, and it says what the server does.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { QUESTIONS } from '@podtrail/history/wire/catalogue';
import { systemClock } from '@podtrail/machinery';
import { Validator } from '@seriousme/openapi-schema-validator';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { apiRoutes } from '../api/api-routes.ts';
import { AskedLedger } from '../api/asked-ledger.ts';
import { QueryParameters } from '../api/query-parameters.ts';
import type { HttpRequest } from '../http/http-request.ts';
import { mcpRoute } from '../mcp/mcp-route.ts';
import { startedServer } from '../testing/started-server.ts';

const SOON = { timeout: 120_000 };
const TSC = fileURLToPath(new URL('../../../../../node_modules/typescript/bin/tsc', import.meta.url));

interface Described {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly operationId: string;
        readonly parameters?: { name: string }[];
        readonly responses: Record<string, unknown>;
      }
    >
  >;
  readonly components: { readonly schemas: Record<string, unknown> };
}

async function api() {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7)));
  const ledger = new AskedLedger(engine, systemClock);
  const more = [mcpRoute({ ledger, version: '0.0.0' })];
  return apiRoutes({ ledger, version: '0.0.0', status: () => engine.status(), more });
}

async function described(t: Parameters<typeof startedServer>[0]): Promise<Described> {
  const { origin } = await startedServer(t, await api());
  return (await (await fetch(`${origin}/openapi.json`)).json()) as Described;
}

test('an independent validator takes it', SOON, async (t) => {
  const { valid, errors } = await new Validator().validate((await described(t)) as unknown as Record<string, unknown>);
  assert.ok(valid, JSON.stringify(errors, null, 1));
});

test('it is written and packed once, because anyone may ask for it as often as they like', SOON, async (t) => {
  const routes = await api();
  const { get } = await startedServer(t, routes);
  const document = routes.find(({ id }) => id === 'openapi');
  const [first, second] = await Promise.all([{}, {}].map((request) => document?.handle(request as HttpRequest)));
  assert.ok(first !== undefined && 'packed' in first && first.packed instanceof Uint8Array);
  assert.equal(second, first);
  const [packed, plain] = await Promise.all(
    ['gzip', 'identity'].map((encoding) => get('/openapi.json', { headers: { 'accept-encoding': encoding } })),
  );
  assert.equal(packed?.headers.get('content-encoding'), 'gzip');
  assert.equal(await packed?.text(), await plain?.text());
});

test('every route is in it, and every question with all of its parameters', SOON, async (t) => {
  const { paths, components } = await described(t);
  for (const { method, path, id } of await api())
    assert.equal(paths[path]?.[method.toLowerCase()]?.operationId, id, `${method} ${path}`);
  for (const { name, parameters } of Object.values(QUESTIONS)) {
    const names = paths[`/api/v1/${name}`]?.['get']?.parameters?.map((parameter) => parameter.name);
    assert.deepEqual(names, Object.keys(parameters.shape), name);
  }
  const text = JSON.stringify(paths) + JSON.stringify(components);
  for (const [, id = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) assert.ok(id in components.schemas, id);
  assert.ok('Boundary' in components.schemas && 'Who' in components.schemas);
});

test('what is refused of a body alone is said where there is one', SOON, async (t) => {
  const { get } = await startedServer(t, await api());
  const { paths } = (await (await get('/openapi.json')).json()) as Described;
  const path = '/api/v1/who';
  for (const [status, init] of [
    [413, { headers: { 'content-type': 'application/json' }, body: 'x'.repeat(1_000_001) }],
    [415, { headers: { 'content-type': 'text/plain' }, body: 'x' }],
    [415, { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, body: 'x' }],
  ] as const) {
    assert.equal((await get(path, { method: 'POST', ...init })).status, status);
    assert.ok(`${status}` in (paths[path]?.['post']?.responses ?? {}), `${status}`);
    assert.ok(!(`${status}` in (paths[path]?.['get']?.responses ?? {})), `${status}`);
  }
});

test('that an answer is known already is said where it may have an ETag', SOON, async (t) => {
  const { get } = await startedServer(t, await api());
  const first = await get('/openapi.json');
  const { paths } = (await first.json()) as Described;
  const again = await get('/openapi.json', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
  assert.equal(again.status, 304);
  const has304 = (path: string, method: string) => '304' in (paths[path]?.[method]?.responses ?? {});
  assert.ok(has304('/openapi.json', 'get') && has304('/api/v1/who', 'get'));
  assert.ok(!has304('/api/v1/who', 'post') && !has304('/api/v1/live', 'get'));
});

test('its examples can be asked', async () => {
  for (const { id, query, example } of await api()) {
    if (query === undefined || example === undefined) continue;
    const asked = Object.entries(example).map(([name, value]) => `${name}=${value}`);
    assert.doesNotThrow(() => query.parse(new QueryParameters(query).read(asked.join('&'))), id);
  }
});

test('a client that is generated from it type-checks, and refuses what the API would refuse', SOON, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-openapi-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const types = astToString(await openapiTS((await described(t)) as unknown as OpenAPI3));
  await writeFile(join(directory, 'api.ts'), types);
  const use = `import type { paths } from './api.ts';
type Who = paths['/api/v1/who']['get'];
type Document = Who['responses'][200]['content']['application/json'];
export const query: Who['parameters']['query'] = { ip: '10.1.2.3', at: '2026-11-15T10:05:00Z', seen: true };
export const causes: NonNullable<paths['/api/v1/moves']['get']['parameters']['query']>['cause'] = ['Evicted'];
export const many: paths['/api/v1/who']['post']['requestBody']['content']['application/json'] = {
  questions: [{ ip: '10.1.2.3', seen: false }],
};
export function holder(document: Document): string {
  return document.answer === 'held' ? (document.holders[0]?.name ?? '') : document.answer;
}
type Mcp = paths['/mcp']['post'];
export const message: Mcp['requestBody']['content']['application/json'] = {
  jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'moves', arguments: {} },
};
export const result = (reply: Mcp['responses'][200]['content']['application/json']): unknown =>
  'result' in reply ? reply.result : undefined;
export type Problem = Who['responses'][400]['content']['application/problem+json'];
export const code = (problem: Problem): string => problem.code;
// @ts-expect-error: an address is needed
export const without: Who['parameters']['query'] = { at: '2026-11-15T10:05:00Z' };
// @ts-expect-error: a message has a method
export const mute: typeof message = { jsonrpc: '2.0', id: 1 };
// @ts-expect-error: there is no such cause
export const bored: typeof causes = ['Bored'];
`;
  await writeFile(join(directory, 'use.ts'), use);
  const flags = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--allowImportingTsExtensions'];
  const { stdout } = await promisify(execFile)(process.execPath, [TSC, ...flags, '--types', '', 'use.ts'], {
    cwd: directory,
  }).catch((error: { readonly stdout: string }) => error);
  assert.equal(stdout, '');
});
