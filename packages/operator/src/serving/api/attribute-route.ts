// POST /api/v1/attribute: the rows of a flow log in, the same rows with who held their addresses out, as they come. What
// reads and writes the rows is given to it: the command has it, for files.
import { type AskAttributions, askAttributions, type Visibility } from '@podtrail/history/wire';
import { clusterOf } from '@podtrail/history/wire/catalogue';
import { z } from 'zod';
import { CallerPlaces } from '../http/caller-places.ts';
import type { HttpRequest } from '../http/http-request.ts';
import type { Reply, ReplyStream } from '../http/reply.ts';
import { Problem } from '../problem.ts';
import type { AskedLedger } from './asked-ledger.ts';
import { historyProblem } from './history-problems.ts';
import { API, type Operation } from './operation.ts';
import { QueryParameters } from './query-parameters.ts';

const text = (description: string) => z.string().min(1).max(512).meta({ description });
const names = (description: string) => z.array(z.string().min(1).max(512)).max(64).meta({ description });

const parameters = z.strictObject({
  format: text('The format of the rows, as podtrail attribute knows them; by their look if left out.').optional(),
  ip: names('Columns with an address, or paths in JSON.').optional(),
  time: text('The column with the time; with end, of the beginning.').optional(),
  end: text('The column with the time of the end: the row is a window.').optional(),
  prefix: names('Before our columns, one for each ip.').optional(),
  columns: names('Names of the columns of an input without a header.').optional(),
  traffic: z
    .boolean()
    .optional()
    .meta({ description: 'Whether every row shows that its addresses were in use; by the format if left out.' }),
  timezone: text('Of times that say none, as Europe/Berlin; such rows are refused if left out.').optional(),
  headers: z.boolean().default(true).meta({ description: 'Whether CSV begins with the names of its columns.' }),
  output: z.enum(['csv', 'jsonl']).optional().meta({ description: 'As the input if left out.' }),
  cluster: text('Name or ID of the cluster; may be left out where the store holds one.').optional(),
});

export type AttributeParameters = z.output<typeof parameters>;

export interface LogToAttribute {
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: ReplyStream['write'];
  readonly parameters: AttributeParameters;
  readonly ledger: AskAttributions;
  readonly signal: AbortSignal;
}

/** Rejects with a Problem where the rows cannot be understood. */
export type AttributeLog = (log: LogToAttribute) => Promise<void>;

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';
/** A log may last for hours: what its caller may see is found out again after this. */
const RIGHTS_MS = 10_000;
/** Each takes a processor for as long as it lasts: whoever comes later asks again. */
const LOGS = { most: 4, mostOfOne: 2, code: 'too-many-logs', message: 'too many logs are being attributed' };

export function attributeRoute(ledger: AskedLedger, attribute: AttributeLog): Operation {
  const readable = new QueryParameters(parameters);
  const places = new CallerPlaces(LOGS);
  return {
    ...{ method: 'POST', path: `${API}/attribute`, id: 'attribute' },
    summary: 'The rows of a flow log, each with who held its addresses at its time; streamed in and out.',
    query: parameters,
    body: { [CSV]: 'text', [NDJSON]: 'text', 'application/octet-stream': 'text' },
    reply: { [CSV]: 'text', [NDJSON]: 'text', 'text/plain': 'text' },
    handle: async (request) => {
      const asked = readable.checked('attribute', request.query);
      const visibility = await request.visibility();
      // Every answer would be `unknown`, after all of the log was read.
      if (visibility.kind === 'namespaces' && visibility.since.size === 0) {
        throw new Problem(403, 'forbidden', 'you may not list the pods of any namespace', {
          hint: 'ask for the right to list pods in the namespaces that the log is about.',
        });
      }
      const cluster = await ledger.ask(async () => clusterOf(await ledger.clusters(), asked.cluster));
      // A log that is written meanwhile has rows of later.
      const answers = askAttributions(ledger.reader, visibility, cluster.id, () => ledger.asker(visibility).now);
      return streamed(request, asked, async (out) => {
        const release = places.take(request.caller);
        const { signal } = request;
        const write = (bytes: string | Uint8Array) => out.write(bytes);
        try {
          const input = whileVisible(request, visibility, () => ledger.monotonic());
          await attribute({ input, write, parameters: asked, ledger: answers, signal });
        } catch (error) {
          throw historyProblem(error);
        } finally {
          release();
        }
      });
    },
  };
}

/** Rejects when some of what was visible at first is not any more: its rows are answered by what was. */
async function* whileVisible(
  request: HttpRequest,
  visibility: Visibility,
  now: () => number,
): AsyncGenerator<Uint8Array> {
  let checked = now();
  for await (const chunk of request.body.chunks()) {
    if (now() - checked >= RIGHTS_MS) {
      checked = now();
      if (!hasAll(await request.visibility(), visibility)) {
        throw new Problem(403, 'rights-changed', 'some of what you may see was taken away while the log was sent', {
          hint: 'send the rows again that are not answered.',
        });
      }
    }
    yield chunk;
  }
}

/** A namespace that was created again is another one. */
function hasAll(now: Visibility, before: Visibility): boolean {
  if (now.kind === 'all') return true;
  if (before.kind === 'all') return false;
  return [...before.since].every(([name, since]) => now.since.get(name) === since);
}

function streamed(
  { body }: HttpRequest,
  { output }: AttributeParameters,
  stream: (out: ReplyStream) => Promise<void>,
): Reply {
  const asInput = [CSV, NDJSON].includes(body.type) ? body.type : 'text/plain; charset=utf-8';
  const type = output === undefined ? asInput : output === 'csv' ? CSV : NDJSON;
  return { status: 200, headers: { 'content-type': type }, mayBePacked: true, stream };
}
