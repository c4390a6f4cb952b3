// Reading only as much as a page needs, from records that come in the order of their times.
import type { EpochMillis } from '../../model/time.ts';
import { cursorPlace, type Place } from '../order.ts';
import type { ListOrder, Page, Span } from '../snapshot.ts';

/** From records in the order of their times, or in the opposite one, those of one page and one more. */
export function collect<T>(
  records: Iterable<T>,
  page: Page,
  placeOf: (record: T) => Place,
  wanted: (record: T) => boolean,
  found: T[],
  order: ListOrder = 'oldest',
): void {
  const enough = new Enough(page, order);
  for (const record of records) {
    const place = placeOf(record);
    if (enough.isPast(place.time)) return;
    if (wanted(record) && enough.take(place)) found.push(record);
  }
}

/** Changes and the like are found by their time alone: nothing on the other side of the cursor's is needed. */
export function sinceCursor(span: Span, page: Page, order: ListOrder = 'oldest'): Span {
  const time = cursorPlace(page)?.time;
  if (order === 'newest')
    return time === undefined || time >= span.to ? span : { from: span.from, to: (time + 1) as EpochMillis };
  return time === undefined || time <= span.from ? span : { from: time as EpochMillis, to: span.to };
}

/** Knows when a page is full: then nothing later than what it has can be on it. */
export class Enough {
  readonly #limit: number;
  readonly #after: Place | undefined;
  /** Times grow in the order of reading once they are multiplied by it. */
  readonly #sign: 1 | -1;
  #taken = 0;
  #latest = Number.MIN_SAFE_INTEGER;

  constructor(page: Page, order: ListOrder = 'oldest') {
    this.#limit = page.limit;
    this.#after = cursorPlace(page);
    this.#sign = order === 'oldest' ? 1 : -1;
  }

  take(place: Place): boolean {
    if (this.#after !== undefined && this.#sign * place.time < this.#sign * this.#after.time) return false;
    // At the cursor's own time only cutPage can tell before from after: such records do not count.
    if (place.time === this.#after?.time) return true;
    if (this.#taken <= this.#limit) {
      this.#taken++;
      this.#latest = Math.max(this.#latest, this.#sign * place.time);
    }
    return true;
  }

  isPast(time: number): boolean {
    return this.#taken > this.#limit && this.#sign * time > this.#latest;
  }
}
