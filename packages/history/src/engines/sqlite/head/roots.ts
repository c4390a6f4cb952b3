// The head's anchors: one row for each cluster with the sums of everything that the head has of it, and one row with the
// checksums of those. Whatever is read is compared with them, so that a missing row is noticed, and so are pages of
// different age (a log that lost its tail leaves such). Written once in each transaction.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { agrees, checksumOf, damaged, sealed, unsealed } from '../format/checksum.ts';

export const ROOT_TABLE = 'CREATE TABLE root (cluster INTEGER PRIMARY KEY, body BLOB NOT NULL);';
export const GROUPS = 64;
/** Tables whose rows are found by an index of ours (row-index.ts). */
export const INDEXED = ['tenure', 'placement', 'live', 'possible'] as const;
export type IndexedTable = (typeof INDEXED)[number];
/** Tables whose rows are found by their time (tallies.ts). */
export const TALLIED = ['change', 'conflict', 'anomaly'] as const;
export type TalliedTable = (typeof TALLIED)[number];

const STORE = 0;
const FIELDS = 1 + INDEXED.length * GROUPS + TALLIED.length + 2;

/** The sums of one cluster. */
export class ClusterRoot {
  readonly fields: Float64Array;
  isTouched = false;

  constructor(fields: Float64Array = new Float64Array(FIELDS)) {
    this.fields = fields;
  }

  group(table: IndexedTable, group: number): number {
    return this.fields[groupPlace(table, group)]!;
  }

  setGroup(table: IndexedTable, group: number, sum: number): void {
    this.set(groupPlace(table, group), sum);
  }

  tallies(table: TalliedTable): number {
    return this.fields[tallyPlace(table)]!;
  }

  setTallies(table: TalliedTable, sum: number): void {
    this.set(tallyPlace(table), sum);
  }

  get coverage(): number {
    return this.fields[FIELDS - 2]!;
  }

  set coverage(sum: number) {
    this.set(FIELDS - 2, sum);
  }

  /** The checkpoint's own checksum; 0 before the first. */
  get checkpoint(): number {
    return this.fields[FIELDS - 1]!;
  }

  set checkpoint(checksum: number) {
    this.set(FIELDS - 1, checksum);
  }

  set(place: number, value: number): void {
    this.fields[place] = value;
    this.isTouched = true;
  }
}

/** What concerns the whole store, and the checksum of each cluster's row. */
interface StoreRoot {
  /** Rises with every transaction that changes anything. */
  commits: number;
  generation: number;
  /** Of clusters and week files as they are listed. */
  layout: number;
  words: number;
  readonly clusters: Map<number, number>;
}

export class Roots {
  readonly #read: StatementSync;
  readonly #write: StatementSync | undefined;
  readonly #clusters = new Map<number, ClusterRoot>();
  #store: StoreRoot | undefined;
  #isTouched = false;

  constructor(db: DatabaseSync, writable: boolean) {
    this.#read = db.prepare('SELECT body FROM root WHERE cluster = ?');
    this.#write = writable ? db.prepare('INSERT OR REPLACE INTO root VALUES (?, ?)') : undefined;
  }

  /** To be called when somebody else has written, and after a rollback. */
  forget(): void {
    this.#clusters.clear();
    this.#store = undefined;
    this.#isTouched = false;
  }

  get store(): Readonly<StoreRoot> {
    return this.#storeRoot();
  }

  /** Within a write transaction. */
  change(changes: Partial<Pick<StoreRoot, 'generation' | 'layout' | 'words'>>): void {
    Object.assign(this.#storeRoot(), changes);
    this.#isTouched = true;
  }

  of(cluster: number): ClusterRoot {
    let root = this.#clusters.get(cluster);
    if (root !== undefined) return root;
    const expected = this.#storeRoot().clusters.get(cluster);
    const whole = this.#whole(cluster);
    // A new cluster has none yet; the list of them is checked by itself.
    if (whole === undefined && expected === undefined) root = new ClusterRoot();
    else {
      const where = (): string => `head, root of cluster ${cluster}`;
      if (whole === undefined || !agrees(checksumOf(whole), expected)) throw damaged(where());
      const fields = numbersOf(unsealed(whole, where));
      if (fields.length !== FIELDS || !agrees(fields[0]!, cluster)) throw damaged(where());
      root = new ClusterRoot(fields);
    }
    this.#clusters.set(cluster, root);
    return root;
  }

  /** At the end of a write transaction. Says whether anything was changed. */
  flush(): boolean {
    for (const [cluster, root] of this.#clusters) {
      if (!root.isTouched) continue;
      root.isTouched = false;
      root.fields[0] = cluster;
      const body = sealed(bytesOf(root.fields));
      this.#write!.run(cluster, body);
      this.#storeRoot().clusters.set(cluster, checksumOf(body));
      this.#isTouched = true;
    }
    if (!this.#isTouched) return false;
    this.#isTouched = false;
    const root = this.#storeRoot();
    root.commits++;
    const { commits, generation, layout, words, clusters } = root;
    const fields = [STORE, commits, generation, layout, words, ...[...clusters].flat()];
    this.#write!.run(STORE, sealed(bytesOf(Float64Array.from(fields))));
    return true;
  }

  #storeRoot(): StoreRoot {
    if (this.#store !== undefined) return this.#store;
    const where = (): string => 'head, root';
    const whole = this.#whole(STORE);
    if (whole === undefined) throw damaged(where());
    const [kind, commits, generation, layout, words, ...rest] = numbersOf(unsealed(whole, where));
    if (kind !== STORE || words === undefined || rest.length % 2 !== 0) throw damaged(where());
    const clusters = new Map<number, number>();
    for (let i = 0; i < rest.length; i += 2) clusters.set(rest[i]!, rest[i + 1]!);
    this.#store = { commits: commits!, generation: generation!, layout: layout!, words, clusters };
    return this.#store;
  }

  #whole(cluster: number): Uint8Array | undefined {
    return this.#read.get(cluster)?.['body'] as Uint8Array | undefined;
  }
}

/** The first row of a store that has nothing in it. */
export function emptyRoot(generation: number, layout: number, words: number): Buffer {
  return sealed(bytesOf(Float64Array.of(STORE, 0, generation, layout, words)));
}

function groupPlace(table: IndexedTable, group: number): number {
  return 1 + INDEXED.indexOf(table) * GROUPS + group;
}

function tallyPlace(table: TalliedTable): number {
  return 1 + INDEXED.length * GROUPS + TALLIED.indexOf(table);
}

function bytesOf(fields: Float64Array): Buffer {
  return Buffer.from(fields.buffer, fields.byteOffset, fields.byteLength);
}

/** A copy: stored bytes lie anywhere, numbers do not. */
function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(Uint8Array.from(bytes.subarray(0, bytes.length - (bytes.length % 8))).buffer);
}
