// The timeline: canvases, what is shown on them, and what pointers, the wheel and keys do to it. Knows no framework;
// timeline-canvas.tsx puts it into the page. Draws once a frame at most, and nothing while nothing changes.
import { serverNow } from '../times/server-clock.ts';
import { type Connector, connectorsOf, type TimelineMove } from './connectors.ts';
import { intervalAt } from './hit-test.ts';
import { selectionAfterKey, viewAfterKey } from './keyboard.ts';
import { laneAt, rowTop } from './lane-layout.ts';
import { paintConnectors } from './paint-connectors.ts';
import { paintHeader } from './paint-header.ts';
import { paintLanes } from './paint-lanes.ts';
import { paintOverlay } from './paint-overlay.ts';
import { barPatterns, causePatterns, hatchPattern } from './patterns.ts';
import { type PointTarget, targetAt } from './point-target.ts';
import {
  type Gesture,
  type GestureStep,
  IDLE,
  type PointerAt,
  pointerDown,
  pointerMove,
  pointerUp,
} from './pointer-gesture.ts';
import { type Colouring, HEADER, plotWidth, type Scene } from './scene.ts';
import { readPalette } from './series-colours.ts';
import { brushed, moveBy, pinch, reveal, type TimeView, timeAt, upTo, zoomAt } from './time-view.ts';
import type { TimelineData } from './timeline-data.ts';

export interface TimelineElements {
  /** Scrolls: as high as all lanes. */
  readonly scroller: HTMLElement;
  /** Stays in sight, with both canvases. */
  readonly stage: HTMLElement;
  readonly ground: HTMLCanvasElement;
  readonly overlay: HTMLCanvasElement;
  readonly spacer: HTMLElement;
}

export interface TimelineListener {
  /** `isJump`: brushed, which is worth an entry of the history. */
  onView(view: TimeView, isJump: boolean): void;
  onPoint(target: PointTarget | undefined, x: number, y: number): void;
  onSelect(place: number): void;
  onOpen(place: number): void;
}

const WHEEL_ZOOM = 1.0015;
const WHEEL_LINE = 16;
/** A pointer may miss by so much. */
const SLACK_PX = 3;

export class Timeline {
  readonly #elements: TimelineElements;
  readonly #listener: TimelineListener;
  readonly #end = new AbortController();
  readonly #resize: ResizeObserver;
  readonly #paints: readonly [CanvasRenderingContext2D, CanvasRenderingContext2D];
  #scene: Scene;
  #gesture: Gesture = IDLE;
  #frame: number | undefined;
  #isGroundDirty = true;
  #isNewData = false;
  #moves: readonly TimelineMove[] = [];

  constructor(elements: TimelineElements, listener: TimelineListener, view: TimeView, inZone: string) {
    this.#elements = elements;
    this.#listener = listener;
    const ground = elements.ground.getContext('2d', { alpha: false });
    const overlay = elements.overlay.getContext('2d');
    if (ground === null || overlay === null) throw new Error('this browser draws no canvas');
    this.#paints = [ground, overlay];
    this.#scene = {
      ...{
        width: 1,
        height: 1,
        gutter: 0,
        view,
        scrollTop: 0,
        data: undefined,
        connectors: [],
        connectorOf: new Map(),
      },
      ...{
        palette: readPalette(elements.stage, false),
        patterns: [],
        causes: new Map(),
        hatch: null,
        colouring: 'workload',
        causesFrom: Number.POSITIVE_INFINITY,
        inZone,
      },
      ...{ now: serverNow(), selected: -1, hovered: -1, pointer: undefined, brush: undefined },
    };
    this.readTheme();
    this.#resize = new ResizeObserver(() => this.#measure());
    this.#resize.observe(elements.scroller);
    this.#listen();
    this.#measure();
  }

  get view(): TimeView {
    return this.#scene.view;
  }

  get isBusy(): boolean {
    return this.#gesture.kind !== 'idle';
  }

  setView(view: TimeView): void {
    this.#change({ view });
  }

  /** What is selected stays selected if it is there. */
  setData(data: TimelineData | undefined, selectedUid: string | undefined): void {
    const selected = data === undefined ? -1 : placeOf(data, this.#scene, selectedUid);
    this.#isNewData = data !== undefined;
    this.#change({ data, selected, hovered: -1, ...this.#connected(data, this.#moves) });
    this.#measure();
  }

  setMoves(moves: readonly TimelineMove[], causesFrom: number): void {
    this.#moves = moves;
    this.#change({ causesFrom, ...this.#connected(this.#scene.data, moves) });
  }

  setColouring(colouring: Colouring): void {
    this.#change({ colouring });
  }

  setZone(inZone: string): void {
    this.#change({ inZone });
  }

  setNow(now: number): void {
    this.#scene = { ...this.#scene, now };
    this.#request();
  }

  /** Selects, and moves as little as needed to show it. */
  select(place: number): void {
    const { data, view } = this.#scene;
    if (data === undefined || place < 0) {
      this.#change({ selected: -1 });
      return;
    }
    const { index, layout, openUntil } = data;
    const shown = reveal(view, index.start[place]!, Math.min(index.end[place]!, openUntil));
    this.#change({ selected: place });
    if (shown !== view) this.#setOwnView(shown);
    const row = index.rowOf[place]!;
    const top = rowTop(layout, index.laneRows, index.rowLane[row]!, row);
    const { scroller } = this.#elements;
    const room = scroller.clientHeight - HEADER - 24;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
  }

  get connectorOf(): ReadonlyMap<number, Connector> {
    return this.#scene.connectorOf;
  }

  /** True where the key was one of the timeline's. */
  pressKey(key: string): boolean {
    const { data, selected, view, now } = this.#scene;
    const moved = viewAfterKey(key, view, now);
    if (moved !== undefined) {
      this.#setOwnView(moved);
      return true;
    }
    if (data === undefined) return false;
    if (key === 'Enter') {
      if (selected === -1) return false;
      this.#listener.onOpen(selected);
      return true;
    }
    const place = selectionAfterKey(key, data.index, selected, view);
    if (place === -1) return key === '[' || key === ']';
    this.select(place);
    this.#listener.onSelect(place);
    return true;
  }

  readTheme(): void {
    const [ground] = this.#paints;
    const palette = readPalette(this.#elements.stage, matchMedia('(prefers-contrast: more)').matches);
    this.#change({
      ...{ palette, patterns: barPatterns(ground, palette), causes: causePatterns(ground, palette) },
      hatch: hatchPattern(ground, palette),
    });
  }

  /** All that is shown now, on one canvas. */
  picture(): HTMLCanvasElement {
    this.#draw();
    const { ground, overlay } = this.#elements;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [ground.width, ground.height];
    const paint = canvas.getContext('2d');
    paint?.drawImage(ground, 0, 0);
    paint?.drawImage(overlay, 0, 0);
    return canvas;
  }

  close(): void {
    this.#end.abort();
    this.#resize.disconnect();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }

  #connected(data: TimelineData | undefined, moves: readonly TimelineMove[]) {
    const connectors = data === undefined ? [] : connectorsOf(data, moves);
    return { connectors, connectorOf: new Map(connectors.map((connector) => [connector.from, connector])) };
  }

  #setOwnView(wanted: TimeView, isJump = false): void {
    const view = upTo(wanted, serverNow());
    this.#change({ view });
    this.#listener.onView(view, isJump);
  }

  #change(changes: Partial<Scene>): void {
    this.#scene = { ...this.#scene, ...changes };
    this.#isGroundDirty = true;
    this.#request();
  }

  #request(): void {
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      this.#draw();
    });
  }

  #draw(): void {
    const [ground, overlay] = this.#paints;
    const scale = this.#elements.ground.width / this.#scene.width;
    if (this.#isGroundDirty) {
      this.#isGroundDirty = false;
      ground.setTransform(scale, 0, 0, scale, 0, 0);
      paintLanes(ground, this.#scene);
      paintConnectors(ground, this.#scene);
      paintHeader(ground, this.#scene);
    }
    overlay.setTransform(scale, 0, 0, scale, 0, 0);
    paintOverlay(overlay, this.#scene);
    if (this.#isNewData) {
      this.#isNewData = false;
      performance.mark('timeline:painted');
    }
  }

  #measure(): void {
    const { scroller, stage, ground, overlay, spacer } = this.#elements;
    const { data } = this.#scene;
    const width = Math.max(1, scroller.clientWidth);
    const height = Math.max(1, scroller.clientHeight);
    spacer.style.height = `${Math.max(0, HEADER + (data?.layout.height ?? 0) - height)}px`;
    stage.style.height = `${height}px`;
    const scale = Math.max(1, devicePixelRatio);
    for (const canvas of [ground, overlay]) {
      const [w, h] = [Math.round(width * scale), Math.round(height * scale)];
      if (canvas.width !== w) canvas.width = w;
      if (canvas.height !== h) canvas.height = h;
    }
    const gutter = width >= 1000 ? 220 : width >= 640 ? 150 : 96;
    this.#change({ width, height, gutter, scrollTop: scroller.scrollTop });
  }

  #listen(): void {
    const { scroller, stage } = this.#elements;
    const { signal } = this.#end;
    const step = (event: PointerEvent, next: (at: PointerAt) => GestureStep) => {
      const at = this.#pointerAt(event);
      const { gesture, effect } = next(at);
      this.#gesture = gesture;
      this.#carryOut(effect);
      // A finger that is lifted points at nothing any more.
      const isOver = gesture.kind === 'dragging' || (event.pointerType === 'touch' && event.type === 'pointerup');
      this.#point(isOver ? undefined : at);
    };
    stage.addEventListener(
      'pointerdown',
      (event) => {
        if (event.button !== 0) return;
        stage.setPointerCapture(event.pointerId);
        const { y } = this.#pointerAt(event);
        step(event, (at) => pointerDown(this.#gesture, at, event.altKey || y < HEADER));
      },
      { signal },
    );
    stage.addEventListener('pointermove', (event) => step(event, (at) => pointerMove(this.#gesture, at)), { signal });
    stage.addEventListener('pointerleave', () => this.#point(undefined), { signal });
    for (const type of ['pointerup', 'pointercancel'] as const)
      stage.addEventListener(
        type,
        (event) => step(event, (at) => pointerUp(this.#gesture, at, type === 'pointercancel')),
        { signal },
      );
    stage.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
    scroller.addEventListener('scroll', () => this.#change({ scrollTop: scroller.scrollTop }), { signal });
  }

  #wheel(event: WheelEvent): void {
    const { x } = this.#pointerAt(event);
    const { gutter, view } = this.#scene;
    const unit = event.deltaMode === 0 ? 1 : WHEEL_LINE;
    // Over the names the wheel scrolls, as everywhere.
    if (x < gutter && !event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const span = view.to - view.from;
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways && !event.ctrlKey) {
      const delta = (event.deltaX === 0 ? event.deltaY : event.deltaX) * unit;
      this.#setOwnView(moveBy(view, (delta / plotWidth(this.#scene)) * span));
      return;
    }
    const at = timeAt(view, plotWidth(this.#scene), Math.max(0, x - gutter));
    // Pinching on a touchpad comes as small steps with Ctrl.
    const strength = event.ctrlKey && event.deltaMode === 0 && Math.abs(event.deltaY) < 50 ? 8 : 1;
    this.#setOwnView(zoomAt(view, at, WHEEL_ZOOM ** (event.deltaY * unit * strength)));
  }

  #carryOut(effect: GestureStep['effect']): void {
    const { view, gutter } = this.#scene;
    const wide = plotWidth(this.#scene);
    const time = (x: number) => timeAt(view, wide, x - gutter);
    switch (effect.kind) {
      case 'none':
        if (this.#gesture.kind !== 'brushing' && this.#scene.brush !== undefined) this.#change({ brush: undefined });
        return;
      case 'drag':
        if (effect.dy !== 0) this.#elements.scroller.scrollTop -= effect.dy;
        this.#setOwnView(moveBy(view, (-effect.dx / wide) * (view.to - view.from)));
        return;
      case 'pinch':
        this.#setOwnView(
          pinch(view, [time(effect.before[0]), time(effect.before[1])], [time(effect.after[0]), time(effect.after[1])]),
        );
        return;
      case 'brush':
        this.#scene = { ...this.#scene, brush: [effect.from, effect.to] };
        this.#request();
        return;
      case 'brushed':
        this.#change({ brush: undefined });
        this.#setOwnView(brushed(time(effect.from), time(effect.to), serverNow()), true);
        return;
      case 'click': {
        const place = this.#placeAt(effect.at);
        this.#change({ selected: place });
        this.#listener.onSelect(place);
        if (place !== -1) this.#listener.onOpen(place);
      }
    }
  }

  #placeAt({ x, y }: { readonly x: number; readonly y: number }): number {
    const { data, view, gutter, scrollTop } = this.#scene;
    if (data === undefined || y < HEADER || x < gutter) return -1;
    const wide = plotWidth(this.#scene);
    return intervalAt(data.index, data.layout, {
      ...{ at: timeAt(view, wide, x - gutter), y: y - HEADER + scrollTop },
      ...{ slack: (SLACK_PX * (view.to - view.from)) / wide, openUntil: data.openUntil },
    });
  }

  #point(at: PointerAt | undefined): void {
    const hovered = at === undefined ? -1 : this.#placeAt(at);
    this.#scene = { ...this.#scene, hovered, pointer: at };
    this.#request();
    const { data, gutter, scrollTop } = this.#scene;
    if (at === undefined || data === undefined || at.x < gutter) {
      this.#listener.onPoint(undefined, 0, 0);
      return;
    }
    const time = timeAt(this.#scene.view, plotWidth(this.#scene), at.x - gutter);
    const lane = at.y < HEADER ? -1 : laneAt(data.layout, at.y - HEADER + scrollTop);
    this.#listener.onPoint(targetAt(data, { place: hovered, at: time, lane, isHeader: at.y < HEADER }), at.x, at.y);
  }

  #pointerAt(event: MouseEvent): PointerAt {
    const { left, top } = this.#elements.stage.getBoundingClientRect();
    const id = event instanceof PointerEvent ? event.pointerId : 0;
    return { id, x: event.clientX - left, y: event.clientY - top };
  }
}

/** The interval that was selected before, found again by its holder and start; else the first of the holder. */
function placeOf(data: TimelineData, { data: before, selected }: Scene, opened: string | undefined): number {
  // What only a key selected is not opened, and stays selected when newer data come.
  const uid = opened ?? (before === data ? undefined : before?.document.holders.uid[before.index.holder[selected]!]);
  if (uid === undefined) return -1;
  const start = before?.index.start[selected];
  let found = -1;
  for (let place = 0; place < data.index.count; place++) {
    if (data.document.holders.uid[data.index.holder[place]!] !== uid) continue;
    if (data.index.start[place] === start) return place;
    if (found === -1) found = place;
  }
  return found;
}
