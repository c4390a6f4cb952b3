// What an observation says of nodes and their kubelets: that one lives, was restarted, booted or is slow; and what of
// others' ends and waiting that settles. Keeps NodeBook, asks Releases.
import { type Fact, type LiveHolder, type Machine, possibleFact } from '../model/fact.ts';
import { type EpochMillis, epochMillis, REPORTING_LAG_MS } from '../model/time.ts';
import { awaitedSince, waiting } from './awaited-address.ts';
import type { Sighting } from './boundaries.ts';
import { isTerminal, kubeletTimeOf, networkReadyAt } from './evidence.ts';
import { lostWithNode } from './holder-life.ts';
import type { LiveHolders } from './live-holders.ts';
import { READY_PROVES_MS } from './measured-limits.ts';
import { heartbeatOf, type NodeBook } from './node-book.ts';
import type { Observation, Observed, ObservedNode, ObservedPod } from './observation.ts';
import type { Releases } from './releases.ts';
import type { Stream } from './stream.ts';

export class NodeNews {
  readonly #collector: string;
  readonly #live: LiveHolders;
  readonly #nodes: NodeBook;
  readonly #releases: Releases;

  constructor(collector: string, live: LiveHolders, nodes: NodeBook, releases: Releases) {
    this.#collector = collector;
    this.#live = live;
    this.#nodes = nodes;
    this.#releases = releases;
  }

  /** `stream` is that of the nodes. */
  of(observation: Observation, stream: Stream, at: EpochMillis): Fact[] {
    switch (observation.kind) {
      case 'event':
        return this.#event(observation.type, observation.seen, stream, at);
      case 'listed':
        for (const { kind, object } of observation.present) {
          if (kind !== 'Node') continue;
          this.#sawNode(object);
          this.#nodes.posted(object, undefined);
        }
        return [];
      case 'renewed':
        this.#nodes.renewals(observation.node).read(epochMillis(observation.renewTime), at);
        return this.#releases.renewed(observation.node, at);
      case 'alive':
        return [...this.#releases.passed(at, stream.settled ?? at), ...this.#waited(at)];
      default:
        return [];
    }
  }

  /** What is known of a pod's node, for a sighting of it. */
  ofNode(node: string): Pick<Sighting, 'kubelet' | 'knowsNodes' | 'networks'> {
    return { kubelet: this.#nodes.evidence(node), knowsNodes: true, networks: () => this.#nodes.networksOf(node) };
  }

  #event(type: 'present' | 'deleted', seen: Observed, stream: Stream, at: EpochMillis): Fact[] {
    const { name, resourceVersion } = seen.object.metadata;
    if (seen.kind === 'Node' && type === 'deleted') this.#nodes.gone(name, at);
    if (seen.kind === 'Pod') this.#paced(type, seen.object, at);
    if (type === 'deleted' || seen.kind === 'Service') return [];
    if (seen.kind === 'Node') {
      const before = this.#sawNode(seen.object);
      const { bootID } = seen.object.status.nodeInfo ?? { bootID: '' };
      const isRebooted = before !== undefined && before.bootId !== '' && bootID !== '' && bootID !== before.bootId;
      const facts = isRebooted ? this.#rebooted(seen.object, stream, at) : [];
      this.#nodes.posted(seen.object, at);
      return [...facts, ...this.#sign(name, heartbeatOf(seen.object), resourceVersion, at)];
    }
    const live = this.#live.get(seen.object.metadata.uid);
    for (const { ip } of live?.tenures ?? []) if (live !== undefined) this.#nodes.learn(live.holder, ip);
    return this.#sign(seen.object.spec.nodeName, kubeletTimeOf(seen.object), resourceVersion, at);
  }

  /** How long pods wait for their network says how slow their kubelet is; which run, what images it has. */
  #paced(type: 'present' | 'deleted', pod: ObservedPod, at: EpochMillis): void {
    const { nodeName, hostNetwork } = pod.spec;
    if (nodeName === '' || hostNetwork) return;
    const pace = this.#nodes.pace(nodeName);
    const { uid } = pod.metadata;
    const { creating, images, runningSince } = pod.status;
    if (images !== undefined && creating !== true && runningSince !== undefined) this.#nodes.ran(nodeName, images);
    if (networkReadyAt(pod) !== undefined || pod.status.podIP !== '') pace.isUp(uid, at);
    else if (type === 'deleted' || isTerminal(pod)) pace.isGone(uid);
    else pace.waits(uid, at);
  }

  #sawNode(node: ObservedNode): Machine | undefined {
    const { uid, name } = node.metadata;
    return this.#nodes.saw(name, this.#live.get(uid)?.more?.machine);
  }

  /** The kubelet wrote something new: it lives, and ends what was to end. */
  #sign(node: string, time: number | undefined, resourceVersion: string, at: EpochMillis): Fact[] {
    return this.#nodes.sign(node, time, at) ? this.#releases.sign(node, resourceVersion, at) : [];
  }

  /** All sandboxes of before are gone; when they went, nobody says: since its kubelet last wrote. */
  #rebooted({ metadata: { name, resourceVersion } }: ObservedNode, { epoch }: Stream, at: EpochMillis): Fact[] {
    const since = this.#nodes.lastSignBefore(name, at) ?? epochMillis(at - READY_PROVES_MS);
    return this.#live.of('Pod', undefined).flatMap((live) => {
      if (live.holder.node !== name || live.holder.hostNetwork || live.terminal) return [];
      const step = lostWithNode(live, since, this.#sighting('inferred', { epoch, resourceVersion }, '', at));
      if (step?.live !== undefined) this.#live.keep(step.live);
      return step?.facts ?? [];
    });
  }

  /** Who waits for an address for so long that readers must know. */
  #waited(at: EpochMillis): Fact[] {
    return this.#live.awaiting().flatMap((live): Fact[] => {
      const sighting = this.#sighting('watch', live, live.holder.node, at);
      const since = awaitedSince(live, sighting.kubelet, at);
      if (since === undefined || since > at - REPORTING_LAG_MS) return [];
      const possible = waiting(live, since, sighting);
      const known = { ...live, more: { ...live.more, possible } };
      this.#live.keep(known);
      return [possibleFact(possible), { kind: 'live', uid: live.holder.uid, live: known }];
    });
  }

  #sighting(
    source: Sighting['source'],
    { epoch, resourceVersion }: Pick<LiveHolder, 'epoch' | 'resourceVersion'>,
    node: string,
    at: EpochMillis,
  ): Sighting {
    const collector = this.#collector;
    return { source, epoch, resourceVersion, collector, at, floor: undefined, ...this.ofNode(node) };
  }
}
