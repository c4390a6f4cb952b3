// The config of a program that runs in a pod: its service account, from the files that the kubelet mounts and renews.
// Called by load-cluster-config.ts when no kubeconfig says otherwise.
import { isIPv6 } from 'node:net';
import { ConfigError, type MachineryError } from '../errors.ts';
import type { ConfigEnv } from './config-env.ts';
import { type ConfigOverrides, resolveImpersonation } from './context-resolution.ts';
import { isMissingFile } from './file-problem.ts';
import type { ClusterConfig } from './identity.ts';
import { fixedCredential, JoinedIdentity } from './joined-identity.ts';
import { chooseProxy } from './proxy-choice.ts';
import { sealConfig } from './redaction.ts';
import { normalizeServer } from './server-url.ts';
import { openTlsFiles } from './tls-files.ts';
import { bearerHeader, openTokenFile } from './token-file.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Whether the kubelet set the address of the API server in the environment. Says nothing about a mounted token. */
export function isInCluster({ env }: ConfigEnv): boolean {
  return !!env['KUBERNETES_SERVICE_HOST'] && !!env['KUBERNETES_SERVICE_PORT'];
}

/** Of the overrides only `namespace`, `token` and the impersonation can apply here. */
export async function loadInClusterConfig(
  overrides: ConfigOverrides,
  configEnv: ConfigEnv,
  onProblem: (problem: MachineryError) => void,
): Promise<ClusterConfig> {
  const { env, files, clock } = configEnv;
  const server = normalizeServer(serviceAddress(configEnv), 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT');
  const credential = overrides.token
    ? fixedCredential(bearerHeader(overrides.token, 'the command line'))
    : await openServiceAccountToken(configEnv, onProblem);
  const tls = await openTlsFiles(
    {
      ca: { kind: 'file', path: `${SERVICE_ACCOUNT}/ca.crt`, what: 'the certificate authority of the cluster' },
      caMayBeMissing: true,
      pair: undefined,
      serverName: undefined,
      insecureSkipVerify: false,
    },
    { files, clock, onProblem },
  );
  return sealConfig({
    server,
    namespace: overrides.namespace || (await podNamespace(configEnv)),
    origin: 'in-cluster',
    proxyUrl: chooseProxy(server, undefined, 'the in-cluster config', env),
    // kubectl in a pod ignores --as silently; acting under one's own name in its place would be worse than an error.
    impersonate: resolveImpersonation(overrides),
    disableCompression: false,
    identity: new JoinedIdentity(tls, credential),
  });
}

function serviceAddress({ env }: ConfigEnv): string {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  return `https://${isIPv6(host) ? `[${host}]` : host}:${env['KUBERNETES_SERVICE_PORT'] ?? ''}`;
}

async function openServiceAccountToken({ files, clock }: ConfigEnv, onProblem: (problem: MachineryError) => void) {
  const path = `${SERVICE_ACCOUNT}/token`;
  try {
    return await openTokenFile(
      { path, what: 'the service account token', fallbackToken: undefined },
      { files, clock, onProblem },
    );
  } catch (error) {
    if (!(error instanceof ConfigError) || !isMissingFile(error.cause)) throw error;
    throw new ConfigError('in-cluster-token', `this pod has no service account token at ${path}`, {
      cause: error.cause,
      hint: 'Set automountServiceAccountToken: true on the pod, or give it a kubeconfig.',
    });
  }
}

/** The downward API's POD_NAMESPACE first, as in client-go. */
async function podNamespace({ env, files }: ConfigEnv): Promise<string> {
  if (env['POD_NAMESPACE']) return env['POD_NAMESPACE'];
  try {
    return (await files.read(`${SERVICE_ACCOUNT}/namespace`)).trim() || 'default';
  } catch {
    return 'default';
  }
}
