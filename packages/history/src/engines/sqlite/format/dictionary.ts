// The dictionary of one file: texts that come again and again (namespaces, nodes, workloads, origins) are stored once
// and named by a number. Read on demand, kept in memory.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Roots } from '../head/roots.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { agrees, damaged, handleOf, sealed, unsealed, withMember } from './checksum.ts';

export interface Dictionary {
  numberOf(text: string): number;
  /** Of texts of which there may be ever more (each Job's name is new); undefined where they had better be inline. */
  passingNumberOf(text: string): number | undefined;
  textOf(number: number): string;
}

/** Beyond this many, the memory is given back and filled again. */
const MOST_KEPT = 200_000;
const ENTRIES_PER_BLOCK = 64;

/** The head's dictionary, which grows. */
export class HeadDictionary implements Dictionary {
  readonly #find: StatementSync;
  readonly #read: StatementSync;
  readonly #add: StatementSync | undefined;
  readonly #all: StatementSync;
  readonly #last: StatementSync;
  readonly #roots: Roots;
  readonly #numbers = new Map<string, number>();
  readonly #texts = new Map<number, string>();
  #isComplete = false;

  constructor(db: DatabaseSync, roots: Roots, canAdd: boolean) {
    this.#roots = roots;
    this.#all = db.prepare('SELECT number, text, sum FROM word');
    this.#last = db.prepare('SELECT ifnull(max(number), 0) AS last FROM word');
    this.#find = db.prepare('SELECT number FROM word WHERE text = ?');
    this.#read = db.prepare('SELECT text, sum FROM word WHERE number = ?');
    this.#add = canAdd ? db.prepare('INSERT INTO word (number, text, sum) VALUES (?, ?, ?)') : undefined;
  }

  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number !== undefined) return number;
    number = this.#find.get(text)?.['number'] as number | undefined;
    number = number === undefined ? this.#added(text) : this.#found(number, text);
    if (this.#numbers.size >= MOST_KEPT) this.#numbers.clear();
    this.#numbers.set(text, number);
    return number;
  }

  /** A dictionary that only grows must not take them. */
  passingNumberOf(): undefined {
    return undefined;
  }

  textOf(number: number): string {
    let text = this.#texts.get(number);
    if (text !== undefined) return text;
    const row = this.#read.get(number);
    text = row?.['text'] as string | undefined;
    if (text === undefined || !agrees(entrySum(number, text), row!['sum'] as number))
      throw damaged(`head, text ${number} of the dictionary`);
    if (this.#texts.size >= MOST_KEPT) this.#texts.clear();
    this.#texts.set(number, text);
    return text;
  }

  /** After a rollback: texts that were added in it are gone. */
  forget(): void {
    this.#numbers.clear();
    this.#texts.clear();
  }

  /** Throws `damaged` unless all texts are there: a number that is given twice would make old records wrong. */
  check(): number {
    let sum = 0;
    let count = 0;
    for (const row of this.#all.iterate()) {
      sum = withMember(sum, row['sum'] as number);
      count++;
    }
    if (!agrees(sum, this.#roots.store.dictionary)) throw damaged('head, dictionary');
    this.#isComplete = true;
    return count;
  }

  #added(text: string): number {
    if (!this.#isComplete) this.check();
    const { dictionary } = this.#roots.store;
    const last = this.#last.get()!['last'] as number;
    const number = last + 1;
    const sum = entrySum(number, text);
    this.#add!.run(number, text, sum);
    this.#roots.change({ dictionary: withMember(dictionary, sum) });
    return number;
  }

  /** The index may have led astray. */
  #found(number: number, text: string): number {
    if (!agrees(this.textOf(number), text)) throw damaged(`head, text ${number} of the dictionary`);
    return number;
  }
}

/** Of a text under its number. */
export function entrySum(number: number, text: string): number {
  return handleOf(String(number), text);
}

/** The dictionary of a file that is being built. */
export class NewDictionary implements Dictionary {
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) this.#numbers.set(text, (number = this.#numbers.size));
    return number;
  }

  passingNumberOf(text: string): number {
    return this.numberOf(text);
  }

  textOf(): string {
    throw new RangeError('a file that is being built is not read');
  }

  /** Rows of the table, in the order of their numbers. */
  *blocks(): Generator<readonly [block: number, body: Buffer]> {
    const writer = new ByteWriter();
    let count = 0;
    let block = 0;
    for (const text of this.#numbers.keys()) {
      // Its own number comes first: a block that stands in another's place is noticed.
      if (writer.length === 0) writer.uint(block);
      writer.text(text);
      if (++count % ENTRIES_PER_BLOCK !== 0) continue;
      yield [block++, sealed(writer.take())];
      writer.clear();
    }
    if (writer.length > 0) yield [block, sealed(writer.take())];
  }
}

/** The dictionary of a week file. */
export class WeekDictionary implements Dictionary {
  readonly #read: StatementSync;
  readonly #isNumbered: boolean;
  #blocks: (Block | undefined)[] = [];
  #kept = 0;

  /** Of the week file's format. */
  constructor(db: DatabaseSync, version: number) {
    this.#isNumbered = version > 1;
    this.#read = db.prepare('SELECT body FROM word WHERE block = ?');
  }

  numberOf(): number {
    throw new RangeError('a week file takes no new texts');
  }

  passingNumberOf(): undefined {
    return undefined;
  }

  textOf(number: number): string {
    const at = Math.floor(number / ENTRIES_PER_BLOCK);
    const block = this.#blocks[at] ?? this.#keep(at);
    const place = number % ENTRIES_PER_BLOCK;
    const text = (block.texts[place] ??= wordOf(block.bytes, place));
    if (text === undefined) throw damaged(`text ${number} of the dictionary`);
    return text;
  }

  /** For verifying: reads all of it. */
  check(at: number): void {
    const reader = new ByteReader(this.#body(at));
    while (!reader.isAtEnd) reader.text();
  }

  #keep(at: number): Block {
    const block: Block = { bytes: this.#body(at), texts: [] };
    if (this.#kept++ * ENTRIES_PER_BLOCK >= MOST_KEPT) {
      this.#blocks = [];
      this.#kept = 1;
    }
    this.#blocks[at] = block;
    return block;
  }

  #body(at: number): Buffer {
    const where = (): string => `dictionary ${at}`;
    const body = this.#read.get(at)?.['body'] as Uint8Array | undefined;
    if (body === undefined) throw damaged(where());
    const bytes = unsealed(body, where);
    if (!this.#isNumbered) return bytes;
    const reader = new ByteReader(bytes);
    if (!agrees(reader.uint(), at)) throw damaged(where());
    return bytes.subarray(reader.at);
  }
}

/** Each Job's name is asked for once or never: only what is asked for is made a text. */
interface Block {
  readonly bytes: Buffer;
  readonly texts: (string | undefined)[];
}

function wordOf(bytes: Buffer, place: number): string | undefined {
  const reader = new ByteReader(bytes);
  for (let left = place; left > 0 && !reader.isAtEnd; left--) reader.skip(reader.uint());
  return reader.isAtEnd ? undefined : reader.text();
}
