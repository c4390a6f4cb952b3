// Finds a date in a text that somebody pasted, with no time of day beside it. Pure.

export interface PasteClock {
  readonly now: number;
  /** The instant of a wall time (`2026-11-15T10:05:00.000`) in the reader's zone. */
  readonly inZone: (wall: string) => number | undefined;
}

/** In the reader's zone, up to the midnight at which it ends. */
export interface FoundDay {
  readonly from: number;
  readonly to: number;
  /** `2026-11-15` */
  readonly text: string;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const MONTH = `(${MONTHS.join('|')})`;
// 2026-11-15, 2026/11/15, 15 Nov 2026, 15/Nov/2026; not within a name.
const DAY = new RegExp(
  `(?<![\\w.:/-])(?:(\\d{4})[-/](\\d{2})[-/](\\d{2})|(\\d{1,2})[/ -]${MONTH}[/ -](\\d{4}))(?![\\w:/-])`,
  'i',
);
const DAY_MS = 24 * 3_600_000;

export function findDay(text: string, { inZone }: Pick<PasteClock, 'inZone'>): FoundDay | undefined {
  const [, year, month, day, otherDay, name, otherYear] = DAY.exec(text) ?? [];
  const date = year === undefined ? `${otherYear}-${monthOf(name)}-${two(otherDay)}` : `${year}-${month}-${day}`;
  const noon = Date.parse(`${date}T12:00:00Z`);
  // Of the 31st of a month that has none, some clocks make the first.
  if (!(noon > 0) || isoDay(noon) !== date) return undefined;
  const from = inZone(`${date}T00:00:00.000`);
  const to = inZone(`${isoDay(noon + DAY_MS)}T00:00:00.000`);
  return from === undefined || to === undefined ? undefined : { from, to, text: date };
}

function isoDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

export function monthOf(name = ''): string {
  return two(String(1 + MONTHS.findIndex((month) => month.toLowerCase() === name.toLowerCase())));
}

export function two(text = ''): string {
  return text.padStart(2, '0');
}
