// A server of podtrail at a URL: `podtrail serve` on this machine, or the operator's own port. Its certificate is checked,
// and nothing is sent over plain HTTP to another machine.
import type { IncomingMessage } from 'node:http';
import type { CommandEnv } from '../command-env.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { RemoteOptions } from './ask-remote.ts';
import type { RemoteAsker } from './remote-asker.ts';
import { COMMANDS_PATH, type RanCommand } from './remote-command.ts';
import { isLoopbackHost, type ServerCredentials, serverCredentials } from './server-credentials.ts';

const ANSWERED_WITHIN_MS = 120_000;
const MOST_ANSWER_BYTES = 256_000_000;

export async function serverAsker(text: string, options: RemoteOptions, commandEnv: CommandEnv): Promise<RemoteAsker> {
  const server = serverOf(text);
  const credentials = await serverCredentials(server, options, commandEnv);
  return {
    name: server.origin,
    close: async () => {},
    async ask(command) {
      const { status, body } = await post(server, JSON.stringify(command), credentials, commandEnv.signal);
      if (status === 200) return ranOf(body, server);
      throw refusalOf(server, status, body, credentials);
    },
  };
}

function serverOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError(`--server ${text} is not the address of a server`, 'write --server http://127.0.0.1:7080.');
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new UsageError(
      `--server ${url.origin} would send a token, and get answers, over plain HTTP`,
      'use https, or reach it on this machine: kubectl port-forward, ssh -L.',
    );
  }
  if (url.pathname !== '/' || url.search !== '') {
    // Not as it was given: the URL of the page has a token.
    throw new UsageError(
      `--server is an origin, and something stands behind ${url.origin}/`,
      `write --server ${url.origin}. A token goes into PODTRAIL_TOKEN.`,
    );
  }
  return url;
}

function ranOf(body: string, { origin }: URL): RanCommand {
  try {
    const ran = JSON.parse(body) as RanCommand;
    const isRan = Number.isInteger(ran.exitCode) && typeof ran.out === 'string' && typeof ran.err === 'string';
    if (isRan && (ran.attributions === undefined || Array.isArray(ran.attributions?.answers))) return ran;
  } catch {
    // Said below.
  }
  throw new CliError('no-such-server', `${origin} does not answer as podtrail does`, {
    hint: 'check the address and the port.',
  });
}

interface Answered {
  readonly status: number;
  readonly body: string;
}

async function post(
  server: URL,
  body: string,
  { authorization, tls }: ServerCredentials,
  aborted: AbortSignal,
): Promise<Answered> {
  const { request } = await (server.protocol === 'https:' ? import('node:https') : import('node:http'));
  const signal = AbortSignal.any([aborted, AbortSignal.timeout(ANSWERED_WITHIN_MS)]);
  const headers = {
    ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    ...(authorization === undefined ? {} : { authorization }),
  };
  try {
    return await new Promise<Answered>((resolve, reject) => {
      const url = new URL(COMMANDS_PATH, server);
      // No redirects: a token goes where it was meant for.
      const asked = request(url, { ...tls, method: 'POST', headers, signal, agent: false }, (response) => {
        textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject);
      });
      asked.on('error', reject).end(body);
    });
  } catch (cause) {
    aborted.throwIfAborted();
    throw new CliError('no-answer', `${server.origin} does not answer (${reasonOf(cause)})`, {
      hint: hintFor(cause),
      cause,
    });
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_ANSWER_BYTES) throw new Error('the answer is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return code ?? (name === 'TimeoutError' ? 'no answer in time' : message);
}

function hintFor(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(code)) {
    return "its certificate is not trusted: --server-ca FILE names who signed it. The operator's: kubectl get apiservice v1.history.podtrail.dev -o jsonpath={.spec.caBundle} | base64 -d.";
  }
  if (message.includes('wrong version number'))
    return 'there is no TLS at this port: write http:// for `podtrail serve` on this machine.';
  return 'check the address, and that `podtrail serve` or the operator runs there.';
}

function refusalOf({ origin }: URL, status: number, body: string, credentials: ServerCredentials): CliError {
  const { detail, hint } = problemOf(body);
  // It knows no such path, leads elsewhere (to a login), or says nothing that podtrail would.
  const isStranger = detail === undefined && ![401, 403].includes(status) && status < 500;
  if (isStranger || status === 404) {
    return new CliError('no-such-server', `${origin} is no server of podtrail, or an older one`, {
      hint: 'check the address and the port; the Kubernetes API itself is asked without --server.',
    });
  }
  switch (status) {
    case 401: {
      const { authorization, missing } = credentials;
      const why = authorization === undefined ? '' : ': the token is not valid there';
      return new CliError('unauthenticated', `${origin} does not know who asks${why}`, {
        hint: missing ?? 'put the token that the server printed into PODTRAIL_TOKEN.',
        exitCode: EXIT.forbidden,
      });
    }
    case 403:
      return new CliError('forbidden', detail ?? `${origin} refuses`, { hint, exitCode: EXIT.forbidden });
    case 400:
      return new UsageError(detail ?? `${origin} refuses the question`, hint);
    default:
      return new CliError('server-failed', detail ?? `${origin} answers with status ${status}`, {
        hint:
          hint ?? (detail === undefined ? 'try again; if it stays so, check what runs there, and its log.' : undefined),
      });
  }
}

function problemOf(body: string): { readonly detail?: string; readonly hint?: string } {
  try {
    const { detail, hint, requestId } = (JSON.parse(body) ?? {}) as Record<string, unknown>;
    // Others have a `detail` of another shape, or none of our own words beside it.
    if (typeof detail !== 'string' || typeof requestId !== 'string') return {};
    return { detail, ...(typeof hint === 'string' ? { hint } : {}) };
  } catch {
    return {};
  }
}
