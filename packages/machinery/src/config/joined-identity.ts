// The IdentitySource of every config: joins where TLS material comes from with where credentials come from, and hands
// out the same Identity until one of the two changes. Keeps no time of its own; its two sources do.
import type { Identity, IdentitySource, TlsMaterial } from './identity.ts';
import { sealIdentity, sealTls } from './redaction.ts';

/** Invariant: the same reference while nothing in it has changed. */
export interface Credential {
  readonly authorization: string | undefined;
  /** A client certificate that came with the credential (exec plugins); replaces the one of the TLS source. */
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

export interface CredentialSource {
  current(): Promise<Credential>;
  /** The server did not accept `rejected`: look again at the next `current()`, unless that happened since. */
  refuse(rejected: Credential): void;
}

export interface TlsSource {
  current(): Promise<TlsMaterial>;
  /** Look again at the next `current()`: a 401 may mean an expired client certificate. */
  refuse(): void;
}

export class JoinedIdentity implements IdentitySource {
  readonly #tls: TlsSource;
  readonly #credentials: CredentialSource;
  #last: { readonly identity: Identity; readonly base: TlsMaterial; readonly credential: Credential } | undefined;
  #pending: Promise<Identity> | undefined;

  constructor(tls: TlsSource, credentials: CredentialSource) {
    this.#tls = tls;
    this.#credentials = credentials;
  }

  current(): Promise<Identity> {
    // One join at a time: two interleaved ones could put an older certificate back in place of a newer.
    this.#pending ??= this.#join().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  refuse(rejected: Identity): void {
    if (this.#last?.identity !== rejected) return;
    this.#credentials.refuse(this.#last.credential);
    this.#tls.refuse();
  }

  async #join(): Promise<Identity> {
    const base = await this.#tls.current();
    const credential = await this.#credentials.current();
    const last = this.#last;
    if (last !== undefined && last.base === base && last.credential === credential) return last.identity;
    const identity = sealIdentity({ authorization: credential.authorization, tls: this.#material(base, credential) });
    this.#last = { identity, base, credential };
    return identity;
  }

  #material(base: TlsMaterial, { certificate }: Credential): TlsMaterial {
    if (certificate === undefined) return base;
    const last = this.#last;
    const used = last?.base === base ? last.identity.tls : undefined;
    // A renewed token with the same certificate must not cost the open connections.
    if (used?.cert === certificate.cert && used.key === certificate.key) return used;
    return sealTls({ ...base, cert: certificate.cert, key: certificate.key });
  }
}

/** Credentials that cannot be renewed: none, a fixed token, a user name with a password. */
export function fixedCredential(authorization: string | undefined): CredentialSource {
  const credential: Credential = { authorization, certificate: undefined };
  return { current: () => Promise.resolve(credential), refuse: () => {} };
}

export function fixedTls(material: TlsMaterial): TlsSource {
  const sealed = sealTls(material);
  return { current: () => Promise.resolve(sealed), refuse: () => {} };
}
