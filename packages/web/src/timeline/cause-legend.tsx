// What the bars mean when they are coloured by cause: the pattern of each family, its shape and its name.
import { CAUSE_FAMILIES } from '../parts/cause.ts';
import { CauseShape } from '../parts/cause-shape.tsx';
import { causeTile } from './patterns.ts';
import { readPalette } from './series-colours.ts';

export function CauseLegend() {
  const palette = readPalette(document.documentElement, false);
  return (
    <ul class="row nodes-legend small" aria-label="Causes of ends">
      {CAUSE_FAMILIES.map((family, kind) => (
        <li key={family.name}>
          <span class="swatch" style={{ background: `url(${causeTile(palette, family.colour, kind).toDataURL()})` }} />{' '}
          <CauseShape family={family} /> {family.name}
        </li>
      ))}
    </ul>
  );
}
