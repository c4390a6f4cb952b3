// Where the tests of the contract stand: a fresh store and its writer for each of them.

import type { StoredFact } from '../../../model/fact.ts';
import type { EpochMillis } from '../../../model/time.ts';
import { canonicalLine } from '../../canonical.ts';
import type { Engine } from '../../engine.ts';
import type { Writer } from '../../ledger-writer.ts';
import type { Page, Span } from '../../snapshot.ts';
import { allRecords, withSnapshot } from '../../with-snapshot.ts';
import { at, ipOf } from '../record-builders.ts';

export const PROD = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };
export const TEST = { id: 'b7c0b3a4-0000-4000-8000-000000000002', name: 'test' };
export const ALWAYS: Span = { from: 0 as EpochMillis, to: Number.MAX_SAFE_INTEGER as EpochMillis };
export const ALL: Page = { limit: 1000 };
export const WEEK_S = 7 * 86_400;

/** An engine that the contract is asked of. */
export interface Subject {
  readonly name: string;
  /** A fresh, empty store that the suite closes. */
  open(): Promise<Engine>;
  /** Another process's view of the store that was opened last, where there can be one; the suite closes it. */
  openReader?(): Promise<Engine>;
  /** Done after every append, so that the same answers must come from wherever the engine keeps old records. */
  settle?(engine: Engine): Promise<void>;
}

export class ContractStage {
  readonly #subject: Subject;
  #engine: Engine | undefined;
  #writer: Writer | undefined;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  get engine(): Engine {
    return this.#engine!;
  }

  get writer(): Writer {
    return this.#writer!;
  }

  async begin(): Promise<void> {
    this.#engine = await this.#subject.open();
    this.#writer = await this.#engine.takeOver(PROD);
  }

  async end(): Promise<void> {
    await this.engine.close();
  }

  async append(...facts: StoredFact[]): Promise<void> {
    await this.writer.append({ facts });
    await this.settle();
  }

  async settle(): Promise<void> {
    await this.#subject.settle?.(this.engine);
  }

  /** The engine itself where nobody else can look at its store. */
  async openReader(): Promise<Engine> {
    return (await this.#subject.openReader?.()) ?? this.engine;
  }

  /** The names of those who may have held an address, so many seconds after the stage's beginning of time. */
  async who(ip: string, seconds: number): Promise<string[]> {
    const found = await withSnapshot(this.engine, PROD.id, (snapshot) => snapshot.tenuresAt(ipOf(ip), at(seconds)));
    return found.map((tenure) => tenure.holder.name);
  }

  /** All records in their canonical form: equal texts are equal ledgers. */
  async exported(engine: Engine = this.engine): Promise<string> {
    let text = '';
    for await (const fact of allRecords(engine, PROD.id)) text += `${canonicalLine(fact)}\n`;
    return text;
  }
}
