// `mcp`, asked by a script as an assistant asks it: it lists the tools, then calls each with what its schema says.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { aLedgerWith, departure, life, pod, watched } from '../testing/moves-story.ts';
import { run } from '../testing/run-in-process.ts';
import { aStory, at } from '../testing/story.ts';

const DURING = '2026-11-15T10:00:30Z';
const HELLO = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'script', version: '1' } },
};
/** One call of each tool, as its schema asks for it. */
const CALLS: Readonly<Record<string, object>> = {
  who_had_ip: { ip: '10.0.0.7', at: DURING },
  attribute_flows: { flows: [{ at: DURING, source: '10.0.0.7', destination: '10.0.0.5' }] },
  pod_trail: { subject: 'web-1', namespace: 'shop' },
  node_at: { node: 'node-a', at: DURING },
  moves: { since: '2026-11-15T10:00:00Z', until: '2026-11-15T10:05:00Z' },
  explain: { subject: 'web-1', namespace: 'shop' },
  coverage: {},
};

interface Request {
  readonly method: string;
  readonly params?: object;
}

interface Answered {
  readonly id: number;
  readonly error?: { readonly message: string };
  // biome-ignore lint/suspicious/noExplicitAny: what a server sends is looked at by each test
  readonly result: any;
}

let engine: Engine;
before(async () => {
  engine = await aStory();
});

/** Writes all requests, closes the pipe and reads the answers, by the order of the requests. */
async function asks(...requests: readonly Request[]) {
  return await asksOf(engine, ...requests);
}

async function asksOf(ledger: Engine, ...requests: readonly Request[]) {
  const all = [HELLO, ...requests].map((request, id) => JSON.stringify({ jsonrpc: '2.0', id, ...request }));
  const started = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { code, out, err } = await run(['mcp'], {
    ...{ engine: ledger, now: at(201) },
    input: [all[0], started, ...all.slice(1), ''].join('\n'),
  });
  const answers = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Answered => JSON.parse(line));
  return { code, err, out, answers: answers.sort((a, b) => a.id - b.id).slice(1) };
}

const call = (name: string, input: object) => ({ method: 'tools/call', params: { name, arguments: input } });

test('the tools are listed, each with its description, its schema and that it only reads', async () => {
  const { code, err, answers } = await asks({ method: 'tools/list' });
  assert.equal(code, 0);
  assert.match(err, /^serving tools from /);
  const { tools } = (answers[0] as Answered).result;
  assert.deepEqual(
    tools.map(({ name }: { name: string }) => name),
    Object.keys(CALLS),
  );
  for (const { name, description, inputSchema, annotations } of tools) {
    assert.equal(inputSchema.type, 'object');
    assert.equal(inputSchema.additionalProperties, false);
    assert.equal(annotations.readOnlyHint, true);
    // All that a model knows before it calls.
    for (const word of ['`provisional`', 'with a zone', '`asOf`'])
      assert.ok(description.includes(word), `${name}: ${word}`);
    assert.ok(description.length < 2_000, `${name}: ${description.length}`);
  }
});

test('each tool answers at the first try: as of when, and what was watched', async () => {
  const names = Object.keys(CALLS);
  const { answers } = await asks(...names.map((name) => call(name, CALLS[name] ?? {})));
  for (const [i, { result }] of answers.entries()) {
    assert.notEqual(result.isError, true, `${names[i]}: ${result.content[0].text}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    assert.equal(result.structuredContent.asOf, '2026-11-15T10:03:21.000Z');
    assert.ok(result.structuredContent.coverage.from, names[i] ?? '');
    assert.equal(typeof result.structuredContent.provisional, 'boolean', names[i] ?? '');
  }
  const [who, flows] = answers.map(({ result }) => result.structuredContent);
  assert.deepEqual([who.answer, who.provisional, who.holders[0].name], ['held', false, 'web-1']);
  const [flow] = flows.flows;
  assert.deepEqual([flow.source.holders[0].name, flow.destination.holders[0].name], ['web-1', 'db-0']);
});

test('an answer about a time that nobody has watched yet is provisional', async () => {
  const [past, present] = ['2026-11-15T10:01:00Z', '2026-11-15T10:03:21Z'];
  const asked = (until: string | undefined) =>
    call('moves', { since: '2026-11-15T10:00:00Z', ...(until && { until }) });
  const { answers } = await asks(asked(past), asked(present), asked(undefined));
  assert.deepEqual(
    answers.map(({ result }) => result.structuredContent.provisional),
    [false, true, true],
  );
});

test('what cannot be meant is answered in words that a model can act on, and not as an error of the protocol', async () => {
  const { answers } = await asks(
    call('who_had_ip', { ip: '10.0.0.7', at: 'yesterday' }),
    call('who_had_ip', { address: '10.0.0.7' }),
    call('pod_trail', { subject: 'web-1' }),
    call('moves', { limit: 1000 }),
    call('attribute_flows', { flows: [] }),
  );
  const expected = [/^at: .* write RFC 3339/, /^ip: /, /its `namespace`/, /^limit: /, /^flows: /];
  for (const [i, { result }] of answers.entries()) {
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, expected[i] ?? /^$/);
  }
});

test('a line that is no message, and a tool that is not there, end nothing', async () => {
  const { answers, code } = await asks(call('drop_tables', {}), call('coverage', {}));
  assert.equal(code, 0);
  assert.ok(answers[0]?.error ?? answers[0]?.result.isError);
  assert.ok(answers[1]?.result.structuredContent);
  const garbage = await run(['mcp'], { engine, input: 'hello\n{"jsonrpc":"2.0"}\n\u0000\n' });
  assert.equal(garbage.code, 0);
});

test('moves that do not fit into one answer come by its cursor, each of them once', async () => {
  const node = 'node-'.repeat(50);
  const pods = Array.from({ length: 120 }, (_, i) => pod(`${'long-'.repeat(45)}${i}`, `uid-${i}`, node));
  const ledger = await aLedgerWith([
    watched(0, 200),
    ...pods.flatMap((one, i) => [life(one, 1, { gone: at(20 + i) }), departure(one, 20 + i)]),
  ]);
  const found: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const during = { since: '2026-11-15T10:00:00Z', until: '2026-11-15T10:03:00Z', limit: 100 };
    const { answers } = await asksOf(ledger, call('moves', { ...during, ...(cursor === undefined ? {} : { cursor }) }));
    const { content, structuredContent } = (answers[0] as Answered).result;
    assert.ok(content[0].text.length <= 100_000, `${content[0].text.length} bytes`);
    for (const { uid } of structuredContent.moves) found.push(uid);
    if (pages === 0) assert.match(structuredContent.note, /moves is cut to \d+.*`cursor`/);
    cursor = structuredContent.cursor;
  }
  assert.deepEqual(
    found,
    pods.map(({ uid }) => uid),
  );
  assert.ok(pages >= 2, `${pages} pages`);
});
