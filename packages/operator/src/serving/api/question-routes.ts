// A route for every question of the catalogue: GET /api/v1/NAME, its parameters in the query.
import { askQuestion, instantOf, QUESTIONS, type Question, type QuestionName } from '@podtrail/history/wire/catalogue';
import { jsonReply } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import type { AskedLedger } from './asked-ledger.ts';
import { QueryParameters } from './query-parameters.ts';

export const API = '/api/v1';

export function questionRoutes(ledger: AskedLedger): readonly Route[] {
  return Object.values(QUESTIONS).map((question) => questionRoute(ledger, question as unknown as Question));
}

function questionRoute(ledger: AskedLedger, { name, parameters }: Question): Route {
  const readable = new QueryParameters(parameters);
  return {
    method: 'GET',
    path: `${API}/${name}`,
    handle: async (request) => {
      const asked = readable.read(request.query);
      const asker = ledger.asker(await request.visibility());
      const document = await ledger.ask(() => askQuestion(ledger.reader, asker, name as QuestionName, asked));
      return jsonReply(document, { hasETag: isPast(asked, asker.now) });
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
