// The one order of every list, and the cursors that name a place in it. All engines use it, so that they give the same
// pages; a cursor of one engine is good on another.
import { HistoryError } from '../errors.ts';
import { possibleKey } from '../model/fact.ts';
import type { Coverage, Placement, PossibleTenure, Tenure } from '../model/records.ts';
import type { ListOrder, Page, Paged } from './snapshot.ts';

/** A record's place: its time, then its key among those of the same time. */
export interface Place {
  readonly time: number;
  readonly key: string;
}

export function tenurePlace({ ip, holder, start }: Tenure): Place {
  return { time: start.notBefore, key: `${holder.uid}|${ip}|${start.epoch}|${start.resourceVersion}` };
}

export function placementPlace({ pod, start }: Placement): Place {
  return { time: start.notBefore, key: pod.uid };
}

export function possiblePlace(possible: PossibleTenure): Place {
  return { time: possible.start.notBefore, key: possibleKey(possible) };
}

export function coveragePlace(coverage: Coverage): Place {
  return { time: coverage.from, key: coverage.collector };
}

export function versionKey(of: { readonly epoch: number; readonly resourceVersion: string }): string {
  return `${of.epoch}|${of.resourceVersion}`;
}

export function comparePlaces(a: Place, b: Place): number {
  return a.time - b.time || compareTexts(a.key, b.key);
}

/** By code points, which is also the order of the UTF-8 bytes; JavaScript's own order differs for surrogate pairs. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all other units. */
function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit;
}

export function sortedBy<T>(items: Iterable<T>, placeOf: (item: T) => Place): T[] {
  const placed = Array.from(items, (item) => ({ item, place: placeOf(item) }));
  return placed.sort((a, b) => comparePlaces(a.place, b.place)).map(({ item }) => item);
}

/** `items` may be in any order, and must hold everything after the page's cursor that belongs on the page. */
export function cutPage<T>(
  items: Iterable<T>,
  placeOf: (item: T) => Place,
  page: Page,
  order: ListOrder = 'oldest',
): Paged<T> {
  const after = cursorPlace(page);
  const compare = order === 'oldest' ? comparePlaces : (a: Place, b: Place) => comparePlaces(b, a);
  const rest: { item: T; place: Place }[] = [];
  for (const item of items) {
    const place = placeOf(item);
    if (after === undefined || compare(place, after) > 0) rest.push({ item, place });
  }
  rest.sort((a, b) => compare(a.place, b.place));
  const taken = rest.slice(0, page.limit);
  const last = taken.at(-1);
  return {
    items: taken.map(({ item }) => item),
    cursor: rest.length > taken.length && last !== undefined ? encodePlace(last.place) : undefined,
  };
}

/** The place after which the page begins; undefined for the first page. Throws on what is no page. */
export function cursorPlace({ limit, cursor }: Page): Place | undefined {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new HistoryError('bad-page', `a page of ${limit} records cannot be given`, { hint: 'ask for at least one.' });
  }
  return cursor === undefined ? undefined : decodePlace(cursor);
}

/** Throws on what is no place. */
export function decodePlace(cursor: string): Place {
  const [, time, key] = /^(-?\d{1,16})\.([\w-]*)$/.exec(cursor) ?? [];
  if (time === undefined || key === undefined || !Number.isSafeInteger(Number(time))) {
    throw new HistoryError('bad-cursor', 'this is no cursor that a page came with', {
      hint: 'pass the cursor of the page before as it is, or leave it out to start at the first page.',
    });
  }
  return { time: Number(time), key: Buffer.from(key, 'base64url').toString('utf8') };
}

/** Whether both are of one tenure, recorded by two recorders: each counts epochs itself. */
export function isSameRecord(a: Place, b: Place): boolean {
  if (a.time !== b.time) return false;
  const [uid, ip, , resourceVersion] = a.key.split('|');
  const other = b.key.split('|');
  return resourceVersion !== undefined && uid === other[0] && ip === other[1] && resourceVersion === other[3];
}

export function encodePlace({ time, key }: Place): string {
  return `${time}.${Buffer.from(key, 'utf8').toString('base64url')}`;
}
