// A cause with the shape and colour of its family.
import { causeText, familyOf } from './cause.ts';

export function CauseLabel({
  cause,
  certainty,
}: {
  readonly cause: string | null | undefined;
  readonly certainty?: string | null | undefined;
}) {
  if (cause === null || cause === undefined) return <span class="muted">–</span>;
  const { shape, colour, name } = familyOf(cause);
  return (
    <span class="cause" title={`${name}${certainty === 'inferred' ? ' (inferred)' : ''}`}>
      <span aria-hidden="true" style={{ color: `var(${colour})` }}>
        {shape}
      </span>{' '}
      {causeText(cause)}
      {certainty === 'inferred' && <span class="muted"> (inferred)</span>}
    </span>
  );
}
