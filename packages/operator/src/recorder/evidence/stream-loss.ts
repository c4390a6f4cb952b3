// Whether a stream of evidence is being watched, as evidence itself: a cause must not rest on the absence of something
// that nobody looked for. One state machine for each stream; it decides when a loss is recorded and when it is over.
import {
  type EpochMillis,
  epochMillis,
  RESTATED_EVERY_MS,
  type ReportedEvidence,
  STILL_FOLLOWED,
  STILL_LOST,
} from '@podtrail/history';
import { ApiError } from '@podtrail/machinery';

/** How a stream stands now. */
export interface StreamView {
  readonly current: boolean;
  /** Why it waits to try again, if it does. */
  readonly error: Error | undefined;
}

export interface StreamLossOptions {
  readonly resource: string;
  /** Undefined: the whole cluster. */
  readonly namespace: string | undefined;
  /** A listing shows what happened up to this long ago: a loss that was shorter is taken back. */
  readonly remembersMs: number;
  /** Until when an earlier recorder watched; undefined: there was none. */
  readonly watchedUntil: EpochMillis | undefined;
}

/** `since`: nobody has watched from then on. `begun`: how long that has been tried. */
type State =
  /** Left when it is current: → followed. Left by a refusal, or when it takes too long: → lost. */
  | { readonly kind: 'opening'; readonly since: EpochMillis; readonly begun: EpochMillis }
  /** Left when it is not current: → interrupted. */
  | { readonly kind: 'followed' }
  /** Left when it is current again: → followed. Left by a refusal, or when it takes too long: → lost. */
  | { readonly kind: 'interrupted'; readonly since: EpochMillis; readonly begun: EpochMillis }
  /** Left when it is current: → followed. */
  | {
      readonly kind: 'lost';
      readonly loss: ReportedEvidence;
      /** The same loss, recorded again while it lasted, oldest first. */
      readonly restated: readonly ReportedEvidence[];
      readonly wasFollowed: boolean;
    };

/** A watch is opened again every few minutes, and a server that restarts is away for seconds: that is no loss. */
const PATIENCE_MS = 30_000;
/** A hundred days. Of a longer loss the first records stay what they are. */
const MOST_RESTATED = 400;

export class StreamLoss {
  readonly #options: StreamLossOptions;
  #state: State | undefined;
  /** When it was last recorded how it stands. */
  #statedAt = 0;

  constructor(options: StreamLossOptions) {
    this.#options = options;
  }

  /** Why nothing is watched; undefined while it is, or while that is not certain yet. */
  get problem(): string | undefined {
    return this.#state?.kind === 'lost' ? this.#state.loss.message : undefined;
  }

  /**
   * Called every now and then and at every change of state. Returns what is to be recorded. `isFlooded`: another loss of
   * the same stream stands, which a record that it is followed would end.
   */
  look(stream: StreamView, at: EpochMillis, isFlooded = false): ReportedEvidence[] {
    this.#state ??= { kind: 'opening', since: this.#options.watchedUntil ?? at, begun: at };
    const changes = stream.current ? this.#followed(this.#state, at) : this.#missing(this.#state, stream.error, at);
    const found =
      changes.length === 0 && at - this.#statedAt >= RESTATED_EVERY_MS ? this.#still(at, isFlooded) : changes;
    if (found.length > 0) this.#statedAt = at;
    return found;
  }

  /** Every record expires; how the stream stands must be known for as long as it stands so. */
  #still(at: EpochMillis, isFlooded: boolean): ReportedEvidence[] {
    if (this.#state?.kind === 'followed')
      return isFlooded ? [] : [this.#evidence('stream-followed', at, STILL_FOLLOWED, '')];
    if (this.#state?.kind !== 'lost') return [];
    const again = this.#evidence('stream-lost', at, STILL_LOST, this.#state.loss.message);
    this.#state = { ...this.#state, restated: [...this.#state.restated, again].slice(-MOST_RESTATED) };
    return [again];
  }

  #followed(state: State, at: EpochMillis): ReportedEvidence[] {
    this.#state = { kind: 'followed' };
    if (state.kind === 'followed' || state.kind === 'interrupted') return [];
    if (state.kind === 'lost') return this.#recovered(state, at);
    const { remembersMs, watchedUntil } = this.#options;
    const missed = watchedUntil !== undefined && at - watchedUntil > remembersMs;
    const lost = missed ? [this.#evidence('stream-lost', watchedUntil, 'NotRecording', NOT_RECORDING)] : [];
    return [...lost, this.#evidence('stream-followed', epochMillis(missed ? at - remembersMs : at), 'Listed', '')];
  }

  /** What was held before the loss shows what went meanwhile; else a listing shows only what is still there. */
  #recovered({ loss, restated, wasFollowed }: Extract<State, { kind: 'lost' }>, at: EpochMillis): ReportedEvidence[] {
    const { remembersMs } = this.#options;
    const isComplete = at - loss.at <= remembersMs || (remembersMs === 0 && wasFollowed);
    const from = epochMillis(at - remembersMs);
    const madeGood = isComplete ? [loss, ...restated] : restated.filter((again) => again.at >= from);
    return [
      // The same records again, and no longer a loss.
      ...madeGood.map(
        (one) => ({ ...one, what: 'stream-followed', reason: 'CaughtUp', count: one.count + 1 }) as const,
      ),
      ...(isComplete ? [] : [this.#evidence('stream-followed', from, 'Listed', '')]),
    ];
  }

  #missing(state: State, error: Error | undefined, at: EpochMillis): ReportedEvidence[] {
    if (state.kind === 'lost') return [];
    if (state.kind === 'followed') {
      this.#state = { kind: 'interrupted', since: at, begun: at };
      return this.#missing(this.#state, error, at);
    }
    const { since, begun } = state;
    if (at - begun < PATIENCE_MS && !isRefusal(error)) return [];
    const loss = this.#evidence('stream-lost', since, reasonOf(error), error?.message ?? NOT_LISTED);
    this.#state = { kind: 'lost', loss, restated: [], wasFollowed: state.kind === 'interrupted' };
    return [loss];
  }

  #evidence(what: 'stream-lost' | 'stream-followed', at: EpochMillis, reason: string, message: string) {
    return streamEvidence(what, { ...this.#options, at, reason, message });
  }
}

const NOT_RECORDING = 'nobody was recording';
const NOT_LISTED = 'it has not been listed yet';

export function streamEvidence(
  what: 'stream-lost' | 'stream-followed',
  about: {
    readonly resource: string;
    readonly namespace: string | undefined;
    readonly at: EpochMillis;
    readonly reason: string;
    readonly message: string;
  },
): ReportedEvidence {
  const { resource, namespace = '', at, reason, message } = about;
  return {
    ...{
      id: `${what}/${resource}/${namespace}/${at}`,
      what,
      at,
      reason,
      message: message.slice(0, 512).toWellFormed(),
    },
    about: { kind: 'Stream', namespace, name: resource, uid: '' },
    ...{ by: '', count: 1, source: 'watch', resourceVersion: '' },
  };
}

/** Asking again will not help until somebody grants or installs something. */
function isRefusal(error: Error | undefined): boolean {
  return error instanceof ApiError && [401, 403, 404].includes(error.status);
}

function reasonOf(error: Error | undefined): string {
  if (error instanceof ApiError)
    return error.status === 403 ? 'Forbidden' : error.status === 404 ? 'NotFound' : 'Refused';
  return error === undefined ? 'NotListed' : 'Disconnected';
}

/** For who watches a stream without a loss, from the beginning. */
export function streamFollowed(resource: string, at: EpochMillis): ReportedEvidence {
  return streamEvidence('stream-followed', { resource, namespace: undefined, at, reason: 'Listed', message: '' });
}
