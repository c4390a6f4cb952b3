// Hours of UTC and the names of the ConfigMaps that belong to them: pod-ashiato-YYYYMMDDHH, then -1, -2 … for more
// shards of the same hour. Pure.

export const HOUR_MS = 3_600_000;
const PREFIX = 'pod-ashiato-';
const NAME = /^pod-ashiato-(\d{4})(\d{2})(\d{2})(\d{2})(?:-([1-9]\d{0,5}))?$/;

export interface ShardOfHour {
  /** Epoch milliseconds of the hour's beginning. */
  readonly start: number;
  readonly index: number;
}

export function startOfHour(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}

/** `index` 0 has no suffix: it is the one that readers of pod-ashiato's ConfigMaps look for. */
export function shardName(start: number, index: number): string {
  const digits = new Date(start).toISOString().slice(0, 13).replace(/[-T]/g, '');
  return index === 0 ? `${PREFIX}${digits}` : `${PREFIX}${digits}-${index}`;
}

/** Undefined for a name that this program would never give. */
export function parseShardName(name: string): ShardOfHour | undefined {
  const [, year, month, day, hour, index = '0'] = NAME.exec(name) ?? [];
  if (year === undefined) return undefined;
  const start = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour));
  const shard = { start, index: Number(index) };
  // Date.UTC turns the 32nd of a month into the 1st of the next: such a name is nobody's hour.
  return shardName(shard.start, shard.index) === name ? shard : undefined;
}
