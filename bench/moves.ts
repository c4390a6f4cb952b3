// What a listing of moves and one explanation cost in a store with a day of departures and their evidence: through the
// wire, as a command asks, each on a store that was just opened. The peer is SQLite alone, reading the same records by
// their keys. Needs no cluster.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Engine, epochMillis, openStore, type Snapshot } from '@podtrail/history';
import { ALL_VISIBLE, askExplain, askMoves, type MovesFound, type Paging, withSnapshot } from '@podtrail/history/wire';
import { type Bar, BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import { median } from './median.ts';
import { DAY_MS, type DayShape, endOf, madeDay, podOf } from './moves/made-departures.ts';
import { table } from './table.ts';

const CLUSTER = { id: 'f0000000-0000-4000-8000-000000000001', name: 'bench' };
/** A Monday. */
const FROM = Date.UTC(2026, 10, 9);
const PAGE = 100;
const ROUNDS = 5;

export const moves: Benchmark = {
  name: 'moves',
  summary: 'what moves and explain cost in a day of departures (no cluster needed)',
  options: {
    departures: { placeholder: 'N', help: 'pods that end within the day', fallback: '100000' },
    workloads: { placeholder: 'N', help: 'workloads that they are of', fallback: '2000' },
    pages: { placeholder: 'N', help: 'pages of the day that are read one after the other; 0 is all', fallback: '50' },
    directory: { placeholder: 'DIR', help: 'where the store is made, and removed again' },
  },
  async run(values, session) {
    const departures = wholeNumber(values, 'departures', 1000);
    const workloads = wholeNumber(values, 'workloads', 1);
    const shape: DayShape = { departures, from: FROM, workloads, nodes: 200, namespaces: 20 };
    const directory = await mkdtemp(join(values['directory'] ?? tmpdir(), 'podtrail-bench-moves-'));
    try {
      return await measure(join(directory, 'store.db'), shape, wholeNumber(values, 'pages', 0), session.log);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function measure(path: string, shape: DayShape, pages: number, log: (text: string) => void) {
  log(`Storing a day with ${shape.departures} departures …`);
  const filled = await fill(path, shape);
  const bytes = (await stat(path)).size;
  log('Asking …');
  const page = await rounds(path, (engine, round) => askPage(engine, shape, round));
  const one = await rounds(path, (engine, round) => askOne(engine, shape, round));
  const peer = page.map(({ keys }) => selectAlone(path, keys));
  const day = await readDay(path, shape, pages);
  const pageMs = median(page.map(({ ms }) => ms));
  const peerMs = median(peer);
  const oneMs = median(one.map(({ ms }) => ms));
  const bars: Bar[] = [
    { what: `a page of ${PAGE} moves of a store that was just opened, ms`, value: pageMs, bar: 1000 },
    { what: 'one page of the day at the most, ms (a snapshot lives for 60 s)', value: day.longestMs, bar: 60_000 },
  ];
  const rows = [
    ['stored', `${shape.departures} departures, ${filled.facts} facts, ${(bytes / 1e6).toFixed(0)} MB`],
    ['facts stored a second', Math.round((filled.facts / filled.storeMs) * 1000).toLocaleString('en')],
    ['maintenance, which builds the indexes', `${Math.round(filled.maintainMs)} ms`],
    [`page of ${PAGE} moves`, `${pageMs.toFixed(0)} ms`],
    ['  questions to the store, records read', `${page[0]!.questions}, ${page[0]!.records}`],
    ['  the same records by SQLite alone', `${peerMs.toFixed(1)} ms, ratio ${(pageMs / peerMs).toFixed(1)}`],
    ['one explain', `${oneMs.toFixed(0)} ms`],
    ['  questions to the store, records read', `${one[0]!.questions}, ${one[0]!.records}`],
    [`${day.pages} pages one after the other`, `${Math.round(day.ms)} ms, ${(day.ms / day.pages).toFixed(0)} ms each`],
    ['memory meanwhile, largest', `${Math.round(day.rss / 1e6)} MB`],
  ] as const;
  const report = { shape, bytes, filled, pageMs, peerMs, oneMs, day, page: page.map(({ keys: _, ...rest }) => rest) };
  return {
    report,
    table: table(
      ['moves', ''],
      rows.map((row) => [...row]),
    ),
    bars,
  };
}

async function fill(path: string, shape: DayShape) {
  const engine = await openStore(`sqlite:${path}`, { access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  let facts = 0;
  const begun = performance.now();
  for (const batch of madeDay(shape)) {
    await writer.append({ facts: batch });
    facts += batch.length;
  }
  const stored = performance.now();
  await engine.maintain(epochMillis(FROM + DAY_MS + 3_600_000));
  const maintainMs = performance.now() - stored;
  await engine.close();
  return { facts, storeMs: stored - begun, maintainMs };
}

interface Round {
  readonly ms: number;
  readonly questions: number;
  readonly records: number;
  readonly keys: readonly Key[];
}

type Key = readonly [kind: number, key: string];
const NUMBERS: Readonly<Record<string, number>> = { life: 4, departure: 5, evidence: 6 };

async function rounds(path: string, ask: (engine: Engine, round: number) => Promise<Omit<Round, 'ms'>>) {
  const found: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    const engine = await openStore(`sqlite:${path}`, { access: 'read' });
    const answer = await ask(engine, round);
    found.push({ ms: performance.now() - begun, ...answer });
    await engine.close();
  }
  return found;
}

/** A page somewhere in the day. */
async function askPage(engine: Engine, shape: DayShape, round: number): Promise<Omit<Round, 'ms'>> {
  const from = endOf(shape, Math.floor((shape.departures * (round + 1)) / (ROUNDS + 2)));
  const span = { from: epochMillis(from), to: epochMillis(FROM + DAY_MS), hasSince: true, hasUntil: true };
  return await withSnapshot(engine, CLUSTER.id, async (snapshot) => {
    const counter = counted(snapshot);
    const question = { span, paging: { limit: PAGE }, now: epochMillis(FROM + DAY_MS) };
    const { document } = await askMoves(counter.snapshot, ALL_VISIBLE, CLUSTER, question);
    if (document.moves.length !== PAGE) throw new BenchError(`a page had ${document.moves.length} moves`);
    return counter.found();
  });
}

async function askOne(engine: Engine, shape: DayShape, round: number): Promise<Omit<Round, 'ms'>> {
  const { uid } = podOf(shape, Math.floor((shape.departures * (round + 1)) / (ROUNDS + 1)));
  const now = epochMillis(FROM + DAY_MS);
  return await withSnapshot(engine, CLUSTER.id, async (snapshot) => {
    const counter = counted(snapshot);
    const { verdict } = await askExplain(counter.snapshot, ALL_VISIBLE, CLUSTER, {
      asked: { by: 'uid', uid },
      at: now,
      now,
    });
    if (verdict === undefined || verdict.cause === 'Unknown') throw new BenchError(`${uid} has no cause`);
    return counter.found();
  });
}

/** Page after page with its cursor, a snapshot for each. */
async function readDay(path: string, shape: DayShape, most: number) {
  const engine = await openStore(`sqlite:${path}`, { access: 'read' });
  const span = { from: epochMillis(FROM), to: epochMillis(FROM + DAY_MS), hasSince: true, hasUntil: true };
  let [cursor, pages, longestMs, found, rss]: [string | undefined, number, number, number, number] = [
    undefined,
    0,
    0,
    0,
    0,
  ];
  const begun = performance.now();
  do {
    const pageBegun = performance.now();
    const paging: Paging = { limit: PAGE, cursor };
    const { document }: MovesFound = await withSnapshot(engine, CLUSTER.id, (snapshot) =>
      askMoves(snapshot, ALL_VISIBLE, CLUSTER, { span, paging, now: span.to }),
    );
    cursor = document.cursor ?? undefined;
    found += document.moves.length;
    longestMs = Math.max(longestMs, performance.now() - pageBegun);
    rss = Math.max(rss, process.memoryUsage.rss());
  } while (++pages !== most && cursor !== undefined);
  await engine.close();
  if (most === 0 && found !== shape.departures) throw new BenchError(`${found} moves were listed`);
  return { pages, ms: performance.now() - begun, longestMs, moves: found, rss };
}

/** Counts what is asked of a snapshot, and which occurrences it gives. */
function counted(snapshot: Snapshot) {
  const keys = new Map<string, Key>();
  let [questions, records] = [0, 0];
  const watched = new Proxy(snapshot, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...parameters: unknown[]) => {
        questions++;
        const result = await value.apply(target, parameters);
        const items: unknown[] = Array.isArray(result) ? result : (result?.items ?? []);
        records += items.length;
        const kind = (parameters[0] as { kind?: string } | undefined)?.kind ?? '';
        for (const item of items) {
          const { id, pod } = item as { id?: string; pod?: { uid: string } };
          const number = NUMBERS[kind];
          const key = id ?? pod?.uid;
          if (number !== undefined && key !== undefined) keys.set(`${number} ${key}`, [number, key]);
        }
        return result;
      };
    },
  });
  return { snapshot: watched, found: () => ({ questions, records, keys: [...keys.values()] }) };
}

/** The same occurrences, each once, without checks and without being understood. */
function selectAlone(path: string, keys: readonly Key[]): number {
  const begun = performance.now();
  const db = new DatabaseSync(path, { readOnly: true });
  const select = db.prepare('SELECT body FROM occurrence WHERE cluster = 1 AND kind = ? AND key = ?');
  let bytes = 0;
  for (const key of keys) bytes += (select.get(...key)?.['body'] as Uint8Array | undefined)?.length ?? 0;
  db.close();
  if (bytes === 0) throw new BenchError('the peer read nothing');
  return performance.now() - begun;
}
