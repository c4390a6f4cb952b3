// Logs over HTTP: what one of them may cost the process that answers it, whoever sent it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ALL_VISIBLE, type AskAttributions, askAttributions } from '@podtrail/history/wire';
import { Problem } from '@podtrail/operator/serving';
import { aStory, at, CLUSTER } from '../testing/story.ts';
import { attributeLog } from './attribute-log.ts';
import { attributeStream } from './attribute-stream.ts';
import { SERVED_LIMITS } from './log-limits.ts';

const MIB = 1 << 20;
const HEADER = 'src,t\n';
const ROW = '10.0.0.7,2026-11-15T10:00:30Z\n';
const JSON_ROW = '{"src":"10.0.0.7","t":"2026-11-15T10:00:30Z"}\n';

async function ledger(): Promise<AskAttributions> {
  return askAttributions(await aStory(), ALL_VISIBLE, CLUSTER.id, () => at(201));
}

async function* chunks(bytes: Uint8Array, size = 64 << 10) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** The rows that are sent back. */
async function answered(log: string | Uint8Array, more: object = {}): Promise<string> {
  const input = chunks(typeof log === 'string' ? Buffer.from(log) : log);
  const parameters = { ip: ['src'], time: 't', headers: true, ...more };
  const { signal } = new AbortController();
  let rows = '';
  const write = async (bytes: string | Uint8Array) => void (rows += Buffer.from(bytes).toString());
  await attributeLog({ input, write, parameters, ledger: await ledger(), signal });
  return rows;
}

/** The code of the refusal, or `answered`. */
async function sent(log: string | Uint8Array, more: object = {}): Promise<string> {
  try {
    await answered(log, more);
    return 'answered';
  } catch (error) {
    if (error instanceof Problem && error.status === 400) return error.code;
    throw error;
  }
}

test('a log over HTTP gives others their turn after every 16 KiB, within a record, too', async () => {
  const logs = [HEADER + ROW.repeat(40_000), `${HEADER}${ROW}"${'""\n'.repeat(300_000)}"\n`, JSON_ROW.repeat(20_000)];
  for (const log of logs) {
    const bytes = Buffer.from(log);
    let turns = 0;
    await attributeStream({
      inputs: (async function* () {
        yield { name: undefined, isFound: false, bytes: chunks(bytes, bytes.length) };
      })(),
      out: { isTTY: false, write: async () => {} },
      columns: {
        ...{ format: undefined, ips: ['src'], prefixes: undefined, time: 't' },
        ...{ end: undefined, columns: undefined, traffic: undefined },
      },
      ...{ format: undefined, headers: true, zone: undefined, ledger: await ledger() },
      ...{ signal: new AbortController().signal, limits: SERVED_LIMITS, yieldTurn: async () => void turns++ },
    });
    assert.ok(turns >= Math.floor(bytes.length / (16 << 10)), `${turns} for ${bytes.length} bytes`);
  }
});

test('a record or a line of more than 1 MiB is refused over HTTP', async () => {
  const long = 'x'.repeat(2 * MIB);
  const logs: readonly (readonly [what: string, log: string, more?: object])[] = [
    ['a line of CSV', `${HEADER}${ROW}${long}\n`],
    ['a quote that is not closed', `${HEADER}${ROW}"${'x\n'.repeat(MIB)}`],
    ['a field in quotes', `${HEADER}${ROW}"${long}",t\n`],
    ['the header', long],
    ['a line of JSON', `${JSON_ROW}${long}\n`],
    ['a line of JSON that does not end', `${JSON_ROW}${long}`],
    ['an element of an array', `[${JSON_ROW},{"a":"${long}"}]`],
    ['one whose commas are its columns', `${HEADER}${ROW}${','.repeat(2 * MIB)}\n`, { output: 'jsonl' }],
  ];
  for (const [what, log, more] of logs) assert.equal(await sent(log, more), 'attribute-record-too-long', what);
  assert.equal(await sent(`${HEADER}${ROW}"${'""'.repeat(MIB / 2 - 20)}",t\n`), 'answered');
});

test('a record of JSON of tens of thousands of members is marked over HTTP before it is taken apart', async () => {
  const named = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join();
  const most = 4_096;
  for (const [members, isMarked] of [
    [named(most - 2), false],
    [`"more":[{${named(most - 3)}}]`, false],
    [`"more":${JSON.stringify('a:1 '.repeat(most))}`, false],
    [named(most - 1), true],
    [`"more":[{${named(most - 2)}}]`, true],
    [`"more":[1${',1'.repeat(16_000)}]`, false],
    [named(80_000), true],
  ] as const) {
    for (const output of members.length > 100_000 ? ['jsonl'] : ['jsonl', 'csv']) {
      const rows = await answered(`${JSON_ROW}${JSON_ROW.replace('}', `,${members}}`)}${JSON_ROW}`, { output });
      const answers = rows.match(output === 'csv' ? /\b(held|malformed)\b/g : /(?<="answer":")\w+/g);
      assert.deepEqual(answers, ['held', isMarked ? 'malformed' : 'held', 'held'], `${members.length} ${output}`);
      if (isMarked && output === 'jsonl') assert.match(rows, /"problem":"a record of more than 4096 members"/);
    }
  }
});

test('a record of a hundred thousand tuples is marked over HTTP, before each becomes a row', async () => {
  const record = (tuples: readonly string[]) =>
    JSON.stringify({
      category: 'NetworkSecurityGroupFlowEvent',
      properties: { flows: [{ rule: 'r', flows: [{ mac: 'm', flowTuples: tuples }] }] },
    });
  const tuple = '1794736830,10.0.0.7,10.0.0.9,35370,23,T,I,A,B,,,,';
  const log = (tuples: readonly string[]) =>
    answered(`{"records":[${record(tuples)}]}\n`, { ip: undefined, time: undefined });
  const few = await log(Array.from({ length: 10_000 }, () => tuple));
  assert.equal(few.match(/"src_answer":"held"/g)?.length, 10_000);
  const many = await log(Array.from({ length: 100_000 }, () => ''));
  assert.match(many, /"problem":"a record of more than 16384 values"/);
  assert.equal(many.trim().split('\n').length, 1);
});

test('columns are so many, and their names so long, that each row can have them', async () => {
  const names = Array.from({ length: 300 }, (_, i) => `c${i}`);
  const members = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
  assert.equal(await sent(`src,t,${names}\n${ROW}`), 'attribute-too-many-columns');
  assert.equal(await sent(`${members}\n${JSON_ROW}`, { output: 'csv' }), 'attribute-too-many-columns');
  assert.equal(await sent(`src,t,${'n'.repeat(20_000)}\n${ROW}`), 'attribute-header-too-long');
  assert.equal(await sent(`${HEADER}${ROW.trim()}${',x'.repeat(10_000)}\n`, { output: 'jsonl' }), 'answered');
});

test('a log that unpacks to more than a hundred times its size is refused, and a small one is not', async () => {
  assert.equal(await sent(gzipSync(HEADER + ROW.repeat(100_000))), 'answered');
  assert.equal(await sent(gzipSync(HEADER + `${'x'.repeat(999)}\n`.repeat(20_000))), 'attribute-unpacks-too-large');
});
