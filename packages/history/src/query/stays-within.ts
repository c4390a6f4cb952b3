// Everything that was somewhere, or had an address, within a span: read in columns, chunk after chunk. The store reads the
// next chunk while the caller looks at this one.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import type { StayColumns, StayKind, StaysChunk } from '../engines/stay-columns.ts';

export async function* staysWithin(
  snapshot: Pick<Snapshot, 'staysWithin'>,
  kind: StayKind,
  span: Span,
): AsyncGenerator<StayColumns> {
  let coming: Promise<StaysChunk> | undefined = snapshot.staysWithin(kind, span, undefined);
  while (coming !== undefined) {
    const { stays, next }: StaysChunk = await coming;
    coming = next === undefined ? undefined : snapshot.staysWithin(kind, span, next);
    // Who stops here does not wait for it, whatever becomes of it.
    coming?.catch(() => undefined);
    yield stays;
  }
}
