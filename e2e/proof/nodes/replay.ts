// Plays the watch of a run into a ledger, as a recorder would have observed it: with the same arrivals, the same heartbeats,
// Leases where it would have read them, and dead while the recorder of the run was dead. So the same run can be judged
// again after the ledger has changed.
import {
  type Batch,
  CauseObserver,
  type Checkpoint,
  type Engine,
  epochMillis,
  type Observation,
  type Observed,
  Observer,
  type StoredFact,
} from '@podtrail/history';
import { nodeCodec, type ObjectCodec, podCodec, serviceCodec } from '@podtrail/machinery';
import { eventEvidence } from './event-evidence.ts';
import { LeaseReadings } from './lease-readings.ts';
import type { OutageLine, WatchLine } from './run-folder.ts';
import { readAll, readLines, readRun } from './run-folder.ts';

const HEARTBEAT_MS = 500;
const APPEND_FACTS = 2_000;

const CODECS = { Pod: podCodec, Node: nodeCodec, Service: serviceCodec } as const;
type Recorded = keyof typeof CODECS;

/** Resolves with the cluster's id when everything is in the engine. `causes` false: without the traces of causes. */
export async function replay(directory: string, engine: Engine, causes = true): Promise<string> {
  const { cluster } = await readRun(directory);
  const outages = await readAll<OutageLine>(directory, 'outages');
  const life = new RecorderLife(engine, cluster, causes);
  await life.begin();
  let held: Delivered[] = [];
  let down: OutageLine | undefined;
  let last = 0;
  for await (const line of readLines<WatchLine>(directory, 'watch')) {
    last = line.at;
    if (line.kind === 'Event') {
      if (down === undefined) await life.event(line);
      continue;
    }
    if (down !== undefined && line.at >= down.to) {
      await life.resume(held, down.to);
      held = [];
      down = undefined;
    }
    const before = down;
    down ??= outages.find(({ from, to: until }) => from <= line.at && line.at < until);
    if (before === undefined && down !== undefined) await life.die(down.from);
    if (line.kind === 'Lease') await life.lease(line, down !== undefined);
    else if (down === undefined) await life.deliver(line);
    else if ('object' in line) held.push(line);
  }
  if (down !== undefined) await life.resume(held, down.to);
  await life.end(last);
  return cluster;
}

type Delivered = Extract<WatchLine, { object: unknown }>;

/** One recorder after the other on the same store. */
class RecorderLife {
  readonly #engine: Engine;
  readonly #cluster: string;
  readonly #recordsCauses: boolean;
  #observer!: Observer;
  #causes: CauseObserver | undefined;
  #append!: (batch: Batch) => Promise<void>;
  #facts: StoredFact[] = [];
  #podVersion: string | undefined;
  #at = 0;
  #beatAt = 0;
  /** Every resource is listed before anything is alive. */
  readonly #listed = new Set<string>();
  readonly #leases = new LeaseReadings();

  constructor(engine: Engine, cluster: string, recordsCauses: boolean) {
    this.#engine = engine;
    this.#cluster = cluster;
    this.#recordsCauses = recordsCauses;
  }

  async begin(): Promise<void> {
    const writer = await this.#engine.takeOver({ id: this.#cluster, name: `replay of ${this.#cluster}` });
    this.#append = (batch) => writer.append(batch);
    const { state, checkpoint } = await this.#engine.resume(this.#cluster);
    this.#observer = new Observer({
      collector: 'replay',
      scope: { kind: 'cluster' },
      alsoFollows: ['Service', 'Node'],
      resume: state,
      checkpoint,
    });
    if (this.#recordsCauses) this.#causes = new CauseObserver({ collector: 'replay', ledger: this.#observer });
  }

  async deliver(line: WatchLine): Promise<void> {
    await this.#beatUntil(line.at);
    this.#observe(observationOf(line));
    if (line.type === 'LIST') this.#listed.add(line.kind);
    if (line.kind === 'Pod' && line.type !== 'PROBE') this.#podVersion = versionOf(line);
    this.#readLeases();
  }

  /** Evidence alone: the ledger does not read it. */
  async event(line: WatchLine): Promise<void> {
    if (this.#causes === undefined || !('object' in line) || line.type === 'DELETED') return;
    await this.#beatUntil(line.at);
    this.#observe({ kind: 'evidence', evidence: eventEvidence(line.object), at: epochMillis(line.at) });
  }

  /** It is not observed: who asks about the node reads it. Until it came the one before was there to be read. */
  async lease(line: WatchLine, isDown: boolean): Promise<void> {
    if (!isDown) await this.#beatUntil(line.at);
    this.#leases.saw(line);
  }

  async die(at: number): Promise<void> {
    await this.#beatUntil(at);
    await this.#flush();
  }

  /** What happened meanwhile is delivered at once, in its order, by the watch that starts at the checkpoint. */
  async resume(meanwhile: readonly Delivered[], at: number): Promise<void> {
    await this.begin();
    this.#leases.restart();
    this.#at = at;
    this.#beatAt = at;
    const versions = new Map<Recorded, string>();
    for (const line of meanwhile) {
      this.#observe(observationOf({ ...line, at }));
      versions.set(line.kind as Recorded, versionOf(line));
      if (line.kind === 'Pod') this.#podVersion = versionOf(line);
    }
    for (const [resource, resourceVersion] of versions) {
      this.#observe({ kind: 'progress', resource, resourceVersion, at: epochMillis(at) });
    }
    this.#observe({ kind: 'alive', at: epochMillis(at) });
    await this.#flush();
  }

  async end(at: number): Promise<void> {
    await this.#beatUntil(at);
    await this.#flush();
  }

  async #beatUntil(at: number): Promise<void> {
    if (this.#beatAt === 0) this.#beatAt = at;
    // Whatever else comes meanwhile: the recorder beats by its clock.
    while (this.#beatAt + HEARTBEAT_MS <= at) {
      this.#beatAt += HEARTBEAT_MS;
      this.#at = this.#beatAt;
      if (this.#listed.size === 3) this.#observe({ kind: 'alive', at: epochMillis(this.#at) });
      this.#readLeases();
    }
    this.#at = Math.max(this.#at, at);
    if (this.#facts.length >= APPEND_FACTS) await this.#flush();
  }

  #readLeases(): void {
    if (this.#listed.size < 3) return;
    const at = epochMillis(this.#at);
    for (const read of this.#leases.read(this.#observer.nodesInQuestion, at)) {
      this.#observe({ kind: 'renewed', ...read, at });
    }
  }

  #observe(observation: Observation | undefined): void {
    if (observation === undefined) return;
    const traces = this.#causes?.observe(observation) ?? [];
    this.#facts.push(...traces, ...this.#observer.observe(observation));
  }

  async #flush(): Promise<void> {
    if (this.#facts.length === 0) return;
    const facts = this.#facts;
    this.#facts = [];
    await this.#append({ facts, checkpoint: this.#checkpoint() });
  }

  #checkpoint(): Checkpoint | undefined {
    const { epoch, otherPositions: others } = this.#observer;
    if (this.#podVersion === undefined) return undefined;
    const checkpoint = { epoch, resourceVersion: this.#podVersion, at: epochMillis(this.#at) };
    return others.length === 0 ? checkpoint : { ...checkpoint, others };
  }
}

function observationOf(line: WatchLine): Observation | undefined {
  const at = epochMillis(line.at);
  if (line.type === 'PROBE') return { kind: 'probed', resourceVersion: line.resourceVersion, at };
  const resource = line.kind as Recorded;
  if (line.type === 'BOOKMARK') return { kind: 'progress', resource, resourceVersion: line.resourceVersion, at };
  if (line.type === 'LIST') {
    const present = line.items.map((item) => observed(resource, item));
    const { resourceVersion } = line;
    return { kind: 'listed', resource, reason: 'start', resourceVersion, whole: true, present, goneUids: [], at };
  }
  return {
    kind: 'event',
    type: line.type === 'DELETED' ? 'deleted' : 'present',
    seen: observed(resource, line.object),
    at,
  };
}

function observed(kind: Recorded, object: unknown): Observed {
  const codec = CODECS[kind] as ObjectCodec<unknown>;
  return { kind, object: codec.fromJson(object) } as Observed;
}

function versionOf(line: WatchLine): string {
  return 'object' in line ? line.object.metadata.resourceVersion : line.resourceVersion;
}
