// Who asks with a bearer token, by the API server's own decision (TokenReview). A token must be meant for us: one of our
// audiences is in it, so that nobody who is given it here can use it elsewhere, nor the other way round. Decisions are
// kept for at most a minute and the token's life, by a hash: the token itself is kept nowhere.
import { createHash } from 'node:crypto';
import type { Clock, KubeObject, ResourceClient } from '@podtrail/machinery';
import { QuestionGate } from '../http/question-gate.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { Problem } from '../problem.ts';
import type { Caller } from './access.ts';
import { ExpiringCache } from './expiring-cache.ts';

export interface TokenReview extends KubeObject {
  spec: { readonly token: string; readonly audiences: readonly string[] };
  status?: {
    readonly authenticated?: boolean;
    readonly audiences?: readonly string[];
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

export interface BearerTokensOptions {
  readonly reviews: Pick<ResourceClient<TokenReview>, 'create'>;
  readonly audiences: readonly [string, ...string[]];
  readonly clock: Pick<Clock, 'monotonic' | 'now'>;
}

export const TOKEN_REVIEWS = { group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' };

const LONGEST_MS = 60_000;
/** Of a token that says nothing about its life: it may be withdrawn at any time. */
const OPAQUE_MS = 10_000;
/** Whoever guesses fills the cache with these, and asks again soon. */
const REFUSED_MS = 5_000;
const MOST_KEPT = 10_000;
const LONGEST_TOKEN = 16 * 1024;
const ANSWER_WITHIN_MS = 5_000;

/** Whoever guesses must not make more work for the API server than this. */
const OF_ONE_ADDRESS = { perSecond: 10, burst: 100 };
const REVIEWS = { atOnce: 16, mostWaiting: 256, waitMs: ANSWER_WITHIN_MS };

export class BearerTokens {
  readonly #options: BearerTokensOptions;
  readonly #gate = new QuestionGate(REVIEWS);
  readonly #perAddress: RateLimit;
  readonly #decisions: ExpiringCache<Caller | undefined>;

  constructor(options: BearerTokensOptions) {
    this.#options = options;
    this.#perAddress = new RateLimit({ ...OF_ONE_ADDRESS, now: () => options.clock.monotonic() });
    this.#decisions = new ExpiringCache({ clock: options.clock, most: MOST_KEPT });
  }

  /** Undefined: nobody's. Rejects if that cannot be found out, and where this address has shown too many of late. */
  async callerOf(token: string, address?: string): Promise<Caller | undefined> {
    if (token === '' || token.length > LONGEST_TOKEN) return undefined;
    const key = createHash('sha256').update(token).digest('base64url');
    return await this.#decisions.get(key, async () => {
      if (address !== undefined) this.#takeOf(address);
      const value = await this.#gate.run(() => this.#review(token));
      return { value, forMs: value === undefined ? REFUSED_MS : this.#lifeOf(token) };
    });
  }

  #takeOf(address: string): void {
    try {
      this.#perAddress.take(address);
    } catch (cause) {
      if (!(cause instanceof Problem)) throw cause;
      const { headers } = cause;
      throw new Problem(429, 'too-many-tokens', 'this address has shown too many tokens that are not known yet', {
        ...{
          headers,
          cause,
          hint: 'wait as long as Retry-After says; a token that was accepted is known for a minute.',
        },
      });
    }
  }

  async #review(token: string): Promise<Caller | undefined> {
    const { audiences, reviews } = this.#options;
    const { status } = await reviews.create(
      {
        ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {} },
        spec: { token, audiences },
      } as unknown as TokenReview,
      { timeoutMs: ANSWER_WITHIN_MS },
    );
    const { username = '', uid, groups = [], extra } = status?.user ?? {};
    if (status?.authenticated !== true || username === '') return undefined;
    // A server that does not know audiences leaves them out: then the token is for that server, not for us.
    if (!status.audiences?.some((audience) => audiences.includes(audience))) return undefined;
    return { name: username, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
  }

  /** Of a JSON web token, whose claims are true once it was accepted. */
  #lifeOf(token: string): number {
    const [, claims] = token.split('.');
    if (claims === undefined) return OPAQUE_MS;
    try {
      const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { readonly exp?: unknown };
      if (typeof exp !== 'number') return OPAQUE_MS;
      return Math.max(0, Math.min(LONGEST_MS, exp * 1000 - this.#options.clock.now()));
    } catch {
      return OPAQUE_MS;
    }
  }
}
