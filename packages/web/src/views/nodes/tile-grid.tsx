// The tiles: one button for each node. Thousands of them are laid out only where they are seen (styles/nodes.css).
import { adjust } from '../../address/location.ts';
import { CauseShape } from '../../parts/cause-shape.tsx';
import { isOfWorkload, type Tile, type TileChoice } from './node-tiles.ts';

const COUNTED = { pods: 'pods', workload: 'of its pods', cause: 'left' };

export function TileGrid({
  tiles,
  choice,
  open,
}: {
  readonly tiles: readonly Tile[];
  readonly choice: TileChoice;
  readonly open: string | undefined;
}) {
  const { colouring } = choice;
  const what = colouring === 'workload' && !isOfWorkload(choice) ? 'pods' : colouring;
  return (
    <ul class="tiles" aria-label="Nodes">
      {tiles.map((tile) => (
        <li key={tile.node}>
          <button
            type="button"
            id={`tile ${tile.node}`}
            class={`tile level-${colouring === 'cause' ? 0 : tile.level}`}
            aria-expanded={open === tile.node}
            onClick={() => adjust({ node: open === tile.node ? undefined : tile.node }, true)}
          >
            <span class="tile-name">{tile.node}</span>
            <span class="tile-count">
              <strong>{tile.count ?? '…'}</strong> {COUNTED[what]}
              {what === 'pods' && tile.summary.inDoubt > 0 && `, ${tile.summary.inDoubt} in doubt`}
            </span>
            <span class="tile-bars" aria-hidden="true">
              {tile.bars.map(({ share, colour, name }) => (
                <span key={name} style={{ width: `${100 * share}%`, background: `var(${colour})` }} />
              ))}
            </span>
            {colouring === 'cause' && <Families tile={tile} />}
            <Compared tile={tile} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Families({ tile }: { readonly tile: Tile }) {
  return (
    <span class="tile-more">
      {tile.bars.map((bar) => (
        <span key={bar.name} title={bar.name}>
          <CauseShape family={bar} />
          <span class="visually-hidden">{bar.name} </span>
          {bar.count}{' '}
        </span>
      ))}
    </span>
  );
}

function Compared({ tile }: { readonly tile: Tile }) {
  const { compared } = tile.summary;
  if (compared === null) return null;
  return (
    <span class="tile-more">
      +{compared.arrived}
      <span class="visually-hidden"> arrived,</span> −{compared.left}
      <span class="visually-hidden"> left,</span> ={compared.stayed}
      <span class="visually-hidden"> stayed</span>
    </span>
  );
}
