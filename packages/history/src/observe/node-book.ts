// What is known of nodes and their kubelets: whether they live, what follows from their version, and which addresses
// they hand out. Kept by the observer; pods' lives are judged by it.
import { isWithin, networkAround } from '../model/cidr.ts';
import type { LiveHolder, Machine } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import { type EpochMillis, earliest, epochMillis } from '../model/time.ts';
import { noticed, type WrongTime } from './clock-correction.ts';
import { RESOLUTION_MS } from './evidence.ts';
import { KubeletPace } from './kubelet-pace.ts';
import { LeaseRenewals } from './lease-renewals.ts';
import { SILENCE_MS, START_SHOWS_MS } from './measured-limits.ts';
import type { ObservedNode } from './observation.ts';

/** What an observation of a pod may rest on. */
export interface KubeletEvidence {
  /** Since 1.36 the network condition is written right after the sandbox; before, with the next status. */
  readonly writesNetworkAtOnce: boolean;
  /** Since 1.29 its first word of a pod has the network condition. */
  readonly writesCondition: boolean;
  /** Since 1.27 it makes a pod terminal only when the sandbox is down. */
  readonly withholdsEnd: boolean;
  /** When it last wrote something that we saw before it was away, on our clock; undefined while it is there. */
  readonly awaySince: (at: EpochMillis, asked?: EpochMillis) => EpochMillis | undefined;
  readonly pace: KubeletPace;
  /** Pods with these images have run on the node: none has to be pulled. */
  readonly hasImages: (images: number | undefined) => boolean;
}

/** Calico's blocks are of this size, and prefixes of cloud networks are smaller. */
const BLOCK = { v4: 26, v6: 122 };
/** A node that has handed out nothing yet hands out something of the cluster's networks. */
const CLUSTER_BLOCK = { v4: 16, v6: 48 };
const MOST_BLOCKS = 64;
const MOST_IMAGES = 64;
const FIRST_WITH_NETWORK_AT_ONCE = 36;
const FIRST_WITH_CONDITION = 29;
const FIRST_THAT_WITHHOLDS_ENDS = 27;

/** A machine takes longer to come up. */
const BACK_MS = 3000;

interface Post {
  readonly time: number;
  readonly at: EpochMillis | undefined;
  /** What it said, but for the time: one that says the same again long before it must is the first of another process. */
  readonly said: string;
}

/** A kubelet posts what has changed, and every five minutes what has not. */
const UNCHANGED_POST_MS = 270_000;

interface Entry {
  machine: Machine | undefined;
  /** Of its kubelet's version, after the 1; 0 when that is not known. */
  minor: number;
  goneAt: EpochMillis | undefined;
  /** The latest time that its kubelet wrote, by the kubelet's own clock. */
  kubeletTime: number;
  lastSign: EpochMillis | undefined;
  signBefore: EpochMillis | undefined;
  /** Its signs have come one after the other since then, after a pause that began with `pausedAt`. */
  thereSince: EpochMillis | undefined;
  pausedAt: EpochMillis | undefined;
  /** When its kubelet last posted the node's status: by its own clock, and when that arrived, if it was seen to. */
  posted: Post | undefined;
  /** When it was last seen that its kubelet had been started. */
  startedAt: EpochMillis | undefined;
  readonly pace: KubeletPace;
  readonly renewals: LeaseRenewals;
  /** Of pods whose containers have all been made there, those that were last. */
  readonly images: Set<number>;
  /** With an address that was seen in each. */
  readonly blocks: Map<string, IpAddress>;
}

export class NodeBook {
  readonly #nodes = new Map<string, Entry>();
  readonly #clusterBlocks = new Set<string>();

  constructor(live: readonly LiveHolder[]) {
    for (const { holder, more } of live) {
      if (holder.kind === 'Node') this.saw(holder.name, more?.machine);
    }
    for (const { holder, tenures } of live) for (const { ip } of tenures) this.learn(holder, ip);
  }

  /** The Node is there, as it says of itself. Returns what it had said before. */
  saw(name: string, machine: Machine | undefined): Machine | undefined {
    const entry = this.#entry(name);
    const before = entry.machine;
    entry.machine = machine;
    entry.minor = minorOf(machine?.kubeletVersion ?? '');
    entry.goneAt = undefined;
    return before;
  }

  /** Names of nodes that were seen and are not known to be gone. */
  present(): readonly string[] {
    return [...this.#nodes].flatMap(([name, { machine, goneAt }]) =>
      machine === undefined || goneAt !== undefined ? [] : [name],
    );
  }

  gone(name: string, at: EpochMillis): void {
    this.#entry(name).goneAt = at;
  }

  /** It has been ready since then, or was never seen: then its pods' words are all there is. */
  wasReadySince(name: string, since: EpochMillis): boolean {
    const entry = this.#nodes.get(name);
    if (entry?.machine === undefined) return true;
    return entry.machine.ready && entry.machine.since <= since && entry.goneAt === undefined;
  }

  isReady(name: string): boolean {
    const entry = this.#nodes.get(name);
    return entry?.machine?.ready === true && entry.goneAt === undefined;
  }

  /** The last sign of life before it was away, if it is back since `at` or a little before. */
  lastSignBefore(name: string, at: EpochMillis): EpochMillis | undefined {
    const { lastSign, signBefore } = this.#nodes.get(name) ?? {};
    if (lastSign === undefined) return undefined;
    const isBack = at - lastSign < BACK_MS && signBefore !== undefined && lastSign - signBefore > BACK_MS;
    return isBack ? signBefore : lastSign;
  }

  /** The last sign before its last pause. */
  pausedAt(name: string): EpochMillis | undefined {
    return this.#nodes.get(name)?.pausedAt;
  }

  /** When its object was deleted; a node that was never seen counts as gone since always. */
  goneAt(name: string): EpochMillis | undefined {
    const entry = this.#nodes.get(name);
    return entry?.machine === undefined ? (0 as EpochMillis) : entry.goneAt;
  }

  evidence(name: string): KubeletEvidence | undefined {
    const entry = this.#nodes.get(name);
    if (entry?.machine === undefined) return undefined;
    const { minor, pace } = entry;
    return {
      writesNetworkAtOnce: minor >= FIRST_WITH_NETWORK_AT_ONCE,
      writesCondition: minor >= FIRST_WITH_CONDITION,
      withholdsEnd: minor >= FIRST_THAT_WITHHOLDS_ENDS,
      hasImages: (images) => images !== undefined && entry.images.has(images),
      awaySince: (at, asked) => awaySince(entry, at, asked),
      pace,
    };
  }

  /** A pod with these images runs there. */
  ran(name: string, images: number): void {
    const known = this.#entry(name).images;
    known.delete(images);
    known.add(images);
    for (const oldest of known) {
      if (known.size <= MOST_IMAGES) break;
      known.delete(oldest);
    }
  }

  pace(name: string): KubeletPace {
    return this.#entry(name).pace;
  }

  renewals(name: string): LeaseRenewals {
    return this.#entry(name).renewals;
  }

  /** The kubelet has posted the node's status; `at` is undefined where that was not seen to arrive. */
  posted(node: ObservedNode, at: EpochMillis | undefined): void {
    const entry = this.#entry(node.metadata.name);
    const time = heartbeatOf(node);
    const before = entry.posted;
    if (time === undefined || time <= (before?.time ?? 0)) return;
    const { conditions, contents } = node.status;
    const said = `${contents ?? ''} ${conditions?.map(({ type, status }) => type + status).join(' ')}`;
    entry.posted = { time, at, said };
    const isUnchanged = contents !== undefined && before?.said === said;
    if (isUnchanged && time - before.time < UNCHANGED_POST_MS) entry.startedAt = at ?? epochMillis(time);
  }

  /** Its kubelet certainly began after `since`: it posted what it need not, or renewed its Lease out of step. */
  startedSince(name: string, since: EpochMillis): EpochMillis | undefined {
    const entry = this.#nodes.get(name);
    if (entry === undefined) return undefined;
    const { startedAt, renewals } = entry;
    return startedAt !== undefined && startedAt > since ? startedAt : renewals.startedSince(since);
  }

  hasPosted(name: string): boolean {
    return this.#nodes.get(name)?.posted !== undefined;
  }

  /** The last time that it posted, if that was after `since`. One that starts posts soon, and others do now and then. */
  postedSince(name: string, since: EpochMillis): EpochMillis | undefined {
    const posted = this.#nodes.get(name)?.posted;
    if (posted === undefined) return undefined;
    if (posted.at !== undefined && posted.at > since) return posted.at;
    return posted.time + RESOLUTION_MS > since ? epochMillis(posted.time) : undefined;
  }

  /** The kubelet wrote, by its own clock at `time`. True when that is later than all that it wrote before. */
  sign(name: string, time: number | undefined, at: EpochMillis): boolean {
    if (time === undefined || name === '') return false;
    const entry = this.#entry(name);
    if (time <= entry.kubeletTime) return false;
    entry.kubeletTime = time;
    if (entry.lastSign === undefined || at - entry.lastSign > SILENCE_MS) {
      entry.thereSince = at;
      entry.pausedAt = entry.lastSign;
    }
    entry.signBefore = entry.lastSign;
    entry.lastSign = at;
    return true;
  }

  /** What arrived since is not known to have come one after the other: the next sign is as of one that was away. */
  correct(wrong: WrongTime): void {
    for (const entry of this.#nodes.values()) {
      const { machine, goneAt, lastSign, signBefore, posted, startedAt } = entry;
      entry.machine = machine && { ...machine, since: noticed(machine.since, wrong) };
      entry.goneAt = goneAt && noticed(goneAt, wrong);
      entry.lastSign = lastSign && earliest(lastSign, wrong.since);
      entry.signBefore = signBefore && earliest(signBefore, wrong.since);
      entry.thereSince = undefined;
      entry.pausedAt = entry.lastSign;
      entry.posted = posted && { ...posted, at: posted.at && noticed(posted.at, wrong) };
      entry.startedAt = startedAt && noticed(startedAt, wrong);
      entry.pace.forget();
      entry.renewals.forget();
    }
  }

  /** A pod of the node showed this address. */
  learn({ kind, node, hostNetwork }: LiveHolder['holder'], ip: IpAddress): void {
    if (kind !== 'Pod' || hostNetwork || node === '') return;
    const entry = this.#entry(node);
    const block = networkAround(ip, BLOCK);
    if (entry.blocks.has(block)) return;
    if (entry.blocks.size < MOST_BLOCKS) entry.blocks.set(block, ip);
    this.#clusterBlocks.add(networkAround(ip, CLUSTER_BLOCK));
  }

  /** The networks from which the node hands out addresses; none when nothing is known. */
  networksOf(name: string): readonly string[] {
    const entry = this.#nodes.get(name);
    const cidrs = entry?.machine?.podCidrs ?? [];
    const hasShown = entry !== undefined && entry.blocks.size > 0;
    if (cidrs.length > 0 && (hasShown ? !isOutside(entry) : !this.#nodes.values().some(isOutside))) return cidrs;
    // Where not all of its blocks are kept, those that are would exclude what was seen.
    const isWhole = hasShown && entry.blocks.size < MOST_BLOCKS;
    return isWhole ? [...entry.blocks.keys()].sort() : [...this.#clusterBlocks].sort();
  }

  #entry(name: string): Entry {
    let entry = this.#nodes.get(name);
    if (entry === undefined) {
      entry = {
        machine: undefined,
        minor: 0,
        goneAt: undefined,
        kubeletTime: 0,
        lastSign: undefined,
        signBefore: undefined,
        thereSince: undefined,
        pausedAt: undefined,
        posted: undefined,
        startedAt: undefined,
        pace: new KubeletPace(),
        renewals: new LeaseRenewals(),
        images: new Set(),
        blocks: new Map(),
      };
      this.#nodes.set(name, entry);
    }
    return entry;
  }
}

/**
 * When its kubelet last wrote before it was away: it has been silent for long, or has come back or been started lately; or
 * has come back after `asked`, when something was asked of it. Undefined where it was there all the time.
 */
function awaySince(entry: Entry, at: EpochMillis, asked: EpochMillis | undefined): EpochMillis | undefined {
  const { lastSign, thereSince, pausedAt, startedAt } = entry;
  if (lastSign === undefined) return epochMillis(0);
  if (at - lastSign > SILENCE_MS) return lastSign;
  if (thereSince === undefined) return pausedAt ?? epochMillis(0);
  const isLate = at - thereSince < BACK_MS || (asked !== undefined && asked < thereSince);
  if (isLate && hasComeBack(entry, thereSince)) return pausedAt ?? epochMillis(0);
  return startedAt !== undefined && at - startedAt < START_SHOWS_MS
    ? epochMillis(startedAt - START_SHOWS_MS)
    : undefined;
}

/**
 * After a pause it posted its node's status, or its node became ready again or is about to: on a quiet node it does
 * nothing of that.
 */
function hasComeBack({ posted, machine }: Entry, thereSince: EpochMillis): boolean {
  const since = thereSince - BACK_MS;
  if (machine?.ready === false) return true;
  return (posted?.at ?? 0) >= since || (machine !== undefined && machine.since >= since);
}

/** Pods of it have had addresses outside of its podCIDRs: the network plugin does not use them. */
function isOutside({ machine, blocks }: Entry): boolean {
  const cidrs = machine?.podCidrs ?? [];
  return cidrs.length > 0 && blocks.values().some((ip) => !cidrs.some((cidr) => isWithin(cidr, ip)));
}

/** What a Node object says of its kubelet; undefined where the collector does not read that. */
export function machineOf(node: ObservedNode, before: Machine | undefined, at: EpochMillis): Machine | undefined {
  const { conditions, nodeInfo } = node.status;
  if (conditions === undefined) return undefined;
  const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return {
    ready,
    since: before !== undefined && before.ready === ready ? before.since : at,
    bootId: nodeInfo?.bootID ?? '',
    kubeletVersion: nodeInfo?.kubeletVersion ?? '',
    podCidrs: node.spec?.podCIDRs ?? [],
  };
}

/** When its kubelet last posted, by the kubelet's clock. */
export function heartbeatOf(node: ObservedNode): number | undefined {
  const ready = node.status.conditions?.find(({ type }) => type === 'Ready');
  return ready?.lastHeartbeatTime;
}

function minorOf(kubeletVersion: string): number {
  return Number(/^v?1\.(\d+)/.exec(kubeletVersion)?.[1] ?? 0);
}
