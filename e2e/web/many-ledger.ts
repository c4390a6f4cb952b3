// A store with many intervals: pods of a day, one after the other on each node. Used by the tests of this folder; the
// benchmarks have stores of their own, with more in them and slower to fill.
import { epochMillis, openStore, type StoredFact } from '@podtrail/history';

type Placement = Extract<StoredFact, { kind: 'placement' }>['placement'];

const CLUSTER = { id: 'f0000000-0000-4000-8000-000000000002', name: 'many' };
const BATCH = 5_000;
export const DAY_MS = 86_400_000;
/** The day ends here. */
export const UNTIL = Date.UTC(2026, 10, 9);

/** `url`: `sqlite:PATH`. Intervals on a node follow each other, so that all of them are drawn. */
export async function manyLedger(url: string, intervals: number, nodes: number): Promise<void> {
  const engine = await openStore(url, { access: 'write' });
  const writer = await engine.takeOver(CLUSTER);
  const [from, to] = [epochMillis(UNTIL - 2 * DAY_MS), epochMillis(UNTIL + DAY_MS)];
  const watched = { from, to, confirmed: to, ended: false, opened: 'start' } as const;
  let facts: StoredFact[] = [
    { kind: 'coverage', coverage: { scope: { kind: 'cluster' }, epoch: 1, collector: 'recorder-0', ...watched } },
  ];
  for (let n = 0; n < intervals; n++) {
    facts.push({ kind: 'placement', placement: placement(n, intervals, nodes) });
    if (facts.length < BATCH) continue;
    await writer.append({ facts });
    facts = [];
  }
  await writer.append({ facts });
  await engine.close();
}

function placement(n: number, intervals: number, nodes: number): Placement {
  const each = (DAY_MS * nodes) / intervals;
  const start = Math.floor(UNTIL - DAY_MS + Math.floor(n / nodes) * each);
  const app = `app-${n % 40}`;
  return {
    pod: {
      ...{
        kind: 'Pod',
        namespace: `team-${n % 7}`,
        name: `${app}-${n}`,
        node: `node-${n % nodes}`,
        hostNetwork: false,
      },
      uid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      workload: { kind: 'Deployment', name: app, inferred: true },
    },
    start: boundary(start, n),
    end: boundary(start + Math.floor(0.9 * each), n),
  };
}

function boundary(ms: number, n: number): Placement['start'] {
  const at = epochMillis(ms);
  return {
    ...{ at, notBefore: at, notAfter: at, observedAt: at, source: 'watch', epoch: 1, collector: 'recorder-0' },
    resourceVersion: String(n + 1),
  };
}
