// What a tile of a node shows: a number, a shade and bars, by what the reader chose. Pure.

import type { NodesDocument } from '@podtrail/history/wire';
import { CAUSE_FAMILIES, type CauseFamily, familyOf } from '../../parts/cause.ts';
import { durationText } from '../../times/span.ts';

export type NodeSummary = NodesDocument['nodes'][number];
export type WorkloadCount = NodesDocument['workloads'][number];

export const COLOURINGS = ['pods', 'workload', 'cause'] as const;
export type Colouring = (typeof COLOURINGS)[number];

export interface TileBar {
  /** Of the width, 0 to 1. */
  readonly share: number;
  /** A custom property of the styles. */
  readonly colour: string;
  readonly shape: string;
  readonly count: number;
  readonly name: string;
}

export interface Tile {
  readonly node: string;
  readonly summary: NodeSummary;
  /** The number that is shown: pods, pods of the workload, or departures. Undefined: it is still to come. */
  readonly count: number | undefined;
  /** 0 (none) to 5 (the most of all nodes). */
  readonly level: number;
  readonly bars: readonly TileBar[];
}

export interface TileChoice {
  readonly colouring: Colouring;
  /** `namespace/Kind/name`. */
  readonly workload: string | undefined;
  /** A part of the name, in small letters. */
  readonly text: string;
}

const LEVELS = 5;
const byName = new Intl.Collator('en', { numeric: true }).compare;

/** In the order of their names, worker-2 before worker-10. Shades are of all nodes, also of those that are filtered out. */
export function nodeTiles({ nodes, query }: NodesDocument, choice: TileChoice): readonly Tile[] {
  // A document of before the choice says nothing of the workload: not even that there were none.
  const isAwaited = isOfWorkload(choice) && query.workload !== choice.workload;
  const counts = nodes.map((summary) => (isAwaited ? 0 : countOf(summary, choice)));
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  return nodes
    .map((summary, i) => {
      const count = counts[i] ?? 0;
      const level = Math.ceil((LEVELS * count) / most);
      const bars = barsOf(summary, choice, count, most);
      return { node: summary.node, summary, count: isAwaited ? undefined : count, level, bars };
    })
    .filter(({ node }) => node.toLowerCase().includes(choice.text))
    .sort((a, b) => byName(a.node, b.node));
}

/** Where none is chosen yet, pods are shown. */
export function isOfWorkload({ colouring, workload }: TileChoice): boolean {
  return colouring === 'workload' && workload !== undefined;
}

export function workloadKey({ namespace, kind, name }: WorkloadCount): string {
  return `${namespace}/${kind}/${name}`;
}

/** Of departures whose causes the server did not find in time. It is not that of causes that are not known. */
export const NOT_LOOKED_UP: CauseFamily = { name: 'Not looked up', shape: '…', colour: '--control-line' };

/** Departures by family, in the order of the families. */
export function familiesOf({
  departures,
  departuresUnjudged,
}: NodeSummary): readonly { readonly family: CauseFamily; readonly count: number }[] {
  const counts = new Map<CauseFamily, number>();
  if (departuresUnjudged > 0) counts.set(NOT_LOOKED_UP, departuresUnjudged);
  for (const [cause, count] of Object.entries(departures))
    counts.set(familyOf(cause), (counts.get(familyOf(cause)) ?? 0) + count);
  return [...CAUSE_FAMILIES, NOT_LOOKED_UP].flatMap((family) => {
    const count = counts.get(family) ?? 0;
    return count === 0 ? [] : [{ family, count }];
  });
}

/** The first words of the legend of causes. */
export function departuresText(document: NodesDocument | undefined): string {
  const of = `Pods that left within ${durationText((document?.query.window ?? 3_600) * 1_000)} before`;
  if (document?.departuresComplete !== false) return of;
  return `${of}, as far as they were found in time`;
}

function countOf(summary: NodeSummary, choice: TileChoice): number {
  if (choice.colouring === 'cause') return familiesOf(summary).reduce((sum, { count }) => sum + count, 0);
  return isOfWorkload(choice) ? (summary.workloadPods ?? 0) : summary.pods;
}

function barsOf(summary: NodeSummary, { colouring }: TileChoice, count: number, most: number): readonly TileBar[] {
  if (colouring === 'cause')
    return familiesOf(summary).map(({ family: { colour, shape, name }, count }) => ({
      ...{ share: count / most, colour, shape, count, name },
    }));
  return count === 0 ? [] : [{ share: count / most, colour: '--held', shape: '', count, name: 'pods' }];
}
