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

/** The code of the refusal, or `answered`. */
async function sent(log: string | Uint8Array, more: object = {}): Promise<string> {
  const input = chunks(typeof log === 'string' ? Buffer.from(log) : log);
  const parameters = { ip: ['src'], time: 't', headers: true, ...more };
  const { signal } = new AbortController();
  try {
    await attributeLog({ input, write: async () => {}, parameters, ledger: await ledger(), signal });
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
