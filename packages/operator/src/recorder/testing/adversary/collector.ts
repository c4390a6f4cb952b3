// A recorder of a made world: the real informer, delta log, observer and engine, with a network in front that is late,
// stalls, breaks, forgets and lies by omission, and a process that dies. Only the network and the clock are made up.
import {
  type Checkpoint,
  type Engine,
  epochMillis,
  type Observation,
  Observer,
  type StoredFact,
  type Writer,
} from '@podtrail/history';
import type { Cacheable, Clock } from '@podtrail/machinery';
import { feed } from '@podtrail/machinery/testing';
import type { Chance } from './chance.ts';
import { type Frame, Line } from './line.ts';
import type { Kind, World, WorldObject } from './made-shapes.ts';

export type Fault =
  /** Frames come late, all at once, and nobody notices. */
  | 'stall'
  /** The connection breaks, and is taken up where it was. */
  | 'break'
  /** The connection breaks, and what happened since cannot be had: a listing. */
  | 'expire'
  | 'crash'
  /** One word of an end never comes; a comparison finds it later. */
  | 'lose'
  /** As `expire`, and the listing lacks somebody who is there; a comparison finds it later. */
  | 'hide'
  /** A comparison in the middle of everything. */
  | 'compare'
  /** The recorder is started again, for some namespaces or for all. */
  | 'rescope';

export const CLUSTER = { id: 'world', name: 'world' };

interface Pending {
  readonly facts: StoredFact[];
  readonly checkpoint: Checkpoint | undefined;
  readonly due: number;
}

interface Comparison {
  readonly at: number;
  readonly line: Line;
  /** Keys with `!` were touched by the watch since. */
  readonly listed: Map<string, WorldObject>;
  version: number;
}

export interface CollectorOptions {
  readonly world: World;
  readonly engine: Engine;
  readonly chance: Chance;
  readonly faults: readonly Fault[];
  readonly howMany: number;
  /** Called now and then, when everything is stored. */
  readonly look?: (now: number) => Promise<void>;
}

export class Collector {
  readonly #o: CollectorOptions;
  readonly #clock: Clock;
  #now: number;
  #lines: Line[] = [];
  #observer: Observer | undefined;
  #writer: Writer | undefined;
  #podVersion: string | undefined;
  #namespaces: readonly string[] | undefined;
  #pending: Pending[] = [];
  #nextBeat = 0;
  #nextProbe = 0;
  #probe: { version: number; sent: number; due: number } | undefined;
  #deadUntil = 0;
  #next: { at: number; what: Fault }[] = [];
  #comparisons: Comparison[] = [];
  /** When a live answer may be wrong because an event was lost or hidden on purpose. */
  uncertain = false;
  readonly story: string[] = [];

  constructor(options: CollectorOptions) {
    this.#o = options;
    this.#now = options.world.from + options.chance.int(200, 3000);
    this.#clock = {
      now: () => this.#now,
      monotonic: () => this.#now,
      setTimer: () => ({ cancel: () => undefined }),
    };
    const span = options.world.to - options.world.from;
    for (let i = 0; i < options.howMany; i++) {
      const at = options.world.from + options.chance.int(4000, Math.floor(span * 0.9));
      this.#next.push({ at, what: options.chance.one(options.faults) });
    }
    this.#next.sort((a, b) => a.at - b.at);
  }

  async run(): Promise<void> {
    const { world, chance, look } = this.#o;
    await this.#start();
    const end = world.to + 90_000;
    let nextLook = this.#now + chance.int(3000, 12_000);
    while (this.#now < end) {
      await this.#tick();
      if (look !== undefined && this.#now >= nextLook && this.#deadUntil === 0) {
        nextLook = this.#now + chance.int(3000, 12_000);
        await this.#store(true);
        await look(this.#now);
      }
      this.#now += chance.int(20, 250);
    }
    await this.#store(true);
  }

  get now(): number {
    return this.#now;
  }

  #note(text: string): void {
    this.story.push(`${((this.#now - this.#o.world.from) / 1000).toFixed(3)} recorder: ${text}`);
  }

  async #start(): Promise<void> {
    const { engine } = this.#o;
    this.#writer = await engine.takeOver(CLUSTER);
    const { state, checkpoint: stored } = await engine.resume(CLUSTER.id);
    const goesOn = state.coverage === undefined || state.coverage.scope.kind === 'cluster';
    const checkpoint = goesOn ? stored : undefined;
    const scope =
      this.#namespaces === undefined
        ? { kind: 'cluster' as const }
        : { kind: 'namespaces' as const, namespaces: this.#namespaces };
    const alsoFollows = ['Service', 'Node'] as const;
    this.#observer = new Observer({ collector: 'adversary', scope, alsoFollows, resume: state, checkpoint });
    if (state.coverage !== undefined && state.coverage.to > this.#now) this.#now = state.coverage.to;
    this.#lines = [];
    this.#pending = [];
    this.#probe = undefined;
    this.#comparisons = [];
    if (this.#namespaces === undefined) {
      this.#podVersion = checkpoint?.resourceVersion;
      const from = (kind: Kind) => checkpoint?.others?.find((other) => other.kind === kind)?.resourceVersion;
      this.#open('Pod', undefined, checkpoint?.resourceVersion);
      this.#open('Service', undefined, from('Service'));
      this.#open('Node', undefined, from('Node'));
      return;
    }
    this.#podVersion = undefined;
    for (const namespace of this.#namespaces) {
      this.#open('Pod', namespace, undefined);
      this.#open('Service', namespace, undefined);
    }
  }

  #open(kind: Kind, namespace: string | undefined, startFrom: string | undefined): void {
    const { chance } = this.#o;
    const line = new Line(kind, namespace, startFrom, this.#clock);
    this.#lines.push(line);
    const checkpoints = kind === 'Pod' && namespace === undefined;
    line.informer.addHandler({
      marks: true,
      attempts: Number.POSITIVE_INFINITY,
      onDelta: (delta) => {
        const { observations, resourceVersion } = line.log.translate(delta, epochMillis(this.#now));
        if (checkpoints) this.#podVersion = resourceVersion ?? this.#podVersion;
        this.#record(observations);
      },
    });
    this.#list(line, 'start', startFrom, false);
    if (startFrom !== undefined) {
      const to = line.version;
      const expires = chance.is(0.3) ? this.#now + chance.int(0, 3000) : Number.POSITIVE_INFINITY;
      line.catchUp = { from: Number(startFrom), to, position: Number(startFrom), expiresAt: expires };
      line.frames = [];
      line.made = Number(startFrom);
    }
  }

  #latest(at: number): number {
    return this.#o.world.writes.findLast((write) => write.at <= at)?.version ?? 1000;
  }

  #objectsAt(version: number, line: Line): Map<string, WorldObject> {
    const found = new Map<string, WorldObject>();
    for (const write of this.#o.world.writes) {
      if (write.version > version) break;
      if (!line.concerns(write)) continue;
      if (write.type === 'DELETED') found.delete(write.key);
      else found.set(write.key, write.object);
    }
    return found;
  }

  #list(line: Line, reason: 'start' | 'expired', startFrom: string | undefined, hides: boolean): void {
    const { chance } = this.#o;
    const lag = chance.is(0.5) ? 0 : chance.int(0, 400);
    const version = Math.max(this.#latest(this.#now - lag), line.version);
    const objects = this.#objectsAt(version, line);
    if (line.catchUp !== undefined) {
      feed(line.informer).caughtUp('expired', String(line.catchUp.from), String(line.catchUp.to));
      line.catchUp = undefined;
    }
    const incoming = feed(line.informer).beginReplace(false);
    const hidden = hides && objects.size > 0 ? chance.one([...objects.keys()]) : undefined;
    for (const [key, object] of objects) if (key !== hidden) incoming.add(object as unknown as Cacheable);
    if (hidden !== undefined) this.#note(`the listing of ${line.kind} lacks ${hidden}`);
    const before = line.version === 0 ? startFrom : String(line.version);
    this.#note(`lists ${line.kind} ${line.namespace ?? ''} (${reason}) at ${version}`);
    incoming.commit({
      ...{ reason, resourceVersion: String(version), previousVersion: before },
      ...{ from: line.receivedAt, to: this.#now },
    });
    line.receivedAt = this.#now;
    line.version = version;
    line.made = version;
    line.frames = [];
    line.currentFrom = this.#now + 1000;
    line.nextBookmark = this.#now + chance.int(5000, 60_000);
  }

  #record(observations: readonly Observation[]): void {
    const observer = this.#observer as Observer;
    const facts = observations.flatMap((observation) => observer.observe(observation));
    const others = observer.otherPositions;
    const checkpoint: Checkpoint | undefined =
      this.#podVersion === undefined
        ? undefined
        : {
            ...{ epoch: observer.epoch, resourceVersion: this.#podVersion, at: epochMillis(this.#now) },
            ...(others.length === 0 ? {} : { others }),
          };
    if (facts.length === 0 && checkpoint === undefined) return;
    this.#pending.push({ facts, checkpoint, due: this.#now + this.#o.chance.int(0, 600) });
  }

  async #store(all: boolean): Promise<void> {
    while (this.#pending[0] !== undefined && (all || this.#pending[0].due <= this.#now)) {
      const { facts, checkpoint } = this.#pending.shift() as Pending;
      await this.#writer?.append({ facts, checkpoint });
    }
  }

  async #tick(): Promise<void> {
    if (this.#deadUntil > this.#now) return;
    if (this.#deadUntil > 0) {
      this.#deadUntil = 0;
      this.#note(`starts again${this.#namespaces === undefined ? '' : ` for ${this.#namespaces}`}`);
      await this.#start();
    }
    for (const line of this.#lines) this.#move(line);
    for (const comparison of [...this.#comparisons]) this.#compare(comparison);
    this.#beat();
    await this.#store(false);
    const due = this.#next[0];
    if (due !== undefined && due.at <= this.#now) {
      this.#next.shift();
      this.#suffer(due.what);
    }
  }

  #beat(): void {
    const { chance } = this.#o;
    if (this.#now >= this.#nextBeat) {
      this.#nextBeat = this.#now + 500;
      const isCurrent = this.#lines.every(
        (line) => line.currentFrom <= this.#now && line.catchUp === undefined && !line.log.catchingUp,
      );
      if (isCurrent) this.#record([{ kind: 'alive', at: epochMillis(this.#now) }]);
    }
    if (this.#probe !== undefined && this.#probe.due <= this.#now) {
      const at = epochMillis(this.#probe.sent);
      this.#record([{ kind: 'probed', resourceVersion: String(this.#probe.version), at }]);
      this.#probe = undefined;
    }
    if (this.#now >= this.#nextProbe && this.#probe === undefined) {
      this.#nextProbe = this.#now + 2000;
      const answered = this.#now + chance.int(1, 400);
      this.#probe = { version: this.#latest(chance.int(this.#now, answered)), sent: this.#now, due: answered };
    }
  }

  /** Makes frames of what happened, and delivers those that are due. */
  #move(line: Line): void {
    const { world, chance } = this.#o;
    if (line.brokenUntil > this.#now) return;
    if (line.brokenUntil > 0) {
      line.brokenUntil = 0;
      if (line.afterwards === 'go-on') line.currentFrom = this.#now + 1000;
      else {
        this.#list(line, 'expired', undefined, line.afterwards === 'list-hiding');
        if (line.afterwards === 'list-hiding') this.#beginComparison(line, chance.int(3000, 60_000));
        line.afterwards = 'go-on';
      }
    }
    for (const write of world.writes) {
      if (write.version <= line.made) continue;
      if (write.at > this.#now) break;
      line.made = write.version;
      if (!line.concerns(write)) continue;
      const isEnd = write.type === 'DELETED';
      if (line.loses && isEnd) {
        line.loses = false;
        this.#note(`never hears of ${write.kind} ${write.key} being deleted`);
        this.#beginComparison(line, chance.int(3000, 60_000));
        continue;
      }
      line.frames.push({ due: write.at + chance.int(3, 300), write, version: write.version });
    }
    if (this.#now >= line.nextBookmark) {
      line.nextBookmark = this.#now + chance.int(5000, 60_000);
      const version = Math.max(line.made, line.version);
      line.frames.push({ due: this.#now, write: undefined, version });
    }
    if (line.stalledUntil > this.#now) return;
    const { catchUp } = line;
    if (catchUp !== undefined && catchUp.expiresAt <= this.#now) {
      // Half of the time the server refuses, half of the time the stream breaks and a listing takes its place.
      line.catchUp = undefined;
      this.#note(`cannot catch up with ${line.kind}`);
      if (chance.is(0.5)) line.catchUp = catchUp;
      else feed(line.informer).caughtUp('expired', String(catchUp.from), String(catchUp.to));
      if (line.catchUp !== undefined) this.#list(line, 'expired', undefined, false);
      line.made = line.version;
      line.frames = [];
      line.currentFrom = this.#now + 1000;
      return;
    }
    let last = 0;
    while (line.frames[0] !== undefined && Math.max(line.frames[0].due, last) <= this.#now) {
      const frame = line.frames.shift() as Frame;
      last = frame.due;
      this.#deliver(line, frame);
    }
  }

  #deliver(line: Line, { write, version }: Frame): void {
    const { informer } = line;
    const { catchUp } = line;
    if (catchUp !== undefined && version <= catchUp.to && write !== undefined) {
      if (version > catchUp.position) feed(informer).replay(write.type, write.object as unknown as Cacheable);
      catchUp.position = Math.max(version, catchUp.position);
      line.receivedAt = this.#now;
      return;
    }
    if (catchUp !== undefined) {
      if (version < catchUp.to) return;
      line.catchUp = undefined;
      feed(informer).caughtUp('complete', String(catchUp.from), String(catchUp.to));
    }
    line.receivedAt = this.#now;
    if (write === undefined) {
      if (version < line.version) return;
      line.version = version;
      feed(informer).progress(String(version));
      return;
    }
    if (version <= line.version) return;
    feed(informer).onEvent(write.type, write.object as unknown as Cacheable);
    line.version = version;
    for (const comparison of this.#comparisons) if (comparison.line === line) comparison.listed.delete(write.key);
    for (const comparison of this.#comparisons)
      if (comparison.line === line) comparison.listed.set(`!${write.key}`, write.object);
  }

  #beginComparison(line: Line, inMs: number): void {
    this.uncertain = true;
    this.#comparisons.push({ at: this.#now + inMs, line, listed: new Map(), version: 0 });
  }

  /** As the consistency check does: a listing, wait until the watch is there, then every difference is looked at. */
  #compare(comparison: Comparison): void {
    const { line } = comparison;
    if (comparison.at > this.#now) {
      comparison.listed.clear();
      return;
    }
    if (line.brokenUntil > 0 || line.catchUp !== undefined) return;
    if (comparison.version === 0) {
      comparison.version = this.#latest(this.#now);
      comparison.listed.clear();
      for (const [key, object] of this.#objectsAt(comparison.version, line)) comparison.listed.set(key, object);
    }
    if (line.version < comparison.version) {
      // The next bookmark tells.
      line.nextBookmark = Math.min(line.nextBookmark, this.#now + 500);
      return;
    }
    this.#comparisons.splice(this.#comparisons.indexOf(comparison), 1);
    const touched = (key: string) => comparison.listed.has(`!${key}`);
    const suspects = new Set<string>();
    for (const [key, object] of feed(line.informer).held()) {
      const listed = comparison.listed.get(key);
      const isSame =
        listed?.metadata.uid === object.metadata.uid &&
        listed?.metadata.resourceVersion === object.metadata.resourceVersion;
      if (!isSame && !touched(key)) suspects.add(key);
    }
    const held = new Set([...feed(line.informer).held()].map(([key]) => key));
    for (const key of comparison.listed.keys())
      if (!key.startsWith('!') && !held.has(key) && !touched(key)) suspects.add(key);
    const truth = this.#objectsAt(this.#latest(this.#now), line);
    for (const key of suspects) {
      this.#note(`corrects ${line.kind} ${key}`);
      feed(line.informer).correct(key, truth.get(key) as unknown as Cacheable | undefined);
    }
  }

  #suffer(what: Fault): void {
    const { chance } = this.#o;
    const line = chance.one(this.#lines);
    if (line.brokenUntil > 0) return;
    const seconds = chance.is(0.5) ? chance.int(100, 4000) : chance.int(1000, 60_000);
    this.#note(`${what} of ${line.kind} ${line.namespace ?? ''} for ${seconds} ms`);
    switch (what) {
      case 'stall':
        line.stalledUntil = this.#now + seconds;
        return;
      case 'break':
      case 'expire':
      case 'hide':
        if (line.catchUp !== undefined) return;
        line.brokenUntil = this.#now + seconds;
        line.afterwards = what === 'break' ? 'go-on' : what === 'expire' ? 'list' : 'list-hiding';
        // Half of the time nobody notices for a while.
        if (chance.is(0.5)) line.currentFrom = Number.POSITIVE_INFINITY;
        // What had been on its way is lost with the connection.
        line.made = line.version;
        line.frames = [];
        return;
      case 'crash':
        this.#deadUntil = this.#now + seconds;
        return;
      case 'rescope':
        this.#namespaces = this.#namespaces === undefined ? [chance.one(['shop', 'jobs'])] : undefined;
        this.#deadUntil = this.#now + seconds;
        return;
      case 'lose':
        line.loses = true;
        return;
      case 'compare':
        this.#beginComparison(line, chance.int(0, 2000));
        return;
    }
  }
}
