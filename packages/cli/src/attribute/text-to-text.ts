// Delimited text to the same kind of text, the way that most logs go and the fast one: rows stay bytes from the input to
// the output, and what is put behind each is a text that was made once for all rows with that answer. Some thousand
// rows at a time are read, asked about and written; while the ledger is read for some, those before them are written and
// those behind them taken apart.
import {
  type AddressWindow,
  type Attribution,
  type AttributionWindows,
  epochMillis,
  type IpAddress,
  inUse,
  MALFORMED,
  NOTHING_ASKED,
} from '@podtrail/history/wire';
import { csvFields } from './csv-fields.ts';
import { CsvRecords } from './csv-records.ts';
import type { LogLimits } from './log-limits.ts';
import { mendedRow } from './mended-row.ts';
import { OutputBuffer } from './output-buffer.ts';
import { type Asked, Questions } from './row.ts';
import { ipv4Bits, NOT_PLAIN, RowAddresses } from './row-address.ts';
import { ROWS_AT_ONCE, RowBatch, UnusualRow } from './row-batch.ts';
import type { RowTimes } from './row-time.ts';
import { RunCounts } from './run-counts.ts';
import { Tail } from './tail.ts';
import type { Count } from './tally.ts';
import { TextHeaderReader } from './text-header-reader.ts';
import type { TextHeader, TextLayout } from './text-layout.ts';
import { flowOf, wrongCount } from './text-rows.ts';

export interface TextToTextOptions {
  readonly layout: TextLayout;
  readonly times: RowTimes;
  readonly windows: (format: (attribution: Attribution) => Tail, aboutFree: boolean) => AttributionWindows<Tail>;
  readonly write: (bytes: Buffer) => Promise<void>;
  /** The names that go out: before the first row, unless another input of the run has written them. */
  readonly writeHeader: (names: readonly string[], text: string) => Promise<void>;
  readonly count: Count;
  readonly counterOf: (attribution: Attribution) => { rows: number } | undefined;
  readonly limits: LogLimits;
  /** Awaited after some thousand rows. */
  readonly yieldTurn: (() => Promise<void>) | undefined;
}

const DASH = 45;
const HASH = 35;

/** An empty line. */
const BLANK = new UnusualRow('', false);

export class TextToText {
  readonly #options: TextToTextOptions;
  readonly #records: CsvRecords;
  readonly #addresses = new RowAddresses();
  readonly #questions: Questions;
  readonly #batches: readonly [RowBatch, RowBatch];
  readonly #windows: AttributionWindows<Tail>;
  readonly #malformed: Tail;
  readonly #nothing: Tail;
  readonly #ends: number;
  readonly #headers: TextHeaderReader;
  readonly #counts: RunCounts;
  readonly #output: OutputBuffer;

  constructor(options: TextToTextOptions) {
    const { layout, times, windows, write, count, counterOf, limits } = options;
    const { ours, delimiter } = layout;
    this.#options = options;
    this.#ends = ours.prefixes.length;
    this.#records = new CsvRecords(limits, delimiter, layout.hasQuotes);
    this.#questions = new Questions(times);
    this.#batches = [new RowBatch(this.#ends), new RowBatch(this.#ends)];
    this.#counts = new RunCounts(count, this.#ends);
    this.#output = new OutputBuffer({ begin: () => this.#writeHeader(), write });
    const maker = { layout, ours, counterOf };
    const format = (attribution: Attribution) => new Tail(attribution, maker);
    this.#malformed = format(MALFORMED);
    this.#nothing = format(NOTHING_ASKED);
    // Without the columns for it, nobody would see it.
    this.#windows = windows(format, ours.isFull);
    this.#headers = new TextHeaderReader(layout, this.#records, limits);
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.#records.push(chunk);
    await this.#work();
  }

  async end(): Promise<void> {
    this.#records.finish();
    await this.#work();
    await this.#output.flush();
  }

  async #work(): Promise<void> {
    if (this.#headers.header === undefined && !this.#headers.readFirstLine()) return;
    let [batch, next] = this.#batches as readonly [RowBatch, RowBatch];
    this.#take(batch);
    while (batch.rows > 0) {
      this.#take(next);
      await batch.reading;
      await this.#answer(batch);
      await this.#write(batch);
      if (batch.rows === ROWS_AT_ONCE) await this.#options.yieldTurn?.();
      [batch, next] = [next, batch];
    }
  }

  async #writeHeader(): Promise<void> {
    const { header, hasComments, text } = this.#headers;
    // Directives are lines of the log, and went out with it.
    if (hasComments || header === undefined) return;
    await this.#options.writeHeader(header.keptNames, text);
  }

  /** Takes rows as long as there are any, and has the ledger read for what they ask. */
  #take(batch: RowBatch): void {
    const records = this.#records;
    const headers = this.#headers;
    const { hasComments } = headers;
    let row = 0;
    batch.problems.clear();
    for (; row < ROWS_AT_ONCE && records.next(); row++) {
      const { start, end } = records;
      batch.starts[row] = start;
      batch.ends[row] = end;
      batch.unusual[row] = undefined;
      if (start === end) batch.unusual[row] = BLANK;
      else if (hasComments && records.bytes[start] === HASH) batch.unusual[row] = headers.comment();
      else if (headers.header === undefined)
        batch.unusual[row] = new UnusualRow(records.raw(), true, 'it stands before #fields');
      else if (!this.#takePlain(batch, row, headers.header)) this.#takeUnusual(batch, row, headers.header);
    }
    batch.rows = row;
    batch.bytes = records.bytes;
    batch.reading = row === 0 ? Promise.resolve() : this.#windows.read();
    // Reported when it is waited for; until then something else may fail first.
    batch.reading.catch(() => {});
  }

  /** False where it is not as most rows are: then nothing of it has been taken. */
  #takePlain(batch: RowBatch, row: number, header: TextHeader): boolean {
    const records = this.#records;
    const { names, ends, start, end, lasted, coarseMs, isKeptFirst, kept } = header;
    if (records.quoted || records.commaCount !== names.length - 1 || !isKeptFirst || lasted !== undefined) return false;
    const { bytes } = records;
    const { times } = this.#options;
    const from = times.parseBytes(bytes, startOf(records, start), endOf(records, start));
    if (Number.isNaN(from)) return false;
    let to = from;
    if (end !== undefined) {
      const endStart = startOf(records, end);
      const endEnd = endOf(records, end);
      to = times.parseBytes(bytes, endStart, endEnd);
      if (endEnd - endStart <= 10) to += coarseMs;
      if (!(to >= from)) return false;
    }
    const place = row * ends.length;
    for (let i = 0; i < ends.length; i++) {
      const { column, sent } = ends[i] as (typeof ends)[number];
      const key = this.#addressIn(startOf(records, column), endOf(records, column));
      if (key === undefined) return false;
      batch.asked[place + i] = this.#windows.of(key);
      batch.sent[place + i] = sent === true ? 1 : 0;
    }
    for (let i = 0; i < ends.length; i++) {
      this.#windows.want(batch.asked[place + i] as AddressWindow<Tail>, from, to);
    }
    batch.froms[row] = from;
    batch.tos[row] = to;
    if (kept.length < names.length) batch.ends[row] = records.commas[kept.length - 1] as number;
    return true;
  }

  /** With quotes, with columns of an earlier run, or with something in it that is not as it should be. */
  #takeUnusual(batch: RowBatch, row: number, header: TextHeader): void {
    const { layout, limits } = this.#options;
    const raw = this.#records.raw();
    const { fields, problem } = csvFields(raw, this.#records.quoted, layout.delimiter, limits.mostColumns);
    const wrong =
      problem ?? (fields.length === header.names.length ? undefined : wrongCount(fields.length, header.names.length));
    const isAsItCame = wrong === undefined && header.kept.length === header.names.length;
    if (!isAsItCame) batch.unusual[row] = new UnusualRow(mendedRow(raw, fields, header, layout), true, wrong);
    if (wrong !== undefined) return;
    const asked = this.#questions.asked(flowOf(fields, header, layout.empty));
    const place = row * this.#ends;
    for (const [i, one] of asked.entries()) batch.asked[place + i] = this.#ask(batch, row, place + i, one);
  }

  #ask(batch: RowBatch, row: number, place: number, one: Asked): AddressWindow<Tail> | undefined {
    if (one.kind === 'ask') {
      const window = this.#windows.of(one.ip);
      this.#windows.want(window, one.from, one.to);
      batch.froms[row] = one.from;
      batch.tos[row] = one.to;
      batch.sent[place] = one.sent ? 1 : 0;
      return window;
    }
    if (one.kind === 'malformed') batch.problems.set(place, one.problem);
    batch.tails[place] = one.kind === 'malformed' ? this.#malformed : this.#nothing;
    return undefined;
  }

  /** Undefined when it is no address. */
  #addressIn(start: number, end: number): number | IpAddress | undefined {
    const { bytes } = this.#records;
    const bits = ipv4Bits(bytes, start, end);
    if (bits !== NOT_PLAIN) return bits;
    if (end - start === 1 && bytes[start] === DASH) return undefined;
    return this.#addresses.parse(bytes.toString('latin1', start, end));
  }

  async #answer(batch: RowBatch): Promise<void> {
    const windows = this.#windows;
    const moments: number[] = [];
    const stretches: number[] = [];
    for (let row = 0; row < batch.rows; row++) {
      const from = batch.froms[row] as number;
      const to = batch.tos[row] as number;
      const place = row * this.#ends;
      for (let i = place; i < place + this.#ends; i++) {
        const window = batch.asked[i];
        if (window === undefined) continue;
        const tail = windows.answer(window, from, to);
        batch.tails[i] = tail;
        if (tail === undefined) (from === to ? moments : stretches).push(i);
      }
    }
    if (moments.length > 0) await this.#askMoments(batch, moments);
    if (stretches.length > 0) await this.#askStretches(batch, stretches);
    for (let i = 0; i < batch.rows * this.#ends; i++) {
      if (batch.sent[i] === 1 && batch.asked[i] !== undefined) batch.tails[i] = this.#inUse(batch, i);
    }
  }

  /** The tail of an end that sent something. */
  #inUse(batch: RowBatch, place: number): Tail {
    const tail = batch.tails[place] as Tail;
    const { answer } = tail.attribution;
    if (answer === 'held' || answer === 'unknown') return tail;
    const row = Math.floor(place / this.#ends);
    return tail.with(inUse(tail.attribution, batch.froms[row] as number, batch.tos[row] as number));
  }

  async #askMoments(batch: RowBatch, places: readonly number[]): Promise<void> {
    const moments = places.map((place) => ({
      ip: (batch.asked[place] as AddressWindow<Tail>).ip,
      at: epochMillis(batch.froms[Math.floor(place / this.#ends)] as number),
    }));
    const tails = await this.#windows.askEach(moments);
    for (const [i, place] of places.entries()) batch.tails[place] = tails[i];
  }

  async #askStretches(batch: RowBatch, places: readonly number[]): Promise<void> {
    const stretches = places.map((place) => {
      const row = Math.floor(place / this.#ends);
      const { ip } = batch.asked[place] as AddressWindow<Tail>;
      return { ip, from: epochMillis(batch.froms[row] as number), to: epochMillis(batch.tos[row] as number) };
    });
    const tails = await this.#windows.askEachDuring(stretches);
    for (const [i, place] of places.entries()) batch.tails[place] = tails[i];
  }

  async #write(batch: RowBatch): Promise<void> {
    const { bytes } = batch;
    const ends = this.#ends;
    const output = this.#output;
    const hasReturn = this.#headers.lineEnd === '\r\n';
    for (let row = 0; row < batch.rows; row++) {
      const unusual = batch.unusual[row];
      if (unusual !== undefined) {
        // Millions of them unpack from kilobytes.
        if (unusual === BLANK && output.fits(2)) output.endLine(hasReturn);
        else await this.#writeUnusual(batch, row, unusual);
        continue;
      }
      const place = row * ends;
      const reporting = this.#count(batch, place);
      if (reporting !== undefined) await reporting;
      const start = batch.starts[row] as number;
      const end = batch.ends[row] as number;
      let size = end - start + 2;
      for (let i = place; i < place + ends; i++) size += (batch.tails[i] as Tail).text.length;
      if (!output.fits(size)) await output.makeRoom(size);
      output.addBytes(bytes, start, end);
      for (let i = place; i < place + ends; i++) {
        output.addText((batch.tails[i] as Tail).text);
        batch.asked[i] = undefined;
      }
      output.endLine(hasReturn);
    }
    this.#counts.passOn();
    await this.#output.flush();
  }

  /** Counts the answers of a row; nothing is waited for unless something is wrong with it. */
  #count(batch: RowBatch, place: number): Promise<void> | undefined {
    this.#counts.add(batch.tails, place);
    return batch.problems.size === 0 ? undefined : this.#report(batch, place);
  }

  async #report(batch: RowBatch, place: number): Promise<void> {
    for (let i = place; i < place + this.#ends; i++) {
      const problem = batch.problems.get(i);
      if (problem !== undefined) return await this.#counts.malformed(problem);
    }
  }

  async #writeUnusual(batch: RowBatch, row: number, { text, problem, isRow }: UnusualRow): Promise<void> {
    if (!isRow) return await this.#put(text);
    const place = row * this.#ends;
    for (let i = place; i < place + this.#ends; i++) {
      if (problem !== undefined) batch.tails[i] = this.#malformed;
    }
    await this.#count(batch, place);
    if (problem !== undefined) await this.#counts.malformed(problem);
    let tails = '';
    for (let i = place; i < place + this.#ends; i++) {
      tails += (batch.tails[i] as Tail).text;
      batch.asked[i] = undefined;
    }
    await this.#put(text + tails);
  }

  async #put(line: string): Promise<void> {
    const text = line + this.#headers.lineEnd;
    if (!this.#output.fits(text.length)) await this.#output.makeRoom(text.length);
    this.#output.addText(text);
  }
}

function startOf({ start, commas }: CsvRecords, column: number): number {
  return column === 0 ? start : (commas[column - 1] as number) + 1;
}

function endOf({ end, commas, commaCount }: CsvRecords, column: number): number {
  return column === commaCount ? end : (commas[column] as number);
}
