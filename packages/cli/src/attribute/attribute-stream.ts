// The way of flow logs through `attribute`: bytes in, rows, questions, the same rows with answers out. Only one chunk of
// the input is in memory at a time.

import type { AskAttributions, Attribution } from '@podtrail/history/wire';
import type { Sink } from '../command-env.ts';
import { CliError, UsageError } from '../errors.ts';
import { visible } from '../output/visible.ts';
import type { Zone } from '../times/zone.ts';
import { type AskRows, askRows } from './ask.ts';
import { type Chosen, chooseFormat, NotRecognised, type WantedColumns, withoutMark } from './choose-format.ts';
import type { OurColumns } from './columns.ts';
import type { Input } from './input.ts';
import { leavesOpen } from './json-records.ts';
import { JsonRows } from './json-rows.ts';
import { FILE_LIMITS, type LogLimits } from './log-limits.ts';
import { type NotText, notText } from './not-text.ts';
import { Questions, type Row, type RowSource, utf8Of } from './row.ts';
import { RowTimes } from './row-time.ts';
import { type Count, Tally } from './tally.ts';
import { TextRows } from './text-rows.ts';
import { TextToText } from './text-to-text.ts';
import { JsonToCsv, JsonToJson, type RowWriter, TextToCsv, TextToJson } from './writers.ts';

export interface AttributeOptions {
  readonly inputs: AsyncIterable<Input>;
  readonly out: Sink;
  readonly columns: WantedColumns;
  /** Undefined: as the input. */
  readonly format: 'csv' | 'jsonl' | undefined;
  readonly headers: boolean;
  /** Of times that say none; undefined: a row with such a time is refused. */
  readonly zone: Zone | undefined;
  readonly ledger: AskAttributions;
  readonly signal: AbortSignal;
  /** Those of files, if left out. */
  readonly limits?: LogLimits;
  /** Where others wait for this process: awaited after every 16 KiB of the input, so that they have their turn. */
  readonly yieldTurn?: () => Promise<void>;
  readonly onProgress?: (tally: Tally) => Promise<void>;
  /** The first few rows about which nothing could be asked. */
  readonly onMalformed?: (row: number, problem: string) => Promise<void>;
  /** A file of a directory that is no log. */
  readonly onSkipped?: (name: string, why: string) => Promise<void>;
}

/** So much of an input is looked at to see what it is, if it does not show earlier. */
const BEGINNING_BYTES = 1 << 16;
/** Of the input between two turns. */
const TURN_BYTES = 16 << 10;
/** Rows as objects are asked about and written so many at a time: a few bytes may be a row. */
const ROWS_AT_ONCE = 1_024;

export interface Attributions {
  readonly tally: Tally;
  /** Of the addresses of a row, in their order. */
  readonly prefixes: readonly string[];
  /** Files of directories that were left out. */
  readonly skipped: number;
}

export async function attributeStream(options: AttributeOptions): Promise<Attributions> {
  const run = new Run(options);
  for await (const input of options.inputs) await run.read(input);
  return run.end();
}

export class EmptyInput extends UsageError {
  constructor() {
    super('the input is empty: there is not even a header', 'check the path, or the command whose output is read.');
  }
}

/** Read in the machine's zone, a row could be given to a pod that had nothing to do with it. */
export function withoutZone(row: string): UsageError {
  return new UsageError(
    row,
    'say which zone the log is in: --timezone UTC, --timezone Europe/Berlin, --timezone local.',
  );
}

interface Pipe {
  push(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** All inputs of one command: they share the columns of the output, its header and the counts. */
class Run {
  readonly #options: AttributeOptions;
  readonly #ask: AskRows;
  readonly #limits: LogLimits;
  #sinceTurn = 0;
  #ours: OurColumns | undefined;
  #tally = new Tally(0);
  #header: { readonly names: string; readonly of: string } | undefined;
  #isEmpty = true;
  /** Files of directories that are no logs. */
  #skipped = 0;
  #firstNotRecognised: string | undefined;

  constructor(options: AttributeOptions) {
    this.#options = options;
    this.#limits = options.limits ?? FILE_LIMITS;
    this.#ask = askRows(options.ledger);
  }

  end(): Attributions {
    if (!this.#isEmpty) return { tally: this.#tally, prefixes: this.#ours?.prefixes ?? [], skipped: this.#skipped };
    const { columns } = this.#options;
    if (this.#firstNotRecognised !== undefined) throw new NotRecognised(columns, this.#firstNotRecognised);
    if (this.#skipped > 0) {
      throw new CliError('no-logs', 'no file of the directory is text', {
        hint: 'name the files that are flow logs: text or JSON, plain, gzip or zstd.',
      });
    }
    throw new EmptyInput();
  }

  async read({ name = 'the input', isFound, bytes }: Input): Promise<void> {
    const { onProgress } = this.#options;
    let pipe: Pipe | undefined;
    let beginning: Buffer = Buffer.alloc(0);
    const begin = async (): Promise<boolean> => {
      const text = beginning.toString('latin1');
      const wrong = notText(text);
      if (wrong !== undefined && !isFound) throw unreadable(name, wrong);
      if (wrong !== undefined) return await this.#skip(name, `it is ${wrong.what}`);
      try {
        pipe = this.#open(name, text);
      } catch (error) {
        if (!(error instanceof NotRecognised)) throw error;
        if (!isFound) throw new NotRecognised(this.#options.columns, name);
        this.#firstNotRecognised ??= name;
        return await this.#skip(name, 'its format is not recognised');
      }
      await pipe.push(beginning);
      return true;
    };
    for await (const chunk of this.#inTurns(bytes)) {
      if (pipe !== undefined) await pipe.push(chunk);
      else {
        beginning = Buffer.concat([beginning, chunk]);
        if (isEnough(beginning) && !(await begin())) return;
      }
      await onProgress?.(this.#tally);
    }
    if (pipe === undefined && beginning.toString('latin1').trim() !== '' && !(await begin())) return;
    await (pipe as Pipe | undefined)?.end();
  }

  /** In pieces between which others have their turn; as they come where there is nobody else. */
  async *#inTurns(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const { signal, yieldTurn } = this.#options;
    for await (const chunk of bytes) {
      signal.throwIfAborted();
      if (yieldTurn === undefined) {
        yield chunk;
        continue;
      }
      for (let at = 0; at < chunk.length; at += TURN_BYTES) {
        const piece = chunk.subarray(at, at + TURN_BYTES);
        yield piece;
        this.#sinceTurn += piece.length;
        if (this.#sinceTurn < TURN_BYTES) continue;
        this.#sinceTurn = 0;
        await yieldTurn();
        signal.throwIfAborted();
      }
    }
  }

  /** Beside logs there lie other files; the others are read. */
  async #skip(name: string, why: string): Promise<false> {
    this.#skipped++;
    await this.#options.onSkipped?.(name, why);
    return false;
  }

  #open(name: string, beginning: string): Pipe {
    const { columns, format, zone, ledger, out, yieldTurn } = this.#options;
    const chosen = chooseFormat(beginning, columns);
    this.#share(chosen, name);
    const { ours } = chosen;
    const tally = this.#tally;
    const times = new RowTimes(zone);
    const count = this.#count(tally);
    const counterOf = (attribution: Attribution) => tally.counterOf(attribution);
    const limits = this.#limits;
    const writeHeader = (names: readonly string[], text: string) => this.#writeHeader(names, text, name);
    const questions = new Questions(times);
    if (chosen.kind === 'text') {
      const { layout } = chosen;
      if (format === undefined || (format === 'csv' && layout.delimiter === ',')) {
        const write = (bytes: Buffer) => writeOut(out, bytes);
        return new TextToText({
          layout,
          times,
          windows: ledger,
          write,
          writeHeader,
          count,
          counterOf,
          limits,
          yieldTurn,
        });
      }
      const source = new TextRows(layout, questions, limits);
      const writer = format === 'csv' ? new TextToCsv(source, ours) : new TextToJson(source, ours);
      return new RowPipe(source, writer, out, this.#ask, count, counterOf, writeHeader, yieldTurn);
    }
    const source = new JsonRows(chosen.format, beginning, questions, limits);
    if (format !== 'csv')
      return new RowPipe(source, new JsonToJson(ours), out, this.#ask, count, counterOf, writeHeader, yieldTurn);
    const writer = new JsonToCsv(ours, limits);
    const ended = () => void (tally.cut += writer.cut);
    return new RowPipe(source, writer, out, this.#ask, count, counterOf, writeHeader, yieldTurn, ended);
  }

  /** The columns of the first input are those of the run. */
  #share({ ours }: Chosen, name: string): void {
    if (this.#ours === undefined) {
      this.#ours = ours;
      this.#tally = new Tally(ours.prefixes.length);
      this.#isEmpty = false;
    }
    if (ours.prefixes.join() !== this.#ours.prefixes.join()) throw otherColumns(name, 'the first input');
  }

  async #writeHeader(names: readonly string[], text: string, name: string): Promise<void> {
    const all = JSON.stringify(names);
    if (this.#header !== undefined && this.#header.names !== all) throw otherColumns(name, this.#header.of);
    const isFirst = this.#header === undefined;
    this.#header ??= { names: all, of: name };
    if (isFirst && this.#options.headers) await writeOut(this.#options.out, Buffer.from(text, 'latin1'));
  }

  #count(tally: Tally): Count {
    return {
      rows: (rows) => tally.addRows(rows),
      answer: (end, attribution) => tally.answer(end, attribution),
      answers: (end, answer, rows) => tally.answers(end, answer, rows),
      malformed: async (problem) => {
        const text = utf8Of(problem);
        // Nothing was answered yet: the whole log is likely to be so.
        if (tally.lacksZone(problem, text)) throw withoutZone(tally.withoutZone ?? text);
        await this.#options.onMalformed?.(tally.rows, text);
      },
    };
  }
}

/** Whether it shows what the input is: a line of text, or of JSON that is whole. */
function isEnough(beginning: Buffer): boolean {
  if (beginning.length >= BEGINNING_BYTES) return true;
  const text = withoutMark(beginning.toString('latin1')).trimStart();
  const end = text.indexOf('\n');
  if (end === -1) return false;
  if (!/^[{[]/.test(text)) return true;
  const line = text.slice(0, end);
  return /[\]}"]\s*$/.test(line) && (!leavesOpen(line) || text.slice(end).trim() !== '');
}

function unreadable(name: string, { what, hint }: NotText): CliError {
  return new CliError('not-text', `${name} is ${what}`, { hint });
}

function otherColumns(name: string, first: string): CliError {
  return new CliError('other-columns', `${name} has other columns than ${first}`, {
    hint: 'attribute them one by one, or all of them with -o jsonl.',
  });
}

/** Rows as objects, between any formats. */
class RowPipe implements Pipe {
  readonly #source: RowSource;
  readonly #writer: RowWriter;
  readonly #out: Sink;
  readonly #ask: AskRows;
  readonly #count: Count;
  readonly #counterOf: (attribution: Attribution) => { rows: number } | undefined;
  readonly #writeHeader: (names: readonly string[], text: string) => Promise<void>;
  readonly #yieldTurn: (() => Promise<void>) | undefined;
  readonly #ended: () => void;
  #isBegun = false;

  constructor(
    source: RowSource,
    writer: RowWriter,
    out: Sink,
    ask: AskRows,
    count: Count,
    counterOf: (attribution: Attribution) => { rows: number } | undefined,
    writeHeader: (names: readonly string[], text: string) => Promise<void>,
    yieldTurn: (() => Promise<void>) | undefined,
    ended: () => void = () => {},
  ) {
    this.#source = source;
    this.#writer = writer;
    this.#out = out;
    this.#ask = ask;
    this.#count = count;
    this.#counterOf = counterOf;
    this.#writeHeader = writeHeader;
    this.#yieldTurn = yieldTurn;
    this.#ended = ended;
  }

  async push(chunk: Uint8Array): Promise<void> {
    await this.#answerAll(this.#source.push(chunk));
  }

  async end(): Promise<void> {
    await this.#answerAll(this.#source.end());
    if (!this.#isBegun) await this.#begin([]);
    this.#ended();
  }

  async #answerAll(rows: readonly Row[]): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      if (at > 0) await this.#yieldTurn?.();
      await this.#answer(rows.slice(at, at + ROWS_AT_ONCE));
    }
  }

  async #answer(rows: readonly Row[]): Promise<void> {
    const attributions = await this.#ask(rows);
    let text = '';
    for (const [i, row] of rows.entries()) {
      const answers = attributions[i] as readonly Attribution[];
      if (!row.blank) await this.#countRow(row, answers);
      if (!this.#isBegun) await this.#begin(rows);
      text += this.#writer.row(row, answers);
    }
    await writeOut(this.#out, Buffer.from(text, 'latin1'));
  }

  async #countRow(row: Row, answers: readonly Attribution[]): Promise<void> {
    this.#count.rows(1);
    for (const [end, attribution] of answers.entries()) {
      this.#count.answer(end, attribution);
      const counter = this.#counterOf(attribution);
      if (counter !== undefined) counter.rows++;
    }
    const bad = row.asked.find(({ kind }) => kind === 'malformed');
    if (bad?.kind === 'malformed') await this.#count.malformed(bad.problem);
  }

  async #begin(rows: readonly Row[]): Promise<void> {
    this.#isBegun = true;
    const header = this.#writer.header(rows);
    if (header !== undefined) await this.#writeHeader(header.names, header.text);
  }
}

async function writeOut(out: Sink, bytes: Buffer): Promise<void> {
  if (bytes.length === 0) return;
  // A log may hold anything; a terminal gets none of it raw.
  if (out.isTTY) await out.write(bytes.toString('utf8').split(/\r?\n/).map(visible).join('\n'));
  else await out.write(bytes);
}
