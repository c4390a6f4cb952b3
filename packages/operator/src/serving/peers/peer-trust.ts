// Who is a replica: whoever shows one of the certificates that the replicas have announced in the bundle of their
// APIService, of which only they have the keys. TLS proves the key; here the certificate is compared, byte by byte.
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { splitBundle } from '../../certificates/trust-bundle.ts';
import type { Access, Caller } from '../access/access.ts';

type Request = Parameters<Access['identify']>[0];

export class PeerTrust {
  readonly #now: () => number;
  #known = new Map<string, X509Certificate>();
  #bundle = '';
  readonly #peers = new WeakSet<Caller>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** PEM. */
  get bundle(): string {
    return this.#bundle;
  }

  trust(bundle: string): void {
    if (bundle === this.#bundle) return;
    this.#bundle = bundle;
    const certificates = splitBundle(bundle).map((pem) => new X509Certificate(pem));
    this.#known = new Map(certificates.map((one) => [one.fingerprint512, one]));
  }

  isPeer = (caller: Caller): boolean => this.#peers.has(caller);

  /** The same access, and replicas beside: they have no rights but the route of peers. */
  within(access: Access): Access {
    return {
      identify: async (request) => this.#peerOf(request) ?? (await access.identify(request)),
      visibility: async (caller, namespace, waiter) =>
        this.isPeer(caller)
          ? { kind: 'namespaces', since: new Map() }
          : await access.visibility(caller, namespace, waiter),
    };
  }

  #peerOf({ socket }: Request): Caller | undefined {
    if (this.#known.size === 0) return undefined;
    const shown = (socket as Partial<TLSSocket> & IncomingMessage['socket']).getPeerX509Certificate?.();
    const known = shown === undefined ? undefined : this.#known.get(shown.fingerprint512);
    if (known === undefined || known.validToDate.getTime() <= this.#now()) return undefined;
    const caller: Caller = { name: `podtrail:replica:${known.subject.split('\n', 1)[0]?.slice(3)}`, groups: [] };
    this.#peers.add(caller);
    return caller;
  }
}
