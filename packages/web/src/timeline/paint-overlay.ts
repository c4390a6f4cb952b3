// Draws what changes with the pointer: the selected and the pointed-at interval, the brush, the time under the pointer,
// now. On a canvas of its own, so that moving the pointer draws no interval again.
import { timeText } from '../times/zone.ts';
import { rowTop } from './lane-layout.ts';
import { paintMeantConnectors } from './paint-connectors.ts';
import { AXIS, HEADER, HISTOGRAM, plotWidth, type Scene, sceneX } from './scene.ts';
import { timeAt } from './time-view.ts';

const FONT = '12px ui-monospace, Menlo, "DejaVu Sans Mono", monospace';

export function paintOverlay(paint: CanvasRenderingContext2D, scene: Scene): void {
  const { width, height, gutter, palette, selected, hovered, pointer, brush, now, view } = scene;
  paint.clearRect(0, 0, width, height);
  paint.save();
  paint.beginPath();
  paint.rect(gutter, 0, width - gutter, height);
  paint.clip();
  if (now > view.from && now < view.to) {
    paint.fillStyle = palette.held;
    paint.fillRect(Math.round(sceneX(scene, now)), HISTOGRAM, 2, height - HISTOGRAM);
  }
  if (hovered !== -1 && hovered !== selected) outline(paint, scene, hovered, palette.muted, 1.5);
  if (selected !== -1) outline(paint, scene, selected, palette.focus, 3);
  paintMeantConnectors(paint, scene);
  if (brush !== undefined) {
    const [a, b] = brush;
    paint.globalAlpha = 0.2;
    paint.fillStyle = palette.focus;
    paint.fillRect(Math.min(a, b), 0, Math.abs(a - b), height);
    paint.globalAlpha = 1;
    paint.fillRect(a, 0, 1, height);
    paint.fillRect(b, 0, 1, height);
  }
  if (pointer !== undefined && pointer.x >= gutter) {
    paint.fillStyle = palette.muted;
    paint.fillRect(Math.round(pointer.x), HISTOGRAM, 1, height - HISTOGRAM);
    const at = timeAt(view, plotWidth(scene), pointer.x - gutter);
    const text = timeText(at, view.to - view.from < 60_000 ? 'exact' : 'second', scene.inZone).slice(5);
    paint.font = FONT;
    const wide = paint.measureText(text).width + 12;
    const x = Math.min(Math.max(pointer.x - wide / 2, gutter), width - wide);
    paint.fillStyle = palette.text;
    paint.fillRect(x, HISTOGRAM + 2, wide, AXIS - 4);
    paint.fillStyle = palette.background;
    paint.textBaseline = 'middle';
    paint.textAlign = 'left';
    paint.fillText(text, x + 6, HISTOGRAM + AXIS / 2);
  }
  paint.restore();
}

function outline(paint: CanvasRenderingContext2D, scene: Scene, place: number, colour: string, wide: number): void {
  const { data, height, width, gutter } = scene;
  if (data === undefined || place >= data.index.count) return;
  const { index, layout, openUntil } = data;
  const row = index.rowOf[place]!;
  const lane = index.rowLane[row]!;
  const top = rowTop(layout, index.laneRows, lane, row) - scene.scrollTop + HEADER;
  const rowHeight = layout.rowHeights[lane]!;
  if (top + rowHeight < HEADER || top > height) return;
  const x0 = Math.max(gutter - 10, sceneX(scene, index.start[place]!));
  const x1 = Math.min(width + 10, sceneX(scene, Math.min(index.end[place]!, openUntil)));
  if (x1 < gutter || x0 > width) return;
  paint.save();
  paint.beginPath();
  paint.rect(gutter, HEADER, width - gutter, height - HEADER);
  paint.clip();
  paint.strokeStyle = colour;
  paint.lineWidth = wide;
  paint.strokeRect(x0 - 1.5, Math.round(top) - 1.5, Math.max(4, x1 - x0 + 3), rowHeight);
  paint.restore();
}
