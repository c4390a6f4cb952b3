// What the bars mean: the pattern of each family of causes, or of the workloads that have most pods.
import { CAUSE_FAMILIES } from '../parts/cause.ts';
import { CauseShape } from '../parts/cause-shape.tsx';
import { causeTile, seriesTile } from './patterns.ts';
import type { Colouring } from './scene.ts';
import { COLOURS, readPalette } from './series-colours.ts';
import type { TimelineData } from './timeline-data.ts';

export function Legend({ data, colouring }: { readonly data: TimelineData; readonly colouring: Colouring }) {
  const palette = readPalette(document.documentElement, false);
  const swatch = (tile: HTMLCanvasElement, edge: string) => (
    <span class="swatch" style={{ background: `url(${tile.toDataURL()})`, borderLeft: `2px solid ${edge}` }} />
  );
  if (colouring === 'workload') {
    return (
      <ul class="row nodes-legend small" aria-label="Largest workloads">
        {data.workloads.map(({ name, series }) => (
          <li key={name}>
            {swatch(seriesTile(palette, series), palette.strong[series % COLOURS]!)} {name}
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ul class="row nodes-legend small" aria-label="Causes of ends">
      {CAUSE_FAMILIES.map((family, kind) => (
        <li key={family.name}>
          {swatch(causeTile(palette, family.colour, kind), palette.named(family.colour))} <CauseShape family={family} />{' '}
          {family.name}
        </li>
      ))}
      {['Still there', 'Not loaded yet'].map((name, place) => (
        <li key={name}>
          {swatch(causeTile(palette, OTHERS[place]!, 0), palette.named(OTHERS[place]!))} {name}
        </li>
      ))}
    </ul>
  );
}

const OTHERS = ['--control-line', '--line'];
