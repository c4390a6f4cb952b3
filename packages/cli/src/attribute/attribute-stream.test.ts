import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { allRecords, type Engine, openStore, parseIp, type StoredFact, who, withSnapshot } from '@podtrail/history';
import { readerWith } from '@podtrail/history/testing';
import { type Attribution, MALFORMED } from '@podtrail/history/wire';
import { seededRandom } from '@podtrail/machinery';
import { run } from '../testing/run-in-process.ts';
import { aStory, at, CLUSTER } from '../testing/story.ts';
import { csvTail } from './columns.ts';

const NOW = at(201);

/** The story, with a pod that has two addresses and a name that needs quotes. */
async function storyFacts(): Promise<StoredFact[]> {
  const facts = await Array.fromAsync(allRecords(await aStory(), CLUSTER.id));
  const template = facts.find((fact) => fact.kind === 'tenure' && fact.tenure.end !== undefined);
  assert.ok(template?.kind === 'tenure');
  for (const ip of ['10.0.0.66', 'fd00::66']) {
    const holder = { ...template.tenure.holder, name: 'dual,"é"', uid: `uid-dual-${ip}` };
    facts.push({ kind: 'tenure', tenure: { ...template.tenure, ip: parseIp(ip)!, holder } });
  }
  return facts;
}

async function withStores(use: (engine: Engine, name: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-attribute-'));
  try {
    for (const url of ['memory:', `sqlite:${join(directory, 'kept.db')}`, `sqlite:${join(directory, 'expired.db')}`]) {
      const engine = await openStore(url, { access: 'write' });
      await (await engine.takeOver(CLUSTER)).append({ facts: await storyFacts() });
      if (url.endsWith('expired.db')) await engine.prune(CLUSTER.id, at(62));
      await use(engine, url.slice(0, 7)).finally(() => engine.close());
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface MadeRow {
  readonly text: string;
  /** As it goes out, if that is not as it came. */
  readonly out?: string;
  readonly ip?: string;
  readonly time?: number;
}

const ADDRESSES = [
  '10.0.0.5',
  '10.0.0.7',
  '10.0.0.8',
  '10.0.0.9',
  '10.0.0.66',
  'fd00::66',
  '192.168.0.1',
  '10.96.0.10',
];
const SPELLINGS: readonly ((ip: string) => string)[] = [
  (ip) => ip,
  (ip) => ip,
  (ip) => ` ${ip} `,
  (ip) => (ip.includes(':') ? ip.toUpperCase() : `::ffff:${ip}`),
  (ip) => (ip.includes(':') ? `[${ip}]` : ip),
];
const CLOCKS: readonly ((time: number) => string)[] = [
  (time) => new Date(time).toISOString(),
  (time) => new Date(time).toISOString().replace('T', ' '),
  (time) => new Date(time + 7_200_000).toISOString().replace('Z', '000+02:00'),
  (time) => (time / 1000).toFixed(3),
  (time) => String(time),
];

function madeRow(random: () => number): MadeRow {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const ip = pick(ADDRESSES);
  const time = at(0) + Math.floor((random() * 500 - 200) * 1000);
  const spelled = pick(SPELLINGS)(ip);
  const clock = pick(CLOCKS)(time);
  switch (Math.floor(random() * 16)) {
    case 0:
      return { text: `"${clock}","${spelled}","quo,ted ""x"" \u00e9"`, ip, time };
    case 1:
      return { text: `${clock},${spelled},"two\nlines"`, ip, time };
    case 2:
      return { text: `${clock},***HIDDEN***,x` };
    case 3:
      return { text: `${clock},${spelled}`, out: `${clock},${spelled},` };
    case 4:
      return { text: `${clock},${spelled},x,=y`, out: `${clock},${spelled},"x,=y"` };
    case 5:
      return { text: `15m,${spelled},x` };
    case 6:
      return { text: `${clock},${spelled},"a"b`, out: `${clock},${spelled},ab` };
    case 7:
      return { text: '' };
    default:
      return { text: `${clock},${spelled},plain 5" \u00e9`, ip, time };
  }
}

test('every row has the answer that who gives for it, whatever the rows look like and wherever chunks are cut', async () => {
  const seed = 515;
  const random = seededRandom(seed);
  await withStores(async (engine, store) => {
    for (const [lineEnd, bom, isOrdered] of [
      ['\n', '', true],
      ['\r\n', '\ufeff', false],
    ] as const) {
      const rows = Array.from({ length: 1500 }, () => madeRow(random));
      if (isOrdered) rows.sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
      const header = `${bom}t,src,pod`;
      const input = Buffer.from([header, ...rows.map(({ text }) => text)].join(lineEnd) + lineEnd);
      const chunks = async function* () {
        for (let from = 0, to = 0; from < input.length; from = to) {
          to = from + 1 + Math.floor(random() ** 3 * 40_000);
          yield input.subarray(from, to);
        }
      };
      const written: Buffer[] = [];
      const stdout = { isTTY: false, write: async (b: string | Uint8Array) => void written.push(Buffer.from(b)) };
      const words = 'attribute - --ip src --time t'.split(' ');
      const { code } = await run(words, { engine, now: NOW, stdin: chunks(), stdout });
      const out = Buffer.concat(written).toString();
      assert.equal(code, 0);
      const ours = 'answer,kind,namespace,podtrail_pod,uid,node,workload,from,to,candidates';
      const expected = [`${header},${ours}`];
      for (const { text, out: mended, ip, time } of rows) {
        if (text === '') expected.push('');
        else expected.push(`${mended ?? text},${csvTail(await truth(engine, ip, time))}`);
      }
      const found = out.split(lineEnd);
      for (const [i, line] of expected.join(lineEnd).split(lineEnd).entries()) {
        assert.equal(found[i], line, `seed ${seed}, ${store}, line ${i}`);
      }
      assert.equal(out, `${expected.join(lineEnd)}${lineEnd}`);
    }
  });
});

async function truth(engine: Engine, ip: string | undefined, time: number | undefined): Promise<Attribution> {
  if (ip === undefined || time === undefined) return MALFORMED;
  const question = { cluster: CLUSTER.id, ip: parseIp(ip)!, at: time as typeof NOW, now: NOW };
  const { answer, holders, provisional } = await withSnapshot(engine, question.cluster, (snapshot) =>
    who(snapshot, question),
  );
  const shown = holders.map(({ start, end, ...holder }) => ({ ...holder, from: start.at, to: end?.at }));
  return { answer, holders: shown, provisional };
}

test('no more is read than a slow reader of the output takes, and one write waits for the one before', async () => {
  const engine = await aStory();
  const line = '2026-11-15T10:00:30Z,10.0.0.7,x\n';
  const perChunk = 2000;
  let read = 0;
  let written = 0;
  let isWriting = false;
  let furthest = 0;
  const input = async function* () {
    yield Buffer.from('t,src,x\n');
    for (; read < 200; read++) {
      furthest = Math.max(furthest, read - written / perChunk);
      yield Buffer.from(line.repeat(perChunk));
    }
  };
  const stdout = {
    isTTY: false,
    write: async (bytes: string | Uint8Array) => {
      assert.equal(isWriting, false);
      isWriting = true;
      await new Promise((resolve) => setImmediate(resolve));
      isWriting = false;
      written += Buffer.from(bytes).toString('latin1').split('\n').length - 1;
    },
  };
  await run('attribute - --ip src --time t'.split(' '), { engine, now: NOW, stdin: input(), stdout });
  assert.equal(written, 200 * perChunk + 1);
  assert.ok(furthest <= 2, `${furthest} chunks were waiting`);
});

test('a ledger that fails in the middle fails the command with its own sentence', async () => {
  const engine = await aStory();
  let calls = 0;
  const failing = readerWith(engine, (snapshot) => ({
    tenuresOfIps: (spans, most) =>
      calls++ > 0 ? Promise.reject(new Error('the disk is gone')) : snapshot.tenuresOfIps(spans, most),
  }));
  const rows = Array.from({ length: 40_000 }, (_, i) => `1794736830,10.1.${i >> 8}.${i & 255}\n`).join('');
  const { code, err } = await run('attribute - --ip src --time t'.split(' '), {
    engine: failing,
    now: NOW,
    input: `t,src\n${rows}`,
  });
  assert.equal(code, 1);
  assert.match(err, /the disk is gone/);
});
