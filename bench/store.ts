// How large and how fast the SQLite store is with many tenures in it: made from a seed, asked from inside its thread and
// through the public API. Needs no cluster.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type Engine,
  type EpochMillis,
  epochMillis,
  openStore,
  type StoredFact,
  storedFact,
  who,
  withSnapshot,
} from '@podtrail/history';
import { barOf, describeRun, measureAttribute } from './attribute.ts';
import { type Bar, BenchError, type Benchmark, type OptionValues, wholeNumber } from './benchmark.ts';
import {
  CLUSTER,
  checkpoint,
  fillStore,
  keptStore,
  LIVES_PER_BATCH,
  shapeOf,
  UNDER_WAY,
  UNTIL,
  WEEK_MS,
} from './store/filled-store.ts';
import { Chance, type HistoryShape, type MadeLife, madeHistory } from './store/made-history.ts';
import { table } from './table.ts';

const MOMENTS_PER_CALL = 5000;

export const store: Benchmark = {
  name: 'store',
  summary: 'size and speed of the SQLite store with many tenures (no cluster needed)',
  options: {
    tenures: { placeholder: 'N', help: 'tenures in the store, each with its placement', fallback: '1000000' },
    weeks: { placeholder: 'N', help: 'weeks over which they are spread', fallback: '8' },
    questions: { placeholder: 'N', help: 'questions of each kind', fallback: '20000' },
    rows: { placeholder: 'N', help: 'rows of the flow logs that are attributed', fallback: '3000000' },
    events: { placeholder: 'N', help: 'durable events to store at the end', fallback: '100000' },
    seed: { placeholder: 'N', help: 'of everything that is made up', fallback: '1' },
    directory: { placeholder: 'DIR', help: 'where the store is made, and removed again' },
    keep: { placeholder: 'DIR', help: 'fill the store there, keep it for the next run, and measure a copy' },
  },
  async run(values, session) {
    const shape = shapeOf(values);
    const directory = await mkdtemp(join(values['directory'] ?? tmpdir(), 'podtrail-bench-store-'));
    try {
      return await measure(directory, shape, values, session.log);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function measure(directory: string, shape: HistoryShape, values: OptionValues, log: (text: string) => void) {
  const path = join(directory, 'store.db');
  const questions = wholeNumber(values, 'questions', 100);
  log(`Filling a store with ${shape.tenures} tenures (seed ${shape.seed}) …`);
  const { keep } = values;
  const filled = keep === undefined ? await fillStore(path, shape, log) : await keptStore(keep, path, shape, log);
  const size = await sizeOf(path);
  log('Asking …');
  const asked = await ask(path, filled.sample, shape, questions);
  const logs = { rows: wholeNumber(values, 'rows', 1000), hours: 24, rounds: 1 };
  const attributed = await measureAttribute(path, shape, logs, directory, log);
  log('Storing events …');
  const eventsPerSecond = await storeEvents(path, wholeNumber(values, 'events', 1000), shape.seed);
  log('Forgetting a week …');
  const retention = await forgetWeek(path, shape);
  const bytesPerTenure = size.total / shape.tenures;
  const bars: Bar[] = [
    { what: 'bytes per tenure, with its placement, all indexes and dictionaries', value: bytesPerTenure, bar: 130 },
    { what: 'who inside the engine thread, p50 µs', value: asked.inside.p50, bar: 10 },
    { what: 'who inside the engine thread, p99 µs', value: asked.inside.p99, bar: 50 },
    { what: 'who through the public API, p50 µs', value: asked.whole.p50, bar: 150 },
    { what: 'who through the public API, p99 µs', value: asked.whole.p99, bar: 400 },
    { what: 'pods on a node inside the engine thread, p50 µs', value: asked.node.p50, bar: 250 },
    { what: 'retention of a week, ms', value: retention.ms, bar: 100 },
    ...attributed.map(barOf),
    { what: 'µs per durable event (20,000 a second)', value: 1e6 / eventsPerSecond, bar: 50 },
  ];
  const rows = [
    ['tenures', String(shape.tenures)],
    ['bytes per tenure', bytesPerTenure.toFixed(1)],
    ['filled, tenures/s', filled.perSecond.toFixed(0)],
    ['who in the thread, p50/p99 µs', spread(asked.inside)],
    ['who in the thread, alone, p50/p99 µs', spread(asked.alone)],
    ['who through the API, p50/p99 µs', spread(asked.whole)],
    ['pods on a node in the thread, p50/p99 µs', spread(asked.node)],
    ['trail of a UID in the thread, p50/p99 µs', spread(asked.uid)],
    ['addresses in bulk through the API, questions/s', asked.bulkPerSecond.toFixed(0)],
    ...attributed.map((run) => [`attribute CSV→CSV, times in ${run.log}`, describeRun(run)]),
    ['durable events/s', eventsPerSecond.toFixed(0)],
    ['retention of a week, ms', `${retention.ms.toFixed(1)} (${retention.records} records)`],
  ];
  const report = {
    shape,
    size,
    filled: { perSecond: filled.perSecond },
    asked,
    attributed,
    eventsPerSecond,
    retention,
  };
  return { report, table: table(['store', 'measured'], rows), bars };
}

/** Everything the store has on disk, and what of it lies where. */
async function sizeOf(
  path: string,
): Promise<{ total: number; head: number; weeks: number; parts: Record<string, number> }> {
  const head = (await stat(path)).size;
  let weeks = 0;
  const parts: Record<string, number> = {};
  for (const file of await readdir(`${path}.d`)) {
    const whole = join(`${path}.d`, file);
    weeks += (await stat(whole)).size;
    const db = new DatabaseSync(whole, { readOnly: true });
    for (const row of db.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name').all()) {
      const name = String(row['name']);
      parts[name] = (parts[name] ?? 0) + Number(row['bytes']);
    }
    db.close();
  }
  return { total: head + weeks, head, weeks, parts };
}

interface Spread {
  readonly p50: number;
  readonly p99: number;
}

/** What the thread calls, without the thread. Not part of the public surface: measured in place. */
interface Inside {
  read<T>(body: (questions: InsideQuestions) => T): T;
  close(): void;
}

interface InsideQuestions {
  tenuresAt(cluster: string, ip: string, at: number): unknown[];
  placementsOn(cluster: string, node: string, span: { from: number; to: number }, page: { limit: number }): unknown;
  tenuresOf(cluster: string, subject: unknown, span: { from: number; to: number }, page: { limit: number }): unknown;
}

async function ask(path: string, sample: readonly MadeLife[], shape: HistoryShape, questions: number) {
  const chance = new Chance(shape.seed + 1);
  const pick = () => {
    const { tenure, placement } = sample[chance.below(sample.length)]!;
    const start = tenure.start.notAfter;
    return { tenure, placement, at: (start + chance.below(Math.max(1, tenure.end!.notBefore - start))) as EpochMillis };
  };
  const from = new URL('./engines/sqlite/store.ts', import.meta.resolve('@podtrail/history'));
  const { Store } = (await import(from.href)) as { Store: new (options: object) => Inside };
  const inside = new Store({ path, access: 'read' });
  const isWrong = (found: unknown[], uid: string) =>
    !(found as { holder: { uid: string } }[]).some(({ holder }) => holder.uid === uid);
  let wrong = 0;
  const whoInside = (asked: InsideQuestions) => {
    const { tenure, at } = pick();
    return timed(() => {
      if (isWrong(asked.tenuresAt(CLUSTER.id, tenure.ip, at), tenure.holder.uid)) wrong++;
    });
  };
  // As in the thread: many requests of one message share one view of the store.
  const together = spreadOf(
    questions,
    (count) => inside.read((asked) => Array.from({ length: count }, () => whoInside(asked))),
    100,
  );
  const alone = spreadOf(questions, () => {
    const { tenure, at } = pick();
    return [timed(() => inside.read((asked) => asked.tenuresAt(CLUSTER.id, tenure.ip, at)))];
  });
  const node = spreadOf(Math.ceil(questions / 10), () => {
    const { placement, at } = pick();
    const span = { from: at, to: at + 1 };
    return [
      timed(() => inside.read((asked) => asked.placementsOn(CLUSTER.id, placement.pod.node, span, { limit: 1000 }))),
    ];
  });
  const uid = spreadOf(Math.ceil(questions / 10), () => {
    const subject = { by: 'uid', uid: pick().tenure.holder.uid };
    const span = { from: 0, to: UNTIL * 2 };
    return [timed(() => inside.read((asked) => asked.tenuresOf(CLUSTER.id, subject, span, { limit: 100 })))];
  });
  inside.close();
  const whole = await askThroughApi(path, pick, questions);
  const bulkPerSecond = await askInBulk(path, pick, questions * 10);
  if (wrong > 0) throw new BenchError(`${wrong} of ${questions} questions were answered wrong`);
  return { inside: together, alone, node, uid, whole, bulkPerSecond };
}

async function askThroughApi(
  path: string,
  pick: () => { tenure: MadeLife['tenure']; at: EpochMillis },
  questions: number,
): Promise<Spread> {
  const engine: Engine = await openStore(`sqlite:${path}`, { access: 'read' });
  const times: number[] = [];
  const warm = Math.ceil(questions / 5);
  for (let i = 0; i < questions + warm; i++) {
    const { tenure, at } = pick();
    const begun = performance.now();
    await withSnapshot(engine, CLUSTER.id, (snapshot) => who(snapshot, { ip: tenure.ip, at }));
    if (i >= warm) times.push((performance.now() - begun) * 1000);
  }
  await engine.close();
  return percentiles(times);
}

/** As `attribute` asks: many rows at once, each address again and again. */
async function askInBulk(
  path: string,
  pick: () => { tenure: MadeLife['tenure']; at: EpochMillis },
  questions: number,
): Promise<number> {
  const engine: Engine = await openStore(`sqlite:${path}`, { access: 'read' });
  const moments = Array.from({ length: questions }, () => {
    const { tenure, at } = pick();
    return { ip: tenure.ip, at };
  });
  const begun = performance.now();
  await withSnapshot(engine, CLUSTER.id, async (snapshot) => {
    const underWay: Promise<unknown>[] = [];
    for (let i = 0; i < moments.length; i += MOMENTS_PER_CALL) {
      underWay.push(snapshot.tenuresAtMany(moments.slice(i, i + MOMENTS_PER_CALL)));
      if (underWay.length >= UNDER_WAY) await underWay.shift();
    }
    await Promise.all(underWay);
  });
  const seconds = (performance.now() - begun) / 1000;
  await engine.close();
  return questions / seconds;
}

/** Pods that come and go, each with all that a recorder stores of it; durable when acknowledged. */
async function storeEvents(path: string, events: number, seed: number): Promise<number> {
  const engine = await openStore(`sqlite:${path}`, { access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  const shape = { tenures: Math.ceil(events / 2), weeks: 1, nodes: 1000, addresses: 65_536, seed: seed + 2 };
  const lives = [...madeHistory({ ...shape, until: UNTIL + WEEK_MS })];
  const batches: StoredFact[][] = [];
  for (let i = 0; i < lives.length; i += LIVES_PER_BATCH) {
    const some = lives.slice(i, i + LIVES_PER_BATCH);
    batches.push(some.flatMap(begun), some.flatMap(ended));
  }
  const start = performance.now();
  const underWay: Promise<void>[] = [];
  for (const facts of batches) {
    underWay.push(writer.append({ facts, checkpoint: checkpoint(1) }));
    if (underWay.length >= UNDER_WAY) await underWay.shift();
  }
  await Promise.all(underWay);
  const seconds = (performance.now() - start) / 1000;
  await engine.close();
  return (lives.length * 2) / seconds;
}

function begun({ tenure, placement }: MadeLife): StoredFact[] {
  const open = { ...tenure, end: undefined };
  const placed = { ...placement, end: undefined };
  const { epoch, resourceVersion, observedAt } = tenure.start;
  const live = {
    holder: tenure.holder,
    epoch,
    resourceVersion,
    seenAt: observedAt,
    terminal: false,
    tenures: [open],
    placement: placed,
    blankSince: undefined,
    networkReadyAt: tenure.start.at,
    networkLostAt: undefined,
    annotations: [],
  };
  return [
    { kind: 'tenure', tenure: open },
    { kind: 'placement', placement: placed },
    storedFact({ kind: 'live', uid: tenure.holder.uid, live }),
  ];
}

function ended({ tenure, placement }: MadeLife): StoredFact[] {
  return [
    { kind: 'tenure', tenure },
    { kind: 'placement', placement },
    { kind: 'live', uid: tenure.holder.uid, state: undefined },
  ];
}

async function forgetWeek(path: string, { weeks }: HistoryShape): Promise<{ ms: number; records: number }> {
  const engine = await openStore(`sqlite:${path}`, { access: 'write' });
  const start = performance.now();
  const records = await engine.prune(CLUSTER.id, epochMillis(UNTIL - (weeks - 1) * WEEK_MS));
  const ms = performance.now() - start;
  await engine.close();
  return { ms, records };
}

/** Microseconds. */
function timed(body: () => void): number {
  const begun = process.hrtime.bigint();
  body();
  return Number(process.hrtime.bigint() - begun) / 1000;
}

/** A first part of the questions warms up and is not counted. */
function spreadOf(questions: number, round: (count: number) => number[], perRound = 1): Spread {
  const times: number[] = [];
  const warm = Math.ceil(questions / 5);
  for (let i = 0; i < questions + warm; i += perRound) {
    const measured = round(perRound);
    if (i >= warm) times.push(...measured);
  }
  return percentiles(times);
}

function percentiles(times: number[]): Spread {
  times.sort((a, b) => a - b);
  return { p50: times[Math.floor(times.length / 2)]!, p99: times[Math.floor(times.length * 0.99)]! };
}

function spread({ p50, p99 }: Spread): string {
  return `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
}
