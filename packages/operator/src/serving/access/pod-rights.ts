// In which namespaces a caller may list pods, by the API server's own decision (SubjectAccessReview): asked for the whole
// cluster first, then about the namespace that the question names, or about each. What cannot be found out is denied. A
// decision is of the namespace with that UID: one that is created again under the same name is asked about again, and shows
// nothing of the one before it. Which namespaces are asked about never depends on what the ledger holds of them: the time
// that a review takes would tell.
import { type EpochMillis, epochMillis, type Visibility } from '@podtrail/history/wire';
import type { Clock, KubeObject, ResourceClient } from '@podtrail/machinery';
import { Problem } from '../problem.ts';
import type { Caller } from './access.ts';
import { callerKey } from './caller-key.ts';
import { ExpiringCache } from './expiring-cache.ts';

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
/** Reviews of who asks about all namespaces, of all callers together. */
const AT_ONCE = 16;
/** Each costs a request: whoever has rights in single namespaces of a larger cluster names one. */
const MOST_NAMESPACES = 5_000;
const ANSWER_WITHIN_MS = 5_000;

interface Asker {
  readonly caller: Caller;
  readonly key: string;
}

export class PodRights {
  readonly #options: PodRightsOptions;
  readonly #decisions: ExpiringCache<Decided>;
  readonly #places = new Places(AT_ONCE);

  constructor(options: PodRightsOptions) {
    this.#options = options;
    this.#decisions = new ExpiringCache({ clock: options.clock, most: MOST_KEPT });
  }

  /** With a namespace: that one alone is asked about, and at most that one is visible. */
  async visibility(caller: Caller, namespace?: string): Promise<Visibility> {
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
    const decided = await Promise.all(standing.map((one) => this.#decide(asker, `of ${one.uid}`, one, DENIED_MS)));
    const since = new Map<string, EpochMillis>();
    for (const [i, { name, created }] of standing.entries()) {
      if (decided[i]?.isAllowed === true) since.set(name, created);
    }
    return { kind: 'namespaces', since };
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
    // Who names one does not wait behind those who do not.
    const inTurn = deniedMs === DENIED_MS ? () => this.#places.run(decide) : decide;
    try {
      return await this.#decisions.get(`${key} ${about}`, inTurn);
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

/** So many at once; the others wait for their turn, in the order in which they came. */
class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
