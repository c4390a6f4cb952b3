// The tools over HTTP, asked as the streamable transport asks: one POST, one answer, and only what the caller may see.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type Visibility } from '@podtrail/history/wire';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger } from '../api/asked-ledger.ts';
import type { AccessLogEntry } from '../http/access-log.ts';
import { accessOf, type StartedServer, startedServer } from '../testing/started-server.ts';
import { messageSchema, replySchema } from './json-rpc.ts';
import { mcpRoute } from './mcp-route.ts';

const SOON = { timeout: 60_000 };
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };
const facts = ledgerFacts(new SeededNumbers(7), ['shop', 'vault']);
const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'script', version: '1' } },
};

async function served(t: TestContext): Promise<StartedServer> {
  const ledger = new AskedLedger(await ledgerOf(facts), new ManualClock(Date.UTC(1973, 0, 3)));
  const access = accessOf({ jane: ALL_VISIBLE, sam: SHOP });
  return await startedServer(t, [mcpRoute({ ledger, version: '0.1.0' })], { access });
}

async function post({ get }: StartedServer, message: object, as = 'jane') {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const sent = { jsonrpc: '2.0', id: 1, ...message };
  const body = JSON.stringify(sent);
  messageSchema.parse(sent);
  const response = await get('/mcp', { method: 'POST', headers, body, as });
  const text = await response.text();
  // Clients of before 2026 are answered with one event of a stream.
  const line =
    text
      .split('\n')
      .find((one) => one.startsWith('data: '))
      ?.slice('data: '.length) ?? text;
  const answer = line === '' ? undefined : JSON.parse(line);
  // Invariant: what is answered is what /openapi.json describes.
  if (response.ok) replySchema.parse(answer);
  return { status: response.status, answer };
}

const call = (name: string, input: object) => ({ method: 'tools/call', params: { name, arguments: input } });

test('an assistant is greeted, lists the tools and calls one', SOON, async (t) => {
  const server = await served(t);
  const hello = await post(server, INITIALIZE);
  assert.equal(hello.status, 200);
  assert.equal(hello.answer.result.serverInfo.name, 'podtrail');
  assert.match(hello.answer.result.instructions, /never guesses/);
  const list = await post(server, { method: 'tools/list' });
  assert.equal(list.answer.result.tools.length, 7);
  const { answer } = await post(
    server,
    call('coverage', { since: '1970-01-01T00:00:00Z', until: '1970-01-02T00:00:00Z' }),
  );
  assert.ok(answer.result.structuredContent.coverage, JSON.stringify(answer));
});

test('who may see one namespace gets what is said about that one, and the answer says so', SOON, async (t) => {
  const server = await served(t);
  const during = { since: '1970-01-01T00:00:00Z', until: '1970-01-02T00:00:00Z', limit: 100 };
  const seen = await post(server, call('node_at', { node: 'node-a', ...during }), 'sam');
  const { narrowed, pods } = seen.answer.result.structuredContent;
  assert.equal(narrowed, true);
  assert.ok(pods.length > 0);
  assert.deepEqual([...new Set(pods.map(({ namespace }: { namespace: string }) => namespace))], ['shop']);
  const all = await post(server, call('node_at', { node: 'node-a', ...during }));
  assert.ok(
    all.answer.result.structuredContent.pods.some(({ namespace }: { namespace: string }) => namespace === 'vault'),
  );
});

test('a bug of ours is in the log with the request, and the caller learns nothing of it', SOON, async (t) => {
  const entries: AccessLogEntry[] = [];
  const broken = {
    clusters: async () => {
      throw new TypeError("Cannot read 'x' of undefined at /var/lib/ledger.db");
    },
    snapshot: async () => assert.fail('no cluster is known'),
  };
  const ledger = new AskedLedger(broken, new ManualClock(Date.UTC(1973, 0, 3)));
  const server = await startedServer(t, [mcpRoute({ ledger, version: '0.1.0' })], { log: (one) => entries.push(one) });
  const { answer } = await post(server, call('coverage', {}));
  assert.equal(answer.result.isError, true);
  const [entry] = entries;
  assert.ok(entry !== undefined);
  assert.doesNotMatch(JSON.stringify(answer), /ledger\.db|Cannot read/);
  assert.ok(JSON.stringify(answer).includes(entry.requestId), JSON.stringify(answer));
  assert.match(String(entry.error), /ledger\.db/);
  const refused = await post(await served(t), call('coverage', { since: 'then' }));
  assert.match(JSON.stringify(refused.answer), /since/, 'what the caller can mend is said');
});

test('a notification is answered with 202 and nothing', SOON, async (t) => {
  const { get } = await served(t);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const response = await get('/mcp', { method: 'POST', headers, body });
  assert.deepEqual([response.status, await response.text()], [202, '']);
});

test('an array of calls is refused: each is a request of its own', SOON, async (t) => {
  const { get } = await served(t);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const one = { jsonrpc: '2.0', id: 1, ...call('moves', {}) };
  const response = await get('/mcp', { method: 'POST', headers, body: JSON.stringify([one, { ...one, id: 2 }]) });
  assert.equal(response.status, 400);
  assert.equal(((await response.json()) as { readonly code: string }).code, 'no-batches');
});

test('strangers, other methods, what is no JSON, and subscriptions are refused', SOON, async (t) => {
  const server = await served(t);
  assert.equal((await post(server, INITIALIZE, 'nobody')).status, 401);
  assert.equal((await server.get('/mcp')).status, 405);
  const headers = { 'content-type': 'application/json' };
  assert.equal((await server.get('/mcp', { method: 'POST', headers, body: '{' })).status, 400);
  assert.equal((await server.get('/mcp', { method: 'POST', body: '{}' })).status, 415);
  assert.equal((await server.get('/mcp', { method: 'POST', headers, body: `"${'x'.repeat(1_000_001)}"` })).status, 413);
  const { answer } = await post(server, { method: 'subscriptions/listen', params: {} });
  assert.ok(answer.error, JSON.stringify(answer));
});
