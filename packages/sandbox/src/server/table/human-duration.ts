// Durations as people read them in tables: 45s, 3m20s, 17m, 5h3m, 2d, 1y40d. The longer, the coarser.

const SECOND = 1000;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

export function age(since: string | undefined, now: number): string {
  const start = Date.parse(since ?? '');
  return Number.isNaN(start) ? '<unknown>' : humanDuration(now - start);
}

export function humanDuration(millis: number): string {
  const seconds = Math.trunc(millis / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return two(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return two(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return `${Math.floor(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return two(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.floor(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return two(seconds, YEAR, 'y', DAY, 'd');
  return `${Math.floor(seconds / YEAR)}y`;
}

function two(seconds: number, large: number, largeSign: string, small: number, smallSign: string): string {
  const whole = Math.floor(seconds / large);
  const rest = Math.floor((seconds % large) / small);
  return rest === 0 ? `${whole}${largeSign}` : `${whole}${largeSign}${rest}${smallSign}`;
}
