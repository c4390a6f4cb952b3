// How a recorder sees a simulated cluster: a listing, then a stream that is late, stalls, repeats itself, breaks and is
// taken up again, expires, rewinds; and a recorder that dies and goes on from what was stored. Yields the observation
// log in appends, one list for each life of the recorder. Uses only the shapes of what is observed.
import type { EpochMillis } from '../model/time.ts';
import type { Observation, Observed } from '../observe/observation.ts';
import { SeededNumbers } from './seeded-numbers.ts';
import type { SimulatedCluster, Write } from './simulated-cluster.ts';

export interface Fault {
  readonly kind: /** Frames stop and come late, all at once; the recorder believes that the watch is open. */
    | 'stall'
    /** The connection breaks and is taken up again where it was. */
    | 'reconnect'
    /** The connection breaks, and the events since are gone. */
    | 'expire'
    /** The recorder dies and catches up from its checkpoint. */
    | 'crash'
    /** The recorder dies, and the events since are gone. */
    | 'crash-expired'
    /** Versions start over: etcd was restored. */
    | 'rewind';
  readonly atSecond: number;
  readonly seconds: number;
}

export interface WatchPlan {
  readonly seed: number;
  readonly faults: readonly Fault[];
  /** Ask the server for its version this often; 0 is never. */
  readonly probeMs: number;
  /** Repeat every so-manieth event; 0 is never. */
  readonly repeatEvery: number;
}

/** One life of a recorder. */
export interface RecorderLife {
  /** Each is stored as a whole or not at all. */
  readonly appends: readonly (readonly Observation[])[];
  /** So many appends at the end never became durable. */
  readonly lost: number;
}

export interface SimulatedWatch {
  readonly lives: readonly RecorderLife[];
  /** When nothing was delivered to it, or not in time: [from, to] in true time. */
  readonly blind: readonly { readonly from: number; readonly to: number; readonly kind: Fault['kind'] }[];
}

export function simulateWatch(cluster: SimulatedCluster, plan: WatchPlan): SimulatedWatch {
  return new Watching(cluster, plan).run();
}

type Reason = Extract<Observation, { kind: 'listed' }>['reason'];

/** The listing begins this long after the cluster does. */
const FIRST_LISTING_MS = 2000;
const HEARTBEAT_MS = 1000;
const BOOKMARK_MS = 10_000;

class Watching {
  readonly #cluster: SimulatedCluster;
  readonly #plan: WatchPlan;
  readonly #chance: SeededNumbers;
  readonly #lives: RecorderLife[] = [];
  readonly #blind: { from: number; to: number; kind: Fault['kind'] }[] = [];
  #appends: Observation[][] = [];
  #now: number;
  /** Writes that have been delivered or stand behind a listing. */
  #delivered = 0;
  /** What the recorder's cache holds, to give a listing by its differences. */
  #known = new Map<string, string>();
  /** Of the durable appends, how many writes they cover: by the number of appends. */
  #durable: number[] = [];
  /** After a rewind versions are counted from the start. */
  #rebased: { readonly after: number; readonly by: number } | undefined;
  #sinceRepeat = 0;

  constructor(cluster: SimulatedCluster, plan: WatchPlan) {
    this.#cluster = cluster;
    this.#plan = plan;
    this.#chance = new SeededNumbers(plan.seed);
    this.#now = cluster.from + FIRST_LISTING_MS;
  }

  run(): SimulatedWatch {
    this.#list('start', true);
    for (const { kind, atSecond, seconds } of [...this.#plan.faults].sort((a, b) => a.atSecond - b.atSecond)) {
      const from = this.#cluster.from + atSecond * 1000;
      // One at a time: a fault that would begin within another, or after the end, is left out.
      if (from <= this.#now || from >= this.#cluster.to) continue;
      const to = Math.min(from + seconds * 1000, this.#cluster.to - 1000);
      this.#watchUntil(from);
      if (to > this.#now) this.#suffer(kind, to);
    }
    this.#watchUntil(this.#cluster.to);
    this.#lives.push({ appends: this.#appends, lost: 0 });
    return { lives: this.#lives, blind: this.#blind };
  }

  #suffer(kind: Fault['kind'], to: number): void {
    const from = this.#now;
    this.#blind.push({ from, to, kind });
    switch (kind) {
      case 'stall':
        this.#quietUntil(to, true);
        return;
      case 'reconnect':
        this.#quietUntil(to, false);
        return;
      case 'expire':
        // Half of the time the recorder believes for a while that the stream is only quiet.
        this.#quietUntil(to, this.#chance.chance(0.5));
        this.#list('expired', this.#chance.chance(0.5), this.#chance.chance(0.5) ? from : undefined);
        return;
      case 'rewind':
        this.#quietUntil(to, false);
        this.#rewind();
        this.#list('rewound', true);
        return;
      case 'crash':
      case 'crash-expired':
        this.#now = to;
        this.#goOn(this.#crash(), kind === 'crash');
    }
  }

  /** Frames arrive as they should. */
  #watchUntil(to: number): void {
    let beat = this.#now + HEARTBEAT_MS;
    let mark = this.#now + BOOKMARK_MS;
    let probe = this.#plan.probeMs > 0 ? this.#now + this.#plan.probeMs : Number.POSITIVE_INFINITY;
    for (;;) {
      const write = this.#cluster.writes[this.#delivered];
      const arrival = write === undefined ? Number.POSITIVE_INFINITY : Math.max(this.#now, write.at + this.#delay());
      const next = Math.min(arrival, beat, mark, probe);
      if (next >= to) break;
      this.#now = Math.max(this.#now, next);
      if (next === probe) {
        this.#probe();
        probe += this.#plan.probeMs;
      } else if (next === beat) {
        this.#observe({ kind: 'alive', at: this.#at() });
        beat += HEARTBEAT_MS;
      } else if (next === mark) {
        this.#progress();
        mark += BOOKMARK_MS;
      } else if (write !== undefined) this.#event(write);
    }
    this.#now = Math.max(this.#now, to);
  }

  /** Nothing arrives; with `believed`, the recorder goes on saying that the watch is open. Then the frames come, if any. */
  #quietUntil(to: number, believed: boolean): void {
    const asks = believed && this.#plan.probeMs > 0 && this.#chance.chance(0.5);
    let beat = this.#now + HEARTBEAT_MS;
    while (beat < to) {
      this.#now = beat;
      if (believed) this.#observe({ kind: 'alive', at: this.#at() });
      if (asks) this.#probe();
      beat += HEARTBEAT_MS;
    }
    this.#now = to;
  }

  #catchUp(): void {
    this.#listOthers();
    for (;;) {
      const write = this.#cluster.writes[this.#delivered];
      if (write === undefined || write.at > this.#now) break;
      if (this.#chance.chance(0.2)) this.#now += this.#chance.between(0, 30);
      this.#event(write);
    }
    this.#progress();
  }

  #event(write: Write): void {
    this.#delivered++;
    const seen = this.#renumbered(write);
    this.#remember(write, seen);
    const observation: Observation = { kind: 'event', type: write.type, seen, at: this.#at() };
    this.#observe(observation);
    if (this.#plan.repeatEvery > 0 && ++this.#sinceRepeat % this.#plan.repeatEvery === 0) {
      this.#observe({ ...observation, at: this.#at() });
    }
  }

  /** What the cluster holds now takes the place of the events. */
  #list(reason: Reason, whole: boolean, since?: number): void {
    const isRewound = reason === 'rewound';
    const state = this.#state();
    const pods = state.filter((seen) => seen.kind === 'Pod');
    const uids = new Set(pods.map((seen) => seen.object.metadata.uid));
    const isNews = ({ object: { metadata } }: Observed) => this.#known.get(metadata.uid) !== metadata.resourceVersion;
    const present = whole ? pods : pods.filter(isNews);
    const goneUids = whole ? [] : [...this.#known.keys()].filter((uid) => !uids.has(uid));
    const at = this.#at();
    const listing = { kind: 'listed', resource: 'Pod', reason, whole, present, goneUids, at } as const;
    const resourceVersion = this.#serverVersion();
    this.#known = new Map(pods.map(({ object: { metadata } }) => [metadata.uid, metadata.resourceVersion]));
    this.#delivered = this.#cluster.writes.filter((write) => write.at <= this.#now).length;
    this.#observe({ ...listing, resourceVersion, ...(since === undefined ? {} : { since: since as EpochMillis }) });
    this.#listOthers(isRewound ? reason : 'start');
  }

  /** Nodes and services have no checkpoint of their own: every recorder begins with a listing. */
  #listOthers(reason: 'start' | 'rewound' = 'start'): void {
    const state = this.#state();
    for (const resource of ['Node', 'Service'] as const) {
      const present = state.filter((seen) => seen.kind === resource);
      const rest = { resourceVersion: this.#serverVersion(), whole: true, present, goneUids: [], at: this.#at() };
      this.#observe({ kind: 'listed', resource, reason, ...rest });
    }
  }

  /** A bookmark comes in its place in the stream: never before an event that is still on its way. */
  #progress(): void {
    const next = this.#cluster.writes[this.#delivered];
    const isBehind = next !== undefined && next.at <= this.#now;
    const resourceVersion = isBehind ? String(next.version - 1 - (this.#rebased?.by ?? 0)) : this.#serverVersion();
    this.#observe({ kind: 'progress', resource: 'Pod', resourceVersion, at: this.#at() });
  }

  #probe(): void {
    this.#observe({ kind: 'probed', resourceVersion: this.#serverVersion(), at: this.#at() });
  }

  /** Why the listing was made that did not become durable, if there is one. */
  #crash(): Reason | undefined {
    const lost = this.#chance.between(0, Math.min(5, this.#appends.length - 1));
    const durable = this.#appends.length - lost;
    this.#lives.push({ appends: this.#appends, lost });
    this.#delivered = this.#durable[durable - 1] ?? 0;
    // What was never stored at all is no history: in the first life the listings of nodes and services count, too.
    const isFirst = this.#lives.length === 1;
    const reasons = this.#appends
      .slice(durable)
      .flat()
      .flatMap((seen) => (seen.kind === 'listed' && (isFirst || seen.resource === 'Pod') ? [seen.reason] : []));
    this.#appends = [];
    this.#durable = [];
    return reasons.find((reason) => reason === 'rewound') ?? reasons[0];
  }

  #goOn(lostListing: Reason | undefined, catchesUp: boolean): void {
    if (lostListing !== undefined) this.#list(lostListing, true);
    else if (catchesUp) this.#catchUp();
    else this.#list('expired', true);
  }

  /** Versions go back, objects stay. */
  #rewind(): void {
    const count = this.#cluster.writes.filter((write) => write.at <= this.#now).length;
    const version = this.#cluster.writes[count - 1]?.version ?? 0;
    this.#rebased = { after: count, by: Math.min(50, version - 1) };
  }

  /** All objects, as the API shows them now. */
  #state(): Observed[] {
    const objects = new Map<string, Observed>();
    for (const write of this.#cluster.writes) {
      if (write.at > this.#now) break;
      const { uid } = write.seen.object.metadata;
      if (write.type === 'deleted') objects.delete(uid);
      else objects.set(uid, this.#renumbered(write));
    }
    return [...objects.values()];
  }

  #serverVersion(): string {
    let last = 0;
    for (const write of this.#cluster.writes) {
      if (write.at > this.#now) break;
      last = write.version;
    }
    return String(last - (this.#rebased?.by ?? 0));
  }

  #renumbered({ seen, version }: Write): Observed {
    if (this.#rebased === undefined) return seen;
    const resourceVersion = String(version - this.#rebased.by);
    const metadata = { ...seen.object.metadata, resourceVersion };
    return { ...seen, object: { ...seen.object, metadata } } as Observed;
  }

  #remember({ type }: Write, { kind, object: { metadata } }: Observed): void {
    if (kind !== 'Pod') return;
    if (type === 'deleted') this.#known.delete(metadata.uid);
    else this.#known.set(metadata.uid, metadata.resourceVersion);
  }

  #observe(observation: Observation): void {
    const last = this.#appends.at(-1);
    if (last !== undefined && last.length < 3 && this.#chance.chance(0.3)) last.push(observation);
    else this.#appends.push([observation]);
    this.#durable[this.#appends.length - 1] = this.#delivered;
  }

  #delay(): number {
    return this.#chance.between(1, 40);
  }

  #at(): EpochMillis {
    return this.#now as EpochMillis;
  }
}
