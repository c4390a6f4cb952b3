// Draws how intervals ended: the shape of the cause at the end of each, and a line to who took its place.

import type { Connector } from './connectors.ts';
import { rowTop } from './lane-layout.ts';
import { HEADER, type Scene, sceneX } from './scene.ts';
import type { TimelineData } from './timeline-data.ts';

/** More lines than this are a tangle: only those of what is selected or pointed at are drawn then. */
const MOST_LINES = 150;
const ICON_FONT = '12px system-ui, "DejaVu Sans", sans-serif';
const LEAST_ROW = 10;

/** Below the pointer: all of them, if they are few. */
export function paintConnectors(paint: CanvasRenderingContext2D, scene: Scene): void {
  const { data, connectors } = scene;
  if (data === undefined || connectors.length === 0) return;
  const visible: Connector[] = [];
  for (const connector of connectors) {
    if (isVisible(scene, data, connector)) visible.push(connector);
    if (visible.length > MOST_LINES) return;
  }
  within(paint, scene, () => {
    for (const connector of visible) paintOne(paint, scene, data, connector, false);
  });
}

/** With the pointer: those of what is selected or pointed at. */
export function paintMeantConnectors(paint: CanvasRenderingContext2D, scene: Scene): void {
  const { data, connectors, selected, hovered } = scene;
  if (data === undefined || (selected === -1 && hovered === -1)) return;
  const isMeant = (place: number) => place !== -1 && (place === selected || place === hovered);
  within(paint, scene, () => {
    for (const connector of connectors)
      if (isMeant(connector.from) || isMeant(connector.to)) paintOne(paint, scene, data, connector, true);
  });
}

function within(paint: CanvasRenderingContext2D, { gutter, width, height }: Scene, draw: () => void): void {
  paint.save();
  paint.beginPath();
  paint.rect(gutter, HEADER, width - gutter, height - HEADER);
  paint.clip();
  paint.font = ICON_FONT;
  paint.textAlign = 'center';
  paint.textBaseline = 'middle';
  draw();
  paint.restore();
}

function paintOne(
  paint: CanvasRenderingContext2D,
  scene: Scene,
  data: TimelineData,
  { from, to, family }: Connector,
  isMeant: boolean,
): void {
  const { palette } = scene;
  const x = sceneX(scene, data.index.end[from]!);
  const y = middleOf(scene, data, from);
  const colour = palette.named(family.colour);
  if (to !== -1) {
    const toX = sceneX(scene, data.index.start[to]!);
    const toY = middleOf(scene, data, to);
    paint.strokeStyle = colour;
    paint.lineWidth = isMeant ? 2.5 : 1;
    paint.globalAlpha = isMeant ? 1 : 0.6;
    paint.beginPath();
    paint.moveTo(x, y);
    const bend = Math.max(12, Math.abs(toX - x) / 2);
    paint.bezierCurveTo(x + bend, y, toX - bend, toY, toX, toY);
    paint.stroke();
    paint.globalAlpha = 1;
  }
  if (!isMeant && rowHeightOf(data, from) < LEAST_ROW) return;
  paint.fillStyle = palette.background;
  paint.beginPath();
  paint.arc(x, y, 7, 0, 2 * Math.PI);
  paint.fill();
  paint.fillStyle = colour;
  paint.fillText(family.shape, x, y + 0.5);
}

function isVisible(scene: Scene, data: TimelineData, { from, to }: Connector): boolean {
  const { view } = scene;
  const ended = data.index.end[from]!;
  const began = to === -1 ? ended : data.index.start[to]!;
  if (Math.max(ended, began) < view.from || Math.min(ended, began) > view.to) return false;
  const y = middleOf(scene, data, from);
  const toY = to === -1 ? y : middleOf(scene, data, to);
  return Math.max(y, toY) > HEADER && Math.min(y, toY) < scene.height;
}

function middleOf(scene: Scene, data: TimelineData, place: number): number {
  const row = data.index.rowOf[place]!;
  const lane = data.index.rowLane[row]!;
  const top = rowTop(data.layout, data.index.laneRows, lane, row) - scene.scrollTop + HEADER;
  return top + data.layout.rowHeights[lane]! / 2 - 1;
}

function rowHeightOf({ index, layout }: TimelineData, place: number): number {
  return layout.rowHeights[index.rowLane[index.rowOf[place]!]!] ?? 0;
}
