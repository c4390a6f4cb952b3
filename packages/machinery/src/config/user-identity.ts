// From a resolved kubeconfig context to its IdentitySource: decodes, reads and checks what the two entries point to.
// Called by load-cluster-config.ts. Over plain http nothing secret is ever sent, as in client-go.
import { ConfigError, type MachineryError } from '../errors.ts';
import type { ConfigEnv } from './config-env.ts';
import type { ResolvedContext } from './context-resolution.ts';
import { ExecCredential } from './exec-credential.ts';
import { checkExecEntry } from './exec-plugin.ts';
import type { IdentitySource } from './identity.ts';
import { type CredentialSource, fixedCredential, fixedTls, JoinedIdentity, type TlsSource } from './joined-identity.ts';
import type { ClusterEntry, UserEntry } from './kubeconfig-file.ts';
import { decodeData } from './pem.ts';
import { isSecure } from './server-url.ts';
import { openTlsFiles, type PemSource, type TlsSpec } from './tls-files.ts';
import { bearerHeader, openTokenFile } from './token-file.ts';

export async function openUserIdentity(
  { cluster, user }: ResolvedContext,
  configEnv: ConfigEnv,
  onProblem: (problem: MachineryError) => void,
): Promise<IdentitySource> {
  checkConflicts(cluster, user);
  if (!isSecure(cluster.server)) {
    const tls = { ca: undefined, cert: undefined, key: undefined, serverName: undefined, insecureSkipVerify: false };
    return new JoinedIdentity(fixedTls(tls), fixedCredential(undefined));
  }
  const context = { files: configEnv.files, clock: configEnv.clock, onProblem };
  const tls = await openTlsFiles(tlsSpec(cluster, user), context);
  return new JoinedIdentity(tls, await openCredential(cluster, user, tls, configEnv, onProblem));
}

/** In client-go's order: a token file, a token, a password, a certificate; a plugin runs only if there is none of them. */
async function openCredential(
  cluster: ClusterEntry & { readonly server: string },
  user: UserEntry,
  tls: TlsSource,
  configEnv: ConfigEnv,
  onProblem: (problem: MachineryError) => void,
): Promise<CredentialSource> {
  const where = describeUser(user);
  if (user.tokenFile !== undefined) {
    return openTokenFile(
      { path: user.tokenFile, what: `the token file of ${where}`, fallbackToken: user.token },
      { files: configEnv.files, clock: configEnv.clock, onProblem },
    );
  }
  if (user.token !== undefined) return fixedCredential(bearerHeader(user.token, where));
  if (user.username !== undefined || user.password !== undefined) {
    const pair = Buffer.from(`${user.username ?? ''}:${user.password ?? ''}`, 'utf8').toString('base64');
    return fixedCredential(`Basic ${pair}`);
  }
  if (user.certFile !== undefined || user.certData !== undefined) return fixedCredential(undefined);
  if (user.exec !== undefined) {
    const plugin = checkExecEntry(user.exec, where, async () => {
      const { ca } = await tls.current();
      return {
        server: cluster.server,
        ...(cluster.tlsServerName === undefined ? {} : { 'tls-server-name': cluster.tlsServerName }),
        ...(cluster.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
        ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca, 'utf8').toString('base64') }),
        ...(cluster.proxyUrl === undefined ? {} : { 'proxy-url': cluster.proxyUrl }),
        ...(cluster.disableCompression ? { 'disable-compression': true } : {}),
        config: cluster.execExtension,
      };
    });
    return new ExecCredential(plugin, configEnv);
  }
  if (user.authProvider !== undefined) {
    throw new ConfigError(
      'config-auth-provider',
      `${where} uses the auth-provider "${user.authProvider}", which is no longer supported`,
      { hint: EXEC_SUCCESSORS.get(user.authProvider) ?? 'Use an exec credential plugin in its place.' },
    );
  }
  return fixedCredential(undefined);
}

const EXEC_SUCCESSORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    gcp: 'Use the exec plugin: install gke-gcloud-auth-plugin, then run gcloud container clusters get-credentials.',
    oidc: 'Use an exec plugin, for example kubelogin: kubectl oidc-login setup',
    azure: 'Use the exec plugin: kubelogin convert-kubeconfig',
  }),
);

function tlsSpec(cluster: ClusterEntry, user: UserEntry): TlsSpec {
  const ca = pemSource(cluster.caFile, cluster.caData, `the certificate authority of ${describeCluster(cluster)}`);
  const cert = pemSource(user.certFile, user.certData, `the client certificate of ${describeUser(user)}`);
  const key = pemSource(user.keyFile, user.keyData, `the client key of ${describeUser(user)}`);
  return {
    ca,
    pair: cert === undefined || key === undefined ? undefined : { cert, key },
    serverName: cluster.tlsServerName,
    insecureSkipVerify: cluster.insecureSkipTlsVerify,
  };
}

function pemSource(path: string | undefined, data: string | undefined, what: string): PemSource | undefined {
  if (data !== undefined) return { kind: 'text', pem: decodeData(data, what), what };
  return path === undefined ? undefined : { kind: 'file', path, what };
}

/** What client-go refuses too, except a key without a certificate, which it drops in silence. */
function checkConflicts(cluster: ClusterEntry, user: UserEntry): void {
  const conflict = (message: string, hint: string) => new ConfigError('config-conflict', message, { hint });
  const both = (where: string, field: string) =>
    conflict(`${where} has both ${field} and ${field}-data`, 'Delete one of the two.');
  const cluster_ = describeCluster(cluster);
  const user_ = describeUser(user);
  if (cluster.caFile !== undefined && cluster.caData !== undefined) throw both(cluster_, 'certificate-authority');
  if (cluster.insecureSkipTlsVerify && (cluster.caFile ?? cluster.caData) !== undefined) {
    throw conflict(
      `${cluster_} has a certificate authority and insecure-skip-tls-verify, which contradict each other`,
      'Delete insecure-skip-tls-verify; with a certificate authority it is not needed.',
    );
  }
  if (user.certFile !== undefined && user.certData !== undefined) throw both(user_, 'client-certificate');
  if (user.keyFile !== undefined && user.keyData !== undefined) throw both(user_, 'client-key');
  const hasCert = (user.certFile ?? user.certData) !== undefined;
  const hasKey = (user.keyFile ?? user.keyData) !== undefined;
  if (hasCert !== hasKey) {
    throw conflict(
      `${user_} has a client ${hasCert ? 'certificate but no key' : 'key but no certificate'}`,
      `Add client-${hasCert ? 'key' : 'certificate'} or client-${hasCert ? 'key' : 'certificate'}-data.`,
    );
  }
  if ((user.token ?? user.tokenFile) !== undefined && (user.username ?? user.password) !== undefined) {
    throw conflict(`${user_} has a token and a password, but only one can be sent`, 'Delete one of the two.');
  }
  if (user.exec !== undefined && user.authProvider !== undefined) {
    throw conflict(`${user_} has an exec plugin and an auth-provider`, 'Delete the auth-provider.');
  }
}

const describeCluster = (c: ClusterEntry) => (c.name === '' ? 'the command line' : `cluster "${c.name}" in ${c.file}`);
const describeUser = (u: UserEntry) => (u.name === '' ? 'the command line' : `user "${u.name}" in ${u.file}`);
