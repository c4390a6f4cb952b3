// An operation for every question of the catalogue: GET /api/v1/NAME, its parameters in the query.
import {
  askQuestion,
  instantOf,
  onlyNamespace,
  QUESTIONS,
  type Question,
  type QuestionName,
} from '@podtrail/history/wire/catalogue';
import { jsonReply, jsonTextReply } from '../http/reply.ts';
import type { AskedLedger } from './asked-ledger.ts';
import { API, type Operation } from './operation.ts';
import { QueryParameters } from './query-parameters.ts';
import { whoText } from './who-text.ts';

const EXAMPLES: { readonly [Name in QuestionName]: Operation['example'] } = {
  who: { ip: '10.1.2.3', at: '2026-11-15T10:05:00Z' },
  trail: { subject: 'deploy/cart', namespace: 'shop', since: '2026-11-15T00:00:00Z' },
  node: { node: 'worker-2', at: '2026-11-15T10:05:00Z' },
  moves: { cause: 'Evicted,Rollout', since: '2026-11-15T00:00:00Z' },
  explain: { subject: 'cart-7d9-x2k', namespace: 'shop' },
  changes: { subject: 'cart-7d9-x2k', namespace: 'shop' },
  gaps: { since: '2026-11-15T00:00:00Z' },
  anomalies: { limit: 10 },
  nodes: { at: '2026-11-15T10:05:00Z', against: '2026-11-15T09:05:00Z' },
  find: { text: 'cart' },
  timeline: { by: 'node', since: '2026-11-15T00:00:00Z', until: '2026-11-15T12:00:00Z' },
};

export function questionRoutes(ledger: AskedLedger): readonly Operation[] {
  return Object.values(QUESTIONS).map((question) => questionRoute(ledger, question as unknown as Question));
}

function questionRoute(ledger: AskedLedger, { name, summary, parameters, document: schema }: Question): Operation {
  const readable = new QueryParameters(parameters);
  return {
    ...{ method: 'GET', path: `${API}/${name}`, id: name, summary, query: parameters },
    reply: { 'application/json': schema },
    example: EXAMPLES[name as QuestionName],
    handle: async (request) => {
      const asked = readable.read(request.query);
      // Rights elsewhere are not asked for: each costs the API server a review.
      const namespace = asked['namespace'] === undefined ? undefined : await onlyNamespace(asked);
      const asker = ledger.asker(await request.visibility(namespace));
      const hasETag = isPast(asked, asker.now);
      if (name === 'who') {
        // One read: there is nothing to give up in between.
        const body = await ledger.ask(() => whoText(ledger, asker, asked), true, request);
        return jsonTextReply(body, { hasETag });
      }
      const reader = ledger.readerFor(request);
      const ask = () => askQuestion(reader, asker, name as QuestionName, asked);
      return jsonReply(await ledger.ask(ask, false, request), { hasETag });
    },
  };
}

/**
 * What ended before now is asked for again and again, and hardly ever changes; where it does (late evidence, retention, an
 * import, a repair) the bytes change, and the ETag with them. What is asked up to now is another question every time.
 */
function isPast({ at, until }: Readonly<Record<string, unknown>>, now: number): boolean {
  const end = until ?? at;
  return typeof end === 'string' && (instantOf(end) ?? Number.POSITIVE_INFINITY) <= now;
}
