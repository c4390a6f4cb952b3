// In which hours a pod was on its node, from what the cache holds and what handlers get. Pure, but for the maps it
// fills. The rule is the ledger's: from the moment a pod has a node until it is terminal or gone.
import type { ObjectDelta, PodView } from '@podtrail/machinery';
import { startOfHour } from './hour.ts';
import { mappingKey } from './mapping-key.ts';

/** Key and node, or undefined if the pod was on no node since `hourStart`. */
function placementSince(pod: PodView, hourStart: number): readonly [key: string, node: string] | undefined {
  const { nodeName } = pod.spec;
  if (nodeName === '' || (isTerminal(pod) && !endedSince(pod, hourStart))) return undefined;
  return [mappingKey(pod.metadata.namespace, pod.metadata.name), nodeName];
}

/** The states of the pod that were true at some time in the hour of the delta, older first. */
export function statesIn(delta: ObjectDelta<PodView>): readonly PodView[] {
  switch (delta.kind) {
    case 'added':
      return [delta.object];
    case 'updated':
      return [delta.previous, delta.object];
    case 'deleted':
      // Nobody saw the delete: it may have been in an earlier hour. In the hour in which the pod was last seen it is.
      return delta.finalStateUnknown ? [] : [delta.object];
  }
}

/** Entries of one hour: which node each pod was on. The last one wins, as in pod-ashiato. */
export class HourEntries {
  readonly start: number;
  readonly all = new Map<string, string>();
  /** Of those, what was not yet taken to be written. */
  #news = new Map<string, string>();

  constructor(at: number) {
    this.start = startOfHour(at);
  }

  get hasNews(): boolean {
    return this.#news.size > 0;
  }

  saw(pod: PodView): void {
    const placement = placementSince(pod, this.start);
    if (placement === undefined) return;
    const [key, node] = placement;
    if (this.all.get(key) === node) return;
    this.all.set(key, node);
    this.#news.set(key, node);
  }

  takeNews(): ReadonlyMap<string, string> {
    const news = this.#news;
    this.#news = new Map();
    return news;
  }
}

function isTerminal({ status }: PodView): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

function endedSince({ status }: PodView, start: number): boolean {
  return status.terminations.some(
    ({ current, finishedAt }) => current && finishedAt !== undefined && finishedAt >= start,
  );
}
