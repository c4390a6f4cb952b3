// Damage that SQLite does not notice, or that makes it lead astray: never a wrong answer, always a report by verify.

import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { HistoryError } from '../../errors.ts';
import { who } from '../../query/who.ts';
import { scratchDirectory } from '../../testing/scratch-directory.ts';
import type { Engine } from '../engine.ts';
import {
  aChange,
  aCoverage,
  aPlacement,
  aTenure,
  at,
  changeFact,
  coverageFact,
  ipOf,
  placementFact,
  tenureFact,
} from '../testing/record-builders.ts';
import { withSnapshot } from '../with-snapshot.ts';
import { Head } from './head/head.ts';
import { HeadReader } from './head/head-read.ts';
import { verifyHead } from './head/verify-head.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import { unpackGolden } from './testing/golden-store.ts';
import { InThreadEngine } from './testing/in-thread-engine.ts';

const directory = scratchDirectory('damage');
const WEEK_S = 7 * 86_400;
const CLUSTERS = [
  { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' },
  { id: 'b7c0b3a4-0000-4000-8000-000000000002', name: 'test' },
];
const [PROD] = CLUSTERS as [(typeof CLUSTERS)[0]];
const ALL = { limit: 1000 };
const ALWAYS = { from: at(-WEEK_S), to: at(10 * WEEK_S) };
let stores = 0;

/** Forty pods a week, each with an address of its own; weeks 0 and 1 are sealed, week 2 is in the head. */
async function store(): Promise<string> {
  const path = join(directory, `${++stores}.db`);
  const engine = new InThreadEngine({ path, access: 'write', sealAt: 1 });
  const writers = await Promise.all(CLUSTERS.map((cluster) => engine.takeOver(cluster)));
  for (const week of [0, 1, 2]) {
    for (const writer of writers) {
      const start = week * WEEK_S + 1000;
      const facts = Array.from({ length: 40 }, (_, i) => {
        const name = `pod-${week}-${i}-${writer.cluster.name}`;
        return [
          tenureFact(aTenure(`10.0.0.${i}`, name, start, start + 500)),
          placementFact(aPlacement(name, start, start + 500)),
          changeFact(aChange(name, start + i)),
        ];
      });
      await writer.append({ facts: [...facts.flat(), coverageFact(aCoverage(0, (week + 1) * WEEK_S))] });
    }
    if (week === 1) await engine.maintain(at(2 * WEEK_S + 86_400));
  }
  await engine.close();
  return path;
}

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

async function asking<T>(path: string, ask: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = new InThreadEngine({ path, access: 'read' });
  try {
    return await ask(engine);
  } finally {
    await engine.close();
  }
}

/** Of every address in every week: the holder's name, `free`, or why it is unknown. */
async function answersOf(engine: Engine, cluster = PROD): Promise<string[]> {
  const answers: string[] = [];
  for (const week of [0, 1, 2]) {
    for (let i = 0; i < 40; i++) {
      const question = { cluster: cluster.id, ip: ipOf(`10.0.0.${i}`), at: at(week * WEEK_S + 1250) };
      const { answer, reason, holders } = await withSnapshot(engine, question.cluster, (snapshot) =>
        who(snapshot, question),
      );
      answers.push(answer === 'held' ? (holders[0]?.name ?? '') : answer === 'unknown' ? `${reason}` : answer);
    }
  }
  return answers;
}

const TRUTH = [0, 1, 2].flatMap((week) => Array.from({ length: 40 }, (_, i) => `pod-${week}-${i}-prod`));

/** No answer is wrong, `damaged` ones are there, and verify says so. Returns how many of each week. */
async function judged(path: string): Promise<number[]> {
  return await asking(path, async (engine) => {
    const answers = await answersOf(engine);
    for (const [i, answer] of answers.entries()) if (answer !== 'damaged') assert.equal(answer, TRUTH[i]);
    assert.ok((await engine.verify()).damages.length > 0, 'verify reports it');
    const isDamaged = answers.map((answer) => answer === 'damaged');
    return [0, 1, 2].map((week) => isDamaged.slice(week * 40, week * 40 + 40).filter(Boolean).length);
  });
}

test('a whole store answers everything, and verify has nothing to report', async () => {
  const path = await store();
  await asking(path, async (engine) => {
    assert.deepEqual(await answersOf(engine), TRUTH);
    const { damages, unlisted } = await engine.verify();
    assert.deepEqual([damages, unlisted], [[], []]);
  });
});

test('verify has nothing to report of a whole store that a recorder writes to meanwhile', async () => {
  const path = await store();
  const engine = new InThreadEngine({ path, access: 'write', sealAt: 1 });
  const writer = await engine.takeOver(PROD);
  const head = new Head(path, 'read');
  const damages: string[] = [];
  const report = (where: string, error: unknown): void => void damages.push(`${where}: ${error}`);
  let written = 0;
  for (const _ of verifyHead({ head, reader: new HeadReader(head), report })) {
    const start = 2 * WEEK_S + 2000 + written;
    const name = `later-${++written}`;
    const tenure = tenureFact(aTenure(`10.0.1.${written}`, name, start, start + 500));
    const facts = [tenure, placementFact(aPlacement(name, start, start + 500)), changeFact(aChange(name, start))];
    await writer.append({ facts: [...facts, coverageFact(aCoverage(0, 3 * WEEK_S + written))] });
  }
  head.close();
  await engine.close();
  assert.ok(written > 10);
  assert.deepEqual(damages, []);
});

test('a row that is missing is damaged, not free; other addresses and other times go on', async () => {
  const path = await store();
  change(path, 'DELETE FROM tenure WHERE number = (SELECT min(number) FROM tenure)');
  assert.deepEqual(await judged(path), [0, 0, 1]);
});

test('an entry of the index by address that is missing, altered or older is damaged, not free', async () => {
  const path = await store();
  const bytes = readFileSync(path);
  const alter: Record<string, string> = {
    missing: 'DELETE FROM bucket WHERE place = (SELECT min(place) FROM bucket)',
    altered: "UPDATE bucket SET body = substr(body, 1, 9) || x'ff' || substr(body, 11) WHERE place % 2 = 0",
    'in the place of another':
      'UPDATE bucket SET body = (SELECT body FROM bucket ORDER BY place LIMIT 1) WHERE place % 3 = 0',
  };
  for (const [how, sql] of Object.entries(alter)) {
    writeFileSync(path, bytes);
    change(path, sql);
    const [first, second, third] = await judged(path);
    assert.ok(third! > 0, how);
    assert.ok(first! + second! + third! < 120, `${how}: not everything is lost`);
  }
});

test('a change that is missing, or coverage that is, is noticed by whoever reads it', async () => {
  const path = await store();
  change(path, 'DELETE FROM occurrence WHERE kind = 1 AND key = (SELECT max(key) FROM occurrence WHERE kind = 1)');
  await asking(path, async (engine) => {
    const subject = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
    const ask = (from: number, to: number) =>
      withSnapshot(engine, PROD.id, (snapshot) =>
        snapshot.occurrences({ kind: 'change', subject, span: { from: at(from), to: at(to) }, page: ALL }),
      ).catch(({ code }) => code as string);
    const answers = [await ask(0, WEEK_S), await ask(WEEK_S, 2 * WEEK_S), await ask(2 * WEEK_S, 3 * WEEK_S)];
    const other = await withSnapshot(engine, CLUSTERS[1]!.id, (snapshot) =>
      snapshot.occurrences({ kind: 'change', subject, span: ALWAYS, page: ALL }),
    ).catch(({ code }) => code as string);
    assert.equal([...answers, other].filter((answer) => answer === 'damaged').length, 1);
    assert.ok((await engine.verify()).damages.length > 0);
  });
  const another = await store();
  change(another, 'DELETE FROM coverage');
  assert.deepEqual(await judged(another), [40, 40, 40]);
});

test('an altered entry of the list of week files, or an altered expired range, is noticed', async () => {
  for (const sql of [
    'UPDATE week SET week = week - 1',
    "UPDATE week SET file = replace(file, 'c1', 'c2')",
    'UPDATE cluster SET expired_from = 0, expired_to = 9999999999999',
    'DELETE FROM week WHERE cluster = 1',
  ]) {
    const path = await store();
    change(path, sql);
    assert.deepEqual(await judged(path), [40, 40, 40], sql);
  }
});

test('week files that change places, are renamed, missing or an older edition are not answered from', async () => {
  const files = (path: string) => readdirSync(`${path}.d`).map((file) => join(`${path}.d`, file));
  const kinds: Record<string, (weeks: string[]) => void> = {
    swapped: ([one, other]) => {
      const bytes = readFileSync(one!);
      copyFileSync(other!, one!);
      writeFileSync(other!, bytes);
    },
    "another cluster's": (weeks) => {
      const ours = weeks.filter((file) => file.includes('-c1-'));
      for (const file of ours) copyFileSync(file.replace('-c1-', '-c2-'), file);
    },
    renamed: ([one]) => renameSync(one!, one!.replace('-W', '-W9').replace(/W9(\d)\d/, 'W9$1')),
    missing: ([one]) => rmSync(one!),
  };
  for (const [how, alter] of Object.entries(kinds)) {
    const path = await store();
    alter(files(path));
    const [first, second, third] = await judged(path);
    assert.ok(first! + second! >= 40, how);
    assert.equal(third, 0, `${how}: the head goes on`);
    if (how !== 'renamed') continue;
    const { unlisted } = await asking(path, (engine) => engine.verify());
    assert.equal(unlisted.length, 1);
  }
});

test('the beginnings of UIDs beside the lives of a week file lead nobody astray', async () => {
  const path = await store();
  for (const file of readdirSync(`${path}.d`)) change(join(`${path}.d`, file), "UPDATE life SET first = x'00'");
  await asking(path, async (engine) => {
    let found = 0;
    for (let i = 0; i < 40; i++) {
      const subject = { by: 'uid', uid: `uid-pod-0-${i}-prod` } as const;
      const answer = await withSnapshot(engine, PROD.id, (snapshot) => snapshot.tenuresOf(subject, ALWAYS, ALL)).catch(
        ({ code }) => code as string,
      );
      if (typeof answer === 'string') assert.equal(answer, 'damaged');
      else {
        assert.equal(answer.items.length, 1);
        found++;
      }
    }
    assert.ok(found < 40);
    assert.ok((await engine.verify()).damages.length > 0);
  });
});

test('a week file of version 1 is read through when it is opened, and is damaged as a whole', async () => {
  const path = join(directory, `${++stores}.db`);
  unpackGolden('v1', path);
  await new InThreadEngine({ path, access: 'write' }).close();
  const [week] = readdirSync(`${path}.d`).sort();
  const file = join(`${path}.d`, week!);
  const span = { from: at(0), to: at(10 * WEEK_S) };
  const ask = (engine: Engine) =>
    withSnapshot(engine, PROD.id, (snapshot) => snapshot.placementsOf({ by: 'uid', uid: 'uid-pod-4-1' }, span, ALL));
  assert.equal((await asking(path, ask)).items.length, 1);
  change(file, 'DELETE FROM posting WHERE place = (SELECT max(place) FROM posting)');
  await assert.rejects(asking(path, ask), { code: 'damaged', message: new RegExp(week!) });
});

test('a store that lost the end of its log says so in verify, and knows less', async () => {
  const path = join(directory, `${++stores}.db`);
  const engine = await SqliteEngine.open({ path, access: 'write' });
  const writer = await engine.takeOver(PROD);
  const append = (step: number) =>
    writer.append({
      facts: [
        tenureFact(aTenure(`10.0.0.${step}`, `pod-${step}`, step * 100 + 10)),
        coverageFact(aCoverage(0, step * 100 + 100)),
      ],
    });
  for (let step = 0; step < 20; step++) await append(step);
  const copy = join(directory, `${++stores}.db`);
  for (const end of ['', '-wal', '.mark']) copyFileSync(`${path}${end}`, `${copy}${end}`);
  await engine.close();
  const log = readFileSync(`${copy}-wal`);
  log[Math.floor(log.length * 0.7)]! ^= 1;
  writeFileSync(`${copy}-wal`, log);
  await asking(copy, async (damaged) => {
    const last = { cluster: PROD.id, ip: ipOf('10.0.0.19'), at: at(1950) };
    const { answer, reason } = await withSnapshot(damaged, last.cluster, (snapshot) => who(snapshot, last));
    assert.deepEqual([answer, reason], ['unknown', 'after-last-record']);
    const { damages } = await damaged.verify();
    assert.match(damages.map(({ what }) => what).join(), /last \d+ commits are lost/);
  });
});

test('a patrol reads the store through in parts, finds the damage, and begins again', async () => {
  const path = await store();
  change(path, 'DELETE FROM tenure WHERE number = (SELECT min(number) FROM tenure)');
  await asking(path, async (engine) => {
    for (let pass = 0; pass < 2; pass++) {
      let parts = 0;
      const found: string[] = [];
      for (;;) {
        const { isFinished, damages } = await engine.patrol(1, at(0));
        parts++;
        found.push(...damages.map(({ where }) => where));
        if (isFinished) break;
      }
      assert.ok(parts > 5, `${parts} parts`);
      assert.ok(found.some((where) => /tenure/.test(where)));
    }
  });
});

test('what a patrol found is noted beside the store, for other processes, until the next one has read everything', async () => {
  const path = await store();
  const pass = async (now: number): Promise<void> => {
    const engine = new InThreadEngine({ path, access: 'write' });
    for (let part = 0; ; part++) {
      const { isFinished } = await engine.patrol(1, at(now + part));
      if (part === 0) assert.equal((await asking(path, (reader) => reader.patrolled()))?.at, at(now));
      if (isFinished) break;
    }
    await engine.close();
  };
  assert.equal(await asking(path, (reader) => reader.patrolled()), undefined);
  await asking(path, (reader) => reader.patrol(1, at(1)));
  assert.equal(await asking(path, (reader) => reader.patrolled()), undefined, 'who only reads leaves nothing');
  await pass(100);
  const first = await asking(path, (reader) => reader.patrolled());
  assert.deepEqual([first?.damages, first?.whole?.damages], [0, 0]);
  const [week = ''] = readdirSync(`${path}.d`);
  const spoiled = readFileSync(join(`${path}.d`, week));
  spoiled[spoiled.length - 100]! ^= 1;
  writeFileSync(join(`${path}.d`, week), spoiled);
  await pass(1000);
  const second = await asking(path, (reader) => reader.patrolled());
  assert.ok((second?.whole?.damages ?? 0) > 0);
  assert.ok(second?.whole?.where?.includes(week), String(second?.whole?.where));
  assert.ok((second?.whole?.at ?? 0) > at(1000));
});

/** Changes bytes of the closed head, page by page. */
function spoil(path: string, wanted: (page: Buffer, number: number) => boolean, how: (page: Buffer) => void): void {
  const bytes = readFileSync(path);
  const size = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
  let spoiled = 0;
  for (let at = size; at < bytes.length; at += size) {
    const page = bytes.subarray(at, at + size);
    if (!wanted(page, at / size + 1)) continue;
    how(page);
    spoiled++;
  }
  assert.ok(spoiled > 0, 'there is such a page');
  writeFileSync(path, bytes);
}

const INDEX_LEAF = 0x0a;
const REFUSED: readonly (readonly [sentence: string, spoil: (path: string) => void])[] = [
  [
    'an index that leads past a cluster',
    (path) =>
      spoil(
        path,
        (page) => page[0] === INDEX_LEAF && page.includes(PROD.id),
        (page) => void (page[page.indexOf(PROD.id)]! ^= 1),
      ),
  ],
  [
    'a page of occurrences that SQLite cannot read',
    (path) => {
      const db = new DatabaseSync(path);
      const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'occurrence'").get()!['rootpage'];
      db.close();
      spoil(
        path,
        (_, number) => number === root,
        (page) => page.fill(0),
      );
    },
  ],
];

for (const [sentence, spoilStore] of REFUSED) {
  test(`a writer is refused in words of ours, with what to do: ${sentence}`, async () => {
    const path = await store();
    spoilStore(path);
    const write = async (engine: Engine) => {
      try {
        const writer = await engine.takeOver(PROD);
        await writer.append({ facts: [changeFact(aChange('pod-new', 2 * WEEK_S + 5000))] });
      } finally {
        await engine.close();
      }
    };
    const isRefusal = (error: HistoryError) => {
      assert.deepEqual([error.name, error.code], ['HistoryError', 'store-damaged'], String(error.stack));
      assert.match(error.message, /is damaged, and nothing was written to it: /);
      assert.match(error.hint ?? '', /restore it from a backup\..* move .*\.db and all files beside it .* away/);
      return true;
    };
    await assert.rejects(async () => write(new InThreadEngine({ path, access: 'write' })), isRefusal);
    await assert.rejects(async () => write(await SqliteEngine.open({ path, access: 'write' })), isRefusal);
  });
}
