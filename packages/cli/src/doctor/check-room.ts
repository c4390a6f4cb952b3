// Looks how far the store is from its limit, and how long it will take to get there.
import { type Engine, type Room, type SizeLimit, withSnapshot } from '@podtrail/history';
import { daysLeft, isNearlyFull, WARN_AT } from '@podtrail/operator';
import { showBytes } from '../output/bytes.ts';
import { type Finding, found } from './finding.ts';

const CHECK = 'room';

export async function checkRoom(engine: Engine, limit: SizeLimit, now: number): Promise<Finding> {
  const room = await engine.room(limit);
  const { bytes, limitBytes, volume } = room;
  if (limitBytes === undefined) return found(CHECK, 'ok', `${showBytes(bytes)}; nothing limits it here`);
  const taken = `${showBytes(bytes)} of ${showBytes(limitBytes)} (${Math.round((100 * bytes) / limitBytes)} %)`;
  if (volume !== undefined && isNearlyFull(volume))
    return found(
      CHECK,
      'warning',
      `${taken}, and only ${showBytes(volume.freeBytes)} of its volume are free`,
      'make room on the volume, or a smaller --store-limit for the recorder: on a full disk nothing is recorded.',
    );
  const when = forecast(room, limitBytes, await firstKept(engine), now);
  if (bytes < limitBytes * WARN_AT) return found(CHECK, 'ok', `${taken}${when}`);
  return found(
    CHECK,
    'warning',
    `${taken}${when}`,
    'give it a larger volume and --store-limit, or let records go by age with --retention; at the limit the oldest go.',
  );
}

/** By what it has taken since its first record. */
function forecast({ bytes }: Room, limitBytes: number, first: number | undefined, now: number): string {
  const days = first === undefined ? undefined : daysLeft(bytes, limitBytes, bytes, now - first);
  if (days === undefined || bytes >= limitBytes) return '';
  return days > 3650
    ? ''
    : `, full in about ${days < 2 ? `${Math.round(days * 24)} hours` : `${Math.round(days)} days`}`;
}

/** Since when it holds what it holds: the first coverage that has not expired. */
async function firstKept(engine: Engine): Promise<number | undefined> {
  const firsts: number[] = [];
  for (const { id } of await engine.clusters()) {
    const [coverage, ranges] = await withSnapshot(engine, id, (snapshot) =>
      Promise.all([snapshot.coverage(), snapshot.expired()]),
    );
    const expired = ranges.reduce((latest, { to }) => Math.max(latest, to), 0);
    const [first] = coverage;
    if (first !== undefined) firsts.push(Math.max(first.from, expired));
  }
  return firsts.length === 0 ? undefined : Math.min(...firsts);
}
