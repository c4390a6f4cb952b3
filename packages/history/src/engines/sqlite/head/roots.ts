// The head's anchors: one row for each cluster with the sums of everything that the head has of it, and one row with the
// checksums of those. Whatever is read is compared with them, so that a missing row is noticed, and so are pages of
// different age (a log that lost its tail leaves such). Written once in each transaction.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MOST_KINDS } from '../../occurrences/occurrence-type.ts';
import { agrees, checksumOf, damaged, sealed, unsealed } from '../format/checksum.ts';

export const ROOT_TABLE = 'CREATE TABLE root (cluster INTEGER PRIMARY KEY, body BLOB NOT NULL);';
export const GROUPS = 64;
/** Tables whose rows are found by an index of ours (primary-index.ts). */
export const INDEXED = ['tenure', 'placement', 'live', 'possible'] as const;
export type IndexedTable = (typeof INDEXED)[number];

export const STORE = 0;
/** Where the sums of the tallies begin; those of the coverage and the checkpoint are the last two. */
export const TALLIES_PLACE = 1 + INDEXED.length * GROUPS;
const FIELDS = TALLIES_PLACE + MOST_KINDS + 2;

/** The sums of one cluster. */
export class ClusterRoot {
  readonly fields: Float64Array;
  isTouched = false;

  constructor(fields: Float64Array) {
    this.fields = fields;
  }

  group(table: IndexedTable, group: number): number {
    return this.fields[groupPlace(table, group)]!;
  }

  setGroup(table: IndexedTable, group: number, sum: number): void {
    this.set(groupPlace(table, group), sum);
  }

  /** Of a kind of occurrences, by its number. */
  tallies(kind: number): number {
    return this.fields[TALLIES_PLACE + kind]!;
  }

  setTallies(kind: number, sum: number): void {
    this.set(TALLIES_PLACE + kind, sum);
  }

  get coverage(): number {
    return this.fields.at(-2)!;
  }

  set coverage(sum: number) {
    this.set(this.fields.length - 2, sum);
  }

  /** The checkpoint's own checksum; 0 before the first. */
  get checkpoint(): number {
    return this.fields.at(-1)!;
  }

  set checkpoint(checksum: number) {
    this.set(this.fields.length - 1, checksum);
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
  dictionary: number;
  readonly clusters: Map<number, number>;
}

export class Roots {
  readonly #read: StatementSync;
  readonly #write: StatementSync | undefined;
  readonly #fields: number;
  readonly #clusters = new Map<number, ClusterRoot>();
  #store: StoreRoot | undefined;
  #isTouched = false;

  /** `fields`: of a cluster's row; older versions have fewer. */
  constructor(db: DatabaseSync, writable: boolean, fields = FIELDS) {
    this.#fields = fields;
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
  change(changes: Partial<Pick<StoreRoot, 'generation' | 'layout' | 'dictionary'>>): void {
    Object.assign(this.#storeRoot(), changes);
    this.#isTouched = true;
  }

  of(cluster: number): ClusterRoot {
    let root = this.#clusters.get(cluster);
    if (root !== undefined) return root;
    const expected = this.#storeRoot().clusters.get(cluster);
    const whole = this.#whole(cluster);
    // A new cluster has none yet; the list of them is checked by itself.
    if (whole === undefined && expected === undefined) root = new ClusterRoot(new Float64Array(this.#fields));
    else {
      const where = (): string => `head, root of cluster ${cluster}`;
      if (whole === undefined || !agrees(checksumOf(whole), expected)) throw damaged(where());
      const fields = numbersOf(unsealed(whole, where));
      if (fields.length !== this.#fields || !agrees(fields[0]!, cluster)) throw damaged(where());
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
    const { commits, generation, layout, dictionary, clusters } = root;
    const fields = [STORE, commits, generation, layout, dictionary, ...[...clusters].flat()];
    this.#write!.run(STORE, sealed(bytesOf(Float64Array.from(fields))));
    return true;
  }

  #storeRoot(): StoreRoot {
    if (this.#store !== undefined) return this.#store;
    const where = (): string => 'head, root';
    const whole = this.#whole(STORE);
    if (whole === undefined) throw damaged(where());
    const [kind, commits, generation, layout, dictionary, ...rest] = numbersOf(unsealed(whole, where));
    if (kind !== STORE || dictionary === undefined || rest.length % 2 !== 0) throw damaged(where());
    const clusters = new Map<number, number>();
    for (let i = 0; i < rest.length; i += 2) clusters.set(rest[i]!, rest[i + 1]!);
    this.#store = { commits: commits!, generation: generation!, layout: layout!, dictionary, clusters };
    return this.#store;
  }

  #whole(cluster: number): Uint8Array | undefined {
    return this.#read.get(cluster)?.['body'] as Uint8Array | undefined;
  }
}

/** The first row of a store that has nothing in it. */
export function emptyRoot(generation: number, layout: number, dictionary: number): Buffer {
  return sealed(bytesOf(Float64Array.of(STORE, 0, generation, layout, dictionary)));
}

function groupPlace(table: IndexedTable, group: number): number {
  return 1 + INDEXED.indexOf(table) * GROUPS + group;
}

export function bytesOf(fields: Float64Array): Buffer {
  return Buffer.from(fields.buffer, fields.byteOffset, fields.byteLength);
}

/** A copy: stored bytes lie anywhere, numbers do not. */
export function numbersOf(bytes: Buffer): Float64Array {
  return new Float64Array(Uint8Array.from(bytes.subarray(0, bytes.length - (bytes.length % 8))).buffer);
}
