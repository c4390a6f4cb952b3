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
import { type Asked, Questions, rawOf, utf8Of } from './row.ts';
import { ipv4Bits, NOT_PLAIN, RowAddresses } from './row-address.ts';
import type { RowTimes } from './row-time.ts';
import { Tail } from './tail.ts';
import { type Count, USUAL_ANSWERS } from './tally.ts';
import { TextHeader, type TextLayout } from './text-layout.ts';
import { flowOf, namesOf, wrongCount } from './text-rows.ts';

export interface TextToTextOptions {
  readonly layout: TextLayout;
  readonly times: RowTimes;
  readonly windows: (format: (attribution: Attribution) => Tail, aboutFree: boolean) => AttributionWindows<Tail>;
  readonly write: (bytes: Buffer) => Promise<void>;
  /** The names that go out: before the first row, unless another input of the run has written them. */
  readonly writeHeader: (names: readonly string[], text: string) => Promise<void>;
  readonly count: Count;
  readonly counterOf: (attribution: Attribution) => { rows: number } | undefined;
}

const ROWS_AT_ONCE = 8192;
const OUTPUT_BYTES = 1 << 20;
const BOM = '\u00ef\u00bb\u00bf';
const DASH = 45;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const HASH = 35;

/** A row that does not go out as it came, or about which nothing can be asked. */
class Unusual {
  readonly text: string;
  /** Undefined: it is no row (a comment), and goes out alone. */
  readonly problem: string | undefined;
  readonly isRow: boolean;

  constructor(text: string, isRow: boolean, problem?: string) {
    this.text = text;
    this.isRow = isRow;
    this.problem = problem;
  }
}

/**
 * Broken quotes are mended, missing fields added, and what is too much is kept in the last column (a comma that nobody
 * quoted is likeliest there), so that our columns stand where the header says.
 */
function mended(raw: string, fields: readonly string[], header: TextHeader, layout: TextLayout): string {
  const { delimiter, hasQuotes, empty } = layout;
  const columns = header.names.length;
  const isTooLong = fields.length > columns;
  const whole = isTooLong ? [...fields.slice(0, columns - 1), fields.slice(columns - 1).join(delimiter)] : fields;
  const isAllKept = header.kept.length === columns;
  const field = (text: string) => (hasQuotes ? quotedField(text, delimiter) : text.replaceAll(delimiter, '_'));
  if (isAllKept) {
    const text = isTooLong || raw.includes('"') ? whole.map(field).join(delimiter) : raw;
    return fields.length < columns ? text + (delimiter + empty).repeat(columns - fields.length) : text;
  }
  return header.kept.map((column) => field(whole[column] ?? empty)).join(delimiter);
}

/** A field of the input in quotes where it needs them, and else unchanged: it is not ours to make it safe. */
function quotedField(field: string, delimiter: string): string {
  return /["\r\n]/.test(field) || field.includes(delimiter) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Rows that are on their way together. */
class Batch {
  readonly starts = new Uint32Array(ROWS_AT_ONCE);
  readonly ends = new Uint32Array(ROWS_AT_ONCE);
  readonly froms = new Float64Array(ROWS_AT_ONCE);
  readonly tos = new Float64Array(ROWS_AT_ONCE);
  /** Undefined for a row that goes out as it came. */
  readonly unusual: (Unusual | undefined)[] = new Array(ROWS_AT_ONCE).fill(undefined);
  /** For each end of each row; undefined where its tail is known without asking. */
  readonly asked: (AddressWindow<Tail> | undefined)[];
  readonly tails: (Tail | undefined)[];
  /** 1 where the row shows that the end sent something. */
  readonly sent: Uint8Array;
  /** What is wrong with an end of a row, by its place in `tails`. */
  readonly problems = new Map<number, string>();
  rows = 0;
  /** What starts and ends are places in. */
  bytes: Buffer = Buffer.alloc(0);
  /** The ledger is being read for it. */
  reading: Promise<void> = Promise.resolve();

  constructor(ends: number) {
    this.asked = new Array(ROWS_AT_ONCE * ends).fill(undefined);
    this.tails = new Array(ROWS_AT_ONCE * ends).fill(undefined);
    this.sent = new Uint8Array(ROWS_AT_ONCE * ends);
  }
}

export class TextToText {
  readonly #options: TextToTextOptions;
  readonly #records: CsvRecords;
  readonly #addresses = new RowAddresses();
  readonly #questions: Questions;
  readonly #batches: readonly [Batch, Batch];
  readonly #windows: AttributionWindows<Tail>;
  readonly #malformed: Tail;
  readonly #nothing: Tail;
  readonly #ends: number;
  readonly #hasComments: boolean;
  #header: TextHeader | undefined;
  #isHeaderWritten = false;
  #lineEnd: '\n' | '\r\n' = '\n';
  #newRows = 0;
  readonly #newAnswers: Float64Array;
  #out = Buffer.alloc(0);
  #written = 0;

  constructor(options: TextToTextOptions) {
    const { layout, times, windows, counterOf } = options;
    const { ours, delimiter } = layout;
    this.#options = options;
    this.#ends = ours.prefixes.length;
    this.#newAnswers = new Float64Array(this.#ends * USUAL_ANSWERS.length);
    this.#records = new CsvRecords(undefined, delimiter, layout.hasQuotes);
    this.#questions = new Questions(times);
    this.#batches = [new Batch(this.#ends), new Batch(this.#ends)];
    this.#hasComments = layout.header === 'directive';
    const maker = { layout, ours, counterOf };
    const format = (attribution: Attribution) => new Tail(attribution, maker);
    this.#malformed = format(MALFORMED);
    this.#nothing = format(NOTHING_ASKED);
    // Without the columns for it, nobody would see it.
    this.#windows = windows(format, ours.isFull);
    if (Array.isArray(layout.header)) this.#header = this.#headerOf(layout.header);
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.#records.push(chunk);
    await this.#work();
  }

  async end(): Promise<void> {
    this.#records.finish();
    await this.#work();
    if (!this.#isHeaderWritten) await this.#writeHeader();
    await this.#flush();
  }

  async #work(): Promise<void> {
    if (this.#header === undefined && !this.#readHeader()) return;
    let [batch, next] = this.#batches as readonly [Batch, Batch];
    this.#take(batch);
    while (batch.rows > 0) {
      this.#take(next);
      await batch.reading;
      await this.#answer(batch);
      await this.#write(batch);
      [batch, next] = [next, batch];
    }
  }

  /** Of the first line; in a log with directives, of the first `#fields`, which #take comes upon. */
  #readHeader(): boolean {
    const { layout } = this.#options;
    if (this.#hasComments) return true;
    if (!this.#records.next()) return false;
    this.#lineEnd = this.#records.crlf ? '\r\n' : '\n';
    const raw = this.#records.raw();
    const text = raw.startsWith(BOM) ? raw.slice(BOM.length) : raw;
    const names = csvFields(text, this.#records.quoted, layout.delimiter).fields.map(utf8Of);
    this.#header = this.#headerOf(names, raw);
    return true;
  }

  #headerText = '';

  #headerOf(names: readonly string[], raw?: string): TextHeader {
    const { layout } = this.#options;
    const header = new TextHeader(names, layout);
    if (this.#records.commas.length < names.length) this.#records.commas = new Uint32Array(names.length);
    const ours = layout.ours.names(header.keptNames).flat();
    const cell = (name: string) => (layout.hasQuotes ? quotedField(rawOf(name), layout.delimiter) : rawOf(name));
    // As it came, where all of it stays.
    const before =
      raw !== undefined && header.kept.length === names.length
        ? raw
        : header.keptNames.map(cell).join(layout.delimiter);
    this.#headerText = `${before}${ours.map((name) => layout.delimiter + cell(name)).join('')}${this.#lineEnd}`;
    return header;
  }

  async #writeHeader(): Promise<void> {
    this.#isHeaderWritten = true;
    // Directives are lines of the log, and went out with it.
    if (this.#hasComments || this.#header === undefined) return;
    await this.#options.writeHeader(this.#header.keptNames, this.#headerText);
  }

  /** Takes rows as long as there are any, and has the ledger read for what they ask. */
  #take(batch: Batch): void {
    const records = this.#records;
    let row = 0;
    batch.problems.clear();
    for (; row < ROWS_AT_ONCE && records.next(); row++) {
      const { start, end } = records;
      batch.starts[row] = start;
      batch.ends[row] = end;
      batch.unusual[row] = undefined;
      if (start === end) batch.unusual[row] = new Unusual('', false);
      else if (this.#hasComments && records.bytes[start] === HASH) batch.unusual[row] = this.#comment();
      else if (this.#header === undefined)
        batch.unusual[row] = new Unusual(records.raw(), true, 'it stands before #fields');
      else if (!this.#takePlain(batch, row, this.#header)) this.#takeUnusual(batch, row, this.#header);
    }
    batch.rows = row;
    batch.bytes = records.bytes;
    batch.reading = row === 0 ? Promise.resolve() : this.#windows.read();
    // Reported when it is waited for; until then something else may fail first.
    batch.reading.catch(() => {});
  }

  /** False where it is not as most rows are: then nothing of it has been taken. */
  #takePlain(batch: Batch, row: number, header: TextHeader): boolean {
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
      const window = batch.asked[place + i] as AddressWindow<Tail>;
      if (from === to) this.#windows.want(window, from);
      else this.#windows.wantDuring(window, from, to);
    }
    batch.froms[row] = from;
    batch.tos[row] = to;
    if (kept.length < names.length) batch.ends[row] = records.commas[kept.length - 1] as number;
    return true;
  }

  /** With quotes, with columns of an earlier run, or with something in it that is not as it should be. */
  #takeUnusual(batch: Batch, row: number, header: TextHeader): void {
    const { layout } = this.#options;
    const raw = this.#records.raw();
    const { fields, problem } = csvFields(raw, this.#records.quoted, layout.delimiter);
    const wrong =
      problem ?? (fields.length === header.names.length ? undefined : wrongCount(fields.length, header.names.length));
    const isAsItCame = wrong === undefined && header.kept.length === header.names.length;
    if (!isAsItCame) batch.unusual[row] = new Unusual(mended(raw, fields, header, layout), true, wrong);
    if (wrong !== undefined) return;
    const asked = this.#questions.asked(flowOf(fields, header, layout.empty));
    const place = row * this.#ends;
    for (const [i, one] of asked.entries()) batch.asked[place + i] = this.#ask(batch, row, place + i, one);
  }

  #ask(batch: Batch, row: number, place: number, one: Asked): AddressWindow<Tail> | undefined {
    if (one.kind === 'ask') {
      const window = this.#windows.of(one.ip);
      if (one.from === one.to) this.#windows.want(window, one.from);
      else this.#windows.wantDuring(window, one.from, one.to);
      batch.froms[row] = one.from;
      batch.tos[row] = one.to;
      batch.sent[place] = one.sent ? 1 : 0;
      return window;
    }
    if (one.kind === 'malformed') batch.problems.set(place, one.problem);
    batch.tails[place] = one.kind === 'malformed' ? this.#malformed : this.#nothing;
    return undefined;
  }

  /** A line of Zeek about the log: ours are added to its lists of columns. */
  #comment(): Unusual {
    const { layout } = this.#options;
    const raw = this.#records.raw();
    this.#lineEnd = this.#records.crlf ? '\r\n' : '\n';
    if (raw.startsWith('#fields')) {
      this.#header = this.#headerOf(namesOf(raw, layout));
      const text = this.#headerText.slice(0, -this.#lineEnd.length);
      return new Unusual(`#fields${layout.delimiter}${text}`, false);
    }
    if (!raw.startsWith('#types') || this.#header === undefined) return new Unusual(raw, false);
    const [first = '', ...types] = raw.split(layout.delimiter);
    const kept = this.#header.kept.map((column) => types[column] ?? 'string');
    const ours = layout.ours
      .names([])
      .flat()
      .map(() => 'string');
    return new Unusual([first, ...kept, ...ours].join(layout.delimiter), false);
  }

  /** Undefined when it is no address. */
  #addressIn(start: number, end: number): number | IpAddress | undefined {
    const { bytes } = this.#records;
    const bits = ipv4Bits(bytes, start, end);
    if (bits !== NOT_PLAIN) return bits;
    if (end - start === 1 && bytes[start] === DASH) return undefined;
    return this.#addresses.parse(bytes.toString('latin1', start, end));
  }

  async #answer(batch: Batch): Promise<void> {
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
        const tail = from === to ? windows.answer(window, from) : windows.answerDuring(window, from, to);
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
  #inUse(batch: Batch, place: number): Tail {
    const tail = batch.tails[place] as Tail;
    const { answer } = tail.attribution;
    if (answer === 'held' || answer === 'unknown') return tail;
    const row = Math.floor(place / this.#ends);
    return tail.with(inUse(tail.attribution, batch.froms[row] as number, batch.tos[row] as number));
  }

  async #askMoments(batch: Batch, places: readonly number[]): Promise<void> {
    const moments = places.map((place) => ({
      ip: (batch.asked[place] as AddressWindow<Tail>).ip,
      at: epochMillis(batch.froms[Math.floor(place / this.#ends)] as number),
    }));
    const tails = await this.#windows.askEach(moments);
    for (const [i, place] of places.entries()) batch.tails[place] = tails[i];
  }

  async #askStretches(batch: Batch, places: readonly number[]): Promise<void> {
    const stretches = places.map((place) => {
      const row = Math.floor(place / this.#ends);
      const { ip } = batch.asked[place] as AddressWindow<Tail>;
      return { ip, from: epochMillis(batch.froms[row] as number), to: epochMillis(batch.tos[row] as number) };
    });
    const tails = await this.#windows.askEachDuring(stretches);
    for (const [i, place] of places.entries()) batch.tails[place] = tails[i];
  }

  async #write(batch: Batch): Promise<void> {
    const { bytes } = batch;
    const ends = this.#ends;
    const hasReturn = this.#lineEnd === '\r\n';
    for (let row = 0; row < batch.rows; row++) {
      const unusual = batch.unusual[row];
      if (unusual !== undefined) {
        await this.#writeUnusual(batch, row, unusual);
        continue;
      }
      const place = row * ends;
      const reporting = this.#count(batch, row);
      if (reporting !== undefined) await reporting;
      const start = batch.starts[row] as number;
      const end = batch.ends[row] as number;
      let size = end - start + 2;
      for (let i = place; i < place + ends; i++) size += (batch.tails[i] as Tail).text.length;
      if (this.#out.length - this.#written < size) await this.#makeRoom(size);
      this.#written += bytes.copy(this.#out, this.#written, start, end);
      for (let i = place; i < place + ends; i++) {
        this.#written += this.#out.write((batch.tails[i] as Tail).text, this.#written, 'latin1');
        batch.asked[i] = undefined;
      }
      if (hasReturn) this.#out[this.#written++] = CARRIAGE_RETURN;
      this.#out[this.#written++] = LINE_FEED;
    }
    this.#tellCounts();
    await this.#flush();
  }

  /** Counts the answers of a row; nothing is waited for unless something is wrong with it. */
  #count(batch: Batch, row: number): Promise<void> | undefined {
    const place = row * this.#ends;
    this.#newRows++;
    for (let i = 0; i < this.#ends; i++) {
      const tail = batch.tails[place + i] as Tail;
      const { usual, counter } = tail;
      if (usual >= 0) (this.#newAnswers[i * USUAL_ANSWERS.length + usual] as number)++;
      else this.#countUnusual(i, tail.attribution);
      if (counter !== undefined) counter.rows++;
    }
    return batch.problems.size === 0 ? undefined : this.#report(batch, place);
  }

  #countUnusual(end: number, attribution: Attribution): void {
    this.#tellRows();
    this.#options.count.answer(end, attribution);
  }

  #tellRows(): void {
    if (this.#newRows > 0) this.#options.count.rows(this.#newRows);
    this.#newRows = 0;
  }

  /** What was counted here and not yet for the run. */
  #tellCounts(): void {
    this.#tellRows();
    for (let end = 0; end < this.#ends; end++) {
      for (const [i, answer] of USUAL_ANSWERS.entries()) {
        const place = end * USUAL_ANSWERS.length + i;
        this.#options.count.answers(end, answer, this.#newAnswers[place] as number);
        this.#newAnswers[place] = 0;
      }
    }
  }

  async #reportProblem(problem: string): Promise<void> {
    this.#tellCounts();
    await this.#options.count.malformed(problem);
  }

  async #report(batch: Batch, place: number): Promise<void> {
    for (let i = place; i < place + this.#ends; i++) {
      const problem = batch.problems.get(i);
      if (problem !== undefined) return await this.#reportProblem(problem);
    }
  }

  async #writeUnusual(batch: Batch, row: number, { text, problem, isRow }: Unusual): Promise<void> {
    if (!isRow) return await this.#put(text + this.#lineEnd);
    const place = row * this.#ends;
    for (let i = place; i < place + this.#ends; i++) {
      if (problem !== undefined) batch.tails[i] = this.#malformed;
    }
    await this.#count(batch, row);
    if (problem !== undefined) await this.#reportProblem(problem);
    let tails = '';
    for (let i = place; i < place + this.#ends; i++) {
      tails += (batch.tails[i] as Tail).text;
      batch.asked[i] = undefined;
    }
    await this.#put(text + tails + this.#lineEnd);
  }

  async #put(text: string): Promise<void> {
    if (this.#out.length - this.#written < text.length) await this.#makeRoom(text.length);
    this.#written += this.#out.write(text, this.#written, 'latin1');
  }

  async #makeRoom(size: number): Promise<void> {
    await this.#flush();
    this.#out = Buffer.allocUnsafe(Math.max(size, OUTPUT_BYTES));
  }

  /** The reader of the output may be slow: no more is read than it takes. */
  async #flush(): Promise<void> {
    if (!this.#isHeaderWritten) await this.#writeHeader();
    if (this.#written > 0) await this.#options.write(this.#out.subarray(0, this.#written));
    this.#out = this.#out.subarray(this.#written);
    this.#written = 0;
  }
}

function startOf({ start, commas }: CsvRecords, column: number): number {
  return column === 0 ? start : (commas[column - 1] as number) + 1;
}

function endOf({ end, commas, commaCount }: CsvRecords, column: number): number {
  return column === commaCount ? end : (commas[column] as number);
}
