// The `exec` part of a user entry, checked: which plugin to run, and how. Called by user-identity.ts at loading time, so
// that a wrong entry is an error before the first request. Never runs anything.
import { ConfigError } from '../errors.ts';
import type { ExecEntry } from './kubeconfig-file.ts';

/** `spec.cluster` of KUBERNETES_EXEC_INFO, in the words of that API. */
export interface ExecClusterInfo {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  readonly config: unknown;
}

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string | undefined;
  readonly interactiveMode: InteractiveMode;
  /** Asked before each run, as the certificate authority may have changed. Undefined: the plugin did not ask for it. */
  readonly clusterInfo: (() => Promise<ExecClusterInfo>) | undefined;
}

type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** Checks the entry; `where` names it, for example `user "eks" in /home/me/.kube/config`. */
export function checkExecEntry(
  entry: ExecEntry,
  where: string,
  clusterInfo: () => Promise<ExecClusterInfo>,
): ExecPlugin {
  const { apiVersion, command, interactiveMode = defaultMode(apiVersion) } = entry;
  const invalid = (what: string, hint: string) =>
    new ConfigError('config-exec', `the exec plugin of ${where} ${what}`, { hint });
  if (command === undefined) throw invalid('has no command', 'Set "command" to the program to run.');
  if (apiVersion === undefined || !API_VERSIONS.includes(apiVersion)) {
    throw invalid(
      apiVersion === undefined ? 'has no apiVersion' : `has the apiVersion ${apiVersion}, which is not supported`,
      `Set it to ${API_VERSIONS.join(' or ')}; a newer version of the plugin may be needed.`,
    );
  }
  if (interactiveMode !== 'Never' && interactiveMode !== 'IfAvailable' && interactiveMode !== 'Always') {
    throw invalid(
      interactiveMode === undefined ? 'has no interactiveMode' : `has an unknown interactiveMode`,
      'Set it to Never, IfAvailable or Always.',
    );
  }
  if (entry.env.some((e) => e.name === '')) {
    throw invalid('has an environment variable without a name', 'Give every item under "env" a name and a value.');
  }
  return {
    apiVersion,
    command,
    args: entry.args,
    env: entry.env,
    installHint: entry.installHint,
    interactiveMode,
    clusterInfo: entry.provideClusterInfo ? clusterInfo : undefined,
  };
}

function defaultMode(apiVersion: string | undefined): string | undefined {
  return apiVersion === 'client.authentication.k8s.io/v1beta1' ? 'IfAvailable' : undefined;
}
