// When the network of a pod that is gone from the API is gone, too: by what its kubelet and its node are seen to do until
// then (release-state.ts), and the limits that follow. Decides; LiveHolders keeps the pods and makes the facts.
import type { Fact, Going, LiveHolder } from '../model/fact.ts';
import { type EpochMillis, earliest, epochMillis } from '../model/time.ts';
import { compareVersions } from '../model/version-order.ts';
import { releaseOf } from './going.ts';
import type { LiveHolders } from './live-holders.ts';
import {
  GONE_NODE_MS,
  ORPHAN_MS,
  READY_PROVES_MS,
  RELEASE_BY_SLOWNESS,
  RELEASE_MS,
  SILENCE_MS,
  START_SHOWS_MS,
} from './measured-limits.ts';
import type { NodeBook } from './node-book.ts';
import {
  extendLimit,
  firstWrite,
  isLimitPast,
  type LimitedState,
  type ReleaseState,
  restart,
  restartAgain,
  UNSEEN,
  writeAfterLimit,
} from './release-state.ts';

export class Releases {
  readonly #live: LiveHolders;
  readonly #nodes: NodeBook;
  readonly #states = new Map<string, ReleaseState>();
  /** Since when everything is seen as it happens. */
  #watchingSince: EpochMillis | undefined;

  constructor(live: LiveHolders, nodes: NodeBook) {
    this.#live = live;
    this.#nodes = nodes;
  }

  /** Nodes whose Lease would show whether their kubelets were there all the time. */
  get nodesInQuestion(): readonly string[] {
    const names = new Set<string>();
    for (const { holder, more } of this.#live.going.all()) {
      if (more?.going !== undefined && this.#nodes.isReady(holder.node)) names.add(holder.node);
    }
    return [...names];
  }

  /** The kubelet of the node wrote something new, in this version of an object. */
  sign(node: string, resourceVersion: string, at: EpochMillis): Fact[] {
    return this.#live.going.on(node).flatMap((live) => {
      const going = live.more?.going;
      if (going === undefined || compareVersions(resourceVersion, going.resourceVersion) <= 0) return [];
      const { uid } = live.holder;
      this.#states.set(
        uid,
        firstWrite(this.#stateOf(live), at, () => this.#neverHadPod(live, going, at)),
      );
      const limited = this.#withLimit(live, going, at);
      this.#states.set(uid, writeAfterLimit(limited, going.since, at));
      return this.#decide(live, going, at, undefined);
    });
  }

  /** Its Lease has been read. */
  renewed(node: string, at: EpochMillis): Fact[] {
    return this.#live.going.on(node).flatMap((live) => {
      const going = live.more?.going;
      return going === undefined ? [] : this.#decide(live, going, at, undefined);
    });
  }

  /** Time has passed; `watermark`: everything about nodes up to then has been delivered. */
  passed(at: EpochMillis, watermark: EpochMillis): Fact[] {
    this.#watchingSince ??= at;
    if (this.#live.going.size === 0) {
      this.#states.clear();
      return [];
    }
    return this.#live.going.all().flatMap((live) => {
      const going = live.more?.going;
      return going === undefined ? [] : this.#decide(live, going, at, watermark);
    });
  }

  /** A clock was wrong: what was seen by it is to be seen again. */
  correct(): void {
    this.#states.clear();
  }

  #decide(live: LiveHolder, going: Going, at: EpochMillis, watermark: EpochMillis | undefined): readonly Fact[] {
    const { node } = live.holder;
    const gone = this.#nodes.goneAt(node);
    if (gone !== undefined) return this.#releaseFrom(live, epochMillis(Math.max(gone, going.since) + GONE_NODE_MS), at);
    const limited = this.#withLimit(live, going, at);
    const { limit } = limited;
    const asked = askedAt(live, going);
    const startedAt = this.#nodes.startedSince(node, asked);
    // The same kubelet renewed its Lease before and after: it was there, and did what it does.
    if (startedAt === undefined && this.#nodes.renewals(node).covers(asked, limit)) return this.#release(live, limit);
    const state = restart(limited, startedAt ?? this.#mayHaveStartedAt(node, asked, going, at));
    this.#states.set(live.holder.uid, state);
    const { contact } = state;
    const isAlive = contact.kind === 'alive' && at >= contact.at + START_SHOWS_MS;
    const isReady =
      watermark !== undefined && watermark >= limit + READY_PROVES_MS && this.#nodes.wasReadySince(node, going.since);
    if (!isAlive && !isReady) return [];
    if (state.process.kind === 'restarted') return this.#releaseByGarbageCollection(live, going, state, at);
    // One that is ready may have been cut off for a while, and learnt of the deletion late.
    const late = isAlive ? contact.since - going.since : READY_PROVES_MS;
    return this.#release(live, epochMillis(limit + Math.min(late, READY_PROVES_MS)));
  }

  /**
   * A kubelet that starts posts its node's status, and may do so otherwise. A node of which no post is known does not say
   * what happened before the watch.
   */
  #mayHaveStartedAt(node: string, asked: EpochMillis, going: Going, at: EpochMillis): EpochMillis | undefined {
    if (this.#nodes.hasPosted(node)) return this.#nodes.postedSince(node, asked);
    return asked <= (this.#watchingSince ?? at) ? going.since : undefined;
  }

  /** A kubelet that was started since finds what it does not know of by its collection of garbage. */
  #releaseByGarbageCollection(live: LiveHolder, going: Going, state: ReleaseState, at: EpochMillis): readonly Fact[] {
    const { process } = state;
    const startedAt = process.kind === 'restarted' ? process.at : going.since;
    const again = this.#nodes.startedSince(live.holder.node, startedAt);
    this.#states.set(live.holder.uid, restartAgain(state, again));
    return this.#releaseFrom(live, releaseOf(going, again ?? startedAt, ORPHAN_MS), at);
  }

  /** By the limit a kubelet that is there has ended the pod; later if it was slow at any time since. */
  #withLimit(live: LiveHolder, going: Going, at: EpochMillis): LimitedState {
    const { node, uid } = live.holder;
    const state = this.#stateOf(live);
    if (isLimitPast(state, at)) return state;
    // One that has just been started has to find its pods first.
    const started = this.#nodes.startedSince(node, epochMillis(going.since - START_SHOWS_MS));
    const begun = epochMillis(Math.max(going.since, started === undefined ? 0 : started + START_SHOWS_MS));
    const takes = RELEASE_MS + RELEASE_BY_SLOWNESS * this.#nodes.pace(node).slowness(at);
    const limited = extendLimit(state, releaseOf(going, begun, takes));
    this.#states.set(uid, limited);
    return limited;
  }

  /** Its kubelet was away from before the pod was bound until long after it went, and never wrote of it. */
  #neverHadPod(
    { holder, placement, networkReadyAt, networkLostAt }: LiveHolder,
    going: Going,
    at: EpochMillis,
  ): boolean {
    const isBegun = networkReadyAt !== undefined || networkLostAt !== undefined;
    const pausedAt = this.#nodes.pausedAt(holder.node);
    if (isBegun || placement === undefined || pausedAt === undefined) return false;
    return placement.start.observedAt > pausedAt + SILENCE_MS && at > going.since + START_SHOWS_MS;
  }

  #stateOf({ holder }: LiveHolder): ReleaseState {
    return this.#states.get(holder.uid) ?? UNSEEN;
  }

  #releaseFrom(live: LiveHolder, release: EpochMillis, at: EpochMillis): readonly Fact[] {
    return at < release ? [] : this.#release(live, release);
  }

  #release(live: LiveHolder, release: EpochMillis): readonly Fact[] {
    const { uid } = live.holder;
    const { contact } = this.#stateOf(live);
    this.#states.delete(uid);
    return this.#live.release(uid, release, contact.kind !== 'none' && contact.neverHadPod);
  }
}

/** Since when its kubelet may have known of the deletion: where nobody watched meanwhile, long before it was observed. */
function askedAt({ placement }: LiveHolder, { since }: Going): EpochMillis {
  return earliest(since, placement?.end?.notBefore) ?? since;
}
