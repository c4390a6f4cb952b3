// All nodes at an instant: tiles by number of pods, by workload or by cause of departures, with a time slider, beside
// another instant where that is asked for, and as a table. A tile opens the pods of its node.

import type { NodesDocument } from '@podtrail/history/wire';
import { useMemo } from 'preact/hooks';
import { address, adjust } from '../../address/location.ts';
import type { Parameters } from '../../address/page-address.ts';
import { useQuestion } from '../../api/use-question.ts';
import { AskedContent } from '../../parts/asked-content.tsx';
import { counted } from '../../parts/counted.ts';
import { NothingListed } from '../../parts/empty-listing.tsx';
import { gapWhy } from '../../parts/gap-words.ts';
import { SaveButtons } from '../../parts/save-buttons.tsx';
import { Empty } from '../../parts/states.tsx';
import { useNow, useVisible } from '../../parts/use-visible.ts';
import { instantText, parseInstant } from '../../times/span.ts';
import { MovedTable } from './moved-table.tsx';
import { NodePanel } from './node-panel.tsx';
import { NodeTable } from './node-table.tsx';
import { COLOURINGS, type Colouring, isOfWorkload, nodeTiles, type TileChoice } from './node-tiles.ts';
import { nodesCsv } from './nodes-csv.ts';
import { NodesFilters } from './nodes-filters.tsx';
import { TileGrid } from './tile-grid.tsx';
import { TimeSlider } from './time-slider.tsx';
import { timeSteps } from './time-steps.ts';

const AGAIN_MS = 10_000;

export function NodesView() {
  const { parameters } = address.value;
  const { cluster, namespace, node } = parameters;
  const isVisible = useVisible();
  const now = useNow(60_000);
  const steps = timeSteps(parameters['at'], now);
  const isNow = steps.at === undefined;
  const choice = tileChoice(parameters);
  const against = parameters['against'] === undefined ? undefined : parseInstant(parameters['against'], now);
  const asked = useQuestion<NodesDocument>(
    'nodes',
    {
      ...{ cluster, namespace },
      workload: isOfWorkload(choice) ? choice.workload : undefined,
      at: steps.at === undefined ? undefined : instantText(steps.at),
      against: against === undefined ? undefined : instantText(against),
    },
    { everyMs: isNow && isVisible ? AGAIN_MS : undefined },
  );
  const key = JSON.stringify(choice);
  const { document } = asked;
  const tiles = useMemo(() => (document === undefined ? [] : nodeTiles(document, choice)), [document, key]);
  return (
    <>
      <TimeSlider steps={steps} now={now} isBusy={asked.isLoading} />
      <NodesFilters document={document} choice={choice} against={against} at={steps.at ?? now} />
      <div class={node === undefined ? undefined : 'nodes-split'}>
        <div>
          <AskedContent asked={asked} lines={8}>
            {(shown) => (
              <>
                <Unwatched document={shown} />
                {tiles.length === 0 || (namespace !== undefined && isEmpty(shown)) ? (
                  <NoNodes document={shown} isFiltered={choice.text !== '' || namespace !== undefined} />
                ) : (
                  <>
                    <div class="row bar">
                      <span class="muted">
                        {counted(tiles.length, 'node')}, {tiles.reduce((sum, { summary }) => sum + summary.pods, 0)}{' '}
                        pods
                        {shown.narrowed && ', of the namespaces in which you may list pods'}
                      </span>
                      <SaveButtons name="nodes" csv={() => nodesCsv(tiles)} />
                      <button
                        type="button"
                        aria-pressed={parameters['as'] === 'table'}
                        onClick={() => adjust({ as: parameters['as'] === 'table' ? undefined : 'table' }, true)}
                      >
                        Table
                      </button>
                    </div>
                    {parameters['as'] === 'table' ? (
                      <NodeTable tiles={tiles} choice={choice} />
                    ) : (
                      <TileGrid tiles={tiles} choice={choice} open={node} />
                    )}
                  </>
                )}
                {shown.moved !== null && <MovedTable moved={shown.moved} hasMore={shown.movedMore} />}
              </>
            )}
          </AskedContent>
        </div>
        {node !== undefined && <NodePanel node={node} at={steps.at} now={now} />}
      </div>
    </>
  );
}

function tileChoice({ colour, workload, q }: Parameters): TileChoice {
  const colouring: Colouring = COLOURINGS.find((known) => known === colour) ?? 'pods';
  return { colouring, workload, text: q?.trim().toLowerCase() ?? '' };
}

/** Nodes are listed without pods, too: of a namespace that has none then, nothing matches. */
function isEmpty({ nodes, moved }: NodesDocument): boolean {
  return moved === null && nodes.every(({ pods }) => pods === 0);
}

function NoNodes({ document, isFiltered }: { readonly document: NodesDocument; readonly isFiltered: boolean }) {
  const at = Date.parse(document.query.at);
  const { coverage, narrowed } = document;
  return <NothingListed {...{ coverage, from: at, to: at, isFiltered }} isNarrowed={narrowed === true} />;
}

/** Of a time that nobody watched, what is shown is what was known before. */
function Unwatched({ document: { query, coverage, nodes } }: { readonly document: NodesDocument }) {
  const at = Date.parse(query.at);
  const gap = coverage.gaps.find(({ from, to }) => Date.parse(from) <= at && (to === null || Date.parse(to) > at));
  if (gap === undefined || nodes.length === 0) return null;
  return <Empty title="Nobody was watching then">{gapWhy(gap.reason)}. Pods may have come and gone unseen.</Empty>;
}
