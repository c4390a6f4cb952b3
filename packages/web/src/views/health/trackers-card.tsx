// The PodTrackers of the cluster, where an operator follows them; elsewhere there is no such card.
import type { Asked } from '../../api/use-question.ts';
import { AskedContent } from '../../parts/asked-content.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Time } from '../../parts/time.tsx';

interface TrackerCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  /** For who sees all namespaces. */
  readonly message?: string;
  readonly lastTransitionTime: string;
}

export interface Trackers {
  readonly trackers: readonly {
    readonly name: string;
    readonly namespaces: readonly string[] | null;
    readonly counts: { readonly pods: number; readonly nodes: number; readonly slices: number } | null;
    readonly conditions: readonly TrackerCondition[];
    readonly isCurrent: boolean;
  }[];
  readonly more: boolean;
  readonly narrowed?: true;
}

const COLUMNS = [
  { name: 'Name', isName: true },
  { name: 'Namespaces' },
  { name: 'Pods', isNumber: true },
  { name: 'Nodes', isNumber: true },
  { name: 'Slices', isNumber: true },
  { name: 'Conditions' },
];

export function TrackersCard({ asked }: { readonly asked: Asked<Trackers> }) {
  if (asked.problem?.status === 404 || (asked.document === undefined && asked.problem === undefined)) return null;
  return (
    <section class="card" aria-labelledby="trackers">
      <h2 id="trackers">PodTrackers</h2>
      <AskedContent asked={asked}>
        {({ trackers, more, narrowed }) =>
          trackers.length === 0 ? (
            <p>
              {narrowed
                ? 'None of the namespaces in which you may list pods alone.'
                : 'There are none in this cluster.'}
            </p>
          ) : (
            <>
              <DataTable
                label="Table of PodTrackers"
                columns={COLUMNS}
                rows={trackers.map(({ name, namespaces, counts, conditions, isCurrent }) => ({
                  key: name,
                  cells: [
                    ...[name, namespaces?.join(', ') ?? 'all, or by labels'],
                    ...[counts?.pods ?? '–', counts?.nodes ?? '–', counts?.slices ?? '–'],
                    <>
                      {!isCurrent && <div class="muted">of an earlier spec</div>}
                      {conditions.map((condition) => (
                        <Condition key={condition.type} condition={condition} />
                      ))}
                    </>,
                  ],
                }))}
              />
              {more && <p class="muted">There are more than these.</p>}
            </>
          )
        }
      </AskedContent>
    </section>
  );
}

function Condition({ condition }: { readonly condition: TrackerCondition }) {
  const { type, status, reason, message, lastTransitionTime } = condition;
  return (
    <div>
      {type} {status === 'True' ? '✔ yes' : status === 'False' ? '✖ no' : '? unknown'}: {reason}
      {message !== undefined && `, ${message}`} since <Time at={lastTransitionTime} />
    </div>
  );
}
