// Many questions about the same addresses: an address that is asked for again within a week gets all its sealed tenures
// of that week read once and kept. Files never change, so what is kept is right until the list of files changes; what
// the head has of an address is kept until the head changes. Questions that come once cost what they cost alone.
import type { IpAddress } from '../../model/ip-address.ts';
import type { Tenure } from '../../model/records.ts';
import { sortedBy, tenurePlace } from '../order.ts';
import type { ClusterEntry } from './head/head.ts';
import { WEEK_MS, weekOf, weekStart } from './week/week.ts';

/** Asked for this often within a week, an address is worth all its tenures of that week. */
const WORTH_KEEPING = 3;
const MOST_TENURES = 100_000;
/** Addresses that were asked for too seldom to be kept. */
const MOST_COUNTED = 200_000;

export interface TimelineSource {
  /** Sealed tenures of the address that touch [from, to), whatever the head says of them; no more once there are enough. */
  sealed(
    cluster: ClusterEntry,
    ip: IpAddress,
    from: number,
    to: number,
    isEnough?: (found: readonly Tenure[]) => boolean,
  ): Tenure[];
  head(cluster: ClusterEntry, ip: IpAddress): Tenure[];
}

interface AskedWeek {
  readonly kept: Map<IpAddress, readonly Tenure[]>;
  /** How often an address was asked for that is not kept. */
  readonly asked: Map<IpAddress, number>;
}

export class Timelines {
  readonly #source: TimelineSource;
  /** By cluster and week. */
  readonly #weeks = new Map<string, AskedWeek>();
  readonly #heads = new Map<IpAddress, Tenure[]>();
  #layout = -1;
  #version = '';
  #tenures = 0;
  /** Addresses that were asked for, and are not kept. */
  #counted = 0;

  constructor(source: TimelineSource) {
    this.#source = source;
  }

  /** For one transaction; `layout` and `content` tell what of the store is as it was in the last. */
  asker(cluster: ClusterEntry, layout: number, content: string): (ip: IpAddress, at: number) => Tenure[] {
    if (layout !== this.#layout) this.#clear();
    this.#layout = layout;
    const version = `${cluster.number} ${content}`;
    if (version !== this.#version || this.#heads.size > MOST_COUNTED) this.#heads.clear();
    this.#version = version;
    return (ip, at) => {
      let head = this.#heads.get(ip);
      if (head === undefined) this.#heads.set(ip, (head = this.#source.head(cluster, ip)));
      const found: Tenure[] = [];
      for (const tenure of head) if (holdsAt(tenure, at)) found.push(tenure);
      for (const tenure of this.#sealed(cluster, ip, at)) {
        if (holdsAt(tenure, at) && !isAmong(head, tenure)) found.push(tenure);
      }
      return found.length > 1 ? sortedBy(found, tenurePlace) : found;
    };
  }

  /**
   * Tenures that touch [from, to), oldest first, read again: whoever asks for spans keeps them. Of an address that has
   * more than `most`, some may be left out, never so many that they are not more than `most`.
   */
  spanAsker(
    cluster: ClusterEntry,
    most: number,
    isKept: (tenure: Tenure) => boolean,
  ): (ip: IpAddress, from: number, to: number) => Tenure[] {
    return (ip, from, to) => {
      const head = this.#source.head(cluster, ip);
      const ofHead = head.filter(
        (tenure) =>
          tenure.start.notBefore < to && (tenure.end === undefined || tenure.end.notAfter > from) && isKept(tenure),
      );
      const isOurs = (tenure: Tenure) => isKept(tenure) && !isAmong(head, tenure);
      const isEnough = (sealed: readonly Tenure[]) =>
        ofHead.length + sealed.length > most && ofHead.length + sealed.filter(isOurs).length > most;
      const sealed = this.#source.sealed(cluster, ip, from, to, isEnough).filter(isOurs);
      const found = ofHead.length === 0 ? sealed : [...ofHead, ...sealed];
      return found.length > 1 ? sortedBy(found, tenurePlace) : found;
    };
  }

  #sealed(cluster: ClusterEntry, ip: IpAddress, at: number): readonly Tenure[] {
    if (cluster.weeks.length === 0) return [];
    const week = weekOf(at);
    const { kept, asked } = this.#weekOf(cluster, week);
    const known = kept.get(ip);
    if (known !== undefined) return known;
    const times = (asked.get(ip) ?? 0) + 1;
    if (times < WORTH_KEEPING) {
      if (times === 1 && ++this.#counted > MOST_COUNTED) this.#forgetCounts();
      asked.set(ip, times);
      return this.#source.sealed(cluster, ip, at, at + 1);
    }
    const start = weekStart(week);
    const tenures = this.#source.sealed(cluster, ip, start, start + WEEK_MS);
    if (this.#tenures + tenures.length > MOST_TENURES) this.#clear();
    else if (asked.delete(ip)) this.#counted--;
    this.#tenures += tenures.length;
    this.#weekOf(cluster, week).kept.set(ip, tenures);
    return tenures;
  }

  #weekOf({ number }: ClusterEntry, week: number): AskedWeek {
    const key = `${number} ${week}`;
    let found = this.#weeks.get(key);
    if (found === undefined) this.#weeks.set(key, (found = { kept: new Map(), asked: new Map() }));
    return found;
  }

  #forgetCounts(): void {
    for (const { asked } of this.#weeks.values()) asked.clear();
    this.#counted = 1;
  }

  #clear(): void {
    this.#weeks.clear();
    this.#counted = 0;
    this.#tenures = 0;
  }
}

function holdsAt({ start, end }: Tenure, at: number): boolean {
  return start.notBefore <= at && (end === undefined || end.notAfter > at);
}

/** The head's version of a tenure wins, also where it does not hold. */
function isAmong(head: readonly Tenure[], { holder, start }: Tenure): boolean {
  for (const other of head) {
    if (
      other.holder.uid === holder.uid &&
      other.start.epoch === start.epoch &&
      other.start.resourceVersion === start.resourceVersion
    ) {
      return true;
    }
  }
  return false;
}
