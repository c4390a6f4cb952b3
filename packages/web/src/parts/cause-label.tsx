// A cause with the shape and colour of its family.
import { causeText, familyOf } from './cause.ts';
import { CauseShape } from './cause-shape.tsx';

export function CauseLabel({
  cause,
  certainty,
}: {
  readonly cause: string | null | undefined;
  readonly certainty?: string | null | undefined;
}) {
  if (cause === null || cause === undefined) return <span class="muted">–</span>;
  const family = familyOf(cause);
  return (
    <span class="cause" title={`${family.name}${certainty === 'inferred' ? ' (inferred)' : ''}`}>
      <CauseShape family={family} /> {causeText(cause)}
      {certainty === 'inferred' && <span class="muted"> (inferred)</span>}
    </span>
  );
}
