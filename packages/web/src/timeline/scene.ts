// Everything that a frame of the timeline is drawn from. Made by timeline.ts; painters only read it.

import type { Connector } from './connectors.ts';
import type { Palette } from './series-colours.ts';
import { type TimeView, xOf } from './time-view.ts';
import type { TimelineData } from './timeline-data.ts';

export type Colouring = 'workload' | 'cause';

export interface Scene {
  /** CSS pixels of the canvas. */
  readonly width: number;
  readonly height: number;
  /** Left of the plot: names of lanes. */
  readonly gutter: number;
  readonly view: TimeView;
  readonly scrollTop: number;
  readonly data: TimelineData | undefined;
  readonly connectors: readonly Connector[];
  /** Of places of intervals: how they ended. */
  readonly connectorOf: ReadonlyMap<number, Connector>;
  readonly palette: Palette;
  readonly patterns: readonly (CanvasPattern | null)[];
  /** By the colour of a family of causes. */
  readonly causes: ReadonlyMap<string, CanvasPattern | null>;
  readonly hatch: CanvasPattern | null;
  readonly colouring: Colouring;
  /** Of ends before that the causes are not loaded. */
  readonly causesFrom: number;
  readonly inZone: string;
  readonly now: number;
  readonly selected: number;
  readonly hovered: number;
  /** Where the pointer is; undefined outside of the plot. */
  readonly pointer: { readonly x: number; readonly y: number } | undefined;
  /** From one x to another while somebody brushes. */
  readonly brush: readonly [number, number] | undefined;
}

export const HISTOGRAM = 48;
export const AXIS = 24;
export const HEADER = HISTOGRAM + AXIS;

export function plotWidth({ width, gutter }: { readonly width: number; readonly gutter: number }): number {
  return Math.max(1, width - gutter);
}

/** On the canvas, gutter included. */
export function sceneX(scene: Scene, at: number): number {
  return scene.gutter + xOf(scene.view, plotWidth(scene), at);
}
