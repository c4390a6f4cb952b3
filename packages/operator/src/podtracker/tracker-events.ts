// What is reported as Kubernetes events on PodTrackers: addresses that were soon used again, pods that moved, and gaps in
// the watch. The PodTracker controller calls it on every replica; only the leader reports. It never waits for a write.
import { type Move, moveText } from '@podtrail/history';
import type { EventRecorder, Informer, MetadataOnlyView, PodView, Relist } from '@podtrail/machinery';
import type { Reuse } from './released-addresses.ts';
import type { Tracked } from './tracked.ts';
import type { TrackerIndex } from './tracker-index.ts';

export interface TrackerEventsOptions {
  readonly trackers: TrackerIndex;
  readonly pods: Pick<Informer<PodView>, 'lister'>;
  readonly namespaces: Pick<Informer<MetadataOnlyView>, 'lister'>;
  /** Undefined: nothing is reported. */
  readonly events: Pick<EventRecorder, 'record'> | undefined;
  readonly isLeader: () => boolean;
}

export class TrackerEvents {
  readonly #options: TrackerEventsOptions;

  constructor(options: TrackerEventsOptions) {
    this.#options = options;
  }

  addressReused(tracked: Tracked, { address, pod, from, afterMs }: Reuse): void {
    const { namespace, name, uid } = pod.metadata;
    const seconds = (afterMs / 1000).toFixed(1);
    this.#record(tracked, {
      type: 'Normal',
      reason: 'IPReused',
      note: `${address} went from ${from.namespace}/${from.podName} to ${namespace}/${name} within ${seconds} s`,
      related: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    });
  }

  /**
   * A pod moved to another node: reported on the trackers that ask for that and select it. Who moved is gone by now; who
   * took its place has its labels, and is asked for on both nodes.
   */
  podMoved(move: Move): void {
    const { from, to } = move;
    const node = from.pod.node;
    const { trackers, pods, namespaces, isLeader } = this.#options;
    if (!isLeader() || to === undefined || node === '' || to.life.pod.node === node) return;
    const { namespace, name, uid } = to.life.pod;
    const pod = pods.lister.get(`${namespace}/${name}`);
    if (pod?.metadata.uid !== uid) return;
    const before = { metadata: pod.metadata, spec: { nodeName: node } };
    const labels = namespaces.lister.get(namespace)?.metadata.labels;
    for (const tracked of trackers.interestedIn(namespace)) {
      const { tracker, selection, problem } = tracked;
      if (tracker.spec.events?.podMoved !== true || problem !== undefined) continue;
      if (!selection.selects(pod, labels) && !selection.selects(before, labels)) continue;
      const related = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
      this.#record(tracked, { type: 'Normal', reason: 'PodMoved', note: moveText(move), related });
    }
  }

  watchGap({ reason, from, to }: Relist): void {
    if (reason === 'start' || from === undefined) return;
    const span = `from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
    for (const tracked of this.#options.trackers.all()) {
      const note = `Pods were not watched ${span} (${reason}): what came and went in between was not seen`;
      this.#record(tracked, { type: 'Warning', reason: 'WatchGap', note });
    }
  }

  #record({ name, uid }: Tracked, event: Omit<Parameters<EventRecorder['record']>[0], 'regarding'>): void {
    const { events, isLeader } = this.#options;
    if (!isLeader()) return;
    const regarding = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name, uid };
    events?.record({ regarding, ...event });
  }
}
