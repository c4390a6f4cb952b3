// The value of an annotation before and after, with what differs marked. Values are text, whatever is in them.

import type { ChangeDocument } from '@podtrail/history/wire';
import { useState } from 'preact/hooks';
import { type DiffPart, diffValues } from './value-diff.ts';

export function ChangeDiff({ change }: { readonly change: ChangeDocument }) {
  const [isWhole, showWhole] = useState(false);
  const { before, after } = change;
  const diff = diffValues(before?.text, after?.text, isWhole);
  return (
    <div class="diff">
      {before !== null && <Side sign="−" word="Before" value={before} parts={diff.before} isOld />}
      {after !== null && <Side sign="+" word="After" value={after} parts={diff.after} />}
      {(diff.isCut || isWhole) && (
        <button type="button" class="quiet" aria-expanded={isWhole} onClick={() => showWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all'}
        </button>
      )}
    </div>
  );
}

interface SideProps {
  readonly sign: string;
  readonly word: string;
  readonly value: NonNullable<ChangeDocument['before']>;
  readonly parts: readonly DiffPart[];
  readonly isOld?: boolean;
}

function Side({ sign, word, value, parts, isOld = false }: SideProps) {
  return (
    <div class={isOld ? 'diff-side diff-before' : 'diff-side diff-after'}>
      <span aria-hidden="true">{sign}</span>
      <span class="visually-hidden">{word}: </span>
      <span class="diff-value">
        {value.text === '' && <span class="muted">(empty)</span>}
        {parts.map(({ kind, text }, i) =>
          kind === 'cut' ? (
            <span key={i} class="muted" title={`${text.length} characters are not shown`}>
              …
            </span>
          ) : kind === 'same' ? (
            <span key={i}>{text}</span>
          ) : isOld ? (
            <del key={i}>{text}</del>
          ) : (
            <ins key={i}>{text}</ins>
          ),
        )}
        {value.cut && <span class="muted"> (the recorder stored the beginning only)</span>}
      </span>
    </div>
  );
}
