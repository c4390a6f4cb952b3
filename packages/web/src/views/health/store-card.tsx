// How much the ledger holds, how fast it grows and when its limit is reached. For who may see all namespaces.
import type { Asked } from '../../api/use-question.ts';
import { AskedContent } from '../../parts/asked-content.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/states.tsx';
import { bytesText, forecastText, type StoreSize } from './forecast.ts';

export interface Stats extends StoreSize {
  readonly storeVersion: number;
  readonly clusters: readonly {
    readonly name: string;
    readonly id: string;
    readonly tenures: number;
    readonly placements: number;
    readonly changes: number;
    readonly live: number;
  }[];
}

const COLUMNS = [
  { name: 'Cluster', isName: true },
  { name: 'Times an address was held', isNumber: true },
  { name: 'Pods placed', isNumber: true },
  { name: 'Changes', isNumber: true },
  { name: 'Objects there now', isNumber: true },
];

export function StoreCard({ asked }: { readonly asked: Asked<Stats> }) {
  const { problem } = asked;
  return (
    <section class="card" aria-labelledby="store">
      <h2 id="store">Store</h2>
      {problem?.status === 403 ? (
        <NotYours what="How much the ledger holds" />
      ) : problem?.status === 404 ? (
        <Empty title="Not known here">This server does not count what its ledger holds.</Empty>
      ) : (
        <AskedContent asked={asked}>
          {(stats) => (
            <>
              <p>
                <strong>{bytesText(stats.bytes)}</strong>
                {stats.bytesPerDay != null && `, ${bytesText(stats.bytesPerDay)} more a day`}. {forecastText(stats)}
              </p>
              <DataTable
                label="What the ledger holds"
                columns={COLUMNS}
                rows={stats.clusters.map(({ id, name, tenures, placements, changes, live }) => ({
                  key: id,
                  cells: [name, ...[tenures, placements, changes, live].map((count) => count.toLocaleString('en'))],
                }))}
              />
            </>
          )}
        </AskedContent>
      )}
    </section>
  );
}

/** Where counts would tell of what is hidden. */
export function NotYours({ what }: { readonly what: string }) {
  return (
    <Empty title="Not for you">{what} is for who may list pods in all namespaces: a ClusterRole gives that.</Empty>
  );
}
