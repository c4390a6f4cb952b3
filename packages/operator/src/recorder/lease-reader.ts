// Reads the Leases of the nodes that the ledger asks about, one by one and only while it asks: a watch of all Leases
// would bring hundreds of events a second on a large cluster. Only the recorder uses it. Nothing depends on it: without
// its answers an address is in doubt for longer.
import {
  ApiError,
  Backoff,
  type Clock,
  isForbidden,
  isNotFound,
  type Lease,
  type Random,
  renewTimeOf,
  type Timer,
} from '@podtrail/machinery';

export interface LeaseReaderOptions {
  /** The nodes whose Lease would help now. Called about twenty times a second at most, however often `wake` is. */
  readonly nodes: () => readonly string[];
  readonly get: (node: string, signal: AbortSignal) => Promise<Lease>;
  /** A Lease with a renewTime that was not reported yet. Resolves with false when it could not be used now. */
  readonly onRenewed: (node: string, renewTime: number) => boolean | Promise<boolean>;
  readonly onRead: (result: LeaseResult) => void;
  /** Once when Leases may not be read, with the refusal; with undefined when they may be again. */
  readonly onForbidden: (refusal: LeaseRefusal | undefined) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** `absent`: there is no such Lease, or it says nothing; `failed`: no answer, or one that may pass. */
export type LeaseResult = 'renewed' | 'unchanged' | 'absent' | 'forbidden' | 'failed';

export interface LeaseRefusal {
  readonly problem: string;
  readonly missing: string;
  readonly effect: string;
  readonly hint: string;
}

export const NODE_LEASES = 'kube-node-lease';

/** A kubelet renews every 10 s: each renewal is seen within 3 s, and none is missed. */
const EVERY_MS = 3_000;
/** Ten a second, however many nodes there are. */
const PACE_MS = 100;
const MOST_AT_ONCE = 4;
/** The node has none: its kubelet is older than Leases, or somebody else's, or was never there. */
const ABSENT_MS = 60_000;
const FORBIDDEN_MS = 600_000;
/** Refusals that are not about the name that was asked for: credentials, time, too many requests. */
const PASSING = [401, 408, 429];
const BACKOFF = { firstMs: EVERY_MS, longestMs: 60_000 };

interface Turn {
  /** Monotonic. The node that has waited longest since then is next. */
  dueAt: number;
  isRunning: boolean;
  /** The last one that was reported; undefined again when the node was out of question meanwhile. */
  renewTime: number | undefined;
}

export class LeaseReader {
  readonly #options: LeaseReaderOptions;
  readonly #backoff: Backoff;
  readonly #stop = new AbortController();
  readonly #turns = new Map<string, Turn>();
  readonly #running = new Set<Promise<void>>();
  /** Monotonic, all of them. */
  #sentAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #look: { readonly at: number; readonly timer: Timer } | undefined;
  #isForbidden = false;

  constructor(options: LeaseReaderOptions) {
    this.#options = options;
    this.#backoff = new Backoff(BACKOFF, options.random);
  }

  /** The nodes in question may be others now. Called with every observation: it only sets a timer. */
  wake(): void {
    this.#lookAt(this.#lookedAt + PACE_MS);
  }

  /** Resolves when what was under way has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#look?.timer.cancel();
    await Promise.all(this.#running);
  }

  #lookAt(at: number): void {
    if (this.#stop.signal.aborted || (this.#look !== undefined && this.#look.at <= at)) return;
    this.#look?.timer.cancel();
    const { clock } = this.#options;
    const fire = () => {
      this.#look = undefined;
      this.#sendNext(clock.monotonic());
    };
    this.#look = { at, timer: clock.setTimer(Math.max(0, at - clock.monotonic()), fire) };
  }

  /** One at most: the next look is when the next one may be sent. */
  #sendNext(now: number): void {
    this.#lookedAt = now;
    const waiting = this.#waiting(now);
    const [first] = waiting;
    // A reading that is under way looks again at its end.
    if (first === undefined || this.#running.size >= MOST_AT_ONCE) return;
    const next = waiting.reduce((longest, other) => (other.turn.dueAt < longest.turn.dueAt ? other : longest), first);
    const at = Math.max(next.turn.dueAt, this.#sentAt + PACE_MS, this.#pausedUntil);
    if (at > now) {
      this.#lookAt(at);
      return;
    }
    this.#sentAt = now;
    const read = this.#read(next.node, next.turn, now).finally(() => {
      this.#running.delete(read);
      this.wake();
    });
    this.#running.add(read);
    this.#lookAt(now + PACE_MS);
  }

  /** Those in question that are not under way. One that is no longer in question is forgotten when it could be asked for again. */
  #waiting(now: number): { readonly node: string; readonly turn: Turn }[] {
    const inQuestion = new Set(this.#options.nodes());
    for (const [node, turn] of this.#turns) {
      if (inQuestion.has(node)) continue;
      turn.renewTime = undefined;
      if (!turn.isRunning && turn.dueAt <= now) this.#turns.delete(node);
    }
    return [...inQuestion].flatMap((node) => {
      const turn = this.#turns.get(node) ?? { dueAt: now, isRunning: false, renewTime: undefined };
      this.#turns.set(node, turn);
      return turn.isRunning ? [] : [{ node, turn }];
    });
  }

  async #read(node: string, turn: Turn, now: number): Promise<void> {
    const { get, onRead } = this.#options;
    const { signal } = this.#stop;
    turn.isRunning = true;
    turn.dueAt = now + EVERY_MS;
    try {
      onRead(await this.#take(node, turn, renewTimeOf(await get(node, signal))));
    } catch (error) {
      if (!signal.aborted) onRead(this.#refused(turn, error));
    } finally {
      turn.isRunning = false;
    }
  }

  async #take(node: string, turn: Turn, renewTime: number | undefined): Promise<LeaseResult> {
    this.#answered();
    if (renewTime === undefined) return this.#absent(turn);
    if (renewTime === turn.renewTime) return 'unchanged';
    if (await this.#options.onRenewed(node, renewTime)) turn.renewTime = renewTime;
    return 'renewed';
  }

  #refused(turn: Turn, error: unknown): LeaseResult {
    if (isNotFound(error)) {
      this.#answered();
      return this.#absent(turn);
    }
    const now = this.#options.clock.monotonic();
    if (isForbidden(error)) {
      this.#pausedUntil = now + FORBIDDEN_MS;
      if (!this.#isForbidden) this.#options.onForbidden(refusalOf(error));
      this.#isForbidden = true;
      return 'forbidden';
    }
    // Of this node alone, and it will not pass soon.
    if (isAboutOneNode(error)) turn.dueAt = now + ABSENT_MS;
    else {
      const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
      this.#pausedUntil = now + Math.max(asked, this.#backoff.next());
    }
    return 'failed';
  }

  #absent(turn: Turn): LeaseResult {
    turn.dueAt = this.#options.clock.monotonic() + ABSENT_MS;
    return 'absent';
  }

  #answered(): void {
    this.#backoff.reset();
    if (!this.#isForbidden) return;
    this.#isForbidden = false;
    this.#options.onForbidden(undefined);
  }
}

function isAboutOneNode(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && !PASSING.includes(error.status);
}

function refusalOf({ message }: ApiError): LeaseRefusal {
  return {
    problem: message,
    missing: `get leases.coordination.k8s.io in namespace ${NODE_LEASES}`,
    effect: 'after a forced deletion of a pod its address is in doubt for about a minute longer',
    hint: 'bind the ClusterRole podtrail-node-leases of deploy/kustomize in that namespace.',
  };
}
