// The questions of docs/mcp.md: each call is made on the story of kafka-0, and its answer has what the document says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { aLedgerWith, at, CAUSES_OF_PLACES, PLACES } from '../testing/moves-story.ts';
import { run } from '../testing/run-in-process.ts';

const SOON = { timeout: 60_000 };
const DOCUMENT = new URL('../../../../docs/mcp.md', import.meta.url);
const ROW = /^\| (".*") \| `(\w+) (\{.*?\})` \| (.*) \|$/gm;
const CLAIM = /`([\w.]+) = ([^`]+)`/g;
const HELLO = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'script', version: '1' } },
};

const text = readFileSync(DOCUMENT, 'utf8');
const rows = [...text.matchAll(ROW)].map(([, question = '', name = '', input = '', claims = '']) => ({
  ...{ question, name, input: JSON.parse(input) as object },
  claims: [...claims.matchAll(CLAIM)].map(([, path = '', value = '']) => [path, JSON.parse(value) as unknown] as const),
}));

interface Answered {
  readonly id: number;
  // biome-ignore lint/suspicious/noExplicitAny: each tool answers with another document
  readonly result: any;
}

let answers: ReadonlyMap<number, Answered>;
before(async () => {
  const engine: Engine = await aLedgerWith([...PLACES, ...CAUSES_OF_PLACES]);
  const calls = rows.map(({ name, input }) => ({ method: 'tools/call', params: { name, arguments: input } }));
  const lines = [HELLO, ...calls, { method: 'tools/list' }].map((message, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, ...message }),
  );
  const { out } = await run(['mcp'], { engine, now: at(401), input: `${lines.join('\n')}\n` });
  const all = out.trimEnd().split('\n');
  answers = new Map(all.map((line): Answered => JSON.parse(line)).map((answer) => [answer.id, answer]));
});

const valueAt = (document: object, path: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: the path is checked by what it finds
  path.split('.').reduce<any>((value, key) => value?.[key], document);

test('every tool is asked by at least one question', SOON, () => {
  assert.ok(rows.length >= 10, `${rows.length} questions`);
  const { tools } = answers.get(rows.length + 1)?.result ?? assert.fail('no list');
  const names: string[] = tools.map(({ name }: { readonly name: string }) => name);
  assert.deepEqual([...new Set(rows.map(({ name }) => name))].sort(), names.sort());
});

for (const [i, { question, claims }] of rows.entries()) {
  test(`${question} is answered as docs/mcp.md says`, SOON, () => {
    const { result } = answers.get(i + 1) ?? assert.fail('no answer');
    assert.notEqual(result.isError, true, result.content[0].text);
    assert.ok(claims.length > 0);
    for (const [path, expected] of claims) {
      const found = valueAt(result.structuredContent, path);
      assert.equal(found, expected, `${path} in ${result.content[0].text}`);
    }
    assert.equal(typeof result.structuredContent.provisional, 'boolean');
    assert.ok(result.structuredContent.coverage);
  });
}
