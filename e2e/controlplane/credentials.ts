// Who may speak to a control plane: the static token file, client certificates and ServiceAccount tokens, handed out as
// kubeconfig files. Grants nothing: rights come from RBAC objects and from the group system:masters.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Apiserver } from './apiserver.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import type { HttpIdentity } from './http-request.ts';
import { type KubeconfigContent, writeKubeconfig } from './kubeconfig.ts';
import type { Pki } from './pki.ts';

export interface TokenUser {
  readonly name: string;
  readonly groups?: readonly string[];
}

export interface KubeconfigOptions {
  /** `admin` (of system:masters) unless given. */
  readonly user?: string;
  /** For a certificate; a static token carries the groups given to startControlPlane({ users }). */
  readonly groups?: readonly string[];
  /** In place of a user; it must exist. Its token comes from the TokenRequest API. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string; readonly expirationSeconds?: number };
  readonly via?: 'cert' | 'token';
  /** The first API server unless given; for example a proxy's url. */
  readonly server?: string;
  /** The default namespace of the context. */
  readonly namespace?: string;
  /** Credentials as files beside the kubeconfig instead of inside, for tests that rotate them. */
  readonly asFiles?: boolean;
  /** Where to write it; a new file in the control plane's folder unless given. */
  readonly file?: string;
}

const ADMIN = { name: 'admin', groups: ['system:masters'] };

export class Credentials {
  readonly pki: Pki;
  readonly admin: HttpIdentity;
  readonly tokenFile: string;
  readonly #directory: string;
  readonly #tokens: ReadonlyMap<string, string>;
  #written = 0;

  static async create(pki: Pki, directory: string, users: readonly TokenUser[]): Promise<Credentials> {
    const all = [ADMIN, ...users];
    const tokens = new Map(all.map(({ name }) => [name, randomBytes(24).toString('hex')]));
    const lines = all.map(({ name, groups = [] }) =>
      [tokens.get(name), name, `uid-of-${name}`, groups.join(',')].map((field) => JSON.stringify(field)).join(','),
    );
    const credentials = new Credentials(pki, directory, tokens);
    await writeFile(credentials.tokenFile, `${lines.join('\n')}\n`, { mode: 0o600 });
    return credentials;
  }

  private constructor(pki: Pki, directory: string, tokens: ReadonlyMap<string, string>) {
    this.pki = pki;
    this.tokenFile = join(directory, 'tokens.csv');
    this.#directory = join(directory, 'kubeconfigs');
    this.#tokens = tokens;
    const request = { subject: { commonName: ADMIN.name, organizations: ADMIN.groups }, usage: 'client' as const };
    this.admin = {
      ...pki.cluster.issue(request),
      get ca() {
        return pki.clusterTrust;
      },
    };
  }

  async kubeconfig(apiserver: Apiserver, options: KubeconfigOptions): Promise<string> {
    const { serviceAccount, server = apiserver.url, asFiles = false } = options;
    const user = serviceAccount
      ? `system:serviceaccount:${serviceAccount.namespace}:${serviceAccount.name}`
      : (options.user ?? ADMIN.name);
    const base = `${user.replace(/[^\w.-]/g, '-')}-${++this.#written}`;
    const credential =
      serviceAccount || options.via === 'token'
        ? await this.#token(apiserver, user, options, asFiles ? base : undefined)
        : await this.#certificate(user, options, asFiles ? base : undefined);
    const file = options.file ?? join(this.#directory, `${base}.kubeconfig`);
    await writeKubeconfig(file, {
      server,
      user,
      ca: asFiles ? { file: this.pki.clusterCaFile } : { pem: this.pki.clusterTrust },
      credential,
      ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    });
    return file;
  }

  async #token(
    apiserver: Apiserver,
    user: string,
    { serviceAccount }: KubeconfigOptions,
    base: string | undefined,
  ): Promise<KubeconfigContent['credential']> {
    const token = serviceAccount ? await requestToken(apiserver, serviceAccount) : this.#tokens.get(user);
    if (token === undefined) {
      throw new ControlPlaneError(`${user} has no static token.`, {
        hint: `Name it in startControlPlane({ users: [{ name: '${user}' }] }), or use via: 'cert'.`,
      });
    }
    if (base === undefined) return { kind: 'token', token };
    const file = join(this.#directory, `${base}.token`);
    await writeFile(file, token, { mode: 0o600 });
    return { kind: 'token-file', file };
  }

  async #certificate(
    user: string,
    { groups }: KubeconfigOptions,
    base: string | undefined,
  ): Promise<KubeconfigContent['credential']> {
    const organizations = groups ?? (user === ADMIN.name ? ADMIN.groups : []);
    const request = { subject: { commonName: user, organizations }, usage: 'client' as const };
    if (base === undefined) return { kind: 'certificate', ...this.pki.cluster.issue(request) };
    const { certificateFile, keyFile } = await this.pki.write(`client-${base}`, request);
    return { kind: 'certificate-files', certificateFile, keyFile };
  }
}

async function requestToken(
  apiserver: Apiserver,
  { namespace, name, expirationSeconds = 3600 }: NonNullable<KubeconfigOptions['serviceAccount']>,
): Promise<string> {
  const answer = await apiserver.request(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } },
  });
  if (answer.status !== 201) {
    throw new ControlPlaneError(`No token for ServiceAccount ${namespace}/${name}: ${answer.json().message}.`);
  }
  return answer.json().status.token;
}
