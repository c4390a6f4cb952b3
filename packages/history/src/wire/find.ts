// What matches a text that somebody typed: pods, workloads, nodes, Services and addresses, living or gone. Looks at a bounded
// number of records, what lives first; where that ends before the records do, the document says so. Only records that the
// asker may see are counted, so that what is found, and whether that is all, says nothing about the others; a text that only
// hidden records have costs what one costs that nobody has.
import type { Cluster, Snapshot, Span } from '../engines/snapshot.ts';
import {
  hasWorkloadAt,
  kindAt,
  namespaceAt,
  nodeAt,
  SHARED,
  type StayColumns,
  type StayKind,
  TIMES,
} from '../engines/stay-columns.ts';
import { type EpochMillis, epochMillis, toText } from '../model/time.ts';
import { LONGEST_SPAN_MS } from '../query/limits.ts';
import { staysWithin } from '../query/stays-within.ts';
import { isHolderVisible, visibleSince } from '../query/visibility.ts';
import { clusterDocument } from './asked.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import type { FindDocument, FoundDocument } from './schemas/index.ts';
import { type Rank, TextMatch } from './text-match.ts';

export interface FindAsked {
  readonly text: string;
  readonly limit: number;
  readonly now: EpochMillis;
  /** Records of the asker that are looked at; of tests. */
  readonly mostSeen?: number;
}

/** About half a second: longer nobody waits for what he types. */
const MOST_SEEN = 200_000;
/** When more match, those that match worst are left out while it still reads. */
const MOST_KEPT = 5_000;
const KINDS: readonly FoundDocument['kind'][] = ['Address', 'Workload', 'Pod', 'Service', 'Node'];

interface Found extends Omit<FoundDocument, 'last'> {
  readonly rank: number;
  /** Of its end; 0 while it lasts. */
  readonly until: number;
}

export async function askFind(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  { text, limit, now, mostSeen = MOST_SEEN }: FindAsked,
): Promise<FindDocument> {
  const found = new Findings(new TextMatch(text), visibility, mostSeen);
  reading: for (const [kind, span] of readings(now, visibility)) {
    for await (const stays of staysWithin(snapshot, kind, span)) {
      if (!found.look(stays)) break reading;
    }
  }
  return {
    query: { ...clusterDocument(cluster), text },
    ...narrowedDocument(visibility),
    matches: found.best(limit).map(({ rank, until: end, ...one }) => ({
      ...one,
      last: one.living ? null : toText(epochMillis(end)),
    })),
    complete: !found.isCut(limit),
  };
}

/**
 * What lives, then everything. Tenures have addresses, nodes, Services and most pods, placements every pod. What lives is
 * read by its tenures first, so that a node is found however many pods there are.
 */
function readings(now: EpochMillis, visibility: Visibility): readonly (readonly [StayKind, Span])[] {
  const living = { from: now, to: epochMillis(now + 1) };
  const since = visibleSince(visibility) ?? 0;
  if (since >= living.to) return [];
  const all = { from: epochMillis(Math.max(since, now - LONGEST_SPAN_MS + 1)), to: living.to };
  return [
    ['tenure', living],
    ['placement', living],
    ['placement', all],
    ['tenure', all],
  ];
}

class Findings {
  readonly #match: TextMatch;
  readonly #visibility: Visibility;
  #found = new Map<string, Found>();
  #isCut = false;
  /** Records that may still be looked at. */
  #left: number;

  constructor(match: TextMatch, visibility: Visibility, most: number) {
    this.#match = match;
    this.#visibility = visibility;
    this.#left = most;
  }

  /** False: no more. It ends between two records of the asker, wherever the others lie. */
  look(stays: StayColumns): boolean {
    for (let i = 0; i < stays.count; i++) {
      const namespace = namespaceAt(stays, i);
      const notBefore = stays.times[i * TIMES + 1] as EpochMillis;
      if (!isHolderVisible(this.#visibility, { namespace }, { notBefore })) continue;
      if (this.#left === 0) {
        this.#isCut = true;
        return false;
      }
      this.#left--;
      this.#lookAt(stays, i, namespace);
    }
    return true;
  }

  best(limit: number): readonly Found[] {
    return this.#sorted()
      .slice(0, limit)
      .map(([, one]) => one);
  }

  isCut(limit: number): boolean {
    return this.#isCut || this.#found.size > limit;
  }

  #lookAt(stays: StayColumns, i: number, namespace: string): void {
    const kind = kindAt(stays, i);
    const [name, uid] = [stays.names[i]!, stays.uids[i]!];
    const end = stays.times[i * TIMES + 3]!;
    const life = { living: Number.isNaN(end), until: Number.isNaN(end) ? 0 : end };
    const at = { namespace: namespace === '' ? null : namespace, workloadKind: null };
    const byUid = this.#match.uid(uid);
    const rank = better(this.#match.name(kind, namespace, name), byUid);
    const node = kind === 'Service' ? null : nodeAt(stays, i);
    // A name that came back is one match; of a UID that was typed, each is.
    const key = byUid === undefined ? name : uid;
    this.#take(`${kind} ${namespace}/${key}`, rank, { kind, ...at, name, uid, node, ...life });
    if (kind === 'Pod' && hasWorkloadAt(stays, i)) {
      const workloadKind = stays.texts[stays.shared[i * SHARED + 2]!]!;
      const owner = stays.texts[stays.shared[i * SHARED + 3]!]!;
      const rankOfOwner = this.#match.name(workloadKind, namespace, owner);
      const found = { kind: 'Workload' as const, ...at, name: owner, uid: null, workloadKind, node: null, ...life };
      this.#take(`${workloadKind} ${namespace}/${owner}`, rankOfOwner, found);
    }
    const ip = stays.ips[i];
    if (ip === undefined || !this.#match.mayBeAddress) return;
    const address = { kind: 'Address' as const, ...at, namespace: null, name: ip, uid: null, node: null };
    this.#take(ip, this.#match.address(ip), { ...address, ...life });
  }

  #take(key: string, rank: Rank, one: Omit<Found, 'rank'>): void {
    if (rank === undefined) return;
    const known = this.#found.get(key);
    if (known !== undefined && (known.living || (!one.living && known.until >= one.until))) return;
    this.#found.set(key, { ...one, rank });
    if (this.#found.size <= MOST_KEPT) return;
    this.#isCut = true;
    this.#found = new Map(this.#sorted().slice(0, MOST_KEPT / 2));
  }

  #sorted(): [string, Found][] {
    return [...this.#found].sort(([, a], [, b]) => compare(a, b));
  }
}

function better(a: Rank, b: Rank): Rank {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

/** How well it fits, the living first, then by kind and name. */
function compare(a: Found, b: Found): number {
  return (
    a.rank - b.rank ||
    Number(b.living) - Number(a.living) ||
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    order(a.name, b.name) ||
    order(a.namespace ?? '', b.namespace ?? '') ||
    order(a.uid ?? '', b.uid ?? '')
  );
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
