// Evidence about one subject. Pods that end one after the other share a node, an owner, a namespace: of what several
// questions of a snapshot ask about, only what is later than the last time is read.
import type { Snapshot, Span, Subject } from '../engines/snapshot.ts';
import type { Evidence } from '../model/evidence.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { MINUTE_MS } from './traces.ts';

/** So long after an end evidence about it may come. */
export const AFTER_MS = 15 * MINUTE_MS;
const PAGE = 500;
const MOST_PAGES = 8;
/** The next one ends soon after this one: read with it. */
const AHEAD_MS = 60 * MINUTE_MS;
/** Of all subjects of a snapshot, some 20 MB. */
const MOST_KEPT = 40_000;

/** All of it within the span, as far as the limit goes; where there is more, what is nearest to the end. */
export async function readEvidence(
  snapshot: Snapshot,
  subject: Subject,
  { from, to }: Span,
  isWanted: (evidence: Evidence) => boolean,
): Promise<Evidence[]> {
  const found: Evidence[] = [];
  for (const since of [from, to - AFTER_MS - 30 * MINUTE_MS, to - AFTER_MS - 2 * MINUTE_MS]) {
    const all = await readPages(snapshot, subject, { from: epochMillis(Math.max(from, since)), to });
    for (const one of all.items) if (isWanted(one)) found.push(one);
    if (all.isWhole) break;
  }
  return inOrder(found);
}

/** The same of a subject that others share. */
export async function readShared(
  snapshot: Snapshot,
  subject: Subject,
  span: Span,
  isWanted: (evidence: Evidence) => boolean,
): Promise<Evidence[]> {
  let reads = ofSnapshots.get(snapshot);
  if (reads === undefined) ofSnapshots.set(snapshot, (reads = new SharedReads(snapshot)));
  const all = await reads.read(subject, span);
  return all === undefined ? await readEvidence(snapshot, subject, span, isWanted) : all.filter(isWanted);
}

/** By time, each once. */
export function inOrder(evidence: readonly Evidence[]): Evidence[] {
  const byId = new Map(evidence.map((one) => [one.id, one]));
  return [...byId.values()].sort((a, b) => a.at - b.at);
}

const ofSnapshots = new WeakMap<Snapshot, SharedReads>();

interface Known {
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  /** By time; undefined: more than the limit. */
  readonly items: readonly Evidence[] | undefined;
}

/** Invariant: all reads of a snapshot see one state, so that what was read stays right for as long as it lives. */
class SharedReads {
  readonly #snapshot: Snapshot;
  /** By subject; each question waits for the one before it about the same. */
  readonly #known = new Map<string, Promise<Known>>();
  #kept = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** Undefined: there is more of it than the limit. */
  async read(subject: Subject, { from, to }: Span): Promise<readonly Evidence[] | undefined> {
    const key = JSON.stringify(subject);
    const before = this.#known.get(key);
    const ahead = epochMillis(to + AHEAD_MS);
    const next = before === undefined ? this.#new(subject, from, ahead) : this.#grown(subject, before, from, to);
    this.#known.set(key, next);
    const { items } = await next;
    return items?.filter(({ at }) => at >= from && at < to);
  }

  async #new(subject: Subject, from: EpochMillis, to: EpochMillis): Promise<Known> {
    const { items, isWhole } = await readPages(this.#snapshot, subject, { from, to });
    this.#keep(items.length);
    return { from, to, items: isWhole ? items : undefined };
  }

  /** What is asked for, and what was known already where the two meet. */
  async #grown(subject: Subject, before: Promise<Known>, from: EpochMillis, to: EpochMillis): Promise<Known> {
    const known = await before;
    const ahead = epochMillis(to + AHEAD_MS);
    if (from < known.from || from > known.to) return await this.#new(subject, from, ahead);
    if (to <= known.to) return known;
    if (known.items === undefined) return await this.#new(subject, from, ahead);
    const { items, isWhole } = await readPages(this.#snapshot, subject, { from: known.to, to: ahead });
    this.#keep(items.length);
    const all = [...known.items, ...items];
    return { from: known.from, to: ahead, items: isWhole && all.length <= PAGE * MOST_PAGES ? all : undefined };
  }

  #keep(more: number): void {
    this.#kept += more;
    if (this.#kept <= MOST_KEPT) return;
    this.#known.clear();
    this.#kept = more;
  }
}

async function readPages(snapshot: Snapshot, subject: Subject, span: Span) {
  const items: Evidence[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const read = await snapshot.occurrences({ kind: 'evidence', subject, span, page: { limit: PAGE, cursor } });
    items.push(...read.items);
    cursor = read.cursor;
    if (cursor === undefined) return { items, isWhole: true };
  }
  return { items, isWhole: false };
}
