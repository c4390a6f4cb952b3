// The operator behind the Kubernetes API, asked as the user of the kubeconfig: `create commands.history.podtrail.dev`.
// Whoever may not do so in the whole cluster is asked for in one namespace.
import { ApiError, type Client, type ClusterConfig, ConnectionError } from '@podtrail/machinery';
import type { CommandEnv } from '../command-env.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { RemoteAsker } from './remote-asker.ts';
import type { RanCommand, RemoteCommand } from './remote-command.ts';

export const HISTORY_GROUP = 'history.podtrail.dev';
const ROOT = `/apis/${HISTORY_GROUP}/v1`;
/** API servers end requests after a minute. */
const ANSWERED_WITHIN_MS = 60_000;

export async function clusterAsker(
  config: ClusterConfig,
  namespace: string | undefined,
  commandEnv: CommandEnv,
): Promise<RemoteAsker> {
  const client = await commandEnv.connect(config);
  const { stderr, signal } = commandEnv;
  const within = namespace ?? config.namespace;
  let path = `${ROOT}/commands`;
  const post = (command: RemoteCommand) => posted(client, path, command, signal);
  return {
    name: `the operator of ${config.origin} through the Kubernetes API`,
    close: () => client.close(),
    async ask(command) {
      try {
        return await post(command);
      } catch (error) {
        if (!isRefusedInCluster(error) || !path.endsWith(`v1/commands`)) throw refusalOf(error, config);
        path = `${ROOT}/namespaces/${encodeURIComponent(within)}/commands`;
        const ran = await post(command).catch((second) => {
          throw refusalOf(second, config);
        });
        await stderr.write(`asked within the namespace ${within}: this user may not ask in the whole cluster\n`);
        return ran;
      }
    },
  };
}

async function posted(client: Client, path: string, spec: RemoteCommand, signal: AbortSignal): Promise<RanCommand> {
  const body = JSON.stringify({ apiVersion: `${HISTORY_GROUP}/v1`, kind: 'Command', spec });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const answer = await client.raw({ method: 'POST', path, headers, body }, { timeoutMs: ANSWERED_WITHIN_MS, signal });
  const { status } = JSON.parse(answer.body.toString('utf8')) as { readonly status?: RanCommand };
  if (typeof status?.exitCode === 'number') return status;
  throw new CliError('bad-answer', 'the Kubernetes API did not answer as podtrail does', {
    hint: 'use a podtrail of the version of the operator.',
  });
}

/** By the authorizer of the API server; what podtrail refuses reads otherwise. */
function isRefusedInCluster(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && /cannot create resource "commands"/.test(error.message);
}

function refusalOf(error: unknown, { origin, server }: ClusterConfig): unknown {
  if (error instanceof ConnectionError) {
    return new CliError('no-answer', `the API server of ${origin} does not answer (${server}: ${error.message})`, {
      hint: `${error.hint ?? 'check the network.'} To ask a ledger instead: --store sqlite:PATH.`,
      cause: error,
    });
  }
  if (!(error instanceof ApiError)) return error;
  const { status, message } = error;
  // Without the request that it is the answer to.
  const said = message.replace(/^POST \S+: /, '');
  switch (status) {
    case 400:
      return new UsageError(...sentenceAndHint(said));
    case 401:
      return new CliError('unauthenticated', `the API server of ${origin} does not accept these credentials`, {
        ...{ hint: error.hint, exitCode: EXIT.forbidden, cause: error },
      });
    case 403:
      return new CliError('forbidden', said, { ...{ hint: grantFor(said), exitCode: EXIT.forbidden, cause: error } });
    case 404:
      return new CliError('no-history-api', `${origin} does not serve ${HISTORY_GROUP}`, {
        hint: 'no podtrail operator runs there with --history (docs/api-kubernetes.md says how), or an older one; to ask a ledger: --store sqlite:PATH, to record one: podtrail record.',
        cause: error,
      });
    case 503:
    case 504:
      return new CliError('unavailable', `the history API of ${origin} cannot answer now: ${said}`, {
        hint: `ask again in a moment; kubectl get apiservice v1.${HISTORY_GROUP} and kubectl -n podtrail get pods show why.`,
        cause: error,
      });
    default:
      return new CliError('server-failed', said, { hint: error.hint, cause: error });
  }
}

/** A Status has one sentence for both. */
function sentenceAndHint(said: string): [string, string | undefined] {
  const at = said.indexOf(': ');
  return at === -1 ? [said, undefined] : [said.slice(0, at), said.slice(at + 2)];
}

function grantFor(said: string): string {
  const [, user = 'NAME'] = /User "([^"]+)"/.exec(said) ?? [];
  const [, namespace] = /in the namespace "([^"]+)"/.exec(said) ?? [];
  const account = /^system:serviceaccount:([^:]+):(.+)$/.exec(user);
  const whom = account === null ? `--user=${user}` : `--serviceaccount=${account[1]}:${account[2]}`;
  const role = /commands" in API group/.test(said) ? 'podtrail-history-viewer' : 'view';
  return namespace === undefined
    ? `whoever may grant it: kubectl create clusterrolebinding podtrail-asks --clusterrole=${role} ${whom}`
    : `whoever may grant it: kubectl -n ${namespace} create rolebinding podtrail-asks --clusterrole=view ${whom}`;
}
