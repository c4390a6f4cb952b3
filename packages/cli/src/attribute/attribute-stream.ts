// The way of a flow log through `attribute`: bytes in, rows, questions, the same rows with answers out. Only one chunk
// of the input is in memory at a time.
import { UsageError } from '../errors.ts';
import { visible } from '../output/visible.ts';
import type { Sink } from '../surroundings.ts';
import type { Zone } from '../times/zone.ts';
import { type AskLedger, type AskRows, askRows } from './ask.ts';
import type { Attribution } from './columns.ts';
import type { WantedColumns } from './csv-header.ts';
import { CsvRows } from './csv-rows.ts';
import { CsvToCsv } from './csv-to-csv.ts';
import { JsonRows } from './json-rows.ts';
import { Questions, type Row, type RowSource, utf8Of } from './row.ts';
import { NO_ZONE, RowTimes } from './row-time.ts';
import { CsvToJson, JsonToCsv, JsonToJson, type RowWriter } from './writers.ts';

export interface AttributeOptions {
  readonly input: AsyncIterable<Uint8Array>;
  readonly out: Sink;
  readonly columns: WantedColumns;
  /** Undefined: as the input. */
  readonly format: 'csv' | 'jsonl' | undefined;
  readonly headers: boolean;
  /** Of times that say none; undefined: a row with such a time is refused. */
  readonly zone: Zone | undefined;
  readonly ledger: AskLedger;
  readonly signal: AbortSignal;
  readonly onProgress?: (tally: Tally) => Promise<void>;
  /** The first few rows about which nothing could be asked. */
  readonly onMalformed?: (row: number, problem: string) => Promise<void>;
}

export interface Tally extends Record<Attribution['answer'], number> {
  rows: number;
  /** Rows of which not every member found a column. */
  cut: number;
  /** Answers that may still change. */
  provisional: number;
  /** The first row whose time has no zone where none was given, and what is wrong with it. */
  withoutZone: string | undefined;
}

const BOM = '\u00ef\u00bb\u00bf';

export async function attributeStream(options: AttributeOptions): Promise<Tally> {
  const tally: Tally = {
    rows: 0,
    held: 0,
    free: 0,
    ambiguous: 0,
    unknown: 0,
    malformed: 0,
    cut: 0,
    provisional: 0,
    withoutZone: undefined,
  };
  let pipe: Pipe | undefined;
  let beginning: Buffer = Buffer.alloc(0);
  for await (const chunk of options.input) {
    options.signal.throwIfAborted();
    if (pipe === undefined) {
      beginning = Buffer.concat([beginning, chunk]);
      const first = firstLetter(beginning.toString('latin1'));
      if (first === undefined) continue;
      pipe = openPipe(first === '{', options, tally);
      await pipe.push(beginning);
    } else await pipe.push(chunk);
    await options.onProgress?.(tally);
  }
  if (pipe === undefined) throw new UsageError('the input is empty: there is not even a header');
  await pipe.end();
  return tally;
}

type Count = (answer: Attribution['answer'], provisional: boolean) => void;

interface Pipe {
  push(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

function openPipe(isJson: boolean, options: AttributeOptions, tally: Tally): Pipe {
  const { columns, format, zone, ledger, headers, out } = options;
  const times = new RowTimes(zone);
  const count: Count = (answer, provisional) => {
    tally.rows++;
    tally[answer]++;
    if (provisional) tally.provisional++;
  };
  const malformed = async (problem: string): Promise<void> => {
    if (problem.endsWith(NO_ZONE)) {
      tally.withoutZone ??= `row ${tally.rows}: ${utf8Of(problem)}`;
      // Nothing was answered yet: the whole log is likely to be so.
      if (tally.malformed === tally.rows) throw withoutZone(tally.withoutZone);
    }
    await options.onMalformed?.(tally.rows, utf8Of(problem));
  };
  if (!isJson && format !== 'jsonl') {
    const write = (bytes: Buffer) => writeOut(out, bytes);
    return new CsvToCsv({ columns, times, windows: ledger, write, headers, count, malformed });
  }
  const questions = new Questions(times);
  if (isJson) {
    const source = new JsonRows(columns, questions);
    if (format !== 'csv') return new RowPipe(source, new JsonToJson(), options, count, malformed);
    const writer = new JsonToCsv();
    return new RowPipe(source, writer, options, count, malformed, () => (tally.cut = writer.cut));
  }
  const source = new CsvRows(columns, questions);
  return new RowPipe(source, new CsvToJson(source), options, count, malformed);
}

/** Read in the machine's zone, a row could be given to a pod that had nothing to do with it. */
export function withoutZone(row: string): UsageError {
  return new UsageError(
    row,
    'say which zone the log is in: --timezone UTC, --timezone Europe/Berlin, --timezone local.',
  );
}

/** The first character that says what the input is; undefined while there is none. */
function firstLetter(text: string): string | undefined {
  const start = text.startsWith(BOM) ? BOM.length : 0;
  return /\S/.exec(text.slice(start))?.[0];
}

/** Rows as objects, between any formats. */
class RowPipe implements Pipe {
  readonly #source: RowSource;
  readonly #writer: RowWriter;
  readonly #options: AttributeOptions;
  readonly #ask: AskRows;
  readonly #count: Count;
  readonly #malformed: (problem: string) => Promise<void>;
  readonly #ended: () => void;
  #isBegun = false;

  constructor(
    source: RowSource,
    writer: RowWriter,
    options: AttributeOptions,
    count: Count,
    malformed: (problem: string) => Promise<void>,
    ended: () => void = () => {},
  ) {
    this.#source = source;
    this.#writer = writer;
    this.#options = options;
    this.#ask = askRows(options.ledger);
    this.#count = count;
    this.#malformed = malformed;
    this.#ended = ended;
  }

  async push(chunk: Uint8Array): Promise<void> {
    await this.#answer(this.#source.push(chunk));
  }

  async end(): Promise<void> {
    await this.#answer(this.#source.end());
    if (!this.#isBegun) await this.#begin([]);
    this.#ended();
  }

  async #answer(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    if (!this.#isBegun) await this.#begin(rows);
    const attributions = await this.#ask(rows);
    let text = '';
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as Row;
      const attribution = attributions[i] as Attribution;
      if (!row.blank) {
        this.#count(attribution.answer, attribution.provisional);
        if (row.problem !== undefined) await this.#malformed(row.problem);
      }
      text += this.#writer.row(row, attribution);
    }
    await writeOut(this.#options.out, Buffer.from(text, 'latin1'));
  }

  async #begin(rows: readonly Row[]): Promise<void> {
    this.#isBegun = true;
    const header = this.#writer.header(rows);
    if (this.#options.headers) await writeOut(this.#options.out, Buffer.from(header, 'latin1'));
  }
}

async function writeOut(out: Sink, bytes: Buffer): Promise<void> {
  if (bytes.length === 0) return;
  // A log may hold anything; a terminal gets none of it raw.
  if (out.isTTY) await out.write(bytes.toString('utf8').split(/\r?\n/).map(visible).join('\n'));
  else await out.write(bytes);
}
