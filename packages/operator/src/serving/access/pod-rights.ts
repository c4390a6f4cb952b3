// In which namespaces a caller may list pods, by the API server's own decision (SubjectAccessReview): asked for the whole
// cluster first, then namespace by namespace. What cannot be found out is denied. A decision is of the namespace with that
// UID: one that is created again under the same name is asked about again, and shows nothing of the one before it.
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

export const ACCESS_REVIEWS = { group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' };

/** A right that was taken away is gone after this; API servers keep what webhooks decide for longer. */
const KEPT_MS = 10_000;
const MOST_KEPT = 20_000;
const AT_ONCE = 16;
/** Each costs a request: whoever has rights in single namespaces of a larger cluster names one. */
const MOST_NAMESPACES = 1_000;
const ANSWER_WITHIN_MS = 5_000;

export class PodRights {
  readonly #options: PodRightsOptions;
  readonly #decisions: ExpiringCache<boolean>;

  constructor(options: PodRightsOptions) {
    this.#options = options;
    this.#decisions = new ExpiringCache({ clock: options.clock, most: MOST_KEPT });
  }

  /** With a namespace: that one alone is asked about, and at most that one is visible. */
  async visibility(caller: Caller, namespace?: string): Promise<Visibility> {
    if (await this.#mayList(caller, undefined)) return { kind: 'all' };
    const standing = this.#options.namespaces() ?? [];
    const asked = namespace === undefined ? standing : standing.filter(({ name }) => name === namespace);
    if (asked.length > MOST_NAMESPACES) {
      throw new Problem(
        403,
        'too-many-namespaces',
        'there are too many namespaces to find out which of them are yours',
        {
          hint: 'ask about one of them: -n NAME.',
        },
      );
    }
    const since = new Map<string, EpochMillis>();
    const left = [...asked];
    const next = async (): Promise<void> => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        if (await this.#mayList(caller, one)) since.set(one.name, one.created);
      }
    };
    // One that is not there is asked about all the same: who may not know cannot tell by the time that it takes.
    if (namespace !== undefined && asked.length === 0) {
      await this.#mayList(caller, { name: namespace, uid: '', created: epochMillis(0) });
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    return { kind: 'namespaces', since };
  }

  async #mayList(caller: Caller, namespace: StandingNamespace | undefined): Promise<boolean> {
    const key = `${callerKey(caller)} ${namespace?.uid ?? '*'} ${namespace?.name ?? ''}`;
    try {
      return await this.#decisions.get(key, async () => {
        const allowed = await this.#review(caller, namespace?.name);
        return { value: allowed, forMs: KEPT_MS };
      });
    } catch (error) {
      this.#options.onError?.(error);
      return false;
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
