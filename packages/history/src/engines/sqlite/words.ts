// The dictionary of one file: texts that come again and again (namespaces, nodes, workloads, origins) are stored once
// and named by a number. Read on demand, kept in memory.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { corruptRow, handleOf } from './checksum.ts';

export interface Words {
  numberOf(text: string): number;
  textOf(number: number): string;
}

/** Beyond this many, the memory is given back and filled anew: Jobs make a new workload each. */
const MOST_KEPT = 200_000;

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
    if (number === undefined) this.#numbers.set(text, (number = this.#numbers.size + 1));
    return number;
  }

  textOf(): string {
    throw new RangeError('a file that is being built is not read');
  }

  entries(): IterableIterator<[text: string, number: number]> {
    return this.#numbers.entries();
  }
}
