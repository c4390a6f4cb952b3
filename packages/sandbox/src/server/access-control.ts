// Who asks, and whether they may. Bearer tokens name users; rules allow or deny by user, verb, resource, namespace.
// Without any token configured everybody may do everything, as a test server should by default.
import { ApiStatusError } from '../api/api-status-error.ts';
import type { RequestInfo } from './request-info.ts';

export interface AccessRule {
  readonly effect: 'allow' | 'deny';
  /** Absent or `*`: all. Resources are `pods`, `pods/status`, `deployments.apps`. */
  readonly users?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly string[];
  readonly namespaces?: readonly string[];
}

export interface AccessOptions {
  /** User names by bearer token. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** The first rule that fits decides; where none fits, users with a token may and others may not. */
  readonly rules?: readonly AccessRule[];
}

const ANONYMOUS = 'system:anonymous';
/** What anybody may read on a real server too. */
const PUBLIC_PATHS = /^\/(healthz|livez|readyz|version)(\/|$)/;

export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly plural: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

export class AccessControl {
  readonly #tokens: Map<string, string>;
  #rules: readonly AccessRule[];
  readonly #open: boolean;

  constructor({ tokens = {}, rules = [] }: AccessOptions) {
    this.#tokens = new Map(Object.entries(tokens));
    this.#rules = rules;
    this.#open = this.#tokens.size === 0;
  }

  addToken(token: string, user: string): void {
    this.#tokens.set(token, user);
  }

  /** The token is answered with 401 from now on. */
  revokeToken(token: string): void {
    this.#tokens.delete(token);
  }

  setRules(rules: readonly AccessRule[]): void {
    this.#rules = rules;
  }

  /** Some token of a user, for a kubeconfig. */
  tokenOf(user: string | undefined): string | undefined {
    for (const [token, owner] of this.#tokens) if (user === undefined || owner === user) return token;
    return undefined;
  }

  /** The user of a request; throws 401 for a token that nobody has. */
  authenticate(authorization: string | undefined): string {
    const token = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return ANONYMOUS;
    const user = this.#tokens.get(token);
    if (user !== undefined) return user;
    if (this.#open) return ANONYMOUS;
    throw new ApiStatusError(401, 'Unauthorized', 'Unauthorized');
  }

  authorize(user: string, request: RequestInfo): void {
    if (!request.isResource) {
      if (this.#open || user !== ANONYMOUS || PUBLIC_PATHS.test(request.path)) return;
      const path = JSON.stringify(request.path);
      const message = `forbidden: User ${JSON.stringify(user)} cannot ${request.verb} path ${path}`;
      throw new ApiStatusError(403, 'Forbidden', message, {});
    }
    if (!this.allows(user, request)) throw forbiddenTo(user, request);
  }

  allows(user: string, question: AccessQuestion): boolean {
    const resource = question.group === '' ? question.plural : `${question.plural}.${question.group}`;
    const full = question.subresource === '' ? resource : `${resource}/${question.subresource}`;
    const fits = (list: readonly string[] | undefined, value: string) =>
      list === undefined || list.includes('*') || list.includes(value);
    const rule = this.#rules.find(
      (one) =>
        fits(one.users, user) &&
        fits(one.verbs, question.verb) &&
        fits(one.resources, full) &&
        fits(one.namespaces, question.namespace),
    );
    return rule === undefined ? this.#open || user !== ANONYMOUS : rule.effect === 'allow';
  }
}

function forbiddenTo(user: string, request: RequestInfo): ApiStatusError {
  const { verb, group, plural, subresource, namespace, name } = request;
  const qualified = group === '' ? plural : `${plural}.${group}`;
  const resource = subresource === '' ? plural : `${plural}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const subject = name === '' ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const message =
    `${subject} is forbidden: User ${JSON.stringify(user)} cannot ${verb} ` +
    `resource ${JSON.stringify(resource)} in API group ${JSON.stringify(group)} ${where}`;
  return new ApiStatusError(403, 'Forbidden', message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: plural,
  });
}
