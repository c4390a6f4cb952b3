// GET /api/v1/clusters: of which clusters the ledger knows. GET /api/v1/stats: how much it holds.
import { z } from 'zod';
import { jsonReply } from '../http/reply.ts';
import { Problem } from '../problem.ts';
import type { AskedLedger } from './asked-ledger.ts';
import { API, type Operation } from './operation.ts';

const cluster = z.strictObject({ name: z.string(), id: z.string() });
const clustersSchema = z.strictObject({ clusters: z.array(cluster) });
const count = z.int().nonnegative();
const statsSchema = z.strictObject({
  storeVersion: count,
  bytes: count,
  clusters: z.array(cluster.extend({ tenures: count, placements: count, changes: count, live: count })),
});

export function clustersRoute(ledger: AskedLedger): Operation {
  return {
    ...{ method: 'GET', path: `${API}/clusters`, id: 'clusters' },
    summary: 'The clusters of this ledger, by their names and IDs.',
    query: z.strictObject({}),
    reply: { 'application/json': clustersSchema },
    handle: async ({ query }) => {
      refuseParameters('clusters', query);
      const clusters = await ledger.ask(() => ledger.clusters());
      return jsonReply({ clusters: clusters.map(({ name, id }) => ({ name, id })) });
    },
  };
}

export interface StoreCounts {
  readonly version: number;
  readonly bytes: number;
  readonly clusters: readonly {
    readonly name: string;
    readonly id: string;
    readonly tenures: number;
    readonly placements: number;
    readonly changes: number;
    readonly live: number;
  }[];
}

/** Counting reads everything: once in this time for all who ask. */
const STATS_MS = 10_000;

export function statsRoute(ledger: AskedLedger, status: () => Promise<StoreCounts>): Operation {
  let known: { readonly counts: Promise<StoreCounts>; readonly until: number } | undefined;
  const counts = () => {
    if (known === undefined || ledger.monotonic() >= known.until) {
      const reading = { counts: status(), until: ledger.monotonic() + STATS_MS };
      known = reading;
      reading.counts.catch(() => {
        if (known === reading) known = undefined;
      });
    }
    return known.counts;
  };
  return {
    ...{ method: 'GET', path: `${API}/stats`, id: 'stats' },
    summary: 'How much the ledger holds, for who may list pods in all namespaces.',
    query: z.strictObject({}),
    reply: { 'application/json': statsSchema },
    handle: async (request) => {
      refuseParameters('stats', request.query);
      const { kind } = await request.visibility();
      // Counts tell of what is hidden.
      if (kind !== 'all') {
        throw new Problem(403, 'forbidden', 'stats is for who may list pods in all namespaces', {
          hint: 'ask your administrator for a ClusterRole that lists pods.',
        });
      }
      const { version, bytes, clusters } = await ledger.ask(counts);
      // An operator's ledger is of one cluster, whatever the store holds.
      const own = new Set((await ledger.ask(() => ledger.clusters())).map(({ id }) => id));
      const kept = clusters
        .filter(({ id }) => own.has(id))
        .map(({ name, id, tenures, placements, changes, live }) => ({
          ...{ name, id, tenures, placements, changes, live },
        }));
      return jsonReply({ storeVersion: version, bytes, clusters: kept });
    },
  };
}

function refuseParameters(name: string, query: string): void {
  if (query === '') return;
  throw new Problem(400, 'bad-parameter', `${name} has no parameters`, { hint: 'leave out what follows the ?.' });
}
