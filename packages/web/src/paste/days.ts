// Finds a date in a text that somebody pasted, with no time of day beside it. Pure.
import { instantText, isDay } from '../times/span.ts';

export interface PasteClock {
  readonly now: number;
  /**
   * The instants at which a clock shows a wall time (`2026-11-15T10:05:00.000`): two where clocks go back, none where
   * they go forward. In the reader's zone, or in one by its name.
   */
  readonly inZone: (wall: string, name?: string) => readonly number[];
}

/** In the reader's zone, up to the midnight at which it ends. */
export interface FoundDay {
  readonly from: number;
  readonly to: number;
  /** `2026-11-15` */
  readonly text: string;
}

const MONTHS = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
/** Also in full: November, Sept. */
export const MONTH = `(${MONTHS})[a-z]{0,6}\\.?`;
/** Each with where its year, its month and its day stand. Not within a name; Suricata has a dash before the time. */
const FORMS: readonly (readonly [RegExp, year: number, month: number, day: number])[] = (
  [
    // 2026-11-15, 2026/11/15
    ['(\\d{4})[-/](\\d{2})[-/](\\d{2})', 1, 2, 3],
    // 15 Nov 2026, 15/Nov/2026
    [`(\\d{1,2})\\.?[/ -]${MONTH}[/ -](\\d{4})`, 3, 2, 1],
    // Nov 15, 2026, Nov 15 2026
    [`${MONTH} {1,2}(\\d{1,2}),? (\\d{4})`, 3, 1, 2],
    // 15.11.2026
    ['(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})', 3, 2, 1],
    // 11/15/2026, 11/15/26, 15/11/2026; 11/10/2026 is a day of October in some countries, so that it is left alone.
    ['(\\d{1,2})/(1[3-9]|[23]\\d)/(\\d{4}|\\d\\d)', 3, 1, 2],
    ['(1[3-9]|[23]\\d)/(\\d{1,2})/(\\d{4})', 3, 2, 1],
  ] as const
).map(([form, ...places]) => [new RegExp(`(?<![\\w.:/-])${form}(?![\\w:/]|-(?!\\d\\d:))`, 'i'), ...places]);
const DAY_MS = 24 * 3_600_000;

export function findDay(text: string, { inZone }: Pick<PasteClock, 'inZone'>): FoundDay | undefined {
  const date = dateIn(text);
  if (date === undefined || !isDay(date)) return undefined;
  const [from] = inZone(`${date}T00:00:00.000`);
  const [to] = inZone(`${instantText(Date.parse(`${date}T12:00Z`) + DAY_MS).slice(0, 10)}T00:00:00.000`);
  return from === undefined || to === undefined ? undefined : { from, to, text: date };
}

function dateIn(text: string): string | undefined {
  for (const [form, year, month, day] of FORMS) {
    const parts = form.exec(text);
    if (parts !== null) return `20${parts[year]?.slice(-2)}-${monthOf(parts[month])}-${two(parts[day])}`;
  }
  return undefined;
}

export function withoutDay(text: string): string {
  return FORMS.reduce((left, [form]) => left.replace(form, ''), text);
}

/** Of a name or a number. */
export function monthOf(name = ''): string {
  const place = MONTHS.indexOf(name.toLowerCase());
  return two(place < 0 ? name : String(1 + place / 4));
}

export function two(text = ''): string {
  return text.padStart(2, '0');
}
