// Draws lanes: their names, gaps, intervals or counts. Only what is visible, each frame from the beginning.

import { laneName } from './interval-text.ts';
import { laneAt, rowTop } from './lane-layout.ts';
import { paintGrid } from './paint-header.ts';
import { HEADER, plotWidth, type Scene, sceneX } from './scene.ts';
import { COLOURS } from './series-colours.ts';
import { firstCell, type TimelineData } from './timeline-data.ts';
import { type RowPainter, visibleRuns } from './visible-runs.ts';

const NAME_FONT = '12px ui-monospace, Menlo, "DejaVu Sans Mono", monospace';
/** Of the font above. */
const CHARACTER = 7.3;
const NARROW = 3;
const NAMED = 44;
/** Bars that are narrower have no pattern, and lower ones no lines: it could not be seen, and each costs time. */
const PATTERNED = 8;
const TALL = 14;

export function paintLanes(paint: CanvasRenderingContext2D, scene: Scene): void {
  const { data, width, height, gutter, palette, scrollTop } = scene;
  paint.fillStyle = palette.background;
  paint.fillRect(0, 0, width, height);
  if (data === undefined) return;
  paint.save();
  paint.beginPath();
  paint.rect(0, HEADER, width, height - HEADER);
  paint.clip();
  const { tops } = data.layout;
  const first = Math.max(0, laneAt(data.layout, scrollTop));
  const lastY = scrollTop + height - HEADER;
  paintGrid(paint, scene);
  paintLines(paint, scene, data, first, lastY);
  paint.save();
  paint.beginPath();
  paint.rect(gutter, HEADER, width - gutter, height - HEADER);
  paint.clip();
  paintGaps(paint, scene, data);
  for (let lane = first; lane + 1 < tops.length && tops[lane]! < lastY; lane++) {
    if (data.density === null) paintIntervals(paint, scene, data, lane);
    else paintDensity(paint, scene, data, lane);
  }
  paint.restore();
  for (let lane = first; lane + 1 < tops.length && tops[lane]! < lastY; lane++) paintName(paint, scene, data, lane);
  paint.restore();
}

function paintLines(
  paint: CanvasRenderingContext2D,
  scene: Scene,
  { layout }: TimelineData,
  first: number,
  lastY: number,
) {
  const { width, palette, scrollTop } = scene;
  paint.fillStyle = palette.line;
  for (let lane = first; lane + 1 < layout.tops.length && layout.tops[lane]! < lastY; lane++)
    paint.fillRect(0, Math.round(layout.tops[lane + 1]! - scrollTop + HEADER) - 1, width, 1);
}

/** Nobody watched then. */
function paintGaps(paint: CanvasRenderingContext2D, scene: Scene, { gaps, layout }: TimelineData): void {
  const { view, hatch, height, scrollTop } = scene;
  if (hatch === null) return;
  const bottom = Math.min(height, layout.height - scrollTop + HEADER);
  paint.fillStyle = hatch;
  for (const { from, to } of gaps) {
    if (to < view.from || from > view.to) continue;
    const x = sceneX(scene, Math.max(from, view.from));
    paint.fillRect(x, HEADER, Math.max(1, sceneX(scene, Math.min(to, view.to)) - x), bottom - HEADER);
  }
}

function paintIntervals(paint: CanvasRenderingContext2D, scene: Scene, data: TimelineData, lane: number): void {
  const { index, layout, openUntil, series, document } = data;
  const { view, palette, patterns, causes, colouring, connectorOf, scrollTop, height, gutter, width } = scene;
  const pixels = plotWidth(scene) / (view.to - view.from);
  const rowHeight = layout.rowHeights[lane]!;
  const bar = rowHeight - (rowHeight > 8 ? 3 : 1);
  const x = (at: number) => gutter + (at - view.from) * pixels;
  let y = 0;

  const painter: RowPainter = {
    interval(place) {
      const begins = Math.max(index.start[place]!, view.from - 10 / pixels);
      const ends = Math.min(index.end[place]!, openUntil, view.to + 10 / pixels);
      const x0 = x(begins);
      const x1 = Math.max(x0, x(ends));
      if (x1 < gutter && x(index.endNotAfter[place]!) < gutter) return;
      const one = series[index.holder[place]!]!;
      const ended = colouring === 'cause' ? connectorOf.get(place) : undefined;
      const strong =
        colouring === 'workload'
          ? (palette.strong[one % COLOURS] ?? '')
          : palette.named(ended?.family.colour ?? noCause(index.end[place]!, scene.causesFrom));
      if (x1 - x0 < NARROW) {
        paint.fillStyle = strong;
        paint.fillRect(x0, y, Math.max(1, x1 - x0), bar);
        return;
      }
      const soft = colouring === 'workload' ? (palette.soft[one % COLOURS] ?? '') : palette.softened(strong);
      const certainFrom = Math.max(x0, x(Math.min(index.startNotAfter[place]!, ends)));
      const certainTo = Math.min(x1, x(Math.max(index.endNotBefore[place]!, begins)));
      const maybeFrom = Math.max(gutter - 10, x(index.startNotBefore[place]!));
      const maybeTo = Math.min(width + 10, x(Math.min(index.endNotAfter[place]!, openUntil)));
      const isLoose = certainFrom - maybeFrom >= NARROW || maybeTo - certainTo >= NARROW;
      if (isLoose) {
        paint.strokeStyle = strong;
        paint.setLineDash([3, 2]);
        paint.strokeRect(maybeFrom + 0.5, y + 0.5, Math.max(1, maybeTo - maybeFrom - 1), bar - 1);
        paint.setLineDash([]);
      }
      const from = isLoose ? certainFrom : x0;
      const to = isLoose ? certainTo : x1;
      if (to > from) {
        const pattern = to - from < PATTERNED ? null : colouring === 'workload' ? patterns[one] : causes.get(strong);
        paint.fillStyle = pattern ?? soft;
        paint.fillRect(from, y, to - from, bar);
        paint.fillStyle = strong;
        paint.fillRect(from, y, 2, bar);
        if (bar >= TALL) {
          paint.fillRect(from, y + bar - 1, to - from, 1);
          if (index.end[place]! <= openUntil) paint.fillRect(to - 1, y, 1, bar);
        }
      }
      if (bar >= TALL) {
        const textFrom = Math.max(from, gutter);
        const room = Math.floor((Math.min(to, width) - textFrom - 8) / CHARACTER);
        const shape = ended === undefined ? '' : ended.family.shape;
        const name = document.holders.name[index.holder[place]!] ?? '';
        const text = room * CHARACTER < NAMED ? shape : `${shape} ${name}`.trim();
        if (text === '' || room < 1) return;
        const shown = text.length <= room ? text : `${text.slice(0, room - 1)}…`;
        paint.fillStyle = soft;
        paint.fillRect(textFrom + 3, y + 1, shown.length * CHARACTER + 2, bar - 3);
        paint.fillStyle = palette.text;
        paint.fillText(shown, textFrom + 5, y + bar / 2);
      }
    },
    run(_first, _count, from, to) {
      paint.fillStyle = palette.muted;
      const x0 = x(from);
      paint.fillRect(x0, y, Math.max(1, x(Math.min(to, openUntil)) - x0), bar);
    },
  };

  paint.font = NAME_FONT;
  paint.textBaseline = 'middle';
  paint.textAlign = 'left';
  paint.lineWidth = 1;
  for (let row = index.laneRows[lane]!; row < index.laneRows[lane + 1]!; row++) {
    y = Math.round(rowTop(layout, index.laneRows, lane, row) - scrollTop + HEADER);
    if (y + rowHeight < HEADER || y > height) continue;
    visibleRuns(index, row, view.from, view.to, 1 / pixels, painter);
  }
}

/** Who is there has no cause of an end, and one that is not loaded may be known. */
function noCause(end: number, causesFrom: number): string {
  return end === Number.POSITIVE_INFINITY ? '--control-line' : end < causesFrom ? '--line' : '--cause-unknown';
}

/** Higher and darker where there were more. */
function paintDensity(paint: CanvasRenderingContext2D, scene: Scene, data: TimelineData, lane: number): void {
  const { density, layout, document } = data;
  if (density === null) return;
  const { palette, scrollTop, view } = scene;
  const top = layout.tops[lane]! - scrollTop + HEADER + 2;
  const room = layout.tops[lane + 1]! - layout.tops[lane]! - 4;
  const stop = density.laneStarts[lane + 1]!;
  for (let cell = firstCell(density, lane, (view.from - document.base) / density.bucketMs); cell < stop; cell++) {
    const from = document.base + density.bucket[cell]! * density.bucketMs;
    const to = from + density.bucketMs;
    if (from > view.to) break;
    const part = density.count[cell]! / density.most;
    const tall = Math.max(2, Math.round(part * room));
    const x = Math.floor(sceneX(scene, from));
    paint.fillStyle = palette.heat[Math.round((palette.heat.length - 1) * part)] ?? '';
    paint.fillRect(x, top + room - tall, Math.max(1, Math.ceil(sceneX(scene, to)) - x), tall);
  }
}

/** A lane that is higher than the window keeps its name in sight. */
function paintName(paint: CanvasRenderingContext2D, scene: Scene, data: TimelineData, lane: number): void {
  const { palette, gutter, scrollTop } = scene;
  const { tops } = data.layout;
  const one = data.document.lanes[lane];
  if (one === undefined) return;
  const top = tops[lane]! - scrollTop + HEADER;
  const bottom = tops[lane + 1]! - scrollTop + HEADER;
  const y = Math.min(Math.max(top, HEADER), bottom - 24) + 12;
  paint.fillStyle = palette.surface;
  paint.fillRect(0, top, gutter - 1, bottom - top - 1);
  paint.fillStyle = palette.line;
  paint.fillRect(gutter - 1, top, 1, bottom - top);
  paint.fillStyle = palette.text;
  paint.font = NAME_FONT;
  paint.textBaseline = 'middle';
  paint.textAlign = 'left';
  const room = Math.floor((gutter - 14) / CHARACTER);
  const name = laneName(one);
  // The end of a name tells pods of a workload apart.
  const half = Math.floor((room - 1) / 2);
  const shown = name.length <= room ? name : `${name.slice(0, room - 1 - half)}…${name.slice(name.length - half)}`;
  paint.fillText(shown, 8, y);
}
