// All streams that a recorder follows: an informer for each, what it delivers turned into observations, and how they
// stand together. Claims decide whether the recorder is current; evidence decides nothing. Never touches the store.
import type { Checkpoint, EpochMillis, Observation, Observer, StreamPosition } from '@podtrail/history';
import {
  type Cacheable,
  type Clock,
  ConnectionError,
  type Delta,
  type HandlerFailure,
  Informer,
  type InformerOptions,
  isObjectDelta,
  type ObjectDelta,
  type Random,
  type ReflectorState,
  type Transport,
  UncachedInformer,
} from '@podtrail/machinery';
import { DeltaLog } from './delta-log.ts';
import { FollowedEvidence } from './evidence/followed-evidence.ts';
import { type Followable, FollowedStream, type Problem, type StreamStatus } from './followed-stream.ts';
import type { ClaimsStream, EvidenceStream, RecordedStream } from './recorded-streams.ts';
import type { RecorderListener } from './recorder-listener.ts';

export interface StreamSetOptions {
  readonly streams: readonly RecordedStream[];
  /** Undefined: the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  /** Where the claims of an earlier recorder of the whole cluster had come to. */
  readonly checkpoint: Checkpoint | undefined;
  /** Until when an earlier recorder watched; undefined: there was none. */
  readonly watchedUntil: EpochMillis | undefined;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly consistencyMs: number;
  readonly observer: Pick<Observer, 'contradicts' | 'resumedAt' | 'coverage'>;
  /** The ledger's time: at once while it is known, else when it is. */
  readonly now: () => EpochMillis | Promise<EpochMillis>;
  /** `observedAt`: when the informer received it, by the wall clock. A promise holds the stream back. */
  readonly record: (observations: readonly Observation[], observedAt: number | undefined) => void | Promise<void>;
  readonly notify: (call: (listener: RecorderListener) => void) => void;
}

export class StreamSet {
  readonly #options: StreamSetOptions;
  /** One of each kind for the cluster, or one of each namespaced kind for each namespace. */
  readonly #streams: FollowedStream[] = [];
  /** What those of evidence have besides. */
  readonly #evidence = new Map<FollowedStream, FollowedEvidence>();
  /** Informers of the whole cluster, by resource. */
  readonly #informers = new Map<string, unknown>();
  #podVersion: string | undefined;

  constructor(options: StreamSetOptions) {
    this.#options = options;
    const { streams, namespaces, checkpoint } = options;
    if (namespaces === undefined) this.#podVersion = checkpoint?.resourceVersion;
    for (const namespace of namespaces ?? [undefined]) {
      for (const stream of streams) {
        if (namespace !== undefined && !stream.isNamespaced) continue;
        if (stream.role === 'claims') this.#followClaims(stream, namespace);
        else this.#followEvidence(stream, namespace);
      }
    }
  }

  /** Of the pods of the whole cluster, as observed so far; undefined while there is nothing to resume from. */
  get podVersion(): string | undefined {
    return this.#podVersion;
  }

  get claims(): readonly FollowedStream[] {
    return this.#streams.filter(({ role }) => role === 'claims');
  }

  /** Every first listing or catch-up of claims has been observed. */
  get synced(): boolean {
    return this.claims.every(({ synced }) => synced);
  }

  get current(): boolean {
    return this.claims.every(({ current }) => current);
  }

  get statuses(): readonly StreamStatus[] {
    return this.#streams.map((stream) => {
      const evidence = this.#evidence.get(stream);
      if (evidence === undefined) return stream.status;
      const { dropped, problem } = evidence;
      return { ...stream.status, dropped, ...(problem === undefined ? {} : { problem }) };
    });
  }

  /** What keeps claims from being recorded. */
  get problems(): Problem[] {
    return this.claims.flatMap(({ problem }) => problem ?? []);
  }

  /** The informer of a kind of the whole cluster; undefined for a recorder of some namespaces. */
  informer<T extends Cacheable>(resource: { readonly resource: string }): Informer<T> | undefined {
    return this.#informers.get(resource.resource) as Informer<T> | undefined;
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#streams.map(({ informer }) => informer.start(signal)));
  }

  /** Notes which streams are not current, and since when. */
  look(): void {
    for (const stream of this.#streams) this.#look(stream);
  }

  #look(stream: FollowedStream): void {
    stream.look();
    const evidence = this.#evidence.get(stream);
    const at = evidence === undefined ? undefined : this.#options.now();
    if (evidence === undefined || at === undefined || at instanceof Promise) {
      // What is not known yet is recorded at the next look.
      if (at instanceof Promise) at.catch(() => undefined);
      return;
    }
    const { observations, change } = evidence.look(stream, at);
    // The recorder reports a failure.
    Promise.resolve(this.#options.record(observations, undefined)).catch(() => undefined);
    if (change !== undefined) this.#options.notify((listener) => listener.evidenceChanged?.(change));
  }

  #followClaims(stream: ClaimsStream, namespace: string | undefined): void {
    const { kind } = stream;
    const { observer, consistencyMs } = this.#options;
    const startFrom = namespace === undefined ? resumesFrom(this.#options.checkpoint, kind) : undefined;
    const log = new DeltaLog<Cacheable>(kind, (object) => stream.observe(object), {
      ...{ catchesUp: startFrom !== undefined, namespace },
      contradicts: (present, isWhole) => observer.contradicts({ kind, namespace, present, isWhole }),
      resumedAt: () => observer.resumedAt,
    });
    const informer = this.#informer(stream, namespace, { startFrom, consistencyMs });
    const followed = this.#follow(stream, namespace, informer, log);
    const take = (delta: Delta<Cacheable>, at: EpochMillis) => this.#takeClaims(followed, log, delta, at);
    // Skipping a delta would make the ledger wrong: it is tried until it is in.
    this.#deliver(informer, take, { marks: true, attempts: Number.POSITIVE_INFINITY });
  }

  #takeClaims(
    followed: FollowedStream,
    log: DeltaLog<Cacheable>,
    delta: Delta<Cacheable>,
    at: EpochMillis,
  ): void | Promise<void> {
    const { observations, resourceVersion } = log.translate(delta, at);
    this.#notifyLosses(followed, observations);
    const rewind = observations.find((each) => each.kind === 'listed' && each.reason === 'rewound');
    if (rewind?.kind === 'listed') {
      followed.observedRewind(delta.kind === 'relist-ended' && delta.relist.reason === 'rewound');
      this.#passOnRewind(followed, rewind.since);
    }
    if (followed.resource === 'pods' && followed.namespace === undefined) {
      this.#podVersion = resourceVersion ?? this.#podVersion;
    }
    return this.#options.record(observations, delta.observedAt);
  }

  #followEvidence(stream: EvidenceStream, namespace: string | undefined): void {
    const { clock, watchedUntil } = this.#options;
    const evidence = new FollowedEvidence({ stream, namespace, watchedUntil, clock });
    const take = (delta: Delta<Cacheable>, at: EpochMillis) => {
      if (!isObjectDelta(delta)) return;
      return this.#options.record(stream.observe(delta as ObjectDelta<Cacheable>, at), delta.observedAt);
    };
    let informer: Followable;
    if (stream.uncached === undefined) {
      const cached = this.#informer(stream, namespace, { transform: stream.transform });
      this.#deliver(cached, take, {});
      informer = cached;
    } else {
      const { resource: collection, codec } = stream;
      informer = new UncachedInformer({
        ...{ ...this.#shared(stream, namespace), resource: collection, codec },
        wants: (object, type) => evidence.wants(object, type),
        handler: { name: 'recorder', onDelta: (delta) => this.#timed(take, delta) },
      });
    }
    const followed = this.#follow(stream, namespace, informer, { catchingUp: false });
    this.#evidence.set(followed, evidence);
  }

  #deliver(
    informer: Informer<Cacheable>,
    take: (delta: Delta<Cacheable>, at: EpochMillis) => void | Promise<void>,
    options: { readonly marks?: boolean; readonly attempts?: number },
  ): void {
    informer.addHandler({
      name: 'recorder',
      ...options,
      onDelta: (delta) => this.#timed(take, delta),
    });
  }

  #timed(
    take: (delta: Delta<Cacheable>, at: EpochMillis) => void | Promise<void>,
    delta: Delta<Cacheable>,
  ): void | Promise<void> {
    const at = this.#options.now();
    return at instanceof Promise ? at.then((known) => take(delta, known)) : take(delta, at);
  }

  #informer(
    stream: RecordedStream,
    namespace: string | undefined,
    options: Pick<InformerOptions<Cacheable>, 'startFrom' | 'consistencyMs' | 'transform'>,
  ): Informer<Cacheable> {
    const { resource, codec } = stream;
    const informer = new Informer<Cacheable>({ ...this.#shared(stream, namespace), resource, codec, ...options });
    if (namespace === undefined) this.#informers.set(resource.resource, informer);
    return informer;
  }

  /** What informers with and without a cache are given. */
  #shared({ resource: { resource }, role }: RecordedStream, namespace: string | undefined) {
    const { transport, clock, random, notify } = this.#options;
    return {
      ...{ transport, namespace, clock, random },
      onState: (state: ReflectorState) => {
        this.#onState(resource, role, state);
        notify((listener) => listener.watchChanged?.(resource, state, role));
      },
      onHandlerFailure: (failure: HandlerFailure<Cacheable>) =>
        notify((listener) => listener.handlerFailed?.(resource, failure)),
    };
  }

  #follow(
    { resource: { resource }, role }: RecordedStream,
    namespace: string | undefined,
    informer: Followable,
    log: { readonly catchingUp: boolean },
  ): FollowedStream {
    const followed = new FollowedStream({ resource, role, namespace, informer, log, clock: this.#options.clock });
    this.#streams.push(followed);
    return followed;
  }

  /** A server that one stream of claims lost may have restarted before the others notice. */
  #onState(resource: string, role: RecordedStream['role'], state: ReflectorState): void {
    const isLost = role === 'claims' && state.kind === 'waiting' && state.error instanceof ConnectionError;
    for (const stream of this.#streams) {
      if (stream.resource === resource) this.#look(stream);
      else if (isLost) stream.informer.suspect();
    }
  }

  /** Versions are the cluster's: where claims show that they went back, those of every other stream mean nothing, too. */
  #passOnRewind(known: FollowedStream, since: EpochMillis | undefined): void {
    for (const stream of this.#streams) if (stream.rewinds < known.rewinds) stream.informer.rewound(since);
  }

  #notifyLosses({ resource }: FollowedStream, observations: readonly Observation[]): void {
    for (const observation of observations) {
      if (observation.kind !== 'listed') continue;
      const { reason } = observation;
      if (reason === 'start' && this.#options.observer.coverage === undefined) continue;
      this.#options.notify((listener) => listener.lost?.(resource, reason));
    }
  }
}

function resumesFrom(checkpoint: Checkpoint | undefined, kind: ClaimsStream['kind']): string | undefined {
  if (kind === 'Pod') return checkpoint?.resourceVersion;
  const isSame = (other: StreamPosition) => other.kind === kind;
  return checkpoint?.others?.find(isSame)?.resourceVersion;
}
