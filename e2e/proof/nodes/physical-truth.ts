// What really was so, from the files of a run: who had an address reserved (host-local's book), while its network stood
// (CNI's log and the links), and which packets it sent. Imports nothing of the ledger.
import type { ActionLine, CniLine, IpamLine, KubeObject, LinkLine, PacketLine, WatchLine } from './run-folder.ts';
import { type RunDescription, readAll, readLines, readRun } from './run-folder.ts';

/** From the reservation to the release. Milliseconds. */
export interface Reservation {
  readonly ip: string;
  readonly sandbox: string;
  readonly node: string;
  readonly pod: string;
  /** Of the pod, or of all mirrors of a static pod. Empty: nobody knows whose sandbox it was. */
  readonly uids: readonly string[];
  readonly mechanism: string;
  readonly from: number;
  /** Undefined: never released within the run. */
  readonly to: number | undefined;
  /** When the network stood. */
  readonly up: number | undefined;
  readonly down: number | undefined;
  /**
   * The first word of the node's kubelet (Ready, or its Lease) that was given after the network went. A reservation that
   * stays even then is a leak that the API shows nobody.
   */
  readonly nodeBack: number | undefined;
  /** Its pod showed this address in some word of the API. */
  readonly shown: boolean;
}

export interface Packet {
  readonly ip: string;
  readonly at: number;
  readonly uids: readonly string[];
  readonly mechanism: string;
}

export class PhysicalTruth {
  readonly run: RunDescription;
  readonly reservations: readonly Reservation[];
  readonly packets: readonly Packet[];
  readonly actions: readonly ActionLine[];
  readonly #byIp: ReadonlyMap<string, readonly Reservation[]>;
  readonly #unshown: readonly Reservation[];

  constructor(
    run: RunDescription,
    reservations: readonly Reservation[],
    packets: readonly Packet[],
    actions: readonly ActionLine[],
  ) {
    this.run = run;
    this.reservations = reservations;
    this.packets = packets;
    this.actions = actions;
    this.#byIp = Map.groupBy(reservations, ({ ip }) => ip);
    this.#unshown = reservations.filter(({ shown }) => !shown);
  }

  of(ip: string): readonly Reservation[] {
    return this.#byIp.get(ip) ?? [];
  }

  /** Who had it reserved; undefined for nobody. */
  holderAt(ip: string, at: number): Reservation | undefined {
    return this.of(ip).find(({ from, to }) => from <= at && (to === undefined || at < to));
  }

  /**
   * A network stands whose address its pod never shows, on a node that hands out this address: whoever reads the API
   * alone cannot know that it is not this one.
   */
  isUnshownAt(ip: string, at: number): boolean {
    const nodes = new Set(this.of(ip).map(({ node }) => node));
    return this.#unshown.some(({ node, from, to, down }) => {
      const until = Math.min(to ?? Number.POSITIVE_INFINITY, down ?? Number.POSITIVE_INFINITY);
      return nodes.has(node) && from <= at && at < until;
    });
  }

  /** The distance to the nearest change of this address. */
  distance(ip: string, at: number): number {
    const changes = this.of(ip).flatMap(({ from, to }) => (to === undefined ? [from] : [from, to]));
    return changes.reduce((nearest, change) => Math.min(nearest, Math.abs(at - change)), Number.POSITIVE_INFINITY);
  }

  /** By what the address was held at that time, or last held before it: where an answer's fault would come from. */
  mechanismAt(ip: string, at: number): string {
    const held = this.holderAt(ip, at) ?? this.of(ip).findLast(({ from }) => from <= at) ?? this.of(ip)[0];
    if (held === undefined) return 'never held';
    return this.nodeEventAt(held.node, at) ?? held.mechanism;
  }

  /** What was being done to the node, up to a few seconds after: its effects last that long. */
  nodeEventAt(node: string, at: number): string | undefined {
    return this.actions.findLast(
      (action) => action.node === node && action.until !== undefined && action.at <= at && at <= action.until + 15_000,
    )?.what;
  }
}

const MILLI = 1_000_000;

export async function readTruth(directory: string): Promise<PhysicalTruth> {
  const run = await readRun(directory);
  const pods = await readPods(directory);
  const cni = await readAll<CniLine>(directory, 'cni');
  const links = await readAll<LinkLine>(directory, 'links');
  const added = new Map(cni.filter(({ command }) => command === 'ADD').map((line) => [line.sandbox, line]));
  const deleted = new Map<string, number>();
  for (const { command, sandbox, t } of cni) if (command === 'DEL') deleted.set(sandbox, t);
  const downs = new Map(links.filter(({ what }) => what === 'down').map(({ veth, t }) => [veth, t]));
  const uidsOf = (uid: string): readonly string[] => pods.mirrors.get(uid) ?? (uid === '' ? [] : [uid]);
  const back = await readNodesBack(directory);
  const mechanismOf = (uid: string): string => pods.mechanisms.get(uidsOf(uid)[0] ?? uid) ?? 'other';

  const reservations: Reservation[] = [];
  const open = new Map<string, number>();
  const close = (ip: string, to: number): void => {
    const index = open.get(ip);
    if (index !== undefined) reservations[index] = { ...(reservations[index] as Reservation), to };
    open.delete(ip);
  };
  for (const line of await readAll<IpamLine>(directory, 'ipam')) {
    if (line.what === 'overflow') throw new Error(`${directory}: host-local's book was not observed without a break`);
    close(line.ip, line.t / MILLI);
    if (line.what !== 'reserved') continue;
    const owner = added.get(line.sandbox);
    const uid = owner?.uid ?? '';
    const down = owner?.veths.map((veth) => downs.get(veth)).find((t) => t !== undefined) ?? deleted.get(line.sandbox);
    open.set(line.ip, reservations.length);
    reservations.push({
      ip: line.ip,
      sandbox: line.sandbox,
      node: owner?.node ?? '',
      pod: owner?.pod ?? '',
      uids: uidsOf(uid),
      mechanism: mechanismOf(uid),
      from: line.t / MILLI,
      to: undefined,
      up: owner === undefined ? undefined : owner.t / MILLI,
      down: down === undefined ? undefined : down / MILLI,
      nodeBack: down === undefined ? undefined : back(owner?.node ?? '', down / MILLI),
      shown: uidsOf(uid).some((one) => pods.shown.has(`${one} ${line.ip}`)),
    });
  }

  const packets: Packet[] = [];
  for await (const { sent, ip, uid } of readLines<PacketLine>(directory, 'packets')) {
    packets.push({ ip, at: sent / MILLI, uids: uidsOf(uid), mechanism: mechanismOf(uid) });
  }
  return new PhysicalTruth(run, reservations, packets, await readAll<ActionLine>(directory, 'actions'));
}

interface KnownPods {
  /** Hash of a static pod's file → UIDs of its mirrors. */
  readonly mirrors: ReadonlyMap<string, readonly string[]>;
  readonly mechanisms: ReadonlyMap<string, string>;
  /** UID and address, of every address that a pod showed. */
  readonly shown: ReadonlySet<string>;
}

async function readPods(directory: string): Promise<KnownPods> {
  const mirrors = new Map<string, string[]>();
  const mechanisms = new Map<string, string>();
  const shown = new Set<string>();
  const see = ({ metadata, status }: KubeObject): void => {
    if (status?.podIP !== undefined) shown.add(`${metadata.uid} ${status.podIP}`);
    const mechanism = metadata.labels?.['podtrail.dev/mechanism'];
    if (mechanism !== undefined) mechanisms.set(metadata.uid, mechanism);
    const hash = metadata.annotations?.['kubernetes.io/config.mirror'];
    if (hash === undefined) return;
    const known = mirrors.get(hash) ?? [];
    if (!known.includes(metadata.uid)) known.push(metadata.uid);
    mirrors.set(hash, known);
  };
  for await (const line of readLines<WatchLine>(directory, 'watch')) {
    if (line.kind !== 'Pod') continue;
    if (line.type === 'LIST') for (const item of line.items) see(item);
    else if ('object' in line) see(line.object);
  }
  return { mirrors, mechanisms, shown };
}

/** Per node, the words of its kubelet: when each arrived, and the time that the kubelet gave it. */
async function readNodesBack(directory: string): Promise<(node: string, after: number) => number | undefined> {
  const words = new Map<string, { readonly at: number; readonly given: number }[]>();
  const ready = new Map<string, boolean>();
  for await (const line of readLines<WatchLine>(directory, 'watch')) {
    if ((line.kind !== 'Node' && line.kind !== 'Lease') || !('object' in line)) continue;
    const { metadata, spec, status } = line.object as NodeOrLease;
    const condition = status?.conditions?.find(({ type }) => type === 'Ready');
    if (line.kind === 'Node') ready.set(metadata.name, condition?.status === 'True');
    const given = Date.parse((line.kind === 'Node' ? condition?.lastHeartbeatTime : spec?.renewTime) ?? '');
    if (ready.get(metadata.name) !== true || Number.isNaN(given)) continue;
    const said = words.get(metadata.name) ?? [];
    said.push({ at: line.at, given });
    words.set(metadata.name, said);
  }
  return (node, after) => words.get(node)?.find(({ given }) => given > after)?.at;
}

interface NodeOrLease {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly renewTime?: string };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastHeartbeatTime?: string;
    }[];
  };
}
