// CSV to CSV, the way that most logs go and the fast one: rows stay bytes from the input to the output, and what is put
// behind each is a text that was spelled once for all rows with that answer. Some thousand rows at a time are read, asked
// about and written; while the ledger is read for some, those before them are written and those behind them taken apart.
import { type AddressWindow, epochMillis, type IpAddress } from '@podtrail/history';
import type { AskWindows } from './ask.ts';
import { type Attribution, csvTail, MALFORMED } from './columns.ts';
import { csvFields } from './csv-fields.ts';
import { CsvHeader, type WantedColumns } from './csv-header.ts';
import { CsvRecords } from './csv-records.ts';
import { wrongCount } from './csv-rows.ts';
import { rawOf } from './row.ts';
import { ipv4Bits, NOT_PLAIN, RowAddresses } from './row-address.ts';
import type { RowTimes } from './row-time.ts';

/** An answer, and what is put behind a row that has it: comma, our columns, line end; one character a byte. */
export interface Tail {
  readonly answer: Attribution['answer'];
  readonly provisional: boolean;
  readonly text: string;
}

export interface CsvToCsvOptions {
  readonly columns: WantedColumns;
  readonly times: RowTimes;
  readonly windows: (spell: (attribution: Attribution) => Tail) => AskWindows<Tail>;
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly headers: boolean;
  readonly count: (answer: Attribution['answer'], provisional: boolean) => void;
  readonly malformed: (problem: string) => Promise<void>;
}

const ROWS_AT_ONCE = 8192;
const OUTPUT_BYTES = 1 << 20;

/** A row about which nothing can be asked, and how it goes out. */
class Broken {
  readonly text: string;
  readonly problem: string;

  /**
   * Broken quotes are mended, missing fields added, and what is too much is kept in the last column (a comma that nobody
   * quoted is likeliest there), so that our columns stand where the header says.
   */
  constructor(raw: string, fields: readonly string[], columns: number, problem: string) {
    const isTooLong = fields.length > columns;
    const kept = isTooLong ? [...fields.slice(0, columns - 1), fields.slice(columns - 1).join(',')] : fields;
    const text = isTooLong || raw.includes('"') ? kept.map(quotedField).join(',') : raw;
    this.text = fields.length < columns ? text + ','.repeat(columns - fields.length) : text;
    this.problem = problem;
  }
}

/** A field of the input in quotes where it needs them, and else unchanged: it is not ours to make it safe. */
function quotedField(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Rows that are on their way together. */
class Batch {
  readonly starts = new Uint32Array(ROWS_AT_ONCE);
  readonly ends = new Uint32Array(ROWS_AT_ONCE);
  readonly ats = new Float64Array(ROWS_AT_ONCE);
  /** Undefined for a blank line. */
  readonly asked: (AddressWindow<Tail> | Broken | undefined)[] = new Array(ROWS_AT_ONCE).fill(undefined);
  readonly tails: (Tail | undefined)[] = new Array(ROWS_AT_ONCE).fill(undefined);
  rows = 0;
  /** What starts and ends are places in. */
  bytes: Buffer = Buffer.alloc(0);
  /** The ledger is being read for it. */
  reading: Promise<void> = Promise.resolve();
}

export class CsvToCsv {
  readonly #options: CsvToCsvOptions;
  readonly #records = new CsvRecords();
  readonly #addresses = new RowAddresses();
  readonly #batches = [new Batch(), new Batch()] as const;
  #header: CsvHeader | undefined;
  #windows: AskWindows<Tail> | undefined;
  #malformed: Tail = { answer: 'malformed', provisional: false, text: '' };
  #out = Buffer.alloc(0);
  #written = 0;

  constructor(options: CsvToCsvOptions) {
    this.#options = options;
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.#records.push(chunk);
    await this.#work();
  }

  async end(): Promise<void> {
    this.#records.finish();
    await this.#work();
  }

  async #work(): Promise<void> {
    if (this.#header === undefined && !(await this.#readHeader())) return;
    const windows = this.#windows as AskWindows<Tail>;
    const header = this.#header as CsvHeader;
    let [batch, next] = this.#batches as readonly [Batch, Batch];
    this.#take(batch, header, windows);
    while (batch.rows > 0) {
      this.#take(next, header, windows);
      await batch.reading;
      await this.#answer(batch, windows);
      await this.#write(batch, header);
      [batch, next] = [next, batch];
    }
  }

  async #readHeader(): Promise<boolean> {
    const { columns, headers, write, windows } = this.#options;
    if (!this.#records.next()) return false;
    const header = new CsvHeader(this.#records, columns);
    this.#header = header;
    const spell = (attribution: Attribution): Tail => ({
      answer: attribution.answer,
      provisional: attribution.provisional,
      text: inOnePiece(rawOf(`,${csvTail(attribution)}${header.lineEnd}`)),
    });
    this.#malformed = spell(MALFORMED);
    this.#windows = windows(spell);
    if (headers) await write(Buffer.from(header.out(), 'latin1'));
    return true;
  }

  /** Takes rows as long as there are any, and has the ledger read for what they ask. */
  #take(batch: Batch, header: CsvHeader, windows: AskWindows<Tail>): void {
    const records = this.#records;
    const columns = header.names.length;
    let row = 0;
    for (; row < ROWS_AT_ONCE && records.next(); row++) {
      batch.starts[row] = records.start;
      batch.ends[row] = records.end;
      if (records.start === records.end) batch.asked[row] = undefined;
      else if (records.quoted || records.commaCount !== columns - 1)
        batch.asked[row] = this.#unusual(batch, row, header);
      else {
        const key = this.#addressIn(startOf(records, header.ip), endOf(records, header.ip));
        const at = this.#options.times.parseBytes(
          records.bytes,
          startOf(records, header.time),
          endOf(records, header.time),
        );
        if (key === undefined || Number.isNaN(at)) batch.asked[row] = this.#unusual(batch, row, header);
        else {
          const window = windows.of(key);
          windows.want(window, at);
          batch.asked[row] = window;
          batch.ats[row] = at;
        }
      }
    }
    batch.rows = row;
    batch.bytes = records.bytes;
    batch.reading = row === 0 ? Promise.resolve() : windows.read();
    // Told when it is waited for; until then something else may fail first.
    batch.reading.catch(() => {});
  }

  /** With quotes, or with something in it that is not as it should be. */
  #unusual(batch: Batch, row: number, { names, ip, time }: CsvHeader): AddressWindow<Tail> | Broken {
    const raw = this.#records.raw();
    const { fields, problem } = csvFields(raw, this.#records.quoted);
    if (problem !== undefined) return new Broken(raw, fields, names.length, problem);
    if (fields.length !== names.length)
      return new Broken(raw, fields, names.length, wrongCount(fields.length, names.length));
    const address = this.#addresses.parse(fields[ip] ?? '');
    if (address === undefined) return new Broken(raw, fields, names.length, `"${fields[ip]}" is not an IP address`);
    const at = this.#options.times.parse(fields[time] ?? '');
    if (at === undefined) return new Broken(raw, fields, names.length, this.#options.times.problem);
    const windows = this.#windows as AskWindows<Tail>;
    const window = windows.of(address);
    windows.want(window, at);
    batch.ats[row] = at;
    return window;
  }

  /** Undefined when it is no address. */
  #addressIn(start: number, end: number): number | IpAddress | undefined {
    const { bytes } = this.#records;
    const bits = ipv4Bits(bytes, start, end);
    return bits === NOT_PLAIN ? this.#addresses.parse(bytes.toString('latin1', start, end)) : bits;
  }

  async #answer(batch: Batch, windows: AskWindows<Tail>): Promise<void> {
    const left: number[] = [];
    for (let row = 0; row < batch.rows; row++) {
      const asked = batch.asked[row];
      if (asked === undefined || asked instanceof Broken) continue;
      const tail = windows.answer(asked, batch.ats[row] as number);
      batch.tails[row] = tail;
      if (tail === undefined) left.push(row);
    }
    if (left.length === 0) return;
    const moments = left.map((row) => ({
      ip: (batch.asked[row] as AddressWindow<Tail>).ip,
      at: epochMillis(batch.ats[row] as number),
    }));
    const tails = await windows.askEach(moments);
    for (const [i, row] of left.entries()) batch.tails[row] = tails[i];
  }

  async #write(batch: Batch, { lineEnd }: CsvHeader): Promise<void> {
    const { count, malformed } = this.#options;
    const { bytes } = batch;
    for (let row = 0; row < batch.rows; row++) {
      const asked = batch.asked[row];
      if (asked === undefined) {
        await this.#put(lineEnd);
        continue;
      }
      if (asked instanceof Broken) {
        count('malformed', false);
        await malformed(asked.problem);
        await this.#put(asked.text + this.#malformed.text);
        continue;
      }
      const { answer, provisional, text } = batch.tails[row] as Tail;
      count(answer, provisional);
      const start = batch.starts[row] as number;
      const end = batch.ends[row] as number;
      if (this.#out.length - this.#written < end - start + text.length) await this.#makeRoom(end - start + text.length);
      this.#written += bytes.copy(this.#out, this.#written, start, end);
      this.#written += this.#out.write(text, this.#written, 'latin1');
    }
    await this.#flush();
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
    if (this.#written > 0) await this.#options.write(this.#out.subarray(0, this.#written));
    this.#out = this.#out.subarray(this.#written);
    this.#written = 0;
  }
}

/** A text that was put together keeps its parts, several times its size, until it is first read; many never are. */
function inOnePiece(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('latin1');
}

function startOf({ start, commas }: CsvRecords, column: number): number {
  return column === 0 ? start : (commas[column - 1] as number) + 1;
}

function endOf({ end, commas, commaCount }: CsvRecords, column: number): number {
  return column === commaCount ? end : (commas[column] as number);
}
