// What a log of delimited text says about itself: its names in the first line, or the directives of Zeek between its rows.
// TextToText asks it where the columns are, and writes what it makes of them. It takes no rows.
import { csvFields } from './csv-fields.ts';
import type { CsvRecords } from './csv-records.ts';
import type { LogLimits } from './log-limits.ts';
import { quotedField } from './mended-row.ts';
import { rawOf, utf8Of } from './row.ts';
import { UnusualRow } from './row-batch.ts';
import { TextHeader, type TextLayout } from './text-layout.ts';
import { namesOf } from './text-rows.ts';

const BOM = '\u00ef\u00bb\u00bf';

export class TextHeaderReader {
  /** Lines that begin with `#` are not rows. */
  readonly hasComments: boolean;
  /** Of the rows that come now; undefined before the names are known. */
  header: TextHeader | undefined;
  /** As the last line that was read here ends. */
  lineEnd: '\n' | '\r\n' = '\n';
  readonly #layout: TextLayout;
  readonly #records: CsvRecords;
  readonly #limits: LogLimits;
  #names = '';

  constructor(layout: TextLayout, records: CsvRecords, limits: LogLimits) {
    this.#limits = limits;
    this.hasComments = layout.header === 'directive';
    this.#layout = layout;
    this.#records = records;
    if (Array.isArray(layout.header)) this.#learn(layout.header);
  }

  /** The line of names that goes out, with ours and its line end. */
  get text(): string {
    return this.#names + this.lineEnd;
  }

  /** Of the first line; false when that has not come. In a log with directives `comment` comes upon the names. */
  readFirstLine(): boolean {
    if (this.hasComments) return true;
    if (!this.#records.next()) return false;
    this.#learnLineEnd();
    const raw = this.#records.raw();
    const text = raw.startsWith(BOM) ? raw.slice(BOM.length) : raw;
    this.#learn(csvFields(text, this.#records.quoted, this.#layout.delimiter).fields.map(utf8Of), raw);
    return true;
  }

  /** A line of Zeek about the log: ours are added to its lists of columns. */
  comment(): UnusualRow {
    const layout = this.#layout;
    const raw = this.#records.raw();
    this.#learnLineEnd();
    if (raw.startsWith('#fields')) {
      this.#learn(namesOf(raw, layout));
      return new UnusualRow(`#fields${layout.delimiter}${this.#names}`, false);
    }
    if (!raw.startsWith('#types') || this.header === undefined) return new UnusualRow(raw, false);
    const [first = '', ...types] = raw.split(layout.delimiter);
    const kept = this.header.kept.map((column) => types[column] ?? 'string');
    const ours = layout.ours
      .names([])
      .flat()
      .map(() => 'string');
    return new UnusualRow([first, ...kept, ...ours].join(layout.delimiter), false);
  }

  #learnLineEnd(): void {
    this.lineEnd = this.#records.crlf ? '\r\n' : '\n';
  }

  #learn(names: readonly string[], raw?: string): void {
    const layout = this.#layout;
    const header = new TextHeader(names, layout, this.#limits);
    if (this.#records.commas.length < names.length) this.#records.commas = new Uint32Array(names.length);
    const ours = layout.ours.names(header.keptNames).flat();
    const cell = (name: string) => (layout.hasQuotes ? quotedField(rawOf(name), layout.delimiter) : rawOf(name));
    // As it came, where all of it stays.
    const before =
      raw !== undefined && header.kept.length === names.length
        ? raw
        : header.keptNames.map(cell).join(layout.delimiter);
    this.#names = `${before}${ours.map((name) => layout.delimiter + cell(name)).join('')}`;
    this.header = header;
  }
}
