// When the network of a pod that is gone from the API is gone, too: what its kubelet and its node are seen to do until
// then, and the limits that follow. Decides; LiveHolders keeps the pods and makes the facts.
import type { Fact, Going, LiveHolder } from '../model/fact.ts';
import { type EpochMillis, earliest, epochMillis } from '../model/time.ts';
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
import { compareVersions } from './version-order.ts';

/** What was seen since a pod went. */
interface Seen {
  /** Its kubelet wrote something for the first time since: then it was in touch with the API server. */
  firstSign?: EpochMillis;
  /** Its kubelet was away before the pod was bound, and until long after it was deleted: it never knew of the pod. */
  wasUnknown?: boolean;
  /** It was still there when it should have ended the pod. */
  aliveAt?: EpochMillis;
  /** The latest of its limits. */
  limit?: EpochMillis;
  /** Its kubelet may have been started since. */
  startedAt?: EpochMillis | undefined;
}

export class Releases {
  readonly #live: LiveHolders;
  readonly #nodes: NodeBook;
  readonly #seen = new Map<string, Seen>();
  /** Since when everything is seen as it happens. */
  #watchingSince: EpochMillis | undefined;

  constructor(live: LiveHolders, nodes: NodeBook) {
    this.#live = live;
    this.#nodes = nodes;
  }

  /** Nodes whose Lease would tell whether their kubelets were there all the time. */
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
      const seen = this.#of(live);
      if (seen.firstSign === undefined) {
        seen.firstSign = at;
        seen.wasUnknown = this.#wasUnknown(live, going, at);
      }
      if (at >= this.#limit(live, going, at) + seen.firstSign - going.since) seen.aliveAt ??= at;
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

  /** Time has passed; `toldUntil`: everything about nodes up to then has been seen. */
  passed(at: EpochMillis, toldUntil: EpochMillis): Fact[] {
    this.#watchingSince ??= at;
    if (this.#live.going.size === 0) {
      this.#seen.clear();
      return [];
    }
    return this.#live.going.all().flatMap((live) => {
      const going = live.more?.going;
      return going === undefined ? [] : this.#decide(live, going, at, toldUntil);
    });
  }

  #decide(live: LiveHolder, going: Going, at: EpochMillis, toldUntil: EpochMillis | undefined): readonly Fact[] {
    const { uid, node } = live.holder;
    const gone = this.#nodes.goneAt(node);
    if (gone !== undefined) {
      const limit = epochMillis(Math.max(gone, going.since) + GONE_NODE_MS);
      return at < limit ? [] : this.#release(uid, limit);
    }
    const seen = this.#of(live);
    const limit = this.#limit(live, going, at);
    const asked = askedAt(live, going);
    const startedAt = this.#nodes.startedSince(node, asked);
    // The same kubelet renewed its Lease before and after: it was there, and did what it does.
    if (startedAt === undefined && this.#nodes.renewals(node).covers(asked, limit)) return this.#release(uid, limit);
    // One that starts posts its node's status. A node that was never posted does not say what happened before.
    const posted = this.#nodes.hasPosted(node) ? this.#nodes.postedSince(node, asked) : undefined;
    const isSilent = !this.#nodes.hasPosted(node) && asked <= (this.#watchingSince ?? at);
    seen.startedAt ??= startedAt ?? posted ?? (isSilent ? going.since : undefined);
    const isThere = seen.aliveAt !== undefined && at >= seen.aliveAt + START_SHOWS_MS;
    const isReady =
      toldUntil !== undefined && toldUntil >= limit + READY_PROVES_MS && this.#nodes.wasReadySince(node, going.since);
    if (!isThere && !isReady) return [];
    if (seen.startedAt === undefined) {
      // One that is ready may have been cut off for a while, and learnt of the deletion late.
      const late = isThere && seen.firstSign !== undefined ? seen.firstSign - going.since : READY_PROVES_MS;
      return this.#release(uid, epochMillis(limit + Math.min(late, READY_PROVES_MS)));
    }
    // One that has started since finds what it does not know of with its collection of garbage, unless it starts again.
    seen.startedAt = this.#nodes.startedSince(node, seen.startedAt) ?? seen.startedAt;
    const found = releaseOf(going, seen.startedAt, ORPHAN_MS);
    return at < found ? [] : this.#release(uid, found);
  }

  /** A clock was wrong: what was seen by it is to be seen again. */
  correct(): void {
    this.#seen.clear();
  }

  /** By then a kubelet that is there has ended the pod; later if it was slow at any time since. */
  #limit(live: LiveHolder, going: Going, at: EpochMillis): EpochMillis {
    const { node } = live.holder;
    const seen = this.#of(live);
    // How slow it became after that says nothing of what was done by then.
    if (seen.limit !== undefined && at > seen.limit) return seen.limit;
    // One that has just been started has to find its pods first.
    const started = this.#nodes.startedSince(node, epochMillis(going.since - START_SHOWS_MS));
    const begun = epochMillis(Math.max(going.since, started === undefined ? 0 : started + START_SHOWS_MS));
    const takes = RELEASE_MS + RELEASE_BY_SLOWNESS * this.#nodes.pace(node).slowness(at);
    seen.limit = epochMillis(Math.max(seen.limit ?? 0, releaseOf(going, begun, takes)));
    return seen.limit;
  }

  #wasUnknown(
    { holder, placement, networkReadyAt, networkLostAt }: LiveHolder,
    going: Going,
    at: EpochMillis,
  ): boolean {
    const isBegun = networkReadyAt !== undefined || networkLostAt !== undefined;
    const pausedAt = this.#nodes.pausedAt(holder.node);
    if (isBegun || placement === undefined || pausedAt === undefined) return false;
    return placement.start.observedAt > pausedAt + SILENCE_MS && at > going.since + START_SHOWS_MS;
  }

  #of({ holder }: LiveHolder): Seen {
    let seen = this.#seen.get(holder.uid);
    if (seen === undefined) this.#seen.set(holder.uid, (seen = {}));
    return seen;
  }

  #release(uid: string, release: EpochMillis): readonly Fact[] {
    const wasUnknown = this.#seen.get(uid)?.wasUnknown === true;
    this.#seen.delete(uid);
    return this.#live.release(uid, release, wasUnknown);
  }
}

/** Its kubelet may have known of its end since then: long before that was observed, where nobody watched meanwhile. */
function askedAt({ placement }: LiveHolder, { since }: Going): EpochMillis {
  return earliest(since, placement?.end?.notBefore) ?? since;
}
