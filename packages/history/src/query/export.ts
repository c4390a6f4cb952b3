// The ledger of one cluster as JSON lines, one record each, in one order and one spelling: two ledgers that hold the
// same facts export the same bytes. Streams; holds no more than the engine does.
import { canonicalLine } from '../engines/canonical.ts';
import type { Engine } from '../engines/engine.ts';

/** Lines without their line ends. */
export async function* exportLines(engine: Engine, cluster: string): AsyncIterable<string> {
  for await (const fact of engine.records(cluster)) yield canonicalLine(fact);
}
