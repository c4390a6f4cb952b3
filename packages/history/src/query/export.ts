// The ledger of one cluster as JSON lines, one record each, in one order and one format: two ledgers that hold the
// same facts export the same bytes. Streams; holds no more than the engine does.
import { canonicalLine } from '../engines/canonical.ts';
import type { LedgerReader } from '../engines/snapshot.ts';
import { allRecords } from '../engines/with-snapshot.ts';

/** Lines without their line ends. */
export async function* exportLines(reader: LedgerReader, cluster: string): AsyncIterable<string> {
  for await (const fact of allRecords(reader, cluster)) yield canonicalLine(fact);
}
