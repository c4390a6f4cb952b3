// GET /api/v1/clusters: of which clusters the ledger knows. GET /api/v1/stats: how much it holds.
import { withSnapshot } from '@podtrail/history';
import { type EpochMillis, watchedFromTo } from '@podtrail/history/wire';
import { z } from 'zod';
import { jsonReply } from '../http/reply.ts';
import { Problem } from '../problem.ts';
import type { AskedLedger } from './asked-ledger.ts';
import { API, type Operation } from './operation.ts';
import { QueryParameters } from './query-parameters.ts';

const none = z.strictObject({});
const NONE = new QueryParameters(none);
const cluster = z.strictObject({ name: z.string(), id: z.string() });
const clustersSchema = z.strictObject({ clusters: z.array(cluster) });
const count = z.int().nonnegative();
const instant = z.iso.datetime({ precision: 3 });
const statsSchema = z.strictObject({
  storeVersion: count,
  bytes: count,
  /** What a day takes, on average over what is kept; null before there is an hour of it. */
  bytesPerDay: count.nullable(),
  /** How large the store may become; null where only the recorder knows. */
  limitBytes: count.nullable(),
  /** On which it lies; null in memory. */
  volume: z.strictObject({ bytes: count, freeBytes: count }).nullable(),
  clusters: z.array(
    cluster.extend({
      ...{ tenures: count, placements: count, changes: count, live: count },
      /** Records of before were removed, or there are none. */
      firstRecord: instant.nullable(),
      /** Of the last commit. */
      lastRecord: instant.nullable(),
      /** When it was watched first and last. */
      coverage: z.strictObject({ from: instant.nullable(), to: instant.nullable() }),
    }),
  ),
});
const DAY_MS = 86_400_000;
const LEAST_KEPT_MS = 3_600_000;

export function clustersRoute(ledger: AskedLedger): Operation {
  return {
    ...{ method: 'GET', path: `${API}/clusters`, id: 'clusters' },
    summary: 'The clusters of this ledger, by their names and IDs.',
    query: none,
    reply: { 'application/json': clustersSchema },
    handle: async ({ query }) => {
      NONE.checked('clusters', query);
      const clusters = await ledger.ask(() => ledger.clusters());
      return jsonReply({ clusters: clusters.map(({ name, id }) => ({ name, id })) });
    },
  };
}

export interface StoreCounts {
  readonly version: number;
  readonly bytes: number;
  readonly limitBytes?: number | undefined;
  readonly volume?: { readonly bytes: number; readonly freeBytes: number } | undefined;
  readonly clusters: readonly {
    readonly name: string;
    readonly id: string;
    readonly tenures: number;
    readonly placements: number;
    readonly changes: number;
    readonly live: number;
    readonly checkpoint?: { readonly at: number } | undefined;
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
    query: none,
    reply: { 'application/json': statsSchema },
    handle: async (request) => {
      NONE.checked('stats', request.query);
      const { kind } = await request.visibility();
      // Counts tell of what is hidden.
      if (kind !== 'all') {
        throw new Problem(403, 'forbidden', 'stats is for who may list pods in all namespaces', {
          hint: 'ask your administrator for a ClusterRole that lists pods.',
        });
      }
      const { version, bytes, limitBytes = null, volume = null, clusters } = await ledger.ask(counts);
      // An operator's ledger is of one cluster, whatever the store holds.
      const own = new Set((await ledger.ask(() => ledger.clusters())).map(({ id }) => id));
      const kept = await Promise.all(
        clusters
          .filter(({ id }) => own.has(id))
          .map(async ({ name, id, tenures, placements, changes, live, checkpoint }) => {
            const times = await ledger.ask(() => readTimes(ledger, id, checkpoint?.at));
            return { ...{ name, id, tenures, placements, changes, live }, ...times };
          }),
      );
      const keptMs = Math.max(0, ...kept.map(({ keptMs: ms }) => ms));
      const bytesPerDay = keptMs < LEAST_KEPT_MS ? null : Math.round((bytes * DAY_MS) / keptMs);
      return jsonReply({
        ...{ storeVersion: version, bytes, bytesPerDay, limitBytes, volume },
        clusters: kept.map(({ keptMs: _, ...rest }) => rest),
      });
    },
  };
}

/** From what was watched and removed, which every question reads, too: nothing is counted for it. */
async function readTimes(ledger: AskedLedger, cluster: string, committed: number | undefined) {
  const [coverage, expired] = await withSnapshot(ledger.reader, cluster, (snapshot) =>
    Promise.all([snapshot.coverage(), snapshot.expired()]),
  );
  const { first, last } = watchedFromTo(coverage);
  const since = expired.reduce((latest, { to }) => (latest !== undefined && to > latest ? to : latest), first);
  return {
    firstRecord: textOf(since),
    lastRecord: textOf(committed ?? last),
    coverage: { from: textOf(first), to: textOf(last) },
    keptMs: since === undefined || last === undefined ? 0 : Math.max(0, last - since),
  };
}

function textOf(instant: EpochMillis | number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString();
}
