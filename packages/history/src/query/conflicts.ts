// Conflicts over one address within a span: few, hence all of them.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Conflict } from '../model/records.ts';

const ALL = { limit: Number.MAX_SAFE_INTEGER };

export async function conflictsOf(
  snapshot: Pick<Snapshot, 'occurrences'>,
  ip: IpAddress,
  span: Span,
): Promise<readonly Conflict[]> {
  return (await snapshot.occurrences({ kind: 'conflict', ip, span, page: ALL })).items;
}
