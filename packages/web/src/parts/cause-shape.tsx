// The shape of a family of causes, in its colour. The word stands beside it.
import type { CauseFamily } from './cause.ts';

export function CauseShape({ family: { shape, colour } }: { readonly family: Pick<CauseFamily, 'shape' | 'colour'> }) {
  return (
    <span aria-hidden="true" style={{ color: `var(${colour})` }}>
      {shape}
    </span>
  );
}
