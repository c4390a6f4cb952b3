// Who arrived, left or moved between the two instants, and where to.

import type { NodesDocument } from '@podtrail/history/wire';
import { useState } from 'preact/hooks';
import { DataTable } from '../../parts/data-table.tsx';
import { HolderName, NodeName, WorkloadName } from '../../parts/holder-name.tsx';

type MovedPod = NonNullable<NodesDocument['moved']>[number];

const PAGE = 200;
const COLUMNS = [{ name: 'What' }, { name: 'Pod' }, { name: 'Workload' }, { name: 'From' }, { name: 'To' }];
const SHAPES = { arrived: '+ arrived', left: '− left', moved: '→ moved' };

export function MovedTable({ moved, hasMore }: { readonly moved: readonly MovedPod[]; readonly hasMore: boolean }) {
  const [most, setMost] = useState(PAGE);
  return (
    <section aria-labelledby="moved">
      <h2 id="moved">Who moved where</h2>
      {moved.length === 0 ? (
        <p>Nobody: all pods stayed where they were.</p>
      ) : (
        <DataTable
          label="Table of moved pods"
          columns={COLUMNS}
          rows={moved.slice(0, most).map((pod) => {
            const holder = { ...pod, kind: 'Pod', node: pod.to ?? pod.from ?? '' } as const;
            return {
              key: `${pod.uid} ${pod.change}`,
              cells: [
                pod.from !== null && pod.from === pod.to ? '↻ replaced there' : SHAPES[pod.change],
                <>
                  <HolderName holder={holder} />
                  {pod.successor !== null && <Successor pod={pod} />}
                </>,
                <WorkloadName holder={holder} />,
                pod.from === null ? '–' : <NodeName node={pod.from} />,
                pod.to === null ? '–' : <NodeName node={pod.to} />,
              ],
            };
          })}
        />
      )}
      {moved.length > most && (
        <button type="button" onClick={() => setMost(most + PAGE)}>
          {moved.length - most} more
        </button>
      )}
      {hasMore && <p class="muted">There are more than these: compare instants that are nearer, or one namespace.</p>}
    </section>
  );
}

/** A pod never changes its node: what moved is its place in the workload. */
function Successor({ pod }: { readonly pod: MovedPod }) {
  const { successor, namespace, to, workload } = pod;
  if (successor === null || successor.uid === pod.uid) return null;
  return (
    <>
      {pod.certain ? ', now ' : ', now probably '}
      <HolderName holder={{ ...successor, kind: 'Pod', namespace, node: to ?? '', workload }} />
    </>
  );
}
