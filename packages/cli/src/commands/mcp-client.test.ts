// The tools as a real client of the protocol uses them: its official package lists and calls each, over standard input and
// output of `podtrail mcp` and over HTTP of `podtrail serve`.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openStore } from '@podtrail/history';
import { tenantFacts } from '@podtrail/operator/serving/testing';
import { serve } from '../testing/served.ts';

const SOON = { timeout: 120_000 };
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const AT = '2026-11-15T11:08:00Z';
const DURING = { since: '2026-11-15T11:00:00Z', until: '2026-11-15T11:59:00Z' };
const MOST_BYTES = 100_000;

/** Of each tool a call that is right, and one that is wrong with what the refusal must name. */
const CALLS: Readonly<Record<string, readonly [right: object, wrong: object, said: RegExp]>> = {
  who_had_ip: [{ ip: '10.1.0.1', at: AT }, { ip: '10.1', at: AT }, /four numbers/],
  attribute_flows: [
    { flows: [{ at: AT, source: '10.1.0.1' }] },
    { flows: [{ at: 'noon', source: '10.1.0.1' }] },
    /RFC 3339/,
  ],
  pod_trail: [{ subject: 'shop-stays', namespace: 'shop', ...DURING }, { subject: 'shop-stays' }, /namespace/],
  node_at: [{ node: 'node-1', at: AT }, { node: 'node-1', at: '2026-11-15T11:08:00' }, /zone/],
  moves: [DURING, { ...DURING, limit: 1_000 }, /limit.*100/],
  explain: [{ subject: 'shop-goes', namespace: 'shop' }, { subject: 'deploy/shop-app', namespace: 'shop' }, /one pod/],
  coverage: [DURING, { colour: 'red' }, /no parameter colour/],
};

async function callsAll(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(CALLS).sort());
  for (const [name, [right, wrong, said]] of Object.entries(CALLS)) {
    const answer = await client.callTool({ name, arguments: { ...right } });
    const document = answer.structuredContent as { readonly coverage?: unknown; readonly provisional?: unknown };
    assert.notEqual(answer.isError, true, `${name} ${JSON.stringify(answer)}`);
    assert.ok(document.coverage !== undefined && typeof document.provisional === 'boolean', name);
    assert.ok(JSON.stringify(document).length < MOST_BYTES, name);
    // Clients show a model the one or the other.
    const [shown] = answer.content;
    assert.deepEqual(shown?.type === 'text' ? JSON.parse(shown.text) : undefined, document);
    const refusal = await client.callTool({ name, arguments: { ...wrong } });
    assert.equal(refusal.isError, true, name);
    assert.match(JSON.stringify(refusal.content), said, name);
  }
  await mixed(client);
  await client.close();
}

/** Calls at once, a tool that is not there, and a call that is given up: the others are answered. */
async function mixed(client: Client): Promise<void> {
  const who = { name: 'who_had_ip', arguments: { ip: '10.1.0.1', at: AT } };
  const given = new AbortController();
  const flows = Array.from({ length: 200 }, () => ({ at: AT, source: '10.1.0.1', destination: '10.1.0.4' }));
  const long = client.callTool({ name: 'attribute_flows', arguments: { flows } }, { signal: given.signal });
  const calls = [client.callTool(who), client.callTool({ name: 'coverage', arguments: DURING })];
  given.abort('given up');
  await assert.rejects(long, /given up/);
  await assert.rejects(client.callTool({ name: 'drop_tables', arguments: {} }), /drop_tables/);
  for (const { structuredContent } of await Promise.all(calls)) assert.ok(structuredContent);
  assert.deepEqual((await client.callTool(who)).isError ?? false, false);
}

async function aStore(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-mcp-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const url = `sqlite:${join(directory, 'ledger.db')}`;
  const engine = await openStore(url, { access: 'write' });
  await (await engine.takeOver({ id: 'c', name: 'c' })).append({ facts: tenantFacts(['shop', 'vault']) });
  await engine.close();
  return url;
}

test('over standard input and output, of podtrail mcp in a process of its own', SOON, async (t) => {
  const args = [MAIN, 'mcp', '--store', await aStore(t)];
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  await callsAll(client);
});

test('over streamable HTTP, of podtrail serve', SOON, async (t) => {
  const engine = await openStore(await aStore(t), { access: 'read' });
  t.after(() => engine.close());
  const served = await serve(t, { engine, now: Date.UTC(2026, 10, 15, 12) });
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${served.token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${served.origin}/mcp`), { requestInit: { headers } }),
  );
  await callsAll(client);
});
