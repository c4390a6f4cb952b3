// Which cluster, user and namespace a merged kubeconfig means once the overrides are applied. Pure; called by
// load-cluster-config.ts. Reads no files: what the entries point to is checked by user-identity.ts.
import { ConfigError } from '../errors.ts';
import type { Impersonation } from './identity.ts';
import type { ClusterEntry, ContextEntry, Kubeconfig, UserEntry } from './kubeconfig-file.ts';

/** What a command line may say in place of the kubeconfig. Empty strings count as not given. */
export interface ConfigOverrides {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  readonly server?: string | undefined;
  /** Replaces every other way to authenticate except client certificates. */
  readonly token?: string | undefined;
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroup?: readonly string[] | undefined;
}

export interface ResolvedContext {
  /** Undefined if no context is in play (a bare `server` override). */
  readonly contextName: string | undefined;
  readonly cluster: ClusterEntry & { readonly server: string };
  readonly user: UserEntry;
  readonly namespace: string;
  readonly origin: string;
  readonly impersonate: Impersonation | undefined;
}

/** Returns undefined if the kubeconfig and the overrides choose nothing at all: then in-cluster may be tried. */
export function resolveContext(config: Kubeconfig, overrides: ConfigOverrides): ResolvedContext | undefined {
  const contextName = overrides.context || config.currentContext;
  const context = contextName === undefined ? undefined : findContext(config, contextName, overrides);
  const clusterName = overrides.cluster || context?.cluster;
  const userName = overrides.user || context?.user;
  if (clusterName === undefined && context !== undefined && !overrides.server) {
    throw new ConfigError('config-cluster-missing', `${describe(context)} names no cluster`, {
      hint: `Set one: kubectl config set-context ${context.name} --cluster NAME`,
    });
  }
  if (clusterName === undefined && !overrides.server) return undefined;

  const cluster =
    clusterName === undefined ? emptyCluster() : find(config.clusters, clusterName, 'cluster', context, config);
  const user = userName === undefined ? emptyUser() : find(config.users, userName, 'user', context, config);
  const server = overrides.server || cluster.server;
  if (server === undefined) {
    throw new ConfigError('config-server', `cluster "${cluster.name}" in ${cluster.file} has no server`, {
      hint: `Set it: kubectl config set-cluster ${cluster.name} --server https://HOST:6443`,
    });
  }
  const origin =
    context === undefined ? `server ${withoutUserinfo(server)}` : `context "${context.name}" of ${context.file}`;
  return {
    contextName,
    // A name that was meant for the kubeconfig's server would fail the check of any other.
    cluster: { ...cluster, server, tlsServerName: overrides.server ? undefined : cluster.tlsServerName },
    user: overrides.token ? withToken(user, overrides.token) : user,
    namespace: overrides.namespace || context?.namespace || 'default',
    origin,
    impersonate: resolveImpersonation(overrides, user),
  };
}

/** `user` is the user entry of a kubeconfig; in a cluster there is none. */
export function resolveImpersonation(overrides: ConfigOverrides, user?: UserEntry): Impersonation | undefined {
  const name = overrides.as || user?.as;
  const uid = overrides.asUid || user?.asUid;
  const groups = overrides.asGroup?.length ? overrides.asGroup : (user?.asGroups ?? []);
  const extra = user?.asUserExtra ?? {};
  const hasExtra = Object.keys(extra).length > 0;
  if (name === undefined) {
    if (uid === undefined && groups.length === 0 && !hasExtra) return undefined;
    const where = user?.name ? `user "${user.name}" in ${user.file}` : 'the command line';
    throw new ConfigError(
      'config-impersonation',
      `${where} asks to impersonate a group, a uid or extra fields, but no user`,
      { hint: 'Name the user too: --as NAME, or "as" in the user entry.' },
    );
  }
  return {
    user: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(hasExtra ? { extra } : {}),
  };
}

/** "a", "b" and "c"; cut where a list gets too long to read. */
export function listNames(names: Iterable<string>): string {
  const all = [...names].sort();
  if (all.length === 0) return 'none';
  const shown = all.slice(0, 12).map((n) => `"${n}"`);
  return all.length > shown.length ? `${shown.join(', ')} and ${all.length - shown.length} more` : shown.join(', ');
}

function findContext(config: Kubeconfig, name: string, overrides: ConfigOverrides): ContextEntry {
  const context = config.contexts.get(name);
  if (context !== undefined) return context;
  const asked = overrides.context ? `context "${name}"` : `the current-context, "${name}",`;
  throw new ConfigError('config-context-unknown', `${asked} does not exist in ${describeFiles(config)}`, {
    hint:
      config.contexts.size === 0
        ? 'Contexts there: none. Pass another file with --kubeconfig, or set KUBECONFIG.'
        : `Contexts there: ${listNames(config.contexts.keys())}.`,
  });
}

function find<T>(
  entries: ReadonlyMap<string, T>,
  name: string,
  noun: 'cluster' | 'user',
  context: ContextEntry | undefined,
  config: Kubeconfig,
): T {
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  const fromContext = context?.[noun] === name;
  const message = fromContext
    ? `${describe(context)} names the ${noun} "${name}", which does not exist`
    : `${noun} "${name}" does not exist in ${describeFiles(config)}`;
  throw new ConfigError(`config-${noun}-missing`, message, {
    hint: `${noun === 'user' ? 'Users' : 'Clusters'} there: ${listNames(entries.keys())}.`,
  });
}

export function describeFiles(config: Kubeconfig): string {
  return config.files.length === 0 ? 'any kubeconfig (none was found)' : config.files.join(', ');
}

function describe(context: ContextEntry): string {
  return `context "${context.name}" of ${context.file}`;
}

function withToken(user: UserEntry, token: string): UserEntry {
  return {
    ...user,
    token,
    tokenFile: undefined,
    username: undefined,
    password: undefined,
    exec: undefined,
    authProvider: undefined,
  };
}

const withoutUserinfo = (url: string) => url.replace(/\/\/[^/@]*@/, '//');

function emptyCluster(): ClusterEntry {
  return {
    name: '',
    file: '',
    server: undefined,
    tlsServerName: undefined,
    insecureSkipTlsVerify: false,
    caFile: undefined,
    caData: undefined,
    proxyUrl: undefined,
    disableCompression: false,
    execExtension: null,
  };
}

function emptyUser(): UserEntry {
  return {
    name: '',
    file: '',
    certFile: undefined,
    certData: undefined,
    keyFile: undefined,
    keyData: undefined,
    token: undefined,
    tokenFile: undefined,
    username: undefined,
    password: undefined,
    as: undefined,
    asUid: undefined,
    asGroups: [],
    asUserExtra: {},
    exec: undefined,
    authProvider: undefined,
  };
}
