// What a stream of evidence has beside one of claims: a budget, and a record of when it was not watched. Decides nothing
// about claims, and never throws at the stream.
import type { EpochMillis, EvidenceObservation, ReportedEvidence } from '@podtrail/history';
import { epochMillis } from '@podtrail/history';
import type { Cacheable, Clock } from '@podtrail/machinery';
import type { EvidenceStream } from '../recorded-streams.ts';
import type { EvidenceChange } from '../recorder-listener.ts';
import { BESIDE_LIMITS, EvidenceBudget, TELLING_LIMITS } from './evidence-budget.ts';
import { FloodLoss } from './flood-loss.ts';
import { StreamLoss, type StreamView } from './stream-loss.ts';

export interface FollowedEvidenceOptions {
  readonly stream: EvidenceStream;
  /** Undefined: the whole cluster. */
  readonly namespace: string | undefined;
  /** Until when an earlier recorder watched; undefined: there was none. */
  readonly watchedUntil: EpochMillis | undefined;
  readonly clock: Clock;
}

export class FollowedEvidence {
  readonly #stream: EvidenceStream;
  readonly #namespace: string | undefined;
  readonly #clock: Clock;
  readonly #telling: EvidenceBudget;
  /** What no cause rests on uses up nothing that one may need. */
  readonly #beside: EvidenceBudget;
  readonly #loss: StreamLoss;
  readonly #flood: FloodLoss;
  #droppedBeside = 0;
  /** The problem that others know of. */
  #reported: string | undefined;

  constructor({ stream, namespace, watchedUntil, clock }: FollowedEvidenceOptions) {
    const { resource } = stream.resource;
    this.#stream = stream;
    this.#namespace = namespace;
    this.#clock = clock;
    this.#telling = new EvidenceBudget(clock, TELLING_LIMITS);
    this.#beside = new EvidenceBudget(clock, BESIDE_LIMITS);
    this.#loss = new StreamLoss({ resource, namespace, watchedUntil, remembersMs: stream.remembersMs ?? 0 });
    this.#flood = new FloodLoss(resource);
  }

  /** Why causes may lack something of it; undefined when nothing is known to be missing. */
  get problem(): string | undefined {
    return this.#loss.problem ?? this.#flood.problem;
  }

  /** Wanted, and over the budget. */
  get dropped(): number {
    return this.#flood.dropped + this.#droppedBeside;
  }

  /** Of a stream without a cache: whether this object is to be observed. */
  wants(object: Cacheable, type: 'ADDED' | 'MODIFIED' | 'DELETED'): boolean {
    const { uncached } = this.#stream;
    if (uncached === undefined || !uncached.wants(object, type)) return false;
    const isTelling = uncached.isTelling(object);
    const floodedIn = (isTelling ? this.#telling : this.#beside).take(uncached.subject(object));
    if (floodedIn === undefined) return true;
    if (isTelling) this.#flood.drop(floodedIn, epochMillis(this.#clock.now()));
    else this.#droppedBeside++;
    return false;
  }

  /** Called every now and then and at every change of state. `change`: others should know that. */
  look(view: StreamView, at: EpochMillis): { observations: EvidenceObservation[]; change: EvidenceChange | undefined } {
    const isFlooded = this.#flood.stands(this.#namespace ?? '');
    const found: ReportedEvidence[] = [...this.#loss.look(view, at, isFlooded), ...this.#flood.look(at)];
    const observations = found.map((evidence) => ({ kind: 'evidence', evidence, at }) as const);
    const { problem } = this;
    if (problem === this.#reported) return { observations, change: undefined };
    this.#reported = problem;
    const { resource } = this.#stream.resource;
    return { observations, change: { resource, namespace: this.#namespace, problem } };
  }
}
