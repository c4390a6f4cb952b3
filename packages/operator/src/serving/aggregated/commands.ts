// `POST commands`: runs a command that asks for whoever may not reach a ledger, and sends back what it printed. What runs it
// is given; it sees what the caller may see. In a namespace it sees that one alone: for users with rights only there.
import type { Visibility } from '@podtrail/history/wire';
import type { Caller } from '../access/access.ts';
import type { HttpRequest } from '../http/http-request.ts';
import { jsonReply, type Reply } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import { Problem } from '../problem.ts';
import { visible } from './aggregated-api.ts';
import { postedObject } from './answer.ts';
import { COMMANDS } from './discovery.ts';
import { GROUP_VERSION } from './history-object.ts';
import { problemFrom } from './status.ts';

/** Rejects with a Problem where the command is none that a server runs. */
export type RunCommand = (
  spec: unknown,
  asker: { readonly caller: Caller; readonly visibility: Visibility; readonly signal: AbortSignal },
) => Promise<object>;

const MOST_BODY_BYTES = 512 * 1024;
const ROOT = `/apis/${GROUP_VERSION}`;

/** Served beside the aggregated API. */
export function clusterCommandRoutes(run: RunCommand): readonly Route[] {
  const paths = [`${ROOT}/${COMMANDS.plural}`, `${ROOT}/namespaces/{namespace}/${COMMANDS.plural}`];
  const handle = (request: HttpRequest) =>
    answer(request, run).catch((error) => Promise.reject(problemFrom(error) ?? error));
  return paths.flatMap((path) => [path, `${path}/`]).map((path) => ({ method: 'POST', path, handle }));
}

async function answer(request: HttpRequest, run: RunCommand): Promise<Reply> {
  const visibility = await visible(request, 'create', COMMANDS, request.captures['namespace']);
  const posted = (await postedObject(request.body, MOST_BODY_BYTES)) as Posted | null;
  const { apiVersion = GROUP_VERSION, kind = COMMANDS.kind, spec } = posted ?? {};
  if (apiVersion !== GROUP_VERSION || kind !== COMMANDS.kind) {
    throw new Problem(400, 'bad-body', `what is posted here is a ${COMMANDS.kind} of ${GROUP_VERSION}`);
  }
  const status = await run(spec, { caller: request.caller, visibility, signal: request.signal });
  // Not the spec: a log asks thousands of questions, and nobody needs them back.
  const metadata = { creationTimestamp: null };
  return jsonReply({ apiVersion: GROUP_VERSION, kind: COMMANDS.kind, metadata, status }, { status: 201 });
}

interface Posted {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly spec?: unknown;
}
