// The history port in numbers: what was asked and how it went, who was refused and why, what waits for the ledger, and
// what the API server said about callers. Labels are routes, codes and outcomes: never a caller, an address or a name.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { AccessLogEntry } from '../serving/http/access-log.ts';
import type { DroppedConnection } from '../serving/http/http-server.ts';

const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 60];

/** By the code of the problem: why somebody was refused, and not what was wrong with the question. */
export const REFUSALS: Readonly<Record<string, string>> = {
  'too-many-requests': 'rate',
  'too-many-watches': 'watches',
  'too-many-streams': 'streams',
  'too-many-logs': 'logs',
  'too-many-tokens': 'tokens',
  busy: 'busy',
  unauthorized: 'unauthenticated',
  unauthenticated: 'unauthenticated',
  'token-used': 'unauthenticated',
  'not-reviewed': 'unauthenticated',
  forbidden: 'forbidden',
  'too-many-namespaces': 'forbidden',
  'rights-changed': 'forbidden',
  'bad-host': 'forbidden',
  'bad-origin': 'forbidden',
  'bad-request': 'malformed',
  'headers-too-large': 'malformed',
  'slow-headers': 'slow',
  'slow-body': 'slow',
};

const DROPPED: readonly DroppedConnection['why'][] = ['evicted', 'ahead', 'unread', 'tls'];

export type ReviewKind = 'token' | 'access';

/** What is read of an AskedLedger. */
export interface Asked {
  readonly asking: number;
  readonly waiting: number;
}

/** What is read of an HttpServer. */
export interface Port {
  readonly connections: number;
  readonly streams: number;
  readonly unreadBytes: number;
}

interface Reviews<T> {
  create(object: T, options?: object): Promise<T>;
}

export class HistoryMetrics {
  readonly #requests: Counter<'route' | 'code'>;
  readonly #seconds: Histogram<'route'>;
  readonly #refused: Counter<'reason'>;
  readonly #dropped: Counter<'why'>;
  readonly #reviews: Counter<'kind' | 'outcome'>;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
    const named = (name: string, help: string) => ({ name: `podtrail_history_${name}`, help, registers: [registry] });
    this.#requests = new Counter({
      ...named('requests_total', 'Requests to the history port.'),
      labelNames: ['route', 'code'],
    });
    this.#seconds = new Histogram({
      ...named('request_seconds', 'From a request to the end of its answer; without streams.'),
      ...{ labelNames: ['route'], buckets: SECONDS },
    });
    this.#refused = new Counter({
      ...named('refused_total', 'Requests that were refused because of who asks, how often or how.'),
      labelNames: ['reason'],
    });
    this.#dropped = new Counter({
      ...named('connections_dropped_total', 'Connections that were ended without an answer.'),
      labelNames: ['why'],
    });
    this.#reviews = new Counter({
      ...named('reviews_total', 'Reviews of tokens and rights by the API server.'),
      labelNames: ['kind', 'outcome'],
    });
    for (const reason of new Set(Object.values(REFUSALS))) this.#refused.inc({ reason }, 0);
    for (const why of DROPPED) this.#dropped.inc({ why }, 0);
    for (const kind of ['token', 'access'])
      for (const outcome of ['allowed', 'denied', 'failed']) this.#reviews.inc({ kind, outcome }, 0);
  }

  answered({
    route,
    status,
    ms,
    code,
    isStream,
  }: Pick<AccessLogEntry, 'route' | 'status' | 'ms' | 'code' | 'isStream'>): void {
    const label = routeLabel(route);
    this.#requests.inc({ route: label, code: String(status) });
    // A stream is as long as its client stays.
    if (!isStream) this.#seconds.observe({ route: label }, ms / 1000);
    const reason = code === undefined ? undefined : REFUSALS[code];
    if (reason !== undefined) this.#refused.inc({ reason });
  }

  dropped({ why }: Pick<DroppedConnection, 'why'>): void {
    this.#dropped.inc({ why });
  }

  /** The same reviews, counted. */
  counted<T>(kind: ReviewKind, reviews: Reviews<T>, isAllowed: (reviewed: T) => boolean): Reviews<T> {
    return {
      create: async (object, options) => {
        try {
          const reviewed = await reviews.create(object, options);
          this.#reviews.inc({ kind, outcome: isAllowed(reviewed) ? 'allowed' : 'denied' });
          return reviewed;
        } catch (error) {
          this.#reviews.inc({ kind, outcome: 'failed' });
          throw error;
        }
      },
    };
  }

  watch(ledger: Asked, port: Port, rights: { readonly waiting: number }): void {
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        ...{ name: `podtrail_history_${name}`, help, registers: [this.#registry] },
        collect() {
          this.set(read());
        },
      });
    gauge('questions_waiting', 'Questions that wait for their turn.', () => ledger.waiting);
    gauge('questions_asking', 'Questions that are on the ledger.', () => ledger.asking);
    gauge('connections', 'Open connections.', () => port.connections);
    gauge('streams', 'Watches, news and flow logs that are sent.', () => port.streams);
    gauge('unread_bytes', 'Of large answers that their clients have not taken.', () => port.unreadBytes);
    gauge('reviews_waiting', 'Reviews of rights that wait for their turn.', () => rights.waiting);
  }
}

/** The last name of its path: `tenures`, `who`, `mcp`; documents about the aggregated API are `discovery`. */
function routeLabel(route: string | undefined): string {
  if (route === undefined) return 'none';
  const names = route.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  if (names[0] === 'openapi' || (names[0] === 'apis' && names.length < 4)) return 'discovery';
  return names.at(-1) ?? 'none';
}
