// A connection that only reads, with what it remembers of the store. Between `begin` and `end` all its reads are of one
// state. views.ts keeps a few of them.

import { Questions } from '../questions.ts';
import type { Weeks } from '../week/weeks.ts';
import type { ClusterEntry, Head } from './head.ts';
import { HeadReader } from './head-read.ts';

export class View {
  readonly questions: Questions;
  readonly #head: Head;
  #layout = -1;
  #files: ReadonlySet<string> = new Set();

  /** `version` is that of the store's format. */
  constructor(head: Head, weeks: Weeks, version: number) {
    this.#head = head;
    this.questions = new Questions(head, new HeadReader(head), weeks, version);
  }

  begin(): void {
    this.#head.begin();
    try {
      this.#look();
    } catch (error) {
      this.#head.end();
      throw error;
    }
    this.questions.begin();
  }

  end(): void {
    this.#head.end();
  }

  close(): void {
    this.#head.close();
  }

  clusters(): ClusterEntry[] {
    return [...this.#head.clusters().values()];
  }

  /** Rises whenever clusters, week files or expired ranges change; as of the last `begin`. */
  get layout(): number {
    return this.#layout;
  }

  /** The week files that were listed then. */
  get files(): ReadonlySet<string> {
    return this.#files;
  }

  #look(): void {
    const { layoutGeneration } = this.#head;
    if (layoutGeneration === this.#layout) return;
    this.#files = new Set(this.clusters().flatMap(({ weeks }) => weeks.map(({ file }) => file)));
    this.#layout = layoutGeneration;
  }
}
