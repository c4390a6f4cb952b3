// Reads out of the head when the cluster was watched, and up to which version it is recorded. HeadReader has one; called
// inside a transaction. Coverage of which a stretch is missing is `damaged`.
import type { Checkpoint, Coverage } from '../../../model/records.ts';
import { agrees, damaged, withMember } from '../format/checksum.ts';
import { HeadRow, readRow } from '../format/head-row.ts';
import type { Head } from './head.ts';
import type { RowReader } from './row-reader.ts';

interface StoredCoverage {
  readonly record: Coverage;
  readonly checksum: number;
}

export class CoverageReader {
  readonly #head: Head;
  readonly #rows: RowReader;
  readonly #coverages = new Map<number, readonly StoredCoverage[]>();
  #version = '';

  constructor(head: Head, rows: RowReader) {
    this.#head = head;
    this.#rows = rows;
  }

  /** In the order of their beginnings. */
  of(cluster: number): Coverage[] {
    return this.#known(cluster).map(({ record }) => record);
  }

  find(cluster: number, from: number, collector: string): StoredCoverage | undefined {
    return this.#read(cluster).find(({ record }) => record.from === from && record.collector === collector);
  }

  checkpoint(cluster: number): Checkpoint | undefined {
    const row = this.#head.db.prepare('SELECT checkpoint FROM cluster WHERE number = ?').get(cluster);
    const body = (row?.['checkpoint'] as Uint8Array | null | undefined) ?? undefined;
    const { checkpoint } = this.#head.roots.of(cluster);
    if (body === undefined && checkpoint === 0) return undefined;
    const found = readRow(body, 0, checkpoint, () => `head, checkpoint of cluster ${cluster}`);
    return this.#rows.record(found, 'checkpoint', (reader) => reader.checkpoint());
  }

  /** After a rollback. */
  forget(): void {
    this.#version = '';
  }

  /** Asked for with every question, hence kept until somebody writes. */
  #known(cluster: number): readonly StoredCoverage[] {
    const version = this.#head.contentVersion;
    if (version !== this.#version) this.#coverages.clear();
    this.#version = version;
    let found = this.#coverages.get(cluster);
    if (found === undefined) this.#coverages.set(cluster, (found = this.#read(cluster)));
    return found;
  }

  #read(cluster: number): StoredCoverage[] {
    const sql = 'SELECT body, start FROM coverage WHERE cluster = ? ORDER BY start, collector';
    const where = (): string => `head, coverage of cluster ${cluster}`;
    const found: StoredCoverage[] = [];
    let sum = 0;
    for (const [body] of this.#rows.all(sql, cluster)) {
      const row = new HeadRow(body, where);
      sum = withMember(sum, row.checksum);
      const record = this.#rows.record(row, 'coverage', (reader) => reader.coverage());
      found.push({ record, checksum: row.checksum });
    }
    if (!agrees(sum, this.#head.roots.of(cluster).coverage)) throw damaged(where());
    return found;
  }
}
