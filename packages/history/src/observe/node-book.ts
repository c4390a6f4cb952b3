// What is known of nodes and their kubelets: whether they live, what their version tells, and which addresses they hand
// out. Kept by the observer; pods' lives are judged by it.

import { isWithin, networkAround } from '../model/cidr.ts';
import type { LiveHolder, Machine } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import { type EpochMillis, earliest } from '../model/time.ts';
import { noticed, type WrongTime } from './clock-correction.ts';
import { UNBROKEN_MS } from './measured-limits.ts';
import type { ObservedNode } from './observation.ts';

/** What a sighting of a pod may rest on. */
export interface KubeletEvidence {
  /** Since 1.36 the network condition is written right after the sandbox; before, with the next status. */
  readonly writesNetworkAtOnce: boolean;
  /** Since 1.27 it makes a pod terminal only when the sandbox is down. */
  readonly withholdsEnd: boolean;
  /** When it last wrote something that we saw, on our clock. */
  readonly lastSign: EpochMillis | undefined;
}

/** Calico's blocks are of this size, and prefixes of cloud networks are smaller. */
const BLOCK = { v4: 26, v6: 122 };
/** A node that has handed out nothing yet hands out something of the cluster's networks. */
const CLUSTER_BLOCK = { v4: 16, v6: 48 };
const MOST_BLOCKS = 64;
const FIRST_WITH_NETWORK_AT_ONCE = 36;
const FIRST_THAT_WITHHOLDS_ENDS = 27;

/** A machine takes longer to come up. */
const BACK_MS = 3000;

interface Entry {
  machine: Machine | undefined;
  /** Of its kubelet's version, after the 1; 0 when that is not known. */
  minor: number;
  goneAt: EpochMillis | undefined;
  /** The latest time that its kubelet wrote, by the kubelet's own clock. */
  kubeletTime: number;
  lastSign: EpochMillis | undefined;
  signBefore: EpochMillis | undefined;
  /** Its signs have come one after the other since then. */
  unbrokenSince: EpochMillis | undefined;
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

  gone(name: string, at: EpochMillis): void {
    this.#entry(name).goneAt = at;
  }

  /** It has been ready since then, or was never seen: then its pods' words are all there is. */
  wasReadySince(name: string, since: EpochMillis): boolean {
    const entry = this.#nodes.get(name);
    if (entry?.machine === undefined) return true;
    return entry.machine.ready && entry.machine.since <= since && entry.goneAt === undefined;
  }

  /** The last sign of life before it was away, if it is back since `at` or a little before. */
  lastSignBefore(name: string, at: EpochMillis): EpochMillis | undefined {
    const { lastSign, signBefore } = this.#nodes.get(name) ?? {};
    if (lastSign === undefined) return undefined;
    const isBack = at - lastSign < BACK_MS && signBefore !== undefined && lastSign - signBefore > BACK_MS;
    return isBack ? signBefore : lastSign;
  }

  /** When its object was deleted; a node that was never seen counts as gone since always. */
  goneAt(name: string): EpochMillis | undefined {
    const entry = this.#nodes.get(name);
    return entry?.machine === undefined ? (0 as EpochMillis) : entry.goneAt;
  }

  evidence(name: string): KubeletEvidence | undefined {
    const entry = this.#nodes.get(name);
    if (entry?.machine === undefined) return undefined;
    const { minor, lastSign } = entry;
    return {
      writesNetworkAtOnce: minor >= FIRST_WITH_NETWORK_AT_ONCE,
      withholdsEnd: minor >= FIRST_THAT_WITHHOLDS_ENDS,
      lastSign,
    };
  }

  /** The kubelet wrote, by its own clock at `time`. True when that is later than all that it wrote before. */
  sign(name: string, time: number | undefined, at: EpochMillis): boolean {
    if (time === undefined || name === '') return false;
    const entry = this.#entry(name);
    if (time <= entry.kubeletTime) return false;
    entry.kubeletTime = time;
    const silence = entry.lastSign === undefined ? Number.POSITIVE_INFINITY : at - entry.lastSign;
    if (silence > UNBROKEN_MS) entry.unbrokenSince = at;
    entry.signBefore = entry.lastSign;
    entry.lastSign = at;
    return true;
  }

  /** What arrived since is not known to have come one after the other: the next sign is as of one that was away. */
  correct(wrong: WrongTime): void {
    for (const entry of this.#nodes.values()) {
      const { machine, goneAt, lastSign, signBefore, unbrokenSince } = entry;
      entry.machine = machine && { ...machine, since: noticed(machine.since, wrong) };
      entry.goneAt = goneAt && noticed(goneAt, wrong);
      entry.lastSign = lastSign && earliest(lastSign, wrong.since);
      entry.signBefore = signBefore && earliest(signBefore, wrong.since);
      entry.unbrokenSince = unbrokenSince && noticed(unbrokenSince, wrong);
    }
  }

  /** Since when its kubelet has written without a pause in which it may have been restarted. */
  unbrokenSince(name: string): EpochMillis | undefined {
    return this.#nodes.get(name)?.unbrokenSince;
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
        unbrokenSince: undefined,
        blocks: new Map(),
      };
      this.#nodes.set(name, entry);
    }
    return entry;
  }
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
