// Tiles that fill bars and gaps: so that colour never stands alone. Made again when the theme changes.
import { CAUSE_FAMILIES } from '../parts/cause.ts';
import { COLOURS, PATTERNS, type Palette } from './series-colours.ts';

const TILE = 8;

/** By pattern × COLOURS + colour; the first pattern is none. With the colour of the bar: it is filled once. */
export function barPatterns(context: CanvasRenderingContext2D, palette: Palette): (CanvasPattern | null)[] {
  return Array.from({ length: PATTERNS * COLOURS }, (_, n) => {
    return n < COLOURS ? null : context.createPattern(seriesTile(palette, n), 'repeat');
  });
}

/** Of a series: also the swatch of a legend. */
export function seriesTile({ strong, soft }: Palette, n: number): HTMLCanvasElement {
  return filled(soft[n % COLOURS]!, Math.floor(n / COLOURS), strong[n % COLOURS]!);
}

/** Of each family of causes, by its colour: so that bars too low for a shape differ in more than their colour. */
export function causePatterns(context: CanvasRenderingContext2D, palette: Palette): Map<string, CanvasPattern | null> {
  return new Map(
    CAUSE_FAMILIES.map(({ colour }, kind) => [
      palette.named(colour),
      context.createPattern(causeTile(palette, colour, kind), 'repeat'),
    ]),
  );
}

/** Also the swatch of a legend. */
export function causeTile(palette: Palette, colour: string, kind: number): HTMLCanvasElement {
  const strong = palette.named(colour);
  return filled(palette.softened(strong), kind, strong);
}

function filled(soft: string, kind: number, strong: string): HTMLCanvasElement {
  return tileOf((paint) => {
    paint.fillStyle = soft;
    paint.fillRect(0, 0, TILE, TILE);
    drawPattern(paint, kind, strong);
  });
}

export function hatchPattern(context: CanvasRenderingContext2D, { hatch }: Palette): CanvasPattern | null {
  return tile(context, (paint) => {
    paint.strokeStyle = hatch;
    paint.lineWidth = 1.5;
    diagonal(paint);
  });
}

function drawPattern(paint: CanvasRenderingContext2D, kind: number, colour: string): void {
  paint.globalAlpha = 0.55;
  paint.fillStyle = colour;
  paint.strokeStyle = colour;
  // Upright ones differ in a bar of three pixels, too.
  if (kind === 1) diagonal(paint);
  else if (kind === 2) {
    paint.fillRect(1, 1, 2, 2);
    paint.fillRect(5, 5, 2, 2);
  } else if (kind === 3) paint.fillRect(0, 3, TILE, 1.5);
  else if (kind === 4) paint.fillRect(0, 0, 1.5, TILE);
  else if (kind === 5) paint.fillRect(0, 0, TILE / 2, TILE);
  else if (kind === 6) for (const x of [0, 3, 6]) paint.fillRect(x, 0, 1.5, TILE);
}

function diagonal(paint: CanvasRenderingContext2D): void {
  paint.beginPath();
  for (const from of [-TILE, 0, TILE]) {
    paint.moveTo(from, TILE);
    paint.lineTo(from + TILE, 0);
  }
  paint.stroke();
}

function tile(
  context: CanvasRenderingContext2D,
  draw: (paint: CanvasRenderingContext2D) => void,
): CanvasPattern | null {
  return context.createPattern(tileOf(draw), 'repeat');
}

function tileOf(draw: (paint: CanvasRenderingContext2D) => void): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = TILE;
  canvas.height = TILE;
  const paint = canvas.getContext('2d');
  if (paint !== null) draw(paint);
  return canvas;
}
