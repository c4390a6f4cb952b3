// What a command asks of its ledger. Where a replica of the operator runs it and does not know all of it, the ledgers of the
// other replicas are asked as one with its own; the document and standard error say which.
import { type Snapshot, withSnapshot } from '@podtrail/history/wire';
import { askPeers } from '@podtrail/history/wire/catalogue';
import type { Cli, OpenLedger } from '../cli.ts';

/** `namesCollectors`: records are of several replicas. */
type Ask<Found> = (snapshot: Snapshot, namesCollectors: boolean) => Promise<Found>;

export async function askReplicas<Found extends { readonly document: object }>(
  cli: Cli,
  { engine, cluster }: OpenLedger,
  ask: Ask<Found>,
): Promise<Found> {
  const own = await withSnapshot(engine, cluster.id, (snapshot) => ask(snapshot, false));
  const { value, peers } = await askPeers(engine, cluster.id, own.document, (snapshot) => ask(snapshot, true));
  if (peers.length === 0) return own;
  for (const { collector, answered, why } of peers) {
    await cli.note(
      answered
        ? `asked the replica ${collector}, too: the one that answers was not watching all of that time`
        : `the replica ${collector} ${why}: what only it recorded is missing here`,
    );
  }
  const found = value ?? own;
  return { ...found, document: { ...found.document, peers } };
}
