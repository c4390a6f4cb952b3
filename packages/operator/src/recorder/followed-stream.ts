// One stream that the recorder follows, and how it stands: what status, health and metrics are made of. Never touches
// the ledger.
import { type EpochMillis, epochMillis } from '@podtrail/history';
import type { Clock, ReflectorState } from '@podtrail/machinery';

/** What is needed of an informer. */
export interface Followable {
  readonly synced: boolean;
  readonly isCurrent: boolean;
  readonly state: ReflectorState;
  readonly silentMs: number | undefined;
  readonly lastVersion: string | undefined;
  readonly lister: { readonly size: number };
  doubt(): void;
  suspect(): void;
  /** Listings after a rewind, also one that is still to come. */
  readonly rewinds: number;
  rewound(since?: number): void;
  start(signal: AbortSignal): Promise<void>;
}

/** See recorded-streams.ts. */
export type StreamRole = 'claims' | 'evidence';

export interface StreamStatus {
  /** As Kubernetes calls it in paths. */
  readonly resource: string;
  readonly role: StreamRole;
  readonly namespace: string | undefined;
  /** Listed or caught up with. */
  readonly synced: boolean;
  /** Open, and nothing is known to be missing. */
  readonly current: boolean;
  /** Since the last event, bookmark or listing. */
  readonly silentMs: number | undefined;
  readonly objects: number;
  /** Of evidence: how much was wanted and over its budget, since this process began. */
  readonly dropped?: number;
  /** Of evidence: why causes may lack something. A problem of claims is one of the recorder's. */
  readonly problem?: string;
}

/** Something that keeps the recorder from recording, or may soon. */
export interface Problem {
  /** Constant: `store`, `watch pods`. */
  readonly what: string;
  readonly since: EpochMillis;
  /** A sentence. */
  readonly error: string;
  /** Nothing failed: it still reads what it has to read first, as after every start. */
  readonly catchingUp?: boolean;
}

/** A watch is opened again every few minutes, and then takes a moment: that is no problem. */
const PATIENCE_MS = 5_000;
/** Bookmarks come every minute; a server that sends none is given up after three. */
const LONGEST_SILENCE_MS = 200_000;

export interface FollowedStreamOptions {
  readonly resource: string;
  readonly role: StreamRole;
  readonly namespace: string | undefined;
  readonly informer: Followable;
  readonly log: { readonly catchingUp: boolean };
  readonly clock: Clock;
}

export class FollowedStream {
  readonly resource: string;
  readonly role: StreamRole;
  readonly namespace: string | undefined;
  readonly informer: Followable;
  readonly #log: { readonly catchingUp: boolean };
  readonly #clock: Clock;
  #behindSince: EpochMillis;
  #isBehind = true;
  /** Rewinds that the informer delivered, and those that the ledger observed; the latter also where it found one itself. */
  #rewinds = { delivered: 0, observed: 0 };
  #error: Error | undefined;

  constructor({ resource, role, namespace, informer, log, clock }: FollowedStreamOptions) {
    this.resource = resource;
    this.role = role;
    this.namespace = namespace;
    this.informer = informer;
    this.#log = log;
    this.#clock = clock;
    this.#behindSince = epochMillis(clock.now());
  }

  /** How often etcd was restored as far as this stream knows, one that is still to be listed included. */
  get rewinds(): number {
    return this.#rewinds.observed + this.informer.rewinds - this.#rewinds.delivered;
  }

  observedRewind(isFromInformer: boolean): void {
    this.#rewinds.observed++;
    if (isFromInformer) this.#rewinds.delivered++;
  }

  get synced(): boolean {
    return this.informer.synced && !this.#log.catchingUp;
  }

  /** Alive by frames, bookmarks, or the deadline that ends a silent stream. */
  get current(): boolean {
    return this.synced && this.informer.isCurrent && (this.informer.silentMs ?? 0) < LONGEST_SILENCE_MS;
  }

  get status(): StreamStatus {
    const { resource, role, namespace, synced, current, informer } = this;
    return { resource, role, namespace, synced, current, silentMs: informer.silentMs, objects: informer.lister.size };
  }

  /** The last one since it was current. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Called every now and then, and at every change of state: notes since when it is not well, and why. */
  look(): void {
    if (this.current) {
      this.#isBehind = false;
      this.#error = undefined;
      return;
    }
    if (!this.#isBehind) this.#behindSince = epochMillis(this.#clock.now());
    this.#isBehind = true;
    if (this.informer.state.kind === 'waiting') this.#error = this.informer.state.error;
  }

  get problem(): Problem | undefined {
    this.look();
    if (!this.#isBehind) return undefined;
    const lasts = this.#clock.now() - this.#behindSince;
    if (this.#error === undefined && this.synced && lasts < PATIENCE_MS) return undefined;
    const where = this.namespace === undefined ? '' : ` in ${this.namespace}`;
    const catchingUp = this.#error === undefined && (!this.informer.synced || this.#log.catchingUp);
    const problem = { what: `watch ${this.resource}${where}`, since: this.#behindSince, error: this.#sentence() };
    return catchingUp ? { ...problem, catchingUp } : problem;
  }

  #sentence(): string {
    if (this.#error !== undefined) return this.#error.message;
    const { informer, resource } = this;
    if (!informer.synced) return `${resource} have not been listed yet`;
    if (this.#log.catchingUp) return `what happened to ${resource} since the last recording is still being read`;
    if ((informer.silentMs ?? 0) >= LONGEST_SILENCE_MS)
      return `nothing was received of ${resource} for ${Math.round((informer.silentMs ?? 0) / 1000)} s`;
    return `the watch of ${resource} is open but not in step`;
  }
}
