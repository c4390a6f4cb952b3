// Whether an export may be stored over a ledger that is there already. Both must be the same ledger, one of them
// perhaps later: facts of two different recorders, mixed, could make an address look free that was held.
import type { Coverage } from '@podtrail/history';

export type Lineage =
  /** There is nothing yet. */
  | 'new'
  /** The export goes on where the store stands. */
  | 'later'
  /** The store knows all of it, and perhaps more. */
  | 'known'
  /** Neither is the beginning of the other. */
  | 'other';

export function lineageOf(stored: readonly Coverage[], imported: readonly Coverage[]): Lineage {
  if (stored.length === 0) return 'new';
  if (holdsAll(stored, imported)) return 'known';
  return holdsAll(imported, stored) ? 'later' : 'other';
}

/** Every stretch of `parts` lies in one of `whole`. What is older than all of `whole` may have expired there. */
function holdsAll(whole: readonly Coverage[], parts: readonly Coverage[]): boolean {
  const first = whole[0]?.from ?? Number.POSITIVE_INFINITY;
  const compared = parts.filter((part) => part.to > first);
  if (compared.length === 0) return parts.length === 0;
  return compared.every((part) =>
    whole.some(
      ({ collector, epoch, from, to }) =>
        collector === part.collector && epoch === part.epoch && from <= Math.max(part.from, first) && part.to <= to,
    ),
  );
}
