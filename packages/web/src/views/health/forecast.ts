// How large the store is, how fast it grows, and when its limit is reached. Pure.
import { durationText } from '../../times/span.ts';

export interface StoreSize {
  readonly bytes: number;
  /** Undefined or null: not known yet. */
  readonly bytesPerDay?: number | null | undefined;
  /** Undefined or null: not known here. Who records may have one. */
  readonly limitBytes?: number | null | undefined;
}

const DAY = 86_400_000;
const LONGEST = 3_650 * DAY;

export function forecastText({ bytes, bytesPerDay, limitBytes }: StoreSize): string {
  if (limitBytes == null) return 'The limit of its size is not known here.';
  const limit = bytesText(limitBytes);
  if (bytes >= limitBytes) return `The limit of ${limit} is reached: the oldest records are removed for new ones.`;
  if (bytesPerDay == null) return `The limit is ${limit}. How fast it grows is known after some hours.`;
  const ms = ((limitBytes - bytes) / bytesPerDay) * DAY;
  if (ms > LONGEST) return `At this pace the limit of ${limit} is not reached in ten years.`;
  return `At this pace the limit of ${limit} is reached in ${durationText(ms)}.`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1).replace(/\.0$/, '')} ${UNITS[power]}`;
}
