// Every pod that began to end within a span: from where, to where, why, and how long nobody was ready in its place.
import { typeOf } from '../../engines/occurrences/registry.ts';
import { encodePlace, type Place } from '../../engines/order.ts';
import type { ListOrder, Page, Paged, Snapshot, Span, Subject } from '../../engines/snapshot.ts';
import type { Departure, PodLife } from '../../model/pod-life.ts';
import type { Tenure } from '../../model/records.ts';
import { type EpochMillis, epochMillis } from '../../model/time.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { explain } from '../explain.ts';
import { readDepartedCase } from '../read-case.ts';
import { type Successor, successorOf } from './successor.ts';

export interface Move {
  readonly departure: Departure;
  /** Who ended. */
  readonly from: PodLife;
  /** Who took its place; undefined where nobody did, or nobody did yet. */
  readonly to: Successor | undefined;
  readonly verdict: Verdict;
  /** What the verdict was found from: `explain` prints it. */
  readonly known: Case;
  /** The addresses that the two had, oldest first. */
  readonly addresses: { readonly from: readonly Tenure[]; readonly to: readonly Tenure[] };
  /** From when it was not ready any more until its successor was, in milliseconds; undefined where that is not known. */
  readonly downtimeMs: number | undefined;
}

export interface MovesQuestion {
  readonly span: Span;
  /** Only of these pods; undefined: of all. */
  readonly subject?: Subject | undefined;
  readonly page: Page;
  /** Of their departures; the oldest first unless it is said otherwise. */
  readonly order?: ListOrder | undefined;
  /** Departures that are not wanted cost no further reads. */
  readonly isWanted?: ((departure: Departure) => boolean | Promise<boolean>) | undefined;
}

const MOST_ADDRESSES = 16;

/** Departures are read so many at once, however few of them are wanted. */
const DEPARTURES_AT_ONCE = 500;
/** So many are found out at once: what one of them waits for, the store reads for another. */
const UNDER_WAY = 8;

/** In the order of their departures. A page may have fewer than its limit, and a cursor all the same. */
export async function moves(
  snapshot: Snapshot,
  { span, subject, page, order, isWanted }: MovesQuestion,
): Promise<Paged<Move>> {
  const limit = isWanted === undefined ? page.limit : Math.max(page.limit, DEPARTURES_AT_ONCE);
  const { items, cursor } = await snapshot.occurrences({
    kind: 'departure',
    span,
    subject,
    page: { ...page, limit },
    order,
  });
  const wanted: Departure[] = [];
  for (const departure of items) {
    if (isWanted !== undefined && !(await isWanted(departure))) continue;
    wanted.push(departure);
    if (wanted.length === page.limit) break;
  }
  const found = await readMoves(snapshot, wanted);
  const last = wanted.length === page.limit ? wanted.at(-1) : undefined;
  // Whoever comes behind the last one has not been looked at.
  const isCut = last !== undefined && last !== items.at(-1);
  return { items: found, cursor: isCut ? encodePlace(movePlace({ departure: last })) : cursor };
}

/** In the order of the departures. */
export async function readMoves(snapshot: Snapshot, departures: readonly Departure[]): Promise<Move[]> {
  const found: Move[] = [];
  for (let from = 0; from < departures.length; from += UNDER_WAY) {
    const some = departures.slice(from, from + UNDER_WAY);
    found.push(...(await Promise.all(some.map((departure) => readMove(snapshot, departure)))));
  }
  return found;
}

export function movePlace({ departure }: Pick<Move, 'departure'>): Place {
  return typeOf('departure').place(departure);
}

export async function readMove(snapshot: Snapshot, departure: Departure): Promise<Move> {
  const known = await readDepartedCase(snapshot, departure);
  const verdict = explain(known);
  const to = successorOf(known, verdict);
  const addresses = {
    from: await readTenures(snapshot, known.life),
    to: to === undefined ? [] : await readTenures(snapshot, to.life),
  };
  return { departure, from: known.life, to, verdict, known, addresses, downtimeMs: downtime(known, to?.life) };
}

async function readTenures(snapshot: Snapshot, { pod, created }: PodLife): Promise<readonly Tenure[]> {
  if (pod.hostNetwork) return [];
  const span = { from: epochMillis(created - 1), to: FAR };
  const { items } = await snapshot.tenuresOf({ by: 'uid', uid: pod.uid }, span, { limit: MOST_ADDRESSES });
  return items;
}

/** Nothing where its successor was ready first. Services do not use a pod any more once it is to be deleted. */
function downtime({ life, endedAt }: Case, successor: PodLife | undefined): number | undefined {
  if (successor?.ready === undefined || life.ready === undefined) return undefined;
  const { notReady } = life;
  const lost: EpochMillis = notReady !== undefined && notReady < endedAt ? notReady : endedAt;
  return Math.max(0, successor.ready - lost);
}

const FAR = epochMillis(Date.UTC(9999, 0, 1));
