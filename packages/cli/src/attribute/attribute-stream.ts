// The way of a flow log through `attribute`: bytes in, rows, questions, the same rows with answers out. Only one chunk
// of the input is in memory at a time.
import { UsageError } from '../errors.ts';
import { visible } from '../output/visible.ts';
import type { Sink } from '../surroundings.ts';
import type { Zone } from '../times/zone.ts';
import type { AskRows } from './ask.ts';
import type { Attribution } from './columns.ts';
import { CsvRows, type WantedColumns } from './csv-rows.ts';
import { JsonRows } from './json-rows.ts';
import { Questions, type Row, type RowSource, utf8Of } from './row.ts';
import { RowTimes } from './row-time.ts';
import { CsvToCsv, CsvToJson, JsonToCsv, JsonToJson, type RowWriter } from './writers.ts';

export interface AttributeOptions {
  readonly input: AsyncIterable<Uint8Array>;
  readonly out: Sink;
  readonly columns: WantedColumns;
  /** Undefined: as the input. */
  readonly format: 'csv' | 'jsonl' | undefined;
  readonly headers: boolean;
  readonly zone: Zone;
  readonly ask: AskRows;
  readonly signal: AbortSignal;
  readonly onProgress?: (tally: Tally) => Promise<void>;
  /** The first few rows about which nothing could be asked. */
  readonly onMalformed?: (row: number, problem: string) => Promise<void>;
}

export interface Tally extends Record<Attribution['answer'], number> {
  rows: number;
  /** Rows of which not every member found a column. */
  cut: number;
}

const BOM = '\u00ef\u00bb\u00bf';

export async function attributeStream(options: AttributeOptions): Promise<Tally> {
  const tally: Tally = { rows: 0, held: 0, free: 0, ambiguous: 0, unknown: 0, malformed: 0, cut: 0 };
  const questions = new Questions(new RowTimes(options.zone));
  let pipe: Pipe | undefined;
  let beginning = '';
  for await (const chunk of options.input) {
    options.signal.throwIfAborted();
    let text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    if (pipe === undefined) {
      beginning += text;
      const first = firstLetter(beginning);
      if (first === undefined) continue;
      pipe = openPipe(first === '{', options, questions);
      text = beginning;
    }
    await answer(pipe, pipe.source.push(text), options, tally);
    await options.onProgress?.(tally);
  }
  if (pipe === undefined) throw new UsageError('the input is empty: there is not even a header');
  await answer(pipe, pipe.source.end(), options, tally);
  if (!pipe.headerWritten) await writeHeader(pipe, [], options);
  if (pipe.writer instanceof JsonToCsv) tally.cut = pipe.writer.cut;
  return tally;
}

interface Pipe {
  readonly source: RowSource;
  readonly writer: RowWriter;
  headerWritten: boolean;
}

function openPipe(isJson: boolean, { columns, format }: AttributeOptions, questions: Questions): Pipe {
  if (isJson) {
    const source = new JsonRows(columns, questions);
    return { source, writer: format === 'csv' ? new JsonToCsv() : new JsonToJson(), headerWritten: false };
  }
  const source = new CsvRows(columns, questions);
  return { source, writer: format === 'jsonl' ? new CsvToJson(source) : new CsvToCsv(source), headerWritten: false };
}

/** The first character that says what the input is; undefined while there is none. */
function firstLetter(text: string): string | undefined {
  const start = text.startsWith(BOM) ? BOM.length : 0;
  return /\S/.exec(text.slice(start))?.[0];
}

async function answer(pipe: Pipe, rows: readonly Row[], options: AttributeOptions, tally: Tally): Promise<void> {
  if (rows.length === 0) return;
  if (!pipe.headerWritten) await writeHeader(pipe, rows, options);
  const attributions = await options.ask(rows);
  let text = '';
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Row;
    const attribution = attributions[i] as Attribution;
    if (!row.blank) {
      tally.rows++;
      tally[attribution.answer]++;
      if (row.problem !== undefined) await options.onMalformed?.(tally.rows, utf8Of(row.problem));
    }
    text += pipe.writer.row(row, attribution);
  }
  await write(options.out, text);
}

async function writeHeader(pipe: Pipe, rows: readonly Row[], { out, headers }: AttributeOptions): Promise<void> {
  pipe.headerWritten = true;
  const header = pipe.writer.header(rows);
  if (headers) await write(out, header);
}

async function write(out: Sink, text: string): Promise<void> {
  if (text === '') return;
  // A log may hold anything; a terminal gets none of it raw.
  if (out.isTTY) await out.write(utf8Of(text).split(/\r?\n/).map(visible).join('\n'));
  else await out.write(Buffer.from(text, 'latin1'));
}
