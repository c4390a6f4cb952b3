// Forgets what has ended before a time. The expired range is written and weeks are unlisted in one transaction: from then
// on everything that is to go is hidden; removing it follows in slices, and goes on the next time if it is cut short.
import type { EpochMillis } from '../../model/time.ts';
import { OPEN } from './schema.ts';
import { giveBack, type SealParts } from './seal.ts';
import { WEEK_MS, weekStart } from './week.ts';

const ROWS_PER_SLICE = 5000;

/** The head's remainders that retention removes: table, key, and the column that must lie before. */
const REMAINDERS = [
  ['tenure', 'number', 'until'],
  ['placement', 'number', 'until'],
  ['change', 'cluster, key', 'at'],
  ['conflict', 'cluster, key', 'at'],
  ['anomaly', 'cluster, key', 'at'],
  ['possible', 'cluster, key', 'until'],
] as const;

/** `write` runs a transaction of the head. Returns how many records are gone. */
export function* retainRecords(
  { head, reader, weeks, failpoints }: SealParts,
  id: string,
  before: EpochMillis,
  write: <T>(body: () => T) => T,
): Generator<undefined, number> {
  const { db } = head;
  const { cluster, gone } = write(() => {
    const entry = head.cluster(id);
    const first = reader.coverage(entry.number)[0]?.from;
    const from = entry.expiredFrom ?? first;
    if (from !== undefined && from < before && before > (entry.expiredTo ?? 0)) {
      const sql = 'UPDATE cluster SET expired_from = ?, expired_to = ? WHERE number = ?';
      db.prepare(sql).run(from, before, entry.number);
    }
    const ended = entry.weeks.filter(({ week }) => weekStart(week) + WEEK_MS <= before);
    for (const { week } of ended) db.prepare('DELETE FROM week WHERE cluster = ? AND week = ?').run(entry.number, week);
    head.changeLayout();
    failpoints.pass('retain:stored');
    return { cluster: entry, gone: ended };
  });
  failpoints.pass('retain:committed');
  let removed = 0;
  for (const { file, tenures, placements } of gone) {
    weeks.remove(file);
    removed += tenures + placements;
    failpoints.pass('retain:unlinked');
  }
  for (const [table, key, time] of REMAINDERS) {
    const index = time === 'until' ? `until < ${OPEN} AND` : '';
    const remove = db.prepare(`DELETE FROM ${table} WHERE (${key}) IN (
      SELECT ${key} FROM ${table} WHERE cluster = ? AND ${index} ${time} < ? LIMIT ${ROWS_PER_SLICE})`);
    for (;;) {
      const changes = Number(head.write(() => remove.run(cluster.number, before).changes));
      removed += changes;
      if (changes < ROWS_PER_SLICE) break;
      yield;
    }
  }
  yield* giveBack(head);
  return removed;
}
