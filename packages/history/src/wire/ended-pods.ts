// Which pods' placements or tenures ended within a span: for watches of what is there now, which say that it is not any more.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import { kindAt, namespaceAt, type StayKind, TIMES } from '../engines/stay-columns.ts';
import { staysWithin } from '../query/stays-within.ts';
import type { Visibility } from '../query/visibility.ts';

/** Where the instant of its end stands among the times of a stay. */
const END_AT = 3;

/** UIDs, in no order, each once. What is not visible is passed by. */
export async function endedPods(
  snapshot: Pick<Snapshot, 'staysWithin'>,
  visibility: Visibility,
  kind: StayKind,
  span: Span,
): Promise<ReadonlySet<string>> {
  const ended = new Set<string>();
  for await (const stays of staysWithin(snapshot, kind, span)) {
    for (let i = 0; i < stays.count; i++) {
      // Not a number while it lasts.
      const end = stays.times[i * TIMES + END_AT]!;
      if (!(end >= span.from) || kindAt(stays, i) !== 'Pod') continue;
      if (visibility.kind === 'all' || visibility.since.has(namespaceAt(stays, i))) ended.add(stays.uids[i]!);
    }
  }
  return ended;
}
