// The streams that one observer follows: one for each kind, and for each namespace where it follows some of them. Knows
// where an earlier recorder had come to, which of them have been listed, and the epoch. Makes no facts.
import { type Checkpoint, type Coverage, type Scope, type StreamPosition, sees } from '../model/records.ts';
import { type EpochMillis, earliest, epochMillis } from '../model/time.ts';
import { correctedCoverage, type WrongTime } from './clock-correction.ts';
import type { Observed } from './observation.ts';
import { LONGEST_DELIVERY_MS, Stream } from './stream.ts';

type Kind = Observed['kind'];

export interface StreamsOptions {
  readonly scope: Scope;
  /** The kinds that are followed besides pods. */
  readonly alsoFollows: readonly StreamPosition['kind'][];
  readonly checkpoint: Checkpoint | undefined;
  readonly epoch: number;
  /** Of the recorder before. */
  readonly resumed: Coverage | undefined;
}

export class Streams {
  /** Recorders of some namespaces never say free: to them services and nodes make no difference. */
  readonly others: readonly StreamPosition['kind'][];
  readonly #scope: Scope;
  readonly #checkpoint: Checkpoint | undefined;
  readonly #streams = new Map<string, Stream>();
  #epoch: number;
  #resumed: Coverage | undefined;

  constructor({ scope, alsoFollows, checkpoint, epoch, resumed }: StreamsOptions) {
    this.#scope = scope;
    this.others = scope.kind === 'cluster' ? alsoFollows : [];
    this.#checkpoint = checkpoint;
    this.#epoch = epoch;
    this.#resumed = resumed;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** That of the pods' stream, which may not have noticed yet what another one did. */
  get podEpoch(): number {
    return this.#scope.kind === 'cluster' ? this.of('Pod', undefined).epoch : this.#epoch;
  }

  /** Until when the recorder before watched. */
  get resumedAt(): EpochMillis | undefined {
    return this.#resumed?.to;
  }

  /** Every stream that must be has been listed, or resumes from a checkpoint. */
  get areListed(): boolean {
    const scope = this.#scope;
    if (scope.kind === 'namespaces')
      return scope.namespaces.every((n) => this.#streams.get(`Pod/${n}`)?.version !== undefined);
    return (['Pod', ...this.others] as const).every((kind) => this.of(kind, undefined).version !== undefined);
  }

  /** Until when everything about pods has been delivered. */
  get podWatermark(): EpochMillis | undefined {
    const scope = this.#scope;
    if (scope.kind === 'cluster') return this.#streams.get('Pod')?.watermark;
    const watermarks = scope.namespaces.map((namespace) => this.#streams.get(`Pod/${namespace}`)?.watermark);
    return watermarks.includes(undefined) ? undefined : earliest(...watermarks);
  }

  /** Where the streams besides the pods' have come to, for the checkpoint; those that can resume from there. */
  get otherPositions(): StreamPosition[] {
    return this.others.flatMap((kind) => {
      const { epoch, version, watermark } = this.of(kind, undefined);
      const canResume = epoch === this.#epoch && version !== undefined && watermark !== undefined;
      return canResume ? [{ kind, resourceVersion: version, watermark }] : [];
    });
  }

  of(kind: Kind, namespace: string | undefined): Stream {
    const isCluster = this.#scope.kind === 'cluster';
    const name = isCluster || kind === 'Node' ? kind : `${kind}/${namespace ?? ''}`;
    let stream = this.#streams.get(name);
    if (stream === undefined) {
      stream = this.#begin(kind, name, isCluster ? undefined : namespace);
      this.#streams.set(name, stream);
    }
    return stream;
  }

  /** The server's newest version was this at `at`. */
  probed(resourceVersion: string, at: EpochMillis): void {
    for (const stream of this.#streams.values()) stream.probed(resourceVersion, at);
  }

  /** Every stream notices by itself that etcd was restored; the first to do so counts. */
  rewind(stream: Stream): void {
    stream.epoch++;
    if (stream.epoch > this.#epoch) this.#epoch = stream.epoch;
  }

  correct(wrong: WrongTime): void {
    for (const stream of this.#streams.values()) stream.correct(wrong);
    this.#resumed = this.#resumed && correctedCoverage(this.#resumed, wrong);
  }

  /** Until when everything of this kind and namespace was delivered to the recorder before; undefined if it watched less. */
  resumedWatermark(kind: Kind, namespace: string | undefined): EpochMillis | undefined {
    const resumed = this.#resumed;
    if (resumed === undefined) return undefined;
    const { scope, confirmed } = resumed;
    const wasWatched = scope.kind === 'cluster' || (namespace !== undefined && sees(scope, { kind, namespace }));
    return wasWatched ? confirmed : undefined;
  }

  #begin(kind: Kind, name: string, namespace: string | undefined): Stream {
    const checkpoint = this.#checkpoint;
    const resumed = this.resumedWatermark(kind, namespace);
    const position = this.others.length > 0 ? checkpoint?.others?.find((other) => other.kind === name) : undefined;
    // Without a position of its own it had come as far as the pods' stream, less what may have been under way.
    const unknown = resumed === undefined || kind === 'Pod' ? resumed : epochMillis(resumed - LONGEST_DELIVERY_MS);
    const version = name === 'Pod' ? checkpoint?.resourceVersion : position?.resourceVersion;
    return new Stream(this.#epoch, version, position?.watermark ?? unknown);
  }
}
