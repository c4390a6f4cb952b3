// What a tile of a node shows: a number, a shade and bars, by what the reader chose. Pure.

import type { NodesDocument } from '@podtrail/history/wire';
import { CAUSE_FAMILIES, type CauseFamily, familyOf } from '../../parts/cause.ts';

export type NodeSummary = NodesDocument['nodes'][number];
type WorkloadCount = NodeSummary['workloads'][number];

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
  /** The number that is shown: pods, pods of the workload, or departures. */
  readonly count: number;
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
export function nodeTiles({ nodes }: NodesDocument, choice: TileChoice): readonly Tile[] {
  const counts = nodes.map((summary) => countOf(summary, choice));
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  return nodes
    .map((summary, i) => {
      const count = counts[i] ?? 0;
      const level = Math.ceil((LEVELS * count) / most);
      return { node: summary.node, summary, count, level, bars: barsOf(summary, choice, count, most) };
    })
    .filter(({ node }) => node.toLowerCase().includes(choice.text))
    .sort((a, b) => byName(a.node, b.node));
}

function workloadKey({ namespace, kind, name }: WorkloadCount): string {
  return `${namespace}/${kind}/${name}`;
}

/** All workloads of the document with how many pods they have, the largest first. */
export function workloadsOf({ nodes }: NodesDocument): readonly { readonly key: string; readonly pods: number }[] {
  const pods = new Map<string, number>();
  for (const { workloads } of nodes)
    for (const workload of workloads) {
      const key = workloadKey(workload);
      pods.set(key, (pods.get(key) ?? 0) + workload.pods);
    }
  return [...pods]
    .map(([key, count]) => ({ key, pods: count }))
    .sort((a, b) => b.pods - a.pods || byName(a.key, b.key));
}

/** Departures by family, in the order of the families. */
export function familiesOf({
  departures,
  departuresUnjudged,
}: NodeSummary): readonly { readonly family: CauseFamily; readonly count: number }[] {
  const counts = new Map<CauseFamily, number>();
  if (departuresUnjudged > 0) counts.set(familyOf('Unknown'), departuresUnjudged);
  for (const [cause, count] of Object.entries(departures))
    counts.set(familyOf(cause), (counts.get(familyOf(cause)) ?? 0) + count);
  return CAUSE_FAMILIES.flatMap((family) => {
    const count = counts.get(family) ?? 0;
    return count === 0 ? [] : [{ family, count }];
  });
}

function countOf(summary: NodeSummary, { colouring, workload }: TileChoice): number {
  if (colouring === 'cause') return familiesOf(summary).reduce((sum, { count }) => sum + count, 0);
  if (colouring === 'workload') return summary.workloads.find((one) => workloadKey(one) === workload)?.pods ?? 0;
  return summary.pods;
}

function barsOf(summary: NodeSummary, { colouring }: TileChoice, count: number, most: number): readonly TileBar[] {
  if (colouring === 'cause')
    return familiesOf(summary).map(({ family: { colour, shape, name }, count }) => ({
      ...{ share: count / most, colour, shape, count, name },
    }));
  return count === 0 ? [] : [{ share: count / most, colour: '--held', shape: '', count, name: 'pods' }];
}
