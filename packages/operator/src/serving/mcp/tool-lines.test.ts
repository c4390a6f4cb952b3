// The tools over two streams, with what clients do wrong and with documents of any size: a fake ledger answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryError } from '@podtrail/history';
import { serveToolLines } from './stdio.ts';
import type { Ask } from './tool.ts';

const SOON = { timeout: 60_000 };
const MOST_BYTES = 100_000;
const AT = '2026-11-15T10:05:00.000Z';
const DURING = { since: '2026-11-15T10:00:00Z', until: '2026-11-15T11:00:00Z' };
const COVERAGE = { from: '2026-11-15T00:00:00.000Z', to: '2026-11-16T00:00:00.000Z', gaps: [] };
const HELLO = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'script', version: '1' } },
};

interface Answered {
  readonly id?: number | null;
  readonly error?: { readonly code: number; readonly message: string };
  // biome-ignore lint/suspicious/noExplicitAny: what a server sends is looked at by each test
  readonly result?: any;
}

const calls = (id: number, name: string, input: object) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: input },
});
const cancels = (requestId: number) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

/** Writes the lines, closes the pipe, and waits until all is answered. */
async function answersOf(ask: Ask, ...lines: readonly (object | string)[]): Promise<Map<unknown, Answered>> {
  const answers = new Map<unknown, Answered>();
  const input = async function* () {
    for (const line of lines) yield Buffer.from(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  };
  const options = { ask, now: () => Date.UTC(2026, 10, 16), version: '1' };
  await serveToolLines(options, input(), async (text) => {
    const answer: Answered = JSON.parse(text);
    answers.set(answer.id, answer);
  });
  return answers;
}

async function answerOf(ask: Ask, name: string, input: object) {
  const { result } = (await answersOf(ask, HELLO, calls(1, name, input))).get(1) as Answered;
  const [{ text }] = result.content;
  assert.ok(Buffer.byteLength(text) <= MOST_BYTES, `${text.length} bytes`);
  return { text, isError: result.isError === true, document: result.structuredContent };
}

const gapsOnly: Ask = async () => ({ more: false, cursor: null, coverage: COVERAGE });

/** A listing of records of a kilobyte and a half, whose cursor is the number of the next one. */
function listing(name: string, total: number, gaps: readonly object[] = []): Ask {
  return async (_, { limit, cursor = '0' }) => {
    const from = Number(cursor);
    const to = Math.min(total, from + (limit as number));
    const records = Array.from({ length: to - from }, (_, i) => ({ name: `pod-${from + i}`, rest: 'x'.repeat(1500) }));
    const isMore = to < total;
    const paging = { more: isMore, cursor: isMore ? String(to) : null };
    return { query: {}, [name]: records, ...paging, coverage: { ...COVERAGE, gaps } };
  };
}

test('a call that is cancelled is not answered, asks no more, and keeps neither others nor the end', SOON, async () => {
  let asked = 0;
  const ask: Ask = async (name) => {
    if (name === 'who') asked++;
    await new Promise(setImmediate);
    return { query: { ip: '10.0.0.1', at: AT }, answer: 'free', holders: [], provisional: false, coverage: COVERAGE };
  };
  const flows = Array.from({ length: 200 }, () => ({ at: AT, source: '10.0.0.1' }));
  const answers = await answersOf(
    ask,
    ...[HELLO, calls(1, 'attribute_flows', { flows }), cancels(1), calls(2, 'coverage', {}), cancels(77)],
  );
  assert.deepEqual([...answers.keys()], [0, 2]);
  assert.ok(asked < 100, `asked ${asked} times`);
});

test('two calls at once are both answered, the quick one first', SOON, async () => {
  const slow = Promise.withResolvers<void>();
  const ask: Ask = async (name) => {
    if (name === 'moves') await slow.promise;
    else slow.resolve();
    return { more: false, cursor: null, coverage: COVERAGE };
  };
  const answers = await answersOf(ask, HELLO, calls(1, 'moves', DURING), calls(2, 'coverage', DURING));
  assert.deepEqual([...answers.keys()], [0, 2, 1]);
});

test('a call before initialize, lines that are no messages, a tool and a method that are not there', SOON, async () => {
  const answers = await answersOf(
    gapsOnly,
    ...[calls(1, 'coverage', {}), 'no JSON', '{"jsonrpc":"2.0"}', '', HELLO],
    ...[calls(2, 'drop_tables', {}), { jsonrpc: '2.0', id: 3, method: 'tables/drop' }, calls(4, 'coverage', {})],
  );
  const early = answers.get(1) as Answered;
  assert.ok(early.error ?? early.result.structuredContent.coverage, JSON.stringify(early));
  assert.match(answers.get(2)?.error?.message ?? '', /drop_tables/);
  assert.equal(answers.get(3)?.error?.code, -32601);
  assert.deepEqual(answers.get(4)?.result.structuredContent.coverage, COVERAGE);
});

for (const [tool, records, input] of [
  ['pod_trail', 'stays', { subject: 'deploy/cart', namespace: 'shop' }],
  ['node_at', 'pods', { node: 'node-7', at: AT }],
  ['moves', 'moves', DURING],
] as const) {
  test(`${tool}: more than fits is cut, says so, and every record comes by its cursor`, SOON, async () => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const asked = { ...input, limit: 100, ...(cursor === undefined ? {} : { cursor }) };
      const { isError, text, document } = await answerOf(listing(records, 150), tool, asked);
      assert.equal(isError, false, text.slice(0, 200));
      if (cursor === undefined) assert.match(document.note, /cut.*cursor/s);
      for (const { name } of document[records]) names.push(name);
      cursor = document.cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(
      names,
      Array.from({ length: 150 }, (_, i) => `pod-${i}`),
    );
  });
}

test('gaps beside the records are cut, and the note says how to read all of them', SOON, async () => {
  const gaps = Array.from({ length: 5000 }, () => ({ from: AT, to: AT, reason: 'expired' }));
  const { document } = await answerOf(listing('moves', 3, gaps), 'moves', DURING);
  assert.equal(document.moves.length, 3);
  assert.ok(document.coverage.gaps.length < 100);
  assert.match(document.note, /5000 gaps.*call coverage/s);
});

test('explain keeps the evidence that the verdict rests on, and says how much it leaves out', SOON, async () => {
  const evidence = Array.from({ length: 2000 }, (_, i) => ({ id: `e${i}`, used: i === 7, message: 'x'.repeat(300) }));
  const ask: Ask = async () => ({ query: { at: AT }, cause: 'Evicted', evidence, coverage: COVERAGE });
  const { document } = await answerOf(ask, 'explain', { subject: 'kafka-0', namespace: 'shop', at: AT });
  const kept: { id: string }[] = document.evidence;
  assert.deepEqual([kept[0]?.id, kept.at(-1)?.id], ['e7', 'e1999']);
  assert.match(document.note, /evidence: \d+ of 2000/);
});

const wide: Ask = async (name, { ip, at }) => {
  if (name === 'gaps') return { coverage: COVERAGE };
  const holder = {
    kind: 'Pod',
    namespace: 'n'.repeat(63),
    name: 'p'.repeat(250),
    node: 'w'.repeat(250),
    workload: null,
  };
  const query = { ip, at };
  return { query, answer: 'ambiguous', provisional: false, holders: Array(30).fill(holder), coverage: COVERAGE };
};

test('attribute_flows stops before the answer is too long, and says with which row to go on', SOON, async () => {
  const flows = Array.from({ length: 60 }, (_, i) => ({ at: AT, source: `10.0.0.${i}` }));
  const first = await answerOf(wide, 'attribute_flows', { flows });
  assert.equal(first.document.more, true);
  const { next } = first.document;
  assert.equal(next, first.document.flows.length);
  assert.match(first.document.note, new RegExp(`flows from number ${next} on`));
  assert.ok(first.document.flows[0].source.holdersLeftOut > 0);
  const second = await answerOf(wide, 'attribute_flows', { flows: flows.slice(next, next + 2) });
  assert.deepEqual([second.document.more, second.document.flows.length], [false, 2]);
  assert.equal(second.document.flows[0].source.ip, `10.0.0.${next}`);
});

test(
  'coverage beside flows is that of their time, in any order of the rows and whatever their zones',
  SOON,
  async () => {
    const asked: unknown[] = [];
    const ask: Ask = async (name, parameters) => {
      if (name === 'gaps') asked.push([parameters['since'], parameters['until']]);
      return await wide(name, parameters);
    };
    const flows = [
      { at: '2026-11-15T12:05:00+01:00', source: '10.0.0.1' },
      { at: '2026-11-15T10:05:00Z', destination: '10.0.0.1' },
    ];
    await answerOf(ask, 'attribute_flows', { flows });
    assert.deepEqual(asked, [['2026-11-15T10:05:00.000Z', '2026-11-15T11:05:00.001Z']]);
  },
);

test('what is wrong with a row names the row and what to write', SOON, async () => {
  const ask: Ask = async (name, { ip }) => {
    if (name === 'who' && ip === '-') throw new HistoryError('bad-address', '"-" is not an IP address', { hint: 'x.' });
    return await wide(name, { ip, at: AT });
  };
  const cases: readonly [row: object, expected: RegExp][] = [
    [{ at: AT, source: '-' }, /^flows\.1\.source: "-" is not an IP address/],
    [{ at: AT, src: '10.0.0.1' }, /^flows\.1: .*src.* at, source, destination/],
    [{ at: AT }, /^flows\.1: .*source, destination or both/],
    [{ at: '10:05', source: '10.0.0.1' }, /^flows\.1\.at: .*RFC 3339 with a zone/],
  ];
  for (const [row, expected] of cases) {
    const { isError, text } = await answerOf(ask, 'attribute_flows', { flows: [{ at: AT, source: '10.0.0.1' }, row] });
    assert.equal(isError, true);
    assert.match(text, expected);
  }
});

test('a refused subject is explained in the words of the tools, not of the command line', SOON, async () => {
  const ask: Ask = async () => {
    throw new HistoryError('bad-subject', '"shop" is not a kind that podtrail knows', {
      hint: 'write a namespace with -n.',
    });
  };
  for (const tool of ['pod_trail', 'explain']) {
    const { isError, text } = await answerOf(ask, tool, { subject: 'shop/web-1' });
    assert.equal(isError, true);
    assert.match(text, /"shop" is not a kind.*`namespace`/);
    assert.doesNotMatch(text, / -n/);
  }
});

test('a line that is no JSON, or no message, is answered with what is wrong', SOON, async () => {
  const said: { id: unknown; error?: { code: number } }[] = [];
  const lines = ['{"jsonrpc":"2.0","id":1,"method"', '{"jsonrpc":"2.0","id":7}', 'null'];
  await serveToolLines(
    { now: () => 0, version: '1', ask: gapsOnly },
    (async function* () {
      for (const line of lines) yield Buffer.from(`${line}\n`);
    })(),
    async (text) => void said.push(JSON.parse(text)),
  );
  assert.deepEqual(
    said.map(({ id, error }) => [id, error?.code]),
    [
      [null, -32700],
      [7, -32600],
      [null, -32600],
    ],
  );
});
