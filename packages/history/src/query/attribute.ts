// who, in bulk: rows in, the same rows with their answers out, in the same order, streaming. The coverage is read once
// for a batch; rows that ask nothing (no address, no time) pass through without an answer.
import type { Engine, Moment } from '../engines/engine.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Answer } from './answer.ts';
import { DAMAGED, eachUnlessDamaged, unlessDamaged } from './damage.ts';
import { answerFrom, damagedAnswer, readWatchedTime } from './who.ts';

export interface AttributeOptions<Row> {
  readonly cluster: string;
  /** What a row asks; undefined if it is malformed. */
  ask(row: Row): Moment | undefined;
  /** The asker's clock, as for `who`. */
  now?(): EpochMillis;
  /** So many rows are asked for at once, and no more are held. */
  readonly batch?: number;
}

export interface Attributed<Row> {
  readonly row: Row;
  readonly answer: Answer | undefined;
}

const DEFAULT_BATCH = 1000;

export async function* attribute<Row>(
  engine: Engine,
  rows: AsyncIterable<Row> | Iterable<Row>,
  options: AttributeOptions<Row>,
): AsyncGenerator<Attributed<Row>> {
  const { batch = DEFAULT_BATCH } = options;
  let waiting: Row[] = [];
  for await (const row of rows) {
    waiting.push(row);
    if (waiting.length < batch) continue;
    yield* await answerBatch(engine, waiting, options);
    waiting = [];
  }
  yield* await answerBatch(engine, waiting, options);
}

async function answerBatch<Row>(
  engine: Engine,
  rows: readonly Row[],
  { cluster, ask, now }: AttributeOptions<Row>,
): Promise<Attributed<Row>[]> {
  if (rows.length === 0) return [];
  const asked = rows.map((row) => ({ row, moment: ask(row) }));
  const moments = asked.flatMap(({ moment }) => (moment === undefined ? [] : [moment]));
  const [possible, watched] = await Promise.all([
    eachUnlessDamaged(moments, (some) => engine.tenuresAtMany(cluster, some)),
    readWatchedTime(engine, cluster),
  ]);
  let next = 0;
  return await Promise.all(
    asked.map(({ row, moment }) => {
      if (moment === undefined) return { row, answer: undefined };
      const question = { cluster, ...moment, now: now?.() };
      const tenures = possible[next++] ?? [];
      if (tenures === DAMAGED) return { row, answer: damagedAnswer(question) };
      const answer = answerFrom(engine, question, tenures, watched);
      if (!(answer instanceof Promise)) return { row, answer };
      return unlessDamaged(() => answer).then((read) => ({ row, answer: read ?? damagedAnswer(question) }));
    }),
  );
}
