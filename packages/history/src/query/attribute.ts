// who, in bulk: rows in, the same rows with their answers out, in the same order, streaming. The coverage is read once
// for a batch; rows that ask nothing (no address, no time) pass through without an answer.
import type { Engine, Moment } from '../engines/engine.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Answer } from './answer.ts';

import { DAMAGED, eachUnlessDamaged, unlessDamaged } from './damage.ts';
import { SeenRanges } from './seen-ranges.ts';
import { readTenuresAtMany } from './tenure-reads.ts';
import { answerFrom, damagedAnswer, readWatchedTime, withFree } from './who.ts';

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
  const ranges = new SeenRanges(engine, options.cluster);
  let waiting: Row[] = [];
  for await (const row of rows) {
    waiting.push(row);
    if (waiting.length < batch) continue;
    yield* await answerBatch(engine, waiting, options, ranges);
    waiting = [];
  }
  yield* await answerBatch(engine, waiting, options, ranges);
}

async function answerBatch<Row>(
  engine: Engine,
  rows: readonly Row[],
  { cluster, ask, now }: AttributeOptions<Row>,
  ranges: SeenRanges,
): Promise<Attributed<Row>[]> {
  if (rows.length === 0) return [];
  const asked = rows.map((row) => ({ row, moment: ask(row) }));
  const moments = asked.flatMap(({ moment }) => (moment === undefined ? [] : [moment]));
  const [possible, watched] = await Promise.all([
    eachUnlessDamaged(moments, (some) => readTenuresAtMany(engine, cluster, some)),
    readWatchedTime(engine, cluster),
  ]);
  const answers = await Promise.all(
    moments.map(async (moment, i) => {
      const question = { cluster, ...moment, now: now?.() };
      const tenures = possible[i] ?? [];
      const read =
        tenures === DAMAGED ? undefined : unlessDamaged(() => answerFrom(engine, question, tenures, watched));
      return (await read) ?? damagedAnswer(question);
    }),
  );
  const whole = await withFree(engine, answers, watched, ranges);
  let next = 0;
  return asked.map(({ row, moment }) => ({ row, answer: moment === undefined ? undefined : whole[next++] }));
}
