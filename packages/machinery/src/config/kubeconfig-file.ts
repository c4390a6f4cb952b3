// One kubeconfig file: YAML (or JSON) text to typed entries with absolute paths. Checks the shape only; whether the
// chosen context makes sense is context-resolution.ts. Never quotes the file's text in an error: it holds secrets.
import { dirname, isAbsolute, join, sep } from 'node:path';
import { ConfigError } from '../errors.ts';
import { EntryReader } from './entry-reader.ts';
import { parseKubeconfigYaml } from './kubeconfig-yaml.ts';

export interface ClusterEntry {
  readonly name: string;
  /** The kubeconfig that defines it, for messages. */
  readonly file: string;
  readonly server: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly caFile: string | undefined;
  /** Base64 as written. */
  readonly caData: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly disableCompression: boolean;
  /** The extension `client.authentication.k8s.io/exec`, handed to exec plugins that ask for cluster information. */
  readonly execExtension: unknown;
}

export interface ExecEntry {
  readonly apiVersion: string | undefined;
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string | undefined;
}

export interface UserEntry {
  readonly name: string;
  readonly file: string;
  readonly certFile: string | undefined;
  readonly certData: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyData: string | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly as: string | undefined;
  readonly asUid: string | undefined;
  readonly asGroups: readonly string[];
  readonly asUserExtra: Readonly<Record<string, readonly string[]>>;
  readonly exec: ExecEntry | undefined;
  /** The name of a legacy `auth-provider`. */
  readonly authProvider: string | undefined;
}

export interface ContextEntry {
  readonly name: string;
  readonly file: string;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

export interface Kubeconfig {
  /** The files it was made of, in order of precedence. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
}

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

/** `file` is the absolute path the text came from: relative paths inside are resolved against its directory. */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  const root = new EntryReader(file, '', parseKubeconfigYaml(text, file));
  for (const [key, wanted] of [
    ['kind', 'Config'],
    ['apiVersion', 'v1'],
  ] as const) {
    const found = root.text(key);
    if (found === undefined || found === wanted) continue;
    throw new ConfigError('config-shape', `${file} is not a kubeconfig: its ${key} is ${found}, not ${wanted}`, {
      hint: 'Name a kubeconfig (kind: Config), not a manifest.',
    });
  }
  return {
    files: [file],
    currentContext: root.text('current-context'),
    clusters: named(root.list('clusters'), 'cluster', file, readCluster),
    users: named(root.list('users'), 'user', file, readUser),
    contexts: named(root.list('contexts'), 'context', file, readContext),
  };
}

function readCluster(name: string, file: string, entry: EntryReader): ClusterEntry {
  const extension = entry.list('extensions').find((e) => e.text('name') === EXEC_EXTENSION);
  return {
    name,
    file,
    server: entry.text('server'),
    tlsServerName: entry.text('tls-server-name'),
    insecureSkipTlsVerify: entry.flag('insecure-skip-tls-verify'),
    caFile: besideFile(file, entry.text('certificate-authority')),
    caData: entry.text('certificate-authority-data'),
    proxyUrl: entry.text('proxy-url'),
    disableCompression: entry.flag('disable-compression'),
    execExtension: extension?.raw('extension') ?? null,
  };
}

function readUser(name: string, file: string, entry: EntryReader): UserEntry {
  const exec = entry.child('exec');
  return {
    name,
    file,
    certFile: besideFile(file, entry.text('client-certificate')),
    certData: entry.text('client-certificate-data'),
    keyFile: besideFile(file, entry.text('client-key')),
    keyData: entry.text('client-key-data'),
    token: entry.text('token'),
    tokenFile: besideFile(file, entry.text('tokenFile')),
    username: entry.text('username'),
    password: entry.text('password'),
    as: entry.text('as'),
    asUid: entry.text('as-uid'),
    asGroups: entry.texts('as-groups'),
    asUserExtra: entry.textLists('as-user-extra'),
    exec: exec === undefined ? undefined : readExec(file, exec),
    authProvider: entry.child('auth-provider')?.text('name'),
  };
}

function readExec(file: string, entry: EntryReader): ExecEntry {
  const command = entry.text('command');
  return {
    apiVersion: entry.text('apiVersion'),
    // A bare name is looked up in PATH; anything with a separator is a path like any other in this file.
    command: command?.includes(sep) || command?.includes('/') ? besideFile(file, command) : command,
    args: entry.texts('args'),
    env: entry.list('env').map((e) => ({ name: e.text('name') ?? '', value: e.text('value') ?? '' })),
    installHint: entry.text('installHint'),
    provideClusterInfo: entry.flag('provideClusterInfo'),
    interactiveMode: entry.text('interactiveMode'),
  };
}

function readContext(name: string, file: string, entry: EntryReader): ContextEntry {
  return {
    name,
    file,
    cluster: entry.text('cluster'),
    user: entry.text('user'),
    namespace: entry.text('namespace'),
  };
}

function named<T>(
  items: readonly EntryReader[],
  noun: 'cluster' | 'user' | 'context',
  file: string,
  read: (name: string, file: string, entry: EntryReader) => T,
): Map<string, T> {
  const entries = new Map<string, T>();
  for (const item of items) {
    if (!item.has('name')) {
      throw new ConfigError('config-shape', `${item.where} has no name`, {
        hint: `Every entry under ${noun}s needs "name" beside "${noun}"; check the indentation.`,
      });
    }
    const name = item.text('name');
    // An empty name is what some tools leave behind after a delete: nothing can refer to it.
    if (name === undefined) continue;
    if (entries.has(name)) {
      throw new ConfigError('config-duplicate-name', `${file} has two ${noun}s named "${name}"`, {
        hint: `Rename or delete one: kubectl config delete-${noun} ${name} --kubeconfig ${file}`,
      });
    }
    entries.set(name, read(name, file, item.child(noun) ?? new EntryReader(file, `${item.at}.${noun}`, {})));
  }
  return entries;
}

function besideFile(file: string, path: string | undefined): string | undefined {
  return path === undefined || isAbsolute(path) ? path : join(dirname(file), path);
}
