// The filters of the feed: kind, causes, namespace, node, text, time. All of them are in the URL.
import { adjust } from '../../address/location.ts';
import { ALL_CAUSES, CAUSE_FAMILIES, causeText, familyOf } from '../../parts/cause.ts';
import { CauseShape } from '../../parts/cause-shape.tsx';
import { Choice } from '../../parts/choice.tsx';
import { FilterInput } from '../../parts/filter-input.tsx';
import { SpanChoice } from '../../parts/span-choice.tsx';
import { type FeedFilter, isFamilyOn, toggleCause, toggleFamily } from './feed-filter.ts';

const KINDS = { '': 'All', moves: 'Moves', changes: 'Changes' };

export function FeedFilters({ filter }: { readonly filter: FeedFilter }) {
  const { kind, causes, node } = filter;
  const hidesChanges = kind === undefined && (causes.length > 0 || node !== undefined);
  return (
    <div class="filters">
      <div class="row">
        <Choice name="kind" label="What is shown" options={KINDS} value={kind ?? ''} />
        <SpanChoice otherwise="24h" />
        <FilterInput name="namespace" label="Namespace" />
        {kind !== 'changes' && <FilterInput name="node" label="Node" />}
        <FilterInput name="q" label="Text" />
      </div>
      {kind !== 'changes' && (
        <>
          <fieldset class="row" aria-label="Causes">
            {CAUSE_FAMILIES.map((family) => (
              <button
                key={family.name}
                type="button"
                class="chip"
                aria-pressed={isFamilyOn(causes, family)}
                onClick={() => adjust({ cause: toggleFamily(causes, family) }, true)}
              >
                <CauseShape family={family} /> {family.name}
              </button>
            ))}
            {causes.length > 0 && (
              <button type="button" class="quiet" onClick={() => adjust({ cause: undefined }, true)}>
                All causes
              </button>
            )}
          </fieldset>
          <details>
            <summary>Single causes{causes.length > 0 && `: ${causes.map(causeText).join(', ')}`}</summary>
            <div class="row">
              {ALL_CAUSES.map((cause) => (
                <button
                  key={cause}
                  type="button"
                  class="chip"
                  aria-pressed={causes.includes(cause)}
                  onClick={() => adjust({ cause: toggleCause(causes, cause) }, true)}
                >
                  <CauseShape family={familyOf(cause)} /> {causeText(cause)}
                </button>
              ))}
            </div>
          </details>
          {hidesChanges && <p class="muted small">Changes have no cause and no node: only moves are shown.</p>}
        </>
      )}
    </div>
  );
}
