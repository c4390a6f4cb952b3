// The dictionary of one file: texts that come again and again (namespaces, nodes, workloads, origins) are stored once
// and named by a number. Read on demand, kept in memory.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ByteReader, ByteWriter } from './bytes.ts';
import { corruptRow, handleOf, sealed, unsealed } from './checksum.ts';

export interface Words {
  numberOf(text: string): number;
  /** Of texts of which there may be ever more (each Job's name is new); undefined where they had better be inline. */
  passingNumberOf(text: string): number | undefined;
  textOf(number: number): string;
}

/** Beyond this many, the memory is given back and filled anew. */
const MOST_KEPT = 200_000;
const WORDS_PER_BLOCK = 64;

/** The head's dictionary, which grows. */
export class WordTable implements Words {
  readonly #find: StatementSync;
  readonly #read: StatementSync;
  readonly #add: StatementSync | undefined;
  readonly #numbers = new Map<string, number>();
  readonly #texts = new Map<number, string>();

  constructor(db: DatabaseSync, canAdd: boolean) {
    this.#find = db.prepare('SELECT number FROM word WHERE text = ?');
    this.#read = db.prepare('SELECT text, sum FROM word WHERE number = ?');
    this.#add = canAdd ? db.prepare('INSERT INTO word (text, sum) VALUES (?, ?)') : undefined;
  }

  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number !== undefined) return number;
    number = this.#find.get(text)?.['number'] as number | undefined;
    number ??= Number(this.#add!.run(text, handleOf(text)).lastInsertRowid);
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
    if (text === undefined || handleOf(text) !== row!['sum']) throw corruptRow(`word ${number}`);
    if (this.#texts.size >= MOST_KEPT) this.#texts.clear();
    this.#texts.set(number, text);
    return text;
  }

  /** After a rollback: words that were added in it are gone. */
  forget(): void {
    this.#numbers.clear();
    this.#texts.clear();
  }
}

/** The dictionary of a file that is being built. */
export class NewWords implements Words {
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
    for (const text of this.#numbers.keys()) {
      writer.text(text);
      if (++count % WORDS_PER_BLOCK !== 0) continue;
      yield [count / WORDS_PER_BLOCK - 1, sealed(writer.take())];
      writer.clear();
    }
    if (writer.length > 0) yield [Math.floor(count / WORDS_PER_BLOCK), sealed(writer.take())];
  }
}

/** The dictionary of a week file. */
export class WordBlocks implements Words {
  readonly #read: StatementSync;
  readonly #texts = new Map<number, readonly string[]>();

  constructor(db: DatabaseSync) {
    this.#read = db.prepare('SELECT body FROM word WHERE block = ?');
  }

  numberOf(): number {
    throw new RangeError('a week file takes no new words');
  }

  passingNumberOf(): undefined {
    return undefined;
  }

  textOf(number: number): string {
    const block = Math.floor(number / WORDS_PER_BLOCK);
    let texts = this.#texts.get(block);
    if (texts === undefined) {
      if (this.#texts.size * WORDS_PER_BLOCK >= MOST_KEPT) this.#texts.clear();
      this.#texts.set(block, (texts = this.block(block)));
    }
    const text = texts[number % WORDS_PER_BLOCK];
    if (text === undefined) throw corruptRow(`word ${number}`);
    return text;
  }

  block(block: number): readonly string[] {
    const where = (): string => `words ${block}`;
    const body = this.#read.get(block)?.['body'] as Uint8Array | undefined;
    if (body === undefined) throw corruptRow(where());
    const reader = new ByteReader(unsealed(body, where));
    const texts: string[] = [];
    while (!reader.isAtEnd) texts.push(reader.text());
    return texts;
  }
}
