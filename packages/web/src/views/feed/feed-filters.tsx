// The filters of the feed: kind, causes, namespace, node, text, time. All of them are in the URL.
import { adjust } from '../../address/location.ts';
import { ALL_CAUSES, CAUSE_FAMILIES, causeText, familyOf } from '../../parts/cause.ts';
import { FilterInput } from '../../parts/filter-input.tsx';
import { SpanChoice } from '../../parts/span-choice.tsx';
import { type FeedFilter, isFamilyOn, toggleCause, toggleFamily } from './feed-filter.ts';

const KINDS = [
  [undefined, 'All'],
  ['moves', 'Moves'],
  ['changes', 'Changes'],
] as const;

export function FeedFilters({ filter }: { readonly filter: FeedFilter }) {
  const { kind, causes, node } = filter;
  const hidesChanges = kind === undefined && (causes.length > 0 || node !== undefined);
  return (
    <div class="filters">
      <div class="row">
        <fieldset class="row" aria-label="What is shown">
          {KINDS.map(([value, word]) => (
            <button
              key={word}
              type="button"
              aria-pressed={kind === value}
              onClick={() => adjust({ kind: value }, true)}
            >
              {word}
            </button>
          ))}
        </fieldset>
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
                <span aria-hidden="true" style={{ color: `var(${family.colour})` }}>
                  {family.shape}
                </span>{' '}
                {family.name}
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
                  <span aria-hidden="true" style={{ color: `var(${familyOf(cause).colour})` }}>
                    {familyOf(cause).shape}
                  </span>{' '}
                  {causeText(cause)}
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
