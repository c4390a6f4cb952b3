// Access by the rights of a cluster: a caller comes through an API server (front proxy) or with a bearer token of its own,
// and sees what it may list pods in. Everything that is not proven is refused.
import type { IncomingMessage } from 'node:http';
import type { Visibility } from '@podtrail/history/wire';
import { Problem } from '../problem.ts';
import type { Access, Caller } from './access.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import { type FrontProxyTrust, frontProxyCaller } from './front-proxy.ts';
import type { PodRights } from './pod-rights.ts';
import type { Waiter } from './review-turns.ts';

export interface ClusterAccessOptions {
  /** Undefined while no front proxy is trusted. */
  readonly frontProxy: () => FrontProxyTrust | undefined;
  readonly tokens: Pick<BearerTokens, 'callerOf'> | undefined;
  readonly rights: Pick<PodRights, 'visibility'>;
}

export class ClusterAccess implements Access {
  readonly #options: ClusterAccessOptions;

  constructor(options: ClusterAccessOptions) {
    this.#options = options;
  }

  async identify(request: Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'socket'>): Promise<Caller> {
    const trust = this.#options.frontProxy();
    const behind = trust === undefined ? undefined : frontProxyCaller(trust, request);
    const caller = behind ?? (await this.#byToken(request));
    if (caller !== undefined) return caller;
    throw new Problem(401, 'unauthorized', 'the request does not prove who asks', {
      hint: 'ask through the API server (kubectl), or send a bearer token of this service.',
      headers: { 'www-authenticate': 'Bearer' },
    });
  }

  visibility(caller: Caller, namespace?: string, waiter?: Waiter): Promise<Visibility> {
    return this.#options.rights.visibility(caller, namespace, waiter);
  }

  async #byToken({
    headersDistinct,
    socket,
  }: Pick<IncomingMessage, 'headersDistinct' | 'socket'>): Promise<Caller | undefined> {
    const { tokens } = this.#options;
    const [given, ...more] = headersDistinct['authorization'] ?? [];
    const [, token] = /^Bearer +(\S+)$/i.exec(given ?? '') ?? [];
    if (tokens === undefined || token === undefined || more.length > 0) return undefined;
    try {
      return await tokens.callerOf(token, socket.remoteAddress);
    } catch (cause) {
      if (cause instanceof Problem) throw cause;
      throw new Problem(401, 'not-reviewed', 'whose token that is cannot be found out now', {
        hint: 'the API server does not answer; ask again.',
        cause,
      });
    }
  }
}
