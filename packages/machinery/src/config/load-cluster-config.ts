// The one door to config/: which cluster, as whom, through which proxy. Order as kubectl: an explicit kubeconfig, the
// KUBECONFIG list, ~/.kube/config, and if those choose nothing the pod's own service account. Never connects.
import { ConfigError, type MachineryError } from '../errors.ts';
import { type ConfigEnv, systemConfigEnv } from './config-env.ts';
import { type ConfigOverrides, describeFiles, listNames, resolveContext } from './context-resolution.ts';
import type { ClusterConfig } from './identity.ts';
import { isInCluster, loadInClusterConfig } from './in-cluster.ts';
import { type LoadedKubeconfig, loadKubeconfig } from './load-kubeconfig.ts';
import { chooseProxy } from './proxy-choice.ts';
import { sealConfig } from './redaction.ts';
import { normalizeServer } from './server-url.ts';
import { openUserIdentity } from './user-identity.ts';

export interface LoadClusterConfigOptions extends ConfigOverrides {
  /** A path; then neither KUBECONFIG nor the home directory nor the service account is looked at. */
  readonly kubeconfig?: string | undefined;
  /** Called when a reload fails and the previous certificate or token stays in use. */
  readonly onProblem?: (problem: MachineryError) => void;
  /** Replaces parts of the real machine, for tests. */
  readonly configEnv?: Partial<ConfigEnv>;
}

/** Throws ConfigError, with a sentence that names the file and a hint, if there is no usable configuration. */
export async function loadClusterConfig(options: LoadClusterConfigOptions = {}): Promise<ClusterConfig> {
  const { onProblem = () => {} } = options;
  const configEnv: ConfigEnv = { ...systemConfigEnv(), ...options.configEnv };
  const explicitPath = options.kubeconfig || undefined;
  const loaded = await loadKubeconfig(explicitPath, configEnv);
  const chosen = resolveContext(loaded.config, options);
  if (chosen === undefined) {
    // A named file or entry is meant: the pod's own account must not be used in its place.
    const named = explicitPath ?? (options.context || options.cluster || options.user);
    if (!named && isInCluster(configEnv)) return loadInClusterConfig(options, configEnv, onProblem);
    throw nothingChosen(loaded, configEnv);
  }
  const { cluster } = chosen;
  const where = cluster.name === '' ? 'the command line' : `cluster "${cluster.name}" in ${cluster.file}`;
  const server = normalizeServer(cluster.server, options.server ? 'the command line' : where);
  return sealConfig({
    server,
    namespace: chosen.namespace,
    origin: chosen.origin,
    proxyUrl: chooseProxy(server, cluster.proxyUrl, where, configEnv.env),
    impersonate: chosen.impersonate,
    disableCompression: cluster.disableCompression,
    identity: await openUserIdentity(chosen, configEnv, onProblem),
  });
}

function nothingChosen({ config, missing }: LoadedKubeconfig, { env }: ConfigEnv): ConfigError {
  if (config.files.length === 0) {
    const listed = env['KUBECONFIG'] ? ' (from KUBECONFIG)' : '';
    const looked = missing.length === 0 ? 'KUBECONFIG names no file' : `${missing.join(', ')}${listed} does not exist`;
    return new ConfigError('config-not-found', `no Kubernetes configuration: ${looked}, and this is not a pod`, {
      hint: 'Pass --kubeconfig FILE or set KUBECONFIG; in a pod a service account is used.',
    });
  }
  const files = describeFiles(config);
  if (config.contexts.size === 0) {
    return new ConfigError('config-context-missing', `${files} has no contexts`, {
      hint: 'Fetch the kubeconfig again, or add a context: kubectl config set-context NAME --cluster C --user U',
    });
  }
  return new ConfigError('config-context-missing', `${files} has no current-context`, {
    hint: `Pass --context NAME or run kubectl config use-context NAME; contexts there: ${listNames(config.contexts.keys())}.`,
  });
}
