// Prints what a command found, in the format that was asked for. Commands say what their records look like; how that
// becomes text is decided here once.
import type { Sink } from '../command-env.ts';
import type { Zone } from '../times/zone.ts';
import { type CsvColumn, formatCsv } from './csv.ts';
import { formatJson, formatJsonLine } from './json.ts';
import type { Format } from './output-format.ts';
import { type Column, formatTable } from './table.ts';
import { visible } from './visible.ts';

export interface PrintOptions {
  readonly out: Sink;
  readonly format: Format;
  readonly headers: boolean;
  readonly colour: boolean;
  readonly zone: Zone;
}

export interface Listing<T> {
  /** What `-o json` and `-o yaml` print. */
  readonly document: unknown;
  readonly rows: readonly T[];
  /** Before the table, without newline; left out with `--no-headers`. Names in it are made visible here. */
  readonly sentence?: string | undefined;
  readonly paint?: (sentence: string) => string;
  readonly columns: readonly Column<T>[];
  readonly csv: readonly CsvColumn<T>[];
  /** One line of `-o jsonl`. */
  readonly json: (row: T) => unknown;
  /** The lines of `-o jsonl` where they are not the rows. */
  readonly lines?: readonly unknown[];
  /** One line of `-o name`: kind/namespace/name, or what comes closest. */
  readonly name: (row: T) => string;
}

export async function printListing<T>(listing: Listing<T>, options: PrintOptions): Promise<void> {
  const text = await formatListing(listing, options);
  if (text !== '') await options.out.write(text);
}

async function formatListing<T>(listing: Listing<T>, { format, headers }: PrintOptions): Promise<string> {
  switch (format) {
    case 'json':
      return formatJson(listing.document);
    case 'yaml':
      return await yaml(listing.document);
    case 'jsonl':
      return (listing.lines ?? listing.rows.map(listing.json)).map(formatJsonLine).join('');
    case 'csv':
      return formatCsv(listing.rows, listing.csv, headers);
    case 'name':
      return listing.rows.map((row) => `${visible(listing.name(row))}\n`).join('');
    case 'table':
    case 'wide': {
      const sentence = headers && listing.sentence !== undefined ? `${shown(listing.sentence, listing.paint)}\n` : '';
      if (listing.rows.length === 0) return sentence;
      const table = formatTable(listing.rows, listing.columns, { wide: format === 'wide', headers });
      return sentence === '' ? table : `${sentence}\n${table}`;
    }
  }
}

/** Loaded when it is wanted: it is most of what a question would have to load. */
async function yaml(document: unknown): Promise<string> {
  const { formatYaml } = await import('./yaml.ts');
  return formatYaml(document);
}

/** Painted only after it was made visible: the escapes of a colour are ours. */
function shown(sentence: string, paint: (text: string) => string = (text) => text): string {
  return paint(sentence.split('\n').map(visible).join('\n'));
}
