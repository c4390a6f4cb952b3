// The span of `since` and `until`, of which an asker gives both, one or none.
import { HistoryError } from '../../errors.ts';
import { type EpochMillis, epochMillis } from '../../model/time.ts';
import { checkedSpan } from '../../query/limits.ts';
import { type AskedSpan, beginningOf } from '../asked.ts';

interface SpanParameters {
  readonly since?: EpochMillis | undefined;
  readonly until?: EpochMillis | undefined;
}

/** The longest span that may be asked for, up to now, unless it is said otherwise. Now itself belongs to it. */
export function askedSpan({ since, until }: SpanParameters, now: EpochMillis): AskedSpan {
  const to = until ?? epochMillis(now + 1);
  const from = since ?? beginningOf(to, now);
  if (from >= to) {
    throw new HistoryError('bad-span', 'since is not before until, so there is no time in between', {
      hint: 'the earlier time is since; until is now where it is left out.',
    });
  }
  checkedSpan({ from, to });
  return { from, to, hasSince: since !== undefined, hasUntil: until !== undefined };
}
