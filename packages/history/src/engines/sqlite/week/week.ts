// ISO weeks, by which closed records are kept: a week is named by its Monday 00:00 UTC, counted from the epoch's week.
const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
/** 1970-01-01 was a Thursday. */
const MONDAY_BEFORE_EPOCH = -3 * DAY_MS;

export function weekOf(time: number): number {
  return Math.floor((time - MONDAY_BEFORE_EPOCH) / WEEK_MS);
}

export function weekStart(week: number): number {
  return week * WEEK_MS + MONDAY_BEFORE_EPOCH;
}

/** `2026-W46`: the ISO year is that of the week's Thursday. */
export function weekName(week: number): string {
  const thursday = weekStart(week) + 3 * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const number = Math.floor((thursday - Date.UTC(year, 0, 1)) / WEEK_MS) + 1;
  return `${String(year).padStart(4, '0')}-W${String(number).padStart(2, '0')}`;
}
