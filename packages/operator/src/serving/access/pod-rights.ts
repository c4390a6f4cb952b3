// In which namespaces a caller may list pods, by the API server's own decision (SubjectAccessReview): asked for the whole
// cluster first, then about the namespace that the question names, or about each. What cannot be found out is denied. A
// decision is of the namespace with that UID: one that is created again under the same name is asked about again, and shows
// nothing of the one before it. Which namespaces are asked about never depends on what the ledger holds of them: the time
// that a review takes would tell.
import { type EpochMillis, epochMillis, type Visibility } from '@podtrail/history/wire';
import type { Clock, KubeObject, ResourceClient } from '@podtrail/machinery';
import { Problem } from '../problem.ts';
import type { Caller } from './access.ts';
import { callerKey, withoutCredential } from './caller-key.ts';
import { ExpiringCache } from './expiring-cache.ts';
import { ReviewTurns, type Waiter } from './review-turns.ts';

/** A namespace that stands now. */
export interface StandingNamespace {
  readonly name: string;
  readonly uid: string;
  readonly created: EpochMillis;
}

export interface AccessReview extends KubeObject {
  spec: {
    readonly user: string;
    readonly uid?: string | undefined;
    readonly groups: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
    readonly resourceAttributes: Readonly<Record<string, string>>;
  };
  status?: { readonly allowed?: boolean };
}

export interface PodRightsOptions {
  readonly reviews: Pick<ResourceClient<AccessReview>, 'create'>;
  /** Undefined while they are not known: then nobody sees anything by them. */
  readonly namespaces: () => readonly StandingNamespace[] | undefined;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onError?: (error: unknown) => void;
}

interface Decided {
  readonly isAllowed: boolean;
  /** Of the namespace that it was decided about. */
  readonly uid: string;
}

export const ACCESS_REVIEWS = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' };

/** A right that was taken away is gone after this; API servers keep what webhooks decide for longer. */
const KEPT_MS = 10_000;
/** Of all namespaces most are denied. That is kept for longer: whoever was given a right sees it so late, or names it. */
const DENIED_MS = 30_000;
const MOST_KEPT = 50_000;
/** Each costs a request: whoever has rights in single namespaces of a larger cluster names one. */
const MOST_NAMESPACES = 5_000;
/** Of who asks about all namespaces, of all callers together: what waits is answered within a minute, or not at all. */
const TURNS = { atOnce: 16, mostWaiting: 100_000, mostWaitingOfOne: 2 * MOST_NAMESPACES };
const ANSWER_WITHIN_MS = 5_000;

interface Asker {
  readonly caller: Caller;
  readonly key: string;
}

/** All namespaces, found out for everybody who asks as the same caller meanwhile. */
interface Sweep {
  readonly standing: readonly StandingNamespace[];
  /** Monotonic. */
  readonly begun: number;
  readonly decided: Promise<readonly (Decided | undefined)[]>;
  readonly nobodyWaits: AbortController;
  waiters: number;
}

export class PodRights {
  readonly #options: PodRightsOptions;
  readonly #decisions: ExpiringCache<Decided>;
  readonly #turns = new ReviewTurns(TURNS);
  /** By caller. */
  readonly #sweeps = new Map<string, Sweep>();

  constructor(options: PodRightsOptions) {
    this.#options = options;
    this.#decisions = new ExpiringCache({ clock: options.clock, most: MOST_KEPT });
  }

  /** Reviews that wait for their turn. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  /** With a namespace: that one alone is asked about, and at most that one is visible. */
  async visibility(asking: Caller, namespace?: string, waiter?: Waiter): Promise<Visibility> {
    const caller = withoutCredential(asking);
    const asker = { caller, key: callerKey(caller) };
    if ((await this.#decide(asker, '*', undefined, KEPT_MS)).isAllowed) return { kind: 'all' };
    const standing = this.#options.namespaces() ?? [];
    if (namespace !== undefined) return await this.#ofOne(asker, namespace, standing);
    if (standing.length > MOST_NAMESPACES) {
      throw new Problem(
        403,
        'too-many-namespaces',
        'there are too many namespaces to find out which of them are yours',
        {
          hint: 'ask about one of them: -n NAME, or namespace=NAME.',
        },
      );
    }
    const sweep = this.#sweepOf(asker, standing);
    const decided = await this.#wait(sweep, waiter);
    const since = new Map<string, EpochMillis>();
    for (const [i, { name, created }] of standing.entries()) {
      if (decided[i]?.isAllowed === true) since.set(name, created);
    }
    return { kind: 'namespaces', since };
  }

  #sweepOf(asker: Asker, standing: readonly StandingNamespace[]): Sweep {
    const now = this.#options.clock.monotonic();
    const known = this.#sweeps.get(asker.key);
    if (known !== undefined && now - known.begun < KEPT_MS && areSame(known.standing, standing)) return known;
    const nobodyWaits = new AbortController();
    const decided = this.#decideAll(asker, standing, nobodyWaits.signal);
    const sweep = { standing, begun: now, decided, nobodyWaits, waiters: 0 };
    this.#sweeps.set(asker.key, sweep);
    const forget = () => void (this.#sweeps.get(asker.key) === sweep && this.#sweeps.delete(asker.key));
    nobodyWaits.signal.addEventListener('abort', forget, { once: true });
    decided.then(forget, forget);
    return sweep;
  }

  /** Rejects when the waiter is gone; with the last one the sweep ends. */
  async #wait(sweep: Sweep, waiter: Waiter | undefined): Promise<readonly (Decided | undefined)[]> {
    sweep.waiters++;
    const onGone = () => {
      if (--sweep.waiters === 0) sweep.nobodyWaits.abort();
    };
    waiter?.gone.addEventListener('abort', onGone, { once: true });
    try {
      const decided = await sweep.decided;
      waiter?.gone.throwIfAborted();
      return decided;
    } finally {
      waiter?.gone.removeEventListener('abort', onGone);
    }
  }

  /** Those that are not known, in turns with other callers. Undefined: nobody waited for it any more. */
  async #decideAll(asker: Asker, standing: readonly StandingNamespace[], gone: AbortSignal) {
    const about = ({ uid }: StandingNamespace) => `of ${uid}`;
    const decided: (Decided | undefined)[] = await Promise.all(
      standing.map((one) => this.#decisions.known(`${asker.key} ${about(one)}`)?.catch(() => undefined)),
    );
    const left = [...decided.keys()].filter((place) => decided[place] === undefined);
    const review = async (i: number) => {
      const place = left[i] as number;
      const one = standing[place] as StandingNamespace;
      decided[place] = await this.#decide(asker, about(one), one, DENIED_MS);
    };
    if (left.length > 0) await this.#turns.run(asker.caller.name, left.length, review, gone);
    return decided;
  }

  /**
   * One that is not there is asked about as one that is, and a denial is kept by the name alone, apart from those of who
   * asks about all: whether it is there, or has come meanwhile, cannot be seen from the time that it takes.
   */
  async #ofOne(asker: Asker, name: string, standing: readonly StandingNamespace[]): Promise<Visibility> {
    const found = standing.find((one) => one.name === name);
    const asked = found ?? { name, uid: '', created: epochMillis(0) };
    let decided = await this.#decide(asker, `named ${name}`, asked, KEPT_MS);
    if (decided.isAllowed && decided.uid !== asked.uid)
      decided = await this.#decide(asker, `named ${name} ${asked.uid}`, asked, KEPT_MS);
    const isVisible = decided.isAllowed && found !== undefined;
    return { kind: 'namespaces', since: new Map(isVisible ? [[found.name, found.created]] : []) };
  }

  /** `deniedMs`: for how long a denial is kept. */
  async #decide(
    { caller, key }: Asker,
    about: string,
    namespace: StandingNamespace | undefined,
    deniedMs: number,
  ): Promise<Decided> {
    const uid = namespace?.uid ?? '';
    const decide = async () => {
      const isAllowed = await this.#review(caller, namespace?.name);
      return { value: { isAllowed, uid }, forMs: isAllowed ? KEPT_MS : deniedMs };
    };
    try {
      return await this.#decisions.get(`${key} ${about}`, decide);
    } catch (error) {
      this.#options.onError?.(error);
      return { isAllowed: false, uid };
    }
  }

  async #review({ name, uid, groups, extra }: Caller, namespace: string | undefined): Promise<boolean> {
    const inNamespace = namespace === undefined ? {} : { namespace };
    const review = await this.#options.reviews.create(
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        metadata: {},
        spec: {
          ...{ user: name, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) },
          resourceAttributes: { verb: 'list', version: 'v1', resource: 'pods', ...inNamespace },
        },
      } as unknown as AccessReview,
      { timeoutMs: ANSWER_WITHIN_MS },
    );
    return review.status?.allowed === true;
  }
}

function areSame(some: readonly StandingNamespace[], others: readonly StandingNamespace[]): boolean {
  return some.length === others.length && some.every(({ uid }, i) => uid === others[i]?.uid);
}
