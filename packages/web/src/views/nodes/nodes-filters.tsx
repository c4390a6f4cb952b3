// How the tiles are coloured, which are shown, and with which instant they are compared.

import type { NodesDocument } from '@podtrail/history/wire';
import { adjust } from '../../address/location.ts';
import { CAUSE_FAMILIES } from '../../parts/cause.ts';
import { CauseShape } from '../../parts/cause-shape.tsx';
import { Choice } from '../../parts/choice.tsx';
import { FilterInput } from '../../parts/filter-input.tsx';
import { InstantInput } from '../../parts/instant-input.tsx';
import { instantText } from '../../times/span.ts';
import { type Colouring, departuresText, NOT_LOOKED_UP, type TileChoice, workloadKey } from './node-tiles.ts';

const WORDS: Readonly<Record<Colouring, string>> = {
  pods: 'Pods',
  workload: 'One workload',
  cause: 'Causes of departures',
};
const HOUR = 3_600_000;

export function NodesFilters({
  document,
  choice,
  against,
  at,
}: {
  readonly document: NodesDocument | undefined;
  readonly choice: TileChoice;
  readonly against: number | undefined;
  readonly at: number;
}) {
  const { colouring, workload } = choice;
  return (
    <div class="filters">
      <div class="row">
        <Choice name="colour" label="Colour by" options={WORDS} value={colouring} otherwise="pods" />
        {colouring === 'workload' && (
          <label>
            <span class="visually-hidden">Workload</span>
            <select
              class="nodes-workload"
              value={workload ?? ''}
              onChange={({ currentTarget }) => adjust({ workload: currentTarget.value }, true)}
            >
              <option value="">Choose a workload</option>
              {workload !== undefined && <option value={workload}>{workload}</option>}
              {document?.workloads.map((one) => {
                const key = workloadKey(one);
                return (
                  key !== workload && (
                    <option key={key} value={key}>
                      {key} ({one.pods})
                    </option>
                  )
                );
              })}
            </select>
          </label>
        )}
        <FilterInput name="q" label="Node" />
        <FilterInput name="namespace" label="Namespace" />
        {against === undefined ? (
          <button type="button" onClick={() => adjust({ against: instantText(at - HOUR) }, true)}>
            Compare with an hour before
          </button>
        ) : (
          <>
            <InstantInput name="against" label="Compared with" value={instantText(against)} />
            <button type="button" onClick={() => adjust({ against: undefined }, true)}>
              Do not compare
            </button>
          </>
        )}
      </div>
      {against !== undefined && <p class="muted small">From the earlier to the later: + arrived, − left, = stayed.</p>}
      {colouring === 'cause' && (
        <ul class="row nodes-legend small" aria-label="Families of causes">
          <li>{departuresText(document)}:</li>
          {[...CAUSE_FAMILIES, NOT_LOOKED_UP].map((family) => (
            <li key={family.name}>
              <CauseShape family={family} /> {family.name}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
