// CSV to CSV, the way that most logs go and the fast one: rows stay bytes from the input to the output, and what is put
// behind each is a text that was spelled once for all rows with that answer. Some thousand rows at a time are read, asked
// about and written.
import { type AddressWindow, epochMillis, type IpAddress } from '@podtrail/history';
import { csvField } from '../output/csv.ts';
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
  readonly text: string;
}

export interface CsvToCsvOptions {
  readonly columns: WantedColumns;
  readonly times: RowTimes;
  readonly windows: (spell: (attribution: Attribution) => Tail) => AskWindows<Tail>;
  readonly write: (bytes: Buffer) => Promise<void>;
  readonly headers: boolean;
  readonly count: (answer: Attribution['answer']) => void;
  readonly malformed: (problem: string) => Promise<void>;
}

const ROWS_AT_ONCE = 16_384;
const OUTPUT_BYTES = 1 << 20;

/** A row about which nothing can be asked, and how it goes out. */
interface Broken {
  readonly text: string;
  readonly problem: string;
}

export class CsvToCsv {
  readonly #options: CsvToCsvOptions;
  readonly #records = new CsvRecords();
  readonly #addresses = new RowAddresses();
  readonly #starts = new Uint32Array(ROWS_AT_ONCE);
  readonly #ends = new Uint32Array(ROWS_AT_ONCE);
  readonly #ats = new Float64Array(ROWS_AT_ONCE);
  /** Undefined for a blank line. */
  readonly #asked: (AddressWindow<Tail> | Broken | undefined)[] = new Array(ROWS_AT_ONCE).fill(undefined);
  readonly #tails: (Tail | undefined)[] = new Array(ROWS_AT_ONCE).fill(undefined);
  #rows = 0;
  #header: CsvHeader | undefined;
  #windows: AskWindows<Tail> | undefined;
  #malformed: Tail = { answer: 'malformed', text: '' };
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
    for (;;) {
      this.#read(header, windows);
      if (this.#rows === 0) return;
      await windows.read();
      await this.#answer(windows);
      await this.#write(header);
    }
  }

  async #readHeader(): Promise<boolean> {
    const { columns, headers, write, windows } = this.#options;
    if (!this.#records.next()) return false;
    const header = new CsvHeader(this.#records, columns);
    this.#header = header;
    const spell = (attribution: Attribution): Tail => ({
      answer: attribution.answer,
      text: rawOf(`,${csvTail(attribution)}${header.lineEnd}`),
    });
    this.#malformed = spell(MALFORMED);
    this.#windows = windows(spell);
    if (headers) await write(Buffer.from(header.out(), 'latin1'));
    return true;
  }

  /** Takes rows as long as there are any, and notes what they ask. */
  #read(header: CsvHeader, windows: AskWindows<Tail>): void {
    const records = this.#records;
    const columns = header.names.length;
    let row = 0;
    for (; row < ROWS_AT_ONCE && records.next(); row++) {
      this.#starts[row] = records.start;
      this.#ends[row] = records.end;
      if (records.start === records.end) this.#asked[row] = undefined;
      else if (records.quoted || records.commaCount !== columns - 1) this.#asked[row] = this.#unusual(row, header);
      else {
        const key = this.#addressIn(startOf(records, header.ip), endOf(records, header.ip));
        const at = this.#options.times.parseBytes(
          records.bytes,
          startOf(records, header.time),
          endOf(records, header.time),
        );
        if (key === undefined || Number.isNaN(at)) this.#asked[row] = this.#unusual(row, header);
        else {
          const window = windows.of(key);
          windows.want(window, at);
          this.#asked[row] = window;
          this.#ats[row] = at;
        }
      }
    }
    this.#rows = row;
  }

  /** With quotes, or with something in it that is not as it should be. */
  #unusual(row: number, { names, ip, time }: CsvHeader): AddressWindow<Tail> | Broken {
    const raw = this.#records.raw();
    const { fields, problem } = csvFields(raw, this.#records.quoted);
    if (problem !== undefined) return broken(raw, fields, names.length, problem);
    if (fields.length !== names.length)
      return broken(raw, fields, names.length, wrongCount(fields.length, names.length));
    const address = this.#addresses.parse(fields[ip] ?? '');
    if (address === undefined) return broken(raw, fields, names.length, `"${fields[ip]}" is not an IP address`);
    const at = this.#options.times.parse(fields[time] ?? '');
    if (at === undefined) return broken(raw, fields, names.length, this.#options.times.problem);
    const windows = this.#windows as AskWindows<Tail>;
    const window = windows.of(address);
    windows.want(window, at);
    this.#ats[row] = at;
    return window;
  }

  /** Undefined when it is no address. */
  #addressIn(start: number, end: number): number | IpAddress | undefined {
    const { bytes } = this.#records;
    const bits = ipv4Bits(bytes, start, end);
    return bits === NOT_PLAIN ? this.#addresses.parse(bytes.toString('latin1', start, end)) : bits;
  }

  async #answer(windows: AskWindows<Tail>): Promise<void> {
    const left: number[] = [];
    for (let row = 0; row < this.#rows; row++) {
      const asked = this.#asked[row];
      if (asked === undefined || 'problem' in asked) continue;
      const tail = windows.answer(asked, this.#ats[row] as number);
      this.#tails[row] = tail;
      if (tail === undefined) left.push(row);
    }
    if (left.length === 0) return;
    const moments = left.map((row) => ({
      ip: (this.#asked[row] as AddressWindow<Tail>).ip,
      at: epochMillis(this.#ats[row] as number),
    }));
    const tails = await windows.askEach(moments);
    for (const [i, row] of left.entries()) this.#tails[row] = tails[i];
  }

  async #write({ lineEnd }: CsvHeader): Promise<void> {
    const { count, malformed } = this.#options;
    const { bytes } = this.#records;
    for (let row = 0; row < this.#rows; row++) {
      const asked = this.#asked[row];
      if (asked === undefined) {
        await this.#put(lineEnd);
        continue;
      }
      if ('problem' in asked) {
        count('malformed');
        await malformed(asked.problem);
        await this.#put(asked.text + this.#malformed.text);
        continue;
      }
      const { answer, text } = this.#tails[row] as Tail;
      count(answer);
      const start = this.#starts[row] as number;
      const end = this.#ends[row] as number;
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

function startOf({ start, commas }: CsvRecords, column: number): number {
  return column === 0 ? start : (commas[column - 1] as number) + 1;
}

function endOf({ end, commas, commaCount }: CsvRecords, column: number): number {
  return column === commaCount ? end : (commas[column] as number);
}

/** Broken quotes are mended and missing fields added, so that our columns stand where the header says. */
function broken(raw: string, fields: readonly string[], columns: number, problem: string): Broken {
  const text = raw.includes('"') ? fields.map(csvField).join(',') : raw;
  return { text: fields.length < columns ? text + ','.repeat(columns - fields.length) : text, problem };
}
