// Access for a server on this machine, for the person who started it: whoever has the token of the URL, or of the
// Authorization header, sees everything. Other users of the machine and pages of other origins do not: tokens are drawn,
// and Host and Origin must be ours, so that no name of somebody else leads here (DNS rebinding).
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { ALL_VISIBLE } from '@podtrail/history/wire';
import { OperatorError } from '../../errors.ts';
import type { HttpRequest } from '../http/http-request.ts';
import type { Reply } from '../http/reply.ts';
import { Problem } from '../problem.ts';
import type { Access, Caller } from './access.ts';

const CALLER: Caller = { name: 'loopback', groups: [] };
const TOKEN_BYTES = 32;
/** Shorter ones could be guessed by somebody who may ask as often as they like. */
const LEAST_TOKEN = 16;
/** The names under which a browser on this machine may know us, beside the address that we listen on. */
const NAMES = ['127.0.0.1', 'localhost', '[::1]'];
/** Of http: browsers leave it out. */
const DEFAULT_PORT = 80;

export interface LoopbackOptions {
  /** For scripts, as a bearer token; drawn if left out. */
  readonly token?: string | undefined;
  readonly draw?: (() => string) | undefined;
}

export class LoopbackAccess implements Access {
  /** For scripts; lasts as long as the process. */
  readonly bearer: string;
  readonly #session: string;
  readonly #bearerDigest: Buffer;
  readonly #sessionDigest: Buffer;
  /**
   * By connection: the Authorization header that was right on it. How long comparing with it takes tells a client only
   * what that client has sent before.
   */
  readonly #proven = new WeakMap<object, string>();
  /** Undefined once it was used. */
  #oneTime: string | undefined;
  #port = 0;
  /** Without a path. */
  #url = '';
  /** As a request may write Host, and as it may write Origin. */
  #hosts: ReadonlySet<string> = new Set();
  #origins: ReadonlySet<string> = new Set();

  constructor({ token, draw = drawToken }: LoopbackOptions = {}) {
    if (token === '') throw badToken('is empty');
    if (token !== undefined && !/^[\w.~+/=-]+$/.test(token)) throw badToken('has characters that no token has');
    if (token !== undefined && token.length < LEAST_TOKEN) throw badToken(`is shorter than ${LEAST_TOKEN} characters`);
    this.bearer = token ?? draw();
    this.#session = draw();
    this.#oneTime = draw();
    this.#bearerDigest = digestOf(this.bearer);
    this.#sessionDigest = digestOf(this.#session);
  }

  /** Once the server listens. The URL works once, in one browser. */
  urlOn({ host, port }: { readonly host: string; readonly port: number }): string {
    const own = host.includes(':') ? `[${host}]` : host;
    const hosts = [...NAMES, own].flatMap((name) => [`${name}:${port}`, ...(port === DEFAULT_PORT ? [name] : [])]);
    this.#port = port;
    this.#url = `http://${own}:${port}`;
    this.#hosts = new Set(hosts);
    this.#origins = new Set(hosts.map((name) => `http://${name}`));
    return `${this.#url}/?token=${this.#oneTime ?? ''}`;
  }

  /** Before anything is looked at. */
  readonly admit = ({ headers }: Pick<IncomingMessage, 'headers'>): void => {
    if (!this.#hosts.has((headers.host ?? '').toLowerCase())) {
      throw new Problem(403, 'bad-host', 'this server is for requests to this machine by its own name', {
        hint: `use ${this.#url}.`,
      });
    }
    const { origin } = headers;
    if (origin !== undefined && !this.#origins.has(origin.toLowerCase())) {
      throw new Problem(403, 'bad-origin', 'pages of another origin may not ask here', {
        hint: `open ${this.#url} itself.`,
      });
    }
  };

  async identify(request: Pick<IncomingMessage, 'headers'> & { readonly socket?: object }): Promise<Caller> {
    const { headers, socket } = request;
    const { authorization } = headers;
    if (socket !== undefined && authorization !== undefined && this.#proven.get(socket) === authorization)
      return CALLER;
    const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (bearer !== undefined && isSame(bearer, this.#bearerDigest)) {
      if (socket !== undefined && authorization !== undefined) this.#proven.set(socket, authorization);
      return CALLER;
    }
    if (this.#isSession(headers.cookie)) return CALLER;
    const [said, send] =
      bearer === undefined
        ? ['this request does not say who asks', 'send its token as Authorization: Bearer TOKEN']
        : ['this token is not valid here', 'send the token of this run: another run has another one'];
    throw new Problem(401, 'unauthenticated', said, {
      hint: `open the URL that podtrail printed when it started this server, or ${send}.`,
      headers: { 'www-authenticate': 'Bearer realm="podtrail"' },
    });
  }

  async visibility() {
    return ALL_VISIBLE;
  }

  /**
   * Of a request with the token of the URL: the cookie, and the same place without the token. Undefined without one. In
   * the browser that used it the URL only leads on: people open it again from the terminal, or from their history.
   */
  exchange({ method, query, path, headers }: HttpRequest): Reply | undefined {
    // Whoever only looks at a link, as checkers do, does not use it up.
    if (method !== 'GET') return undefined;
    const given = new URLSearchParams(query).get('token');
    if (given === null) return undefined;
    const location = withoutToken(path, query);
    if (this.#oneTime === undefined || !isSame(given, digestOf(this.#oneTime))) {
      if (this.#isSession(headers.cookie)) return { status: 303, headers: { location } };
      throw new Problem(401, 'token-used', 'this token is not valid, or was used already', {
        hint: 'use the browser that opened it first, or start podtrail again: it prints a new URL.',
      });
    }
    this.#oneTime = undefined;
    const cookie = `${this.#cookieName}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`;
    return { status: 303, headers: { location, 'set-cookie': cookie } };
  }

  #isSession(cookies: string | undefined): boolean {
    const session = cookieOf(cookies, this.#cookieName);
    return session !== undefined && isSame(session, this.#sessionDigest);
  }

  /** Cookies do not know ports: two servers on one machine must not overwrite each other's. */
  get #cookieName(): string {
    return `podtrail-${this.#port}`;
  }
}

/** Throws for an address that others can reach. */
export function checkLoopback(host: string): void {
  if (host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))) return;
  throw new OperatorError(
    'not-loopback',
    `${host} can be reached by others, and one token of podtrail serve shows everything`,
    {
      hint: 'bind 127.0.0.1 or ::1, and reach it from elsewhere by ssh -L; for several people there is the operator.',
    },
  );
}

/** The rest of the query stays as it came. */
function withoutToken(path: string, query: string): string {
  const rest = query.split('&').filter((pair) => !new URLSearchParams(pair).has('token'));
  return rest.length === 0 ? path : `${path}?${rest.join('&')}`;
}

function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

function drawToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function isSame(given: string, digest: Buffer): boolean {
  return timingSafeEqual(digestOf(given), digest);
}

function badToken(why: string): OperatorError {
  return new OperatorError('bad-token', `the token ${why}`, { hint: 'use letters and digits, 32 of them or more.' });
}
