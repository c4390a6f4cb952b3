// The demo's day before it begins: what a simulated cluster does in virtual time is observed and stored as a recorder
// would, without HTTP in between, because a day has to pass in seconds. A real recorder then goes on from its checkpoint.
import {
  CauseObserver,
  type Cluster,
  type Engine,
  epochMillis,
  type Observation,
  type Observed,
  Observer,
  type StoredFact,
  type Writer,
} from '@podtrail/history';
import { type Cacheable, nodeCodec, type ObjectDelta, podCodec, serviceCodec } from '@podtrail/machinery';
import { type EvidenceStream, evidenceStreams, streamFollowed } from '@podtrail/operator';
import { type ClusterApi, fromCoreEvent, type KubeObject } from '@podtrail/sandbox';

export interface RecordedPastOptions {
  readonly api: ClusterApi;
  /** The version of the newest change. */
  readonly version: () => string;
  /** The virtual clock. */
  readonly now: () => number;
  readonly collector: string;
}

const RESOURCES = {
  pods: (object: KubeObject): Observed => ({ kind: 'Pod', object: podCodec.fromJson(object) }),
  nodes: (object: KubeObject): Observed => ({ kind: 'Node', object: nodeCodec.fromJson(object) }),
  services: (object: KubeObject): Observed => ({ kind: 'Service', object: serviceCodec.fromJson(object) }),
};

/** About so many facts are stored at once. */
const BATCH = 4000;
const BEAT_MS = 1000;
/** An event is on its way for as long as it is on a quick network. */
const DELIVERY_MS = 20;

export class RecordedPast {
  readonly #options: RecordedPastOptions;
  readonly #writer: Writer;
  readonly #observer: Observer;
  readonly #causes: CauseObserver;
  readonly #stops: (() => void)[] = [];
  #facts: StoredFact[] = [];
  #stored: Promise<void> = Promise.resolve();
  #events = 0;
  #beatAt = 0;

  static async begin(engine: Engine, cluster: Cluster, options: RecordedPastOptions): Promise<RecordedPast> {
    return new RecordedPast(await engine.takeOver(cluster), options);
  }

  private constructor(writer: Writer, options: RecordedPastOptions) {
    this.#options = options;
    this.#writer = writer;
    const { api, collector } = options;
    this.#observer = new Observer({ collector, scope: { kind: 'cluster' }, alsoFollows: ['Service', 'Node'] });
    this.#causes = new CauseObserver({ collector, ledger: this.#observer });
    for (const [resource, wrap] of Object.entries(RESOURCES)) {
      const present = api.list(resource).map(wrap);
      const kind = resource === 'pods' ? 'Pod' : resource === 'nodes' ? 'Node' : 'Service';
      const [at, resourceVersion] = [this.#at, options.version()];
      const listing = { kind: 'listed', resource: kind, reason: 'start', whole: true, goneUids: [] } as const;
      this.#observe({ ...listing, resourceVersion, present, at });
      this.#stops.push(
        api.watch(resource, (type, object) => {
          this.#events++;
          this.#beat();
          const event = type === 'DELETED' ? 'deleted' : 'present';
          this.#observe({ kind: 'event', type: event, seen: wrap(object), at: this.#at });
        }),
      );
    }
    this.#followEvidence(api);
  }

  /** Events, owners of pods and namespaces, as evidence for causes. */
  #followEvidence(api: ClusterApi): void {
    for (const stream of evidenceStreams()) {
      if (stream.role !== 'evidence') continue;
      const { resource, group } = stream.resource;
      if (stream.uncached !== undefined) {
        this.#followEvents(api, stream);
        continue;
      }
      const name = group === '' ? resource : `${resource}.${group}`;
      const known = new Map<string, Cacheable>();
      const see = (type: string, json: KubeObject, initial: boolean): void => {
        const object = stream.codec.fromJson(json);
        const { uid = '' } = object.metadata;
        const previous = known.get(uid);
        if (type === 'DELETED') known.delete(uid);
        else known.set(uid, object);
        const base = { object, source: 'watch', observedAt: this.#at } as const;
        const delta: ObjectDelta<Cacheable> =
          type === 'DELETED'
            ? { ...base, kind: 'deleted', finalStateUnknown: false }
            : previous === undefined
              ? { ...base, kind: 'added', initial }
              : { ...base, kind: 'updated', previous, resync: false };
        for (const observation of stream.observe(delta, this.#at)) this.#observe(observation);
      };
      this.#observe({ kind: 'evidence', evidence: streamFollowed(resource, this.#at), at: this.#at });
      for (const object of api.list(name)) see('ADDED', object, true);
      this.#stops.push(api.watch(name, (type, object) => see(type, object, false)));
    }
  }

  /** Each is observed and forgotten. The cluster keeps them in their core form, a recorder reads the newer one. */
  #followEvents(api: ClusterApi, stream: EvidenceStream): void {
    this.#observe({ kind: 'evidence', evidence: streamFollowed(stream.resource.resource, this.#at), at: this.#at });
    const stop = api.watch('events', (type, json) => {
      const object = stream.codec.fromJson(fromCoreEvent(json));
      if (stream.uncached?.wants(object, type) !== true) return;
      const delta = { kind: 'added', initial: false, object, source: 'watch', observedAt: this.#at } as const;
      for (const observation of stream.observe(delta, this.#at)) this.#observe(observation);
    });
    this.#stops.push(stop);
  }

  /** How many changes were observed. */
  get events(): number {
    return this.#events;
  }

  /** Stores what is waiting. Await it now and then: that is what holds the simulation back when the store is slower. */
  async flush(): Promise<void> {
    if (this.#facts.length >= BATCH) await this.#store();
  }

  /** Everything until now is stored, and where to go on. */
  async end(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    const at = this.#at;
    const resourceVersion = this.#options.version();
    for (const resource of ['Pod', 'Node', 'Service'] as const) {
      this.#observe({ kind: 'progress', resource, resourceVersion, at });
    }
    this.#observe({ kind: 'alive', at });
    await this.#store();
    await this.#stored;
  }

  /** A recorder says that it watches, also while much happens: what is in doubt for want of a kubelet's word ends by that. */
  #beat(): void {
    const at = this.#at;
    if (at - this.#beatAt < BEAT_MS) return;
    this.#beatAt = at;
    this.#observe({ kind: 'alive', at });
  }

  get #at() {
    return epochMillis(this.#options.now() + DELIVERY_MS);
  }

  #observe(observation: Observation): void {
    for (const fact of this.#causes.observe(observation)) this.#facts.push(fact);
    for (const fact of this.#observer.observe(observation)) this.#facts.push(fact);
  }

  /** One batch is under way while the next one is gathered. */
  async #store(): Promise<void> {
    const facts = this.#facts;
    this.#facts = [];
    await this.#stored;
    const { epoch, otherPositions: others } = this.#observer;
    const checkpoint = { epoch, resourceVersion: this.#options.version(), at: this.#at, others };
    this.#stored = this.#writer.append({ facts, checkpoint });
    // Reported where it is awaited.
    this.#stored.catch(() => undefined);
  }
}
