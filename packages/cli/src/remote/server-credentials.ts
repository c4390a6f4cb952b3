// As whom a server is asked, and whom it must prove to be. Credentials of a kubeconfig are for its API server: another URL
// gets them only if the user says so. A service account can be given a token that is good for podtrail alone, and that is
// sent (docs/adr/20261116-asking.md).
import { isIPv4 } from 'node:net';
import type { Client, ClusterConfig } from '@podtrail/machinery';
import type { CommandEnv } from '../command-env.ts';
import { UsageError } from '../errors.ts';
import type { RemoteOptions } from './ask-remote.ts';

export interface ServerCredentials {
  readonly authorization: string | undefined;
  readonly tls: {
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
    readonly servername?: string;
  };
  /** What to do when the server does not know who asks. */
  readonly missing?: string | undefined;
}

const AUDIENCE = 'podtrail';
const TOKEN_SECONDS = 600;
const WITHIN_MS = 10_000;

export async function serverCredentials(
  server: URL,
  options: RemoteOptions,
  commandEnv: CommandEnv,
): Promise<ServerCredentials> {
  const { env } = commandEnv;
  const file = options.serverCa ?? (env['PODTRAIL_SERVER_CA'] || undefined);
  const given = server.protocol === 'https:' && file !== undefined ? { ca: await textOf(file, commandEnv) } : {};
  // A file that was read into it ends with a newline.
  const token = env['PODTRAIL_TOKEN']?.trim() ?? '';
  if (!/^[\x21-\x7e]*$/.test(token)) {
    throw new UsageError(
      'PODTRAIL_TOKEN has characters that no token has',
      'put the token alone into it: no blanks in it, and no Bearer before it.',
    );
  }
  if (token !== '') return { authorization: `Bearer ${token}`, tls: given };
  if (server.protocol !== 'https:') return { authorization: undefined, tls: {} };
  const config = await configOf(options, commandEnv);
  if (config === undefined) return { authorization: undefined, tls: given, missing: NO_TOKEN };
  if (originOf(config.server) === server.origin) {
    const { authorization, tls } = await config.identity.current();
    const { ca, cert, key, serverName } = tls;
    return {
      authorization,
      tls: { ca, cert, key, ...(serverName === undefined ? {} : { servername: serverName }), ...given },
    };
  }
  if (options.sendKubeconfigToken === true) {
    const { authorization } = await config.identity.current();
    return { authorization, tls: given, missing: NO_TOKEN };
  }
  return { authorization: await ownToken(config, commandEnv), tls: given, missing: NO_TOKEN };
}

const NO_TOKEN =
  'put a token for the audience podtrail into PODTRAIL_TOKEN (kubectl create token ACCOUNT --audience=podtrail), or ask through the Kubernetes API, without --server.';

async function configOf(
  { context, kubeconfig }: RemoteOptions,
  { loadConfig }: CommandEnv,
): Promise<ClusterConfig | undefined> {
  try {
    return await loadConfig({ context, kubeconfig });
  } catch (error) {
    if (context !== undefined || kubeconfig !== undefined) throw error;
    return undefined;
  }
}

/** Of the service account that the kubeconfig is of; undefined for people, who have none, and where it may not be made. */
async function ownToken(config: ClusterConfig, { connect }: CommandEnv): Promise<string | undefined> {
  const client = await connect(config);
  try {
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { status } = await posted(client, '/apis/authentication.k8s.io/v1/selfsubjectreviews', self);
    const [, namespace, name] = /^system:serviceaccount:([^:]+):(.+)$/.exec(status?.userInfo?.username ?? '') ?? [];
    if (namespace === undefined || name === undefined) return undefined;
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const spec = { audiences: [AUDIENCE], expirationSeconds: TOKEN_SECONDS };
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const token = (await posted(client, path, asked)).status?.token;
    return token === undefined ? undefined : `Bearer ${token}`;
  } catch {
    // The server says that it does not know who asks, and we what to do.
    return undefined;
  } finally {
    await client.close();
  }
}

interface Reviewed {
  readonly status?: { readonly userInfo?: { readonly username?: string }; readonly token?: string };
}

async function posted(client: Client, path: string, object: object): Promise<Reviewed> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify(object);
  const answer = await client.raw({ method: 'POST', path, headers, body }, { timeoutMs: WITHIN_MS });
  return JSON.parse(answer.body.toString('utf8')) as Reviewed;
}

async function textOf(file: string, { readFile }: CommandEnv): Promise<string> {
  let text = '';
  for await (const chunk of readFile(file)) text += new TextDecoder().decode(chunk);
  return text;
}

function originOf(server: string): string | undefined {
  return URL.canParse(server) ? new URL(server).origin : undefined;
}

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}
