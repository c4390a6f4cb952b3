// Draws what is above the lanes: how many came and left, and the time axis.
import { offsetOf, timeText, zoneText } from '../times/zone.ts';
import { AXIS, HEADER, HISTOGRAM, plotWidth, type Scene, sceneX } from './scene.ts';
import { type Ticks, tickText, timeTicks } from './time-ticks.ts';

const FONT = '12px system-ui, "DejaVu Sans", sans-serif';
const TICK_ROOM = 84;
const QUARTER = 900_000;

export function paintHeader(paint: CanvasRenderingContext2D, scene: Scene): void {
  const { width, gutter, palette, view, inZone } = scene;
  paint.fillStyle = palette.background;
  paint.fillRect(0, 0, width, HEADER);
  paint.font = FONT;
  paint.textBaseline = 'middle';
  const ticks = ticksOf(scene);
  for (const at of ticks.at) {
    const x = Math.round(sceneX(scene, at));
    paint.fillStyle = palette.muted;
    paint.textAlign = x - gutter < 30 ? 'left' : x > width - 30 ? 'right' : 'center';
    paint.fillText(knownText(at, ticks.step, inZone), x, HISTOGRAM + AXIS / 2);
  }
  const isNarrow = gutter < 130;
  const highest = paintHistogram(paint, scene);
  paint.fillStyle = palette.surface;
  paint.fillRect(0, 0, gutter - 1, HEADER);
  paint.fillStyle = palette.line;
  paint.fillRect(gutter - 1, 0, 1, HEADER);
  paint.fillRect(0, HISTOGRAM, width, 1);
  paint.fillRect(0, HEADER - 1, width, 1);
  paint.fillStyle = palette.muted;
  paint.textAlign = 'left';
  paint.fillText(isNarrow ? '▲ came' : `▲ came (most ${highest})`, 8, HISTOGRAM / 4);
  paint.fillText('▼ left', 8, (3 * HISTOGRAM) / 4);
  const day = timeText(view.from, 'second', inZone).slice(isNarrow ? 5 : 0, 10);
  paint.fillText(`${day} ${zoneText(view.from, inZone)}`, 8, HISTOGRAM + AXIS / 2);
}

/** Below everything else of the lanes. */
export function paintGrid(paint: CanvasRenderingContext2D, scene: Scene): void {
  paint.fillStyle = scene.palette.line;
  for (const at of ticksOf(scene).at) paint.fillRect(Math.round(sceneX(scene, at)), HEADER, 1, scene.height - HEADER);
}

function ticksOf(scene: Scene): Ticks {
  const { view, inZone } = scene;
  const most = Math.max(2, Math.floor(plotWidth(scene) / TICK_ROOM));
  return timeTicks(view.from, view.to, most, (at) => knownOffset(at, inZone));
}

/** Those who came upwards, those who left downwards. Returns the highest count. */
function paintHistogram(paint: CanvasRenderingContext2D, scene: Scene): number {
  const { data, palette, view } = scene;
  const middle = HISTOGRAM / 2;
  paint.fillStyle = palette.line;
  paint.fillRect(scene.gutter, middle, plotWidth(scene), 1);
  if (data === undefined) return 0;
  const { histogram, base } = data.document;
  const { bucketMs, arrivals, departures } = histogram;
  const first = Math.max(0, Math.floor((view.from - base) / bucketMs));
  const last = Math.min(arrivals.length - 1, Math.floor((view.to - base) / bucketMs));
  let most = 1;
  for (let n = first; n <= last; n++) most = Math.max(most, arrivals[n]!, departures[n]!);
  paint.save();
  paint.beginPath();
  paint.rect(scene.gutter, 0, plotWidth(scene), HISTOGRAM);
  paint.clip();
  for (let n = first; n <= last; n++) {
    const x = sceneX(scene, base + n * bucketMs);
    const wide = Math.max(1, sceneX(scene, base + (n + 1) * bucketMs) - x - 0.5);
    const up = (arrivals[n]! / most) * (middle - 3);
    const down = (departures[n]! / most) * (middle - 3);
    paint.fillStyle = palette.named('--cause-rollout');
    paint.fillRect(x, middle - up, wide, up);
    paint.fillStyle = palette.named('--cause-moved');
    paint.fillRect(x, middle + 1, wide, down);
  }
  paint.restore();
  return most;
}

const offsets = new Map<string, number>();
const texts = new Map<string, string>();
const MOST_KEPT = 5_000;

/** Asking the browser for an offset is slow, and it changes at quarters of an hour only. */
function knownOffset(at: number, inZone: string): number {
  return kept(offsets, `${inZone} ${Math.floor(at / QUARTER)}`, () =>
    offsetOf(Math.floor(at / QUARTER) * QUARTER, inZone),
  );
}

function knownText(at: number, step: number, inZone: string): string {
  return kept(texts, `${inZone} ${step} ${at}`, () => tickText(at, step, inZone));
}

function kept<Value>(values: Map<string, Value>, key: string, make: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) {
    if (values.size > MOST_KEPT) values.clear();
    value = make();
    values.set(key, value);
  }
  return value;
}
