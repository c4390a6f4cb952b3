// Whether an input is text at all. What is not gets a sentence that says what it looks like and what to do about it.

const KNOWN: readonly (readonly [beginning: string, what: string, hint: string])[] = [
  ['PAR1', 'Parquet', 'convert it to CSV or JSON lines first, for example with DuckDB.'],
  ['PK\u0003\u0004', 'a ZIP archive', 'unpack it first.'],
  ['\u00fd7zXZ', 'packed with xz', 'unpack it first: xz -dc FILE | podtrail attribute - ...'],
  ['BZh', 'packed with bzip2', 'unpack it first: bzip2 -dc FILE | podtrail attribute - ...'],
  ['\u0004"M\u0018', 'packed with lz4', 'unpack it first: lz4 -dc FILE | podtrail attribute - ...'],
  ['SQLite format 3', 'an SQLite database', 'a store of podtrail is given with --store.'],
  ['\u00d4\u00c3\u00b2\u00a1', 'a packet capture', 'make flows of it first, for example with Zeek.'],
  ['\n\r\r\n', 'a packet capture', 'make flows of it first, for example with Zeek.'],
  ['Obj\u0001', 'Avro', 'convert it to JSON lines first.'],
];
const UTF16_HINT = 'convert it first: iconv -f UTF-16 -t UTF-8 FILE | podtrail attribute - ...';
const LOOKED_AT = 1024;

export interface NotText {
  readonly what: string;
  readonly hint: string;
}

/** Undefined when it may be text. `beginning` has one character for each byte. */
export function notText(beginning: string): NotText | undefined {
  if (/^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(beginning)) return { what: 'UTF-16', hint: UTF16_HINT };
  const known = KNOWN.find(([mark]) => beginning.startsWith(mark));
  if (known !== undefined) return { what: known[1], hint: known[2] };
  const text = beginning.slice(0, LOOKED_AT);
  const zeros = text.split('\u0000').length - 1;
  if (zeros >= 4 && zeros > text.length * 0.3) return { what: 'UTF-16 without a mark', hint: UTF16_HINT };
  const controls = text.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  if (controls <= text.length * 0.1) return undefined;
  return {
    what: 'binary, of a kind that is not known',
    hint: 'attribute reads text: CSV and the like, JSON, flow logs; plain, gzip or zstd.',
  };
}
