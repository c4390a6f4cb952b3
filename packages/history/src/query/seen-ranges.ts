// Whether an address lies outside everything that the cluster has been seen to use. Then no pod can have had it, not even
// one whose address was never shown. Careful on purpose (docs/adr/20261116-outside.md): where a range that nobody has
// seen yet could be meant, the answer is no.
import type { Moment, Snapshot } from '../engines/snapshot.ts';
import { type IpAddress, ipBytes } from '../model/ip-address.ts';
import { epochMillis } from '../model/time.ts';
import { deserializeLive } from '../observe/live-state.ts';
import { unlessDamaged } from './damage.ts';
import type { WatchedTime } from './watched-time.ts';

export type RangeReader = Pick<Snapshot, 'liveStates' | 'tenuresOfIps'>;

/** IPv4 ranges from which clusters take addresses of pods, nodes and services; each is one block. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'].map((block) => {
  const [base = '', bits] = block.split('/');
  return { block, base: ipv4Bits(base), rest: 32 - Number(bits) };
});
/** An address of such a range that is in use at all shows within this time: its kubelet reports it. */
export const SHOWN_WITHIN_MS = 10 * 60_000;
const MOST_KEPT = 100_000;
/** A run may last for hours, beside a recorder: what is in use is read again when the ledger has gone on by this. */
const LOOK_AGAIN_MS = 60_000;
const V6_BITS = 32;

/** Blocks of all that hold an address now, and the families of which pods have public addresses. */
interface InUse {
  readonly blocks: ReadonlySet<string>;
  readonly families: ReadonlySet<string>;
}

/** One for each run of questions: what is in use now is read from the first snapshot that needs it, and kept for a while. */
export class SeenRanges {
  /** How far everything had been reported when it was read. */
  #asOf = Number.NEGATIVE_INFINITY;
  #seen: InUse | undefined;
  /** Of each neighbourhood that was asked about: whether anybody was ever seen in it. */
  readonly #used = new Map<string, boolean>();

  /** At instants at which all of the cluster was being watched. Where that needs a damaged part of the store: no. */
  async areOutside(
    snapshot: RangeReader,
    moments: readonly Moment[],
    watched: WatchedTime,
  ): Promise<readonly boolean[]> {
    return (await unlessDamaged(() => this.#areOutside(snapshot, moments, watched))) ?? moments.map(() => false);
  }

  async #areOutside(
    snapshot: RangeReader,
    moments: readonly Moment[],
    watched: WatchedTime,
  ): Promise<readonly boolean[]> {
    const confirmed = watched.stretches.at(-1)?.confirmed ?? 0;
    const asked = moments.map(({ ip, at }) => ({ ...placeOf(ip), at }));
    if (confirmed - this.#asOf > LOOK_AGAIN_MS) this.#forget(confirmed);
    const reported = Math.min(confirmed, this.#asOf);
    const isNew = ({ isPrivate, at }: { isPrivate: boolean; at: number }) =>
      isPrivate && at > reported - SHOWN_WITHIN_MS;
    // The cheap look first: most addresses that nobody has now are of ranges that are in use.
    const known = this.#seen;
    const isOpen = (one: (typeof asked)[number]) => !isNew(one) && known?.blocks.has(one.block) !== true;
    await this.#lookUp(snapshot, asked.filter(isOpen));
    const isUsed = ({ around }: Place) => this.#used.get(around) ?? true;
    if (asked.every((one) => !isOpen(one) || isUsed(one))) return moments.map(() => false);
    const { blocks, families } = (this.#seen ??= await readInUse(snapshot));
    return asked.map((one) => {
      if (isNew(one) || isUsed(one) || blocks.has(one.block)) return false;
      // Pods with public addresses may get them from any public range tomorrow.
      return one.isPrivate || !families.has(familyOf(one.ip));
    });
  }

  #forget(asOf: number): void {
    this.#asOf = asOf;
    this.#seen = undefined;
    this.#used.clear();
  }

  /** Whether anybody was ever seen with these, or with one of their neighbours: what is gone by now counts too. */
  async #lookUp(snapshot: RangeReader, places: readonly Place[]): Promise<void> {
    if (this.#used.size > MOST_KEPT) this.#used.clear();
    const wanted = new Map<string, Place>();
    for (const place of places) if (!this.#used.has(place.around)) wanted.set(place.around, place);
    if (wanted.size === 0) return;
    // Most were somebody's themselves: only of the others all neighbours are asked for.
    const own = await areUsed(
      snapshot,
      [...wanted].map(([key, { ip }]) => ({ key, ips: [ip] })),
    );
    const around = [...wanted].flatMap(([key, place]) =>
      own.get(key) === true ? [] : [{ key, ips: othersAround(place) }],
    );
    const others = await areUsed(snapshot, around);
    for (const [key, isUsed] of own) this.#used.set(key, isUsed || others.get(key) === true);
  }
}

async function readInUse(snapshot: RangeReader): Promise<InUse> {
  const blocks = new Set<string>();
  const families = new Set<string>();
  for (const { holder, tenures } of (await snapshot.liveStates()).map(deserializeLive)) {
    for (const { ip } of tenures) {
      const { block, isPrivate } = placeOf(ip);
      blocks.add(block);
      if (!isPrivate && holder.kind === 'Pod' && !holder.hostNetwork) families.add(familyOf(ip));
    }
  }
  return { blocks, families };
}

async function areUsed(
  snapshot: RangeReader,
  wanted: readonly { readonly key: string; readonly ips: readonly IpAddress[] }[],
): Promise<ReadonlyMap<string, boolean>> {
  const always = { from: epochMillis(0), to: epochMillis(Date.UTC(9999, 11, 31)) };
  const spans = wanted.flatMap(({ ips }) => ips.map((ip) => ({ ip, ...always })));
  const found = spans.length === 0 ? [] : await snapshot.tenuresOfIps(spans, 1);
  let next = 0;
  return new Map(
    wanted.map(({ key, ips }) => {
      const tenures = found.slice(next, (next += ips.length));
      return [key, tenures.some((one) => one === undefined || one.length > 0)];
    }),
  );
}

interface Place {
  readonly ip: IpAddress;
  /** The range that it is taken to be of: in use if one address of it is. */
  readonly block: string;
  readonly isPrivate: boolean;
  /** Its neighbourhood, the /24 of a private IPv4 address. Else itself: a log may hold a million others of the internet. */
  readonly around: string;
}

function familyOf(ip: IpAddress): 'v4' | 'v6' {
  return ip.includes(':') ? 'v6' : 'v4';
}

function placeOf(ip: IpAddress): Place {
  if (familyOf(ip) === 'v6') return { ip, ...v6BlockOf(ip), around: ip };
  const bits = ipv4Bits(ip);
  for (const { block, base, rest } of PRIVATE) {
    if (bits >>> rest === base >>> rest) return { ip, block, isPrivate: true, around: networkOf(ip) };
  }
  return { ip, block: `${bits >>> 24}.${(bits >>> 16) & 255}/16`, isPrivate: false, around: ip };
}

function v6BlockOf(ip: IpAddress): { readonly block: string; readonly isPrivate: boolean } {
  const bytes = ipBytes(ip);
  const first = bytes[0] ?? 0;
  // Unique local addresses (fc00::/7) and link-local ones: one block each for all of them.
  const isPrivate = (first & 0xfe) === 0xfc || (first === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80);
  const known = isPrivate ? [first & 0xfe] : Array.from(bytes.subarray(0, V6_BITS / 8));
  return { block: `v6/${known.join('.')}`, isPrivate };
}

function ipv4Bits(ip: string): number {
  let bits = 0;
  let part = 0;
  for (let i = 0; i < ip.length; i++) {
    const digit = ip.charCodeAt(i) - 48;
    if (digit >= 0) part = part * 10 + digit;
    else {
      bits = (bits << 8) | part;
      part = 0;
    }
  }
  return (bits << 8) | part;
}

function networkOf(ip: IpAddress): string {
  return ip.slice(0, ip.lastIndexOf('.'));
}

/** The rest of its neighbourhood. */
function othersAround({ ip, around }: Place): readonly IpAddress[] {
  if (around === ip) return [];
  const all = Array.from({ length: 256 }, (_, i) => `${around}.${i}` as IpAddress);
  return all.filter((other) => other !== ip);
}
