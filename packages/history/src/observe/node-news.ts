// What an observation says of nodes and their kubelets: that one lives, was restarted, booted or is slow; and what of
// others' ends and waiting that settles. Keeps NodeBook, asks Releases.
import { type Fact, type LiveHolder, type Machine, possibleFact } from '../model/fact.ts';
import { type EpochMillis, epochMillis, REPORTING_LAG_MS } from '../model/time.ts';
import { awaitedSince, waiting } from './awaited-address.ts';
import { isTerminal, kubeletTimeOf, networkReadyAt } from './evidence.ts';
import { lostWithNode } from './holder-life.ts';
import type { LiveHolders } from './live-holders.ts';
import { READY_PROVES_MS } from './measured-limits.ts';
import { heartbeatOf, type NodeBook } from './node-book.ts';
import type { Observation, Observed, ObservedNode, ObservedPod } from './observation.ts';
import { CONTINUED, type NodeEvidence, type ObservationContext } from './observation-context.ts';
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
        return observation.resource === 'Node' ? this.#listed(observation.present, stream, at) : [];
      case 'corrected':
        if (observation.seen.kind !== 'Node') return [];
        return this.#listed(observation.type === 'present' ? [observation.seen] : [], stream, at);
      case 'checked':
        return observation.resource === 'Node' ? this.#listed([], stream, at) : [];
      case 'renewed':
        this.#nodes.renewals(observation.node).read(epochMillis(observation.renewTime), at);
        return this.#releases.renewed(observation.node, at);
      case 'alive':
        return [...this.#releases.passed(at, stream.watermark ?? at), ...this.#waited(at)];
      default:
        return [];
    }
  }

  /** What is known of a pod's node. */
  evidenceOf(node: string): NodeEvidence {
    return { kubelet: this.#nodes.evidence(node), networks: () => this.#nodes.networksOf(node) };
  }

  /** Nodes as a listing shows them. One that is no longer remembered is gone: the observer has applied the listing. */
  #listed(present: readonly Observed[], stream: Stream, at: EpochMillis): Fact[] {
    const there = new Set(this.#live.of('Node', undefined).map(({ holder }) => holder.name));
    const facts: Fact[] = [];
    for (const { kind, object } of present) {
      if (kind !== 'Node') continue;
      // When it booted within the gap, nobody says: each of its pods was there when it was last seen.
      if (this.#hasBooted(object)) facts.push(...this.#rebooted(object, stream, at, ({ seenAt }) => seenAt));
      this.#nodes.posted(object, undefined);
    }
    for (const name of this.#nodes.present()) if (!there.has(name)) this.#nodes.gone(name, at);
    return facts;
  }

  /** Takes the Node in, as it is now; true where it is another boot than before. */
  #hasBooted(node: ObservedNode): boolean {
    const before = this.#sawNode(node);
    const { bootID } = node.status.nodeInfo ?? { bootID: '' };
    return before !== undefined && before.bootId !== '' && bootID !== '' && bootID !== before.bootId;
  }

  #event(type: 'present' | 'deleted', seen: Observed, stream: Stream, at: EpochMillis): Fact[] {
    const { name, resourceVersion } = seen.object.metadata;
    if (seen.kind === 'Node' && type === 'deleted') this.#nodes.gone(name, at);
    if (seen.kind === 'Pod') this.#paced(type, seen.object, at);
    if (type === 'deleted' || seen.kind === 'Service') return [];
    if (seen.kind === 'Node') {
      const lastSign = this.#nodes.lastSignBefore(name, at) ?? epochMillis(at - READY_PROVES_MS);
      const facts = this.#hasBooted(seen.object) ? this.#rebooted(seen.object, stream, at, () => lastSign) : [];
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
  #rebooted(
    { metadata: { name, resourceVersion } }: ObservedNode,
    { epoch }: Stream,
    at: EpochMillis,
    sinceOf: (live: LiveHolder) => EpochMillis,
  ): Fact[] {
    return this.#live.of('Pod', undefined).flatMap((live) => {
      if (live.holder.node !== name || live.holder.hostNetwork || live.terminal) return [];
      const step = lostWithNode(live, sinceOf(live), this.#context('inferred', { epoch, resourceVersion }, '', at));
      if (step?.live !== undefined) this.#live.keep(step.live);
      return step?.facts ?? [];
    });
  }

  /** Who waits for an address for so long that readers must know. */
  #waited(at: EpochMillis): Fact[] {
    return this.#live.awaiting().flatMap((live): Fact[] => {
      const context = this.#context('watch', live, live.holder.node, at);
      const since = awaitedSince(live, context.node?.kubelet, at);
      if (since === undefined || since > at - REPORTING_LAG_MS) return [];
      const possible = waiting(live, since, context);
      const known = { ...live, more: { ...live.more, possible } };
      this.#live.keep(known);
      return [possibleFact(possible), { kind: 'live', uid: live.holder.uid, live: known }];
    });
  }

  #context(
    source: ObservationContext['source'],
    { epoch, resourceVersion }: Pick<LiveHolder, 'epoch' | 'resourceVersion'>,
    node: string,
    at: EpochMillis,
  ): ObservationContext {
    const collector = this.#collector;
    return {
      source,
      epoch,
      resourceVersion,
      collector,
      at,
      watermark: undefined,
      continuity: CONTINUED,
      node: this.evidenceOf(node),
    };
  }
}
