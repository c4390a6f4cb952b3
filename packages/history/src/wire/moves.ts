// Which pods ended, why, and who took their place where.
import { comparePlaces, type Place } from '../engines/order.ts';
import type { Cluster, ListOrder, Paged, Snapshot, Subject } from '../engines/snapshot.ts';
import {
  isWantedDeparture,
  isWantedMove,
  type Move,
  type MoveFilters,
  movePlace,
  parseLabelSelector,
  readLife,
  moves as readMoves,
  visibleMove,
} from '../explain/index.ts';
import type { Departure } from '../model/pod-life.ts';
import { type EpochMillis, toText } from '../model/time.ts';
import { checkedPage } from '../query/limits.ts';
import { isHolderVisible } from '../query/visibility.ts';
import { type AskedSpan, clusterDocument, spanDocument } from './asked.ts';
import { successorDocument } from './ending.ts';
import { holderDocument } from './holder.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import { collect, type Paging, pagingDocument } from './paging.ts';
import type { MoveDocument, MovesDocument } from './schemas/index.ts';
import { namespaceOfSubject, visibleSpan } from './visible-span.ts';
import { readWatching, type Watching, watchingDocument } from './watching.ts';

export interface MovesAsked extends MoveFilters {
  readonly span: AskedSpan;
  readonly paging: Paging;
  readonly now: EpochMillis;
  /** Only of these pods; undefined: of all. The document repeats it where `namesSubject`. */
  readonly subject?: Subject | undefined;
  readonly namesSubject?: boolean | undefined;
  /** Of the labels of pods, as kubectl writes it. */
  readonly selector?: string | undefined;
  /** The oldest first unless it is said otherwise. */
  readonly order?: ListOrder | undefined;
}

export interface MovesFound {
  /** Pods of which it is not known whether the selector selects them: they are left out. */
  readonly unjudged: number;
  readonly moves: Paged<Move>;
  readonly watching: Watching;
  readonly document: MovesDocument;
}

/** So many are read at once: each is found out by several reads. */
const MOST_AT_ONCE = 256;

/**
 * A question that finds few among many ends its page after this time, however many it has: a snapshot lives for a minute.
 * Only for who may see all, because the cursor then names a departure that was passed by.
 */
const LONGEST_PAGE_MS = 20_000;

function isLate(begun: number): () => boolean {
  return () => performance.now() - begun > LONGEST_PAGE_MS;
}

/** Without what it was found from: a long listing would hold all evidence of its time. */
function withoutCase(move: Move): Move {
  const { life, endedAt, unwatched } = move.known;
  const nothing = { pod: [], node: [], owner: [], workload: [], namespace: [], siblings: [] };
  return { ...move, known: { ...nothing, life, endedAt, unwatched } };
}

export async function askMoves(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: MovesAsked,
): Promise<MovesFound> {
  const { span, paging, now, causes, fromNode, toNode, namespace, selector, subject, namesSubject, order } = question;
  const filters = { causes, fromNode, toNode, namespace };
  const isVisible = ({ pod, at }: Departure) => isHolderVisible(visibility, pod, { notBefore: at });
  const labels = selector === undefined ? undefined : parseLabelSelector(selector);
  const unjudged = new Map<string, Place>();
  const isSelected = async (departure: Departure) => {
    if (labels === undefined) return true;
    const { uid } = departure.pod;
    const selected = labels.selects((await readLife(snapshot, uid)) ?? {});
    if (selected === undefined) unjudged.set(uid, movePlace({ departure }));
    return selected === true;
  };
  const isWanted = async (departure: Departure) =>
    isVisible(departure) && isWantedDeparture(filters, departure) && (await isSelected(departure));
  const narrowing = { ...(selector === undefined ? {} : { selector }), ...(subject === undefined ? {} : { subject }) };
  const listed = order === 'newest' ? { order } : {};
  const read = visibleSpan(span, visibility, namespace ?? namespaceOfSubject(subject));
  const moves = await collect(paging, {
    question: { listing: 'moves', cluster: cluster.id, ...filters, ...narrowing, ...listed },
    placeOf: movePlace,
    read: async ({ limit = MOST_AT_ONCE, cursor }) => {
      if (read === undefined) return { items: [], cursor: undefined };
      const page = checkedPage({ limit: Math.min(limit, MOST_AT_ONCE), cursor });
      const found = await readMoves(snapshot, { span: read, subject, page, order, isWanted });
      return { ...found, items: found.items.map((move) => withoutCase(visibleMove(move, visibility))) };
    },
    // What a departure says itself was decided when it was read.
    wanted: causes === undefined && toNode === undefined ? undefined : (move) => isWantedMove(filters, move),
    isEnough: visibility.kind === 'all' ? isLate(performance.now()) : undefined,
  });
  // What lies behind the page was read ahead, by how many are hidden, too: it is not counted.
  const lastGiven = moves.cursor === undefined ? undefined : moves.items.at(-1);
  const sign = order === 'newest' ? -1 : 1;
  const isOfPage = (place: Place) => lastGiven === undefined || sign * comparePlaces(place, movePlace(lastGiven)) <= 0;
  const left = [...unjudged.values()].filter(isOfPage).length;
  const watching = await readWatching(snapshot, span, now, await snapshot.expired('departure'));
  const document = {
    query: {
      ...clusterDocument(cluster),
      ...{ causes: causes ?? null, fromNode: fromNode ?? null, toNode: toNode ?? null, namespace: namespace ?? null },
      ...(selector === undefined ? {} : { selector }),
      ...(subject === undefined || namesSubject !== true ? {} : { subject }),
      ...listed,
      ...spanDocument(span),
    },
    ...narrowedDocument(visibility),
    moves: moves.items.map(moveDocument),
    ...(selector === undefined ? {} : { unjudged: left }),
    ...pagingDocument(moves),
    coverage: watchingDocument(watching),
  };
  return { moves, unjudged: left, watching, document };
}

export function moveDocument({ departure, from, to, addresses, verdict, downtimeMs }: Move): MoveDocument {
  const { cause, certainty, sentence, actor, evidence } = verdict;
  return {
    at: toText(departure.at),
    ...holderDocument(from.pod),
    from: from.pod.node,
    to: to?.life.pod.node ?? null,
    fromIps: addresses.from.map(({ ip }) => ip),
    toIps: addresses.to.map(({ ip }) => ip),
    successor: successorDocument(to),
    ...{ cause, certainty, sentence },
    ...(actor === undefined ? {} : { actor }),
    evidence,
    downtimeMs: downtimeMs ?? null,
  };
}
