// Which ConfigMap of an hour takes which entry, and what has to be written for that. Pure: shards as they are on the
// server and entries that must be in them go in, the smallest set of writes comes out.

export interface Shard {
  readonly index: number;
  readonly data: ReadonlyMap<string, string>;
  /** Bytes of everything in the object that is not `data`. */
  readonly besides: number;
  /** It cannot be written (immutable, or not ours): its entries stay, and nothing is added. */
  readonly frozen: boolean;
}

/** One request. */
export interface ShardWrite {
  readonly index: number;
  /** There is no such shard yet. */
  readonly isNew: boolean;
  readonly set: ReadonlyMap<string, string>;
  readonly remove: ReadonlySet<string>;
}

/**
 * The API server refuses a ConfigMap whose values together exceed 1 MiB; keys are not in that sum. etcd refuses
 * an object of 1.5 MiB as it is stored, and there each key counts twice: in the data and among the managed fields. A
 * shard stays below 1 MiB as stored, and so below both.
 */
export const SHARD_LIMIT_BYTES = 1_048_576;
/** Metadata of a new shard, with room for what admission adds. */
export const NEW_SHARD_BYTES = 2048;
/** Tags and lengths of one entry in protobuf (at most 2+2+3+3), `"f:":{},` of the managed field (8). */
const ENTRY_BYTES = 18;

/** Not less than what the entry takes in the object as it is stored. */
export function entryBytes(key: string, value: string): number {
  return 2 * Buffer.byteLength(key) + Buffer.byteLength(value) + ENTRY_BYTES;
}

/** An hour is planned over and over while most of its shards stay as they are. */
const counted = new WeakMap<ReadonlyMap<string, string>, number>();

/** `data` must not be changed afterwards. */
export function shardBytes({ data, besides }: Pick<Shard, 'data' | 'besides'>): number {
  let bytes = counted.get(data);
  if (bytes === undefined) {
    bytes = 0;
    for (const [key, value] of data) bytes += entryBytes(key, value);
    counted.set(data, bytes);
  }
  return besides + bytes;
}

/** What all shards together say. Of a key in two of them the higher index has the newer value: entries move up only. */
export function unionOf(shards: readonly Shard[]): Map<string, string> {
  const union = new Map<string, string>();
  for (const { data } of inOrder(shards)) for (const [key, value] of data) union.set(key, value);
  return union;
}

/**
 * Invariant: after the writes the union of the shards is the union before, overlaid with `wanted`; no shard exceeds the
 * limit (one that did already is not added to); entries stay in their shard unless a longer value no longer fits.
 * Writes are in the order in which they may be carried out: an entry that moves is in its new shard first.
 */
export function planShards(
  shards: readonly Shard[],
  wanted: ReadonlyMap<string, string>,
  limit = SHARD_LIMIT_BYTES,
): readonly ShardWrite[] {
  const drafts = inOrder(shards).map((shard) => new Draft(shard, shardBytes(shard), false));
  // The first draft that may have room: what it has no room for now, it will have none for later in this plan either,
  // except for entries that are shorter. Those find their hole in a later plan; here one pass must stay one pass.
  let firstOpen = 0;
  for (const [key, value] of wanted) {
    const home = homeOf(drafts, key);
    if (home?.replace(key, value, limit)) continue;
    const bytes = entryBytes(key, value);
    let at = Math.max(firstOpen, home === undefined ? 0 : drafts.indexOf(home) + 1);
    while (at < drafts.length && !drafts[at]!.takes(bytes, limit)) {
      if (at === firstOpen && home === undefined) firstOpen++;
      at++;
    }
    const target = drafts[at] ?? newDraft(drafts);
    target.add(key, value, bytes);
    home?.drop(key);
  }
  const changed = drafts.filter((draft) => draft.isChanged);
  if (changed.some(({ remove }) => remove.size > 0)) changed.reverse();
  return changed.map(({ shard, isNew, set, remove }) => ({ index: shard.index, isNew, set, remove }));
}

class Draft {
  readonly shard: Shard;
  readonly isNew: boolean;
  readonly set = new Map<string, string>();
  readonly remove = new Set<string>();
  #bytes: number;

  constructor(shard: Shard, bytes: number, isNew: boolean) {
    this.shard = shard;
    this.#bytes = bytes;
    this.isNew = isNew;
  }

  get isChanged(): boolean {
    return this.set.size > 0 || this.remove.size > 0;
  }

  takes(bytes: number, limit: number): boolean {
    return !this.shard.frozen && this.#bytes + bytes <= limit;
  }

  /** True if the entry is here with this value now. */
  replace(key: string, value: string, limit: number): boolean {
    const before = this.set.get(key) ?? this.shard.data.get(key);
    if (before === value) return true;
    if (before === undefined) return false;
    const more = entryBytes(key, value) - entryBytes(key, before);
    if (this.shard.frozen || (more > 0 && this.#bytes + more > limit)) return false;
    this.set.set(key, value);
    this.#bytes += more;
    return true;
  }

  add(key: string, value: string, bytes: number): void {
    this.set.set(key, value);
    this.#bytes += bytes;
  }

  /** Its bytes are not given away in this plan: the removal comes after what is added elsewhere. */
  drop(key: string): void {
    this.set.delete(key);
    if (this.shard.data.has(key) && !this.shard.frozen) this.remove.add(key);
  }
}

/** The highest holds; what a move that was broken off left in a lower one goes. */
function homeOf(drafts: readonly Draft[], key: string): Draft | undefined {
  let home: Draft | undefined;
  for (let i = drafts.length - 1; i >= 0; i--) {
    const draft = drafts[i]!;
    if (!draft.shard.data.has(key)) continue;
    if (home === undefined) home = draft;
    else draft.drop(key);
  }
  return home;
}

function newDraft(drafts: Draft[]): Draft {
  const index = (drafts.at(-1)?.shard.index ?? -1) + 1;
  const shard: Shard = { index, data: new Map(), besides: NEW_SHARD_BYTES, frozen: false };
  const draft = new Draft(shard, NEW_SHARD_BYTES, true);
  drafts.push(draft);
  return draft;
}

function inOrder(shards: readonly Shard[]): Shard[] {
  return [...shards].sort((a, b) => a.index - b.index);
}
