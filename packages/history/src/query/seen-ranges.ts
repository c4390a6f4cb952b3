// Whether an address lies outside everything that the cluster has been seen to use. Then no pod can have had it, not even
// one whose address was never shown. Careful on purpose (docs/adr/20261116-outside.md): where a range that nobody has
// seen yet could be meant, the answer is no.
import type { Engine, Moment } from '../engines/engine.ts';
import { type IpAddress, ipBytes } from '../model/ip-address.ts';
import { epochMillis } from '../model/time.ts';
import { unlessDamaged } from './damage.ts';
import type { WatchedTime } from './watched-time.ts';

export type RangeReader = Pick<Engine, 'resumption' | 'tenuresOfIps'>;

/** Ranges from which clusters take addresses of pods, nodes and services; each is one block. */
const PRIVATE: readonly (readonly [first: readonly number[], bits: number])[] = [
  [[10], 8],
  [[172, 16], 12],
  [[192, 168], 16],
  [[100, 64], 10],
  [[169, 254], 16],
];
/** An address of such a range that is in use at all shows within this time: its kubelet reports it. */
const SHOWN_WITHIN_MS = 10 * 60_000;
const MOST_KEPT = 100_000;
const PUBLIC_BITS = 16;
const V6_BITS = 32;

export class SeenRanges {
  readonly #engine: RangeReader;
  readonly #cluster: string;
  #seen: Promise<{ readonly blocks: ReadonlySet<string>; readonly families: ReadonlySet<string> }> | undefined;
  /** Of each neighbourhood that was asked about: whether anybody was ever seen in it. */
  readonly #used = new Map<string, boolean>();

  /** One for each run of questions: what is in use now is read once. */
  constructor(engine: RangeReader, cluster: string) {
    this.#engine = engine;
    this.#cluster = cluster;
  }

  /** At instants at which all of the cluster was being watched. Where that needs a damaged part of the store: no. */
  async areOutside(moments: readonly Moment[], watched: WatchedTime): Promise<readonly boolean[]> {
    return (await unlessDamaged(() => this.#areOutside(moments, watched))) ?? moments.map(() => false);
  }

  async #areOutside(moments: readonly Moment[], watched: WatchedTime): Promise<readonly boolean[]> {
    const confirmed = watched.stretches.at(-1)?.confirmed ?? 0;
    const asked = moments.map(({ ip, at }) => ({ ip, ...blockOf(ip), at }));
    const isNew = ({ isPrivate, at }: { isPrivate: boolean; at: number }) =>
      isPrivate && at > confirmed - SHOWN_WITHIN_MS;
    // The cheap look first: most addresses that nobody has now are of ranges that are in use.
    await this.#lookUp(asked.filter((one) => !isNew(one)).map(({ ip }) => ip));
    const isUsed = (ip: IpAddress) => this.#used.get(keyOf(ip)) ?? true;
    if (asked.every((one) => isNew(one) || isUsed(one.ip))) return moments.map(() => false);
    const { blocks, families } = await (this.#seen ??= this.#read());
    return asked.map((one) => {
      if (isNew(one) || isUsed(one.ip) || blocks.has(one.block)) return false;
      // Pods with public addresses may get them from any public range tomorrow.
      return one.isPrivate || !families.has(familyOf(one.ip));
    });
  }

  /** Blocks of all that hold an address now, and the families of which pods have public addresses. */
  async #read() {
    const { state } = await this.#engine.resumption(this.#cluster);
    const blocks = new Set<string>();
    const families = new Set<string>();
    for (const { holder, tenures } of state.live) {
      for (const { ip } of tenures) {
        const { block, isPrivate } = blockOf(ip);
        blocks.add(block);
        if (!isPrivate && holder.kind === 'Pod' && !holder.hostNetwork) families.add(familyOf(ip));
      }
    }
    return { blocks, families };
  }

  /** Whether anybody was ever seen with these, or with one of their neighbours: what is gone by now counts too. */
  async #lookUp(ips: readonly IpAddress[]): Promise<void> {
    if (this.#used.size > MOST_KEPT) this.#used.clear();
    const wanted = new Map<string, readonly IpAddress[]>();
    for (const ip of ips) if (!this.#used.has(keyOf(ip))) wanted.set(keyOf(ip), neighbourhoodOf(ip));
    if (wanted.size === 0) return;
    const always = { from: epochMillis(0), to: epochMillis(Date.UTC(9999, 11, 31)) };
    const spans = [...wanted.values()].flatMap((some) => some.map((ip) => ({ ip, ...always })));
    const found = await this.#engine.tenuresOfIps(this.#cluster, spans, 1);
    let next = 0;
    for (const [key, some] of wanted) {
      const tenures = found.slice(next, next + some.length);
      next += some.length;
      this.#used.set(
        key,
        tenures.some((one) => one === undefined || one.length > 0),
      );
    }
  }
}

/** Of the neighbourhood. */
function keyOf(ip: IpAddress): string {
  return ip.includes(':') || !blockOf(ip).isPrivate ? ip : ip.slice(0, ip.lastIndexOf('.'));
}

function familyOf(ip: IpAddress): 'v4' | 'v6' {
  return ip.includes(':') ? 'v6' : 'v4';
}

function blockOf(ip: IpAddress): { readonly block: string; readonly isPrivate: boolean } {
  const bytes = bytesOf(ip);
  if (familyOf(ip) === 'v6') {
    // Unique local addresses (fc00::/7) and link-local ones: one block each for all of them.
    const isPrivate = ((bytes[0] ?? 0) & 0xfe) === 0xfc || (bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80);
    return { block: isPrivate ? `v6/${(bytes[0] ?? 0) & 0xfe}` : `v6/${prefix(bytes, V6_BITS)}`, isPrivate };
  }
  const known = PRIVATE.find(([first, bits]) => prefix(bytes, bits) === prefix(first, bits));
  if (known !== undefined) return { block: `v4/${prefix(bytes, known[1])}/${known[1]}`, isPrivate: true };
  return { block: `v4/${prefix(bytes, PUBLIC_BITS)}`, isPrivate: false };
}

function prefix(bytes: ArrayLike<number>, bits: number): string {
  const whole = Array.from({ length: bits >> 3 }, (_, i) => bytes[i] ?? 0);
  const rest = bits & 7;
  if (rest > 0) whole.push((bytes[bits >> 3] ?? 0) >> (8 - rest));
  return whole.join('.');
}

function bytesOf(ip: IpAddress): ArrayLike<number> {
  return ip.includes(':') ? ipBytes(ip) : ip.split('.').map(Number);
}

/** The /24 of a private IPv4 address. Else the address alone: a log may hold a million others of the internet. */
function neighbourhoodOf(ip: IpAddress): readonly IpAddress[] {
  if (ip.includes(':') || !blockOf(ip).isPrivate) return [ip];
  const network = ip.slice(0, ip.lastIndexOf('.'));
  return Array.from({ length: 256 }, (_, i) => `${network}.${i}` as IpAddress);
}
