// Follows a collection without a cache: each object is delivered and forgotten. For Events, of which there may be
// hundreds of thousands and none is read twice. Without what was held before, a listing delivers everything again, and
// objects that a listing lacks are not reported.
import { type Clock, systemClock } from '../clock.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { type Random, systemRandom } from '../random.ts';
import type { EventType, ReflectionTarget, Replacement } from '../reflector/reflection-target.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { ReflectorOptions } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import type { DeltaSource, ObjectDelta } from './delta.ts';
import { type DeltaHandler, type HandlerFailure, HandlerQueue } from './handler-queue.ts';
import { NewestKeys } from './newest-keys.ts';

export interface UncachedInformerOptions<T extends Cacheable>
  extends Omit<ReflectorOptions<T>, 'target' | 'startFrom' | 'consistencyMs' | 'onChecked'> {
  /**
   * Called for each object as it arrives. What is not wanted takes no memory, however much of it there is. If it throws,
   * that is reported as a failure of the handler, and the object is delivered.
   */
  readonly wants: (object: T, type: EventType) => boolean;
  /** Gets `added` and `deleted`, and `updated` with `previous` as the object itself: the one before is not kept. */
  readonly handler: DeltaHandler<T>;
  readonly onHandlerFailure?: ((failure: HandlerFailure<T>) => void) | undefined;
}

export class UncachedInformer<T extends Cacheable> {
  /** As of an informer whose cache is always empty. */
  readonly lister = { size: 0 } as const;
  readonly #options: UncachedInformerOptions<T>;
  readonly #clock: Clock;
  readonly #queue: HandlerQueue<T>;
  readonly #reflector: Reflector<T>;
  readonly #newest = new NewestKeys();
  #synced = false;
  #running: Promise<void> | undefined;

  constructor(options: UncachedInformerOptions<T>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const target = this.#target();
    const random: Random = options.random ?? systemRandom;
    this.#queue = new HandlerQueue<T>(options.handler, {
      ...{ clock: this.#clock, random },
      onFailure: (failure) => options.onHandlerFailure?.(failure),
      onDrained: () => target.onDrained?.(),
    });
    this.#reflector = new Reflector({ ...options, target });
  }

  /** Runs until the signal aborts; a second call while running gives the same promise, never a second watch. */
  start(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#reflector.run(signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** The first listing has been delivered. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Calls of the handler, and of `wants`, that threw. */
  get failures(): number {
    return this.#queue.failures;
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  /** See `Reflector.isCurrent`. */
  get isCurrent(): boolean {
    return this.#reflector.isCurrent;
  }

  /** See `Reflector.silentMs`. */
  get silentMs(): number | undefined {
    return this.#reflector.silentMs;
  }

  get lastVersion(): string | undefined {
    return this.#reflector.lastVersion;
  }

  /** See `Reflector.doubt`. */
  doubt(): void {
    this.#reflector.doubt();
  }

  /** See `Reflector.suspect`. */
  suspect(): void {
    this.#reflector.suspect();
  }

  /** See `Reflector.rewound`. */
  rewound(since?: number): void {
    this.#reflector.rewound(since);
  }

  /** See `Reflector.rewinds`. */
  get rewinds(): number {
    return this.#reflector.rewinds;
  }

  #target(): ReflectionTarget<T> {
    const isCongested = () => this.#queue.congested;
    return {
      onDrained: undefined,
      get congested() {
        return isCongested();
      },
      beginReplace: () => this.#replacement(),
      onEvent: (type, object) => {
        if (this.#newest.note(type, object)) this.#deliver(type, object, 'watch', false);
      },
      ignoredStale: () => {},
      replay: () => {},
      caughtUp: () => {},
      progress: () => {},
      held: () => [],
      correct: () => {},
    };
  }

  /** Delivered as it arrives: gathering a listing first would hold all of it. One that is broken off is made again. */
  #replacement(): Replacement<T> {
    let size = 0;
    const isCongested = () => this.#queue.congested;
    this.#newest.clear();
    return {
      get size() {
        return size;
      },
      get congested() {
        return isCongested();
      },
      add: (object) => {
        size++;
        this.#newest.note('ADDED', object);
        this.#deliver('ADDED', object, 'list', !this.#synced);
      },
      remove: (object) => this.#deliver('DELETED', object, 'list', false),
      contradicts: () => false,
      commit: () => {
        this.#synced = true;
      },
    };
  }

  #deliver(type: EventType, object: T, source: DeltaSource, initial: boolean): void {
    const delta = () => deltaOf(type, object, source, initial, this.#clock.now());
    try {
      if (!this.#options.wants(object, type)) return;
    } catch (error) {
      // The frame was read well: the stream must not end, nor be asked for as JSON, because of it.
      this.#queue.undecided(delta(), error);
    }
    this.#queue.push(delta());
  }
}

function deltaOf<T extends Cacheable>(
  type: EventType,
  object: T,
  source: DeltaSource,
  initial: boolean,
  observedAt: number,
): ObjectDelta<T> {
  if (type === 'ADDED') return { kind: 'added', object, source, initial, observedAt };
  if (type === 'DELETED') return { kind: 'deleted', object, source, finalStateUnknown: false, observedAt };
  return { kind: 'updated', object, previous: object, source, resync: false, observedAt };
}
