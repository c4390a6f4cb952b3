// Registers the aggregated API with the cluster: an APIService that names our Service and the certificates to trust, one
// of each replica. It is written once this replica answers itself, looked at now and then, and its certificates are
// renewed in time. What API servers cannot reach is taken back: an APIService that nobody answers for stops the deletion
// of every namespace (docs/adr/20261116-aggregated-api.md). For the same reason the last replica removes it at its end.
import {
  type Client,
  type Clock,
  type GroupVersionResource,
  isConflict,
  isNotFound,
  type KubeObject,
  SERVICES,
  sleep,
} from '@podtrail/machinery';
import { issueCertificate, type ServingCertificate } from '../../certificates/certificate.ts';
import { splitBundle, withCertificate, withoutCertificatesOf } from '../../certificates/trust-bundle.ts';
import { OperatorError } from '../../errors.ts';
import { GROUP, GROUP_VERSION, VERSION } from './history-object.ts';
import { type OwnerReference, RegistrationDeadline } from './registration-deadline.ts';
import type { ServingTls } from './serving-tls.ts';

// Not imported: see plain-server.ts.
const { request } = process.getBuiltinModule('node:https');

const API_SERVICE = `${VERSION}.${GROUP}`;
/** Deleted with everything else at an uninstall: what it owns goes with it. */
const OWNER = 'podtrail-history';
const API_SERVICES: GroupVersionResource = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
const CLUSTER_ROLES: GroupVersionResource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
};
/**
 * Short, because a replica that died without a word stays in the bundle for so long, and the last one to end in order does
 * not know then that it is the last.
 */
const VALID_MS = 60 * 60_000;
const CHECK_MS = 10_000;
/** API servers look every 30 seconds at what they could not reach. */
const SILENT_AFTER_MS = 60_000;
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 30 * 60_000;
/** Of a write that other replicas make conflicts for. */
const MOST_ATTEMPTS = 3;
const LABELS = { 'app.kubernetes.io/name': 'podtrail', 'app.kubernetes.io/component': 'history' };

export interface ServiceAddress {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

interface ApiService extends KubeObject {
  spec: {
    service?: { namespace?: string; name?: string; port?: number } | null;
    caBundle?: string;
    [field: string]: unknown;
  };
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

export interface RegistrationOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly service: ServiceAddress;
  /** This replica: what it announced before is replaced. */
  readonly identity: string;
  readonly checkMs?: number;
  readonly silentAfterMs?: number;
  /** After it was taken back for the first time; twice as long each time. */
  readonly firstRestMs?: number;
  /** How long a certificate is valid; it is renewed after two thirds of that. */
  readonly validMs?: number;
  readonly onRegistered: () => void;
  /** The certificates of all replicas, as they are announced. */
  readonly onBundle?: ((bundle: string) => void) | undefined;
  readonly onError: (error: unknown) => void;
  /** It is registered, but nothing removes it if all replicas die at once. */
  readonly onNoDeadline?: (error: unknown) => void;
}

export class Registration {
  readonly #options: RegistrationOptions;
  readonly #serverName: string;
  readonly #deadline: RegistrationDeadline;
  /** Announced before it is used: the newest first. */
  #certificates: [ServingCertificate, ...ServingCertificate[]];
  #serving: ServingCertificate;
  #announced: ServingCertificate | undefined;
  #wasRegistered = false;
  /** Monotonic: since when API servers report that they cannot reach it. */
  #silentSince: number | undefined;
  #restMs: number;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(options: RegistrationOptions) {
    this.#options = options;
    const { name, namespace } = options.service;
    this.#deadline = new RegistrationDeadline({ client: options.client, clock: options.clock, namespace });
    this.#serverName = `${name}.${namespace}.svc`;
    this.#restMs = options.firstRestMs ?? FIRST_REST_MS;
    this.#serving = this.#issue();
    this.#certificates = [this.#serving];
  }

  /** What the server shows now. */
  get certificate(): ServingCertificate {
    return this.#serving;
  }

  /** Until the signal aborts; then this replica is not announced any more. What fails is reported and tried again. */
  async run(
    server: Pick<ServingTls, 'use'>,
    at: { readonly host: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, checkMs = CHECK_MS, onError } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#tend(server, at, signal);
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      await sleep(clock, checkMs, signal).catch(() => {});
    }
    // The caller's patience is short, and so is this call.
    await this.#withdraw().catch(onError);
  }

  async #tend(
    server: Pick<ServingTls, 'use'>,
    at: { readonly host: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, validMs = VALID_MS } = this.#options;
    const [newest] = this.#certificates;
    if (clock.now() >= newest.notAfter - validMs / 3) this.#certificates = [this.#issue(), newest];
    // Nobody trusts one that has expired or is not announced, so nobody has to see the new one in the bundle first.
    const isTrusted = this.#announced !== undefined && clock.now() < this.#serving.notAfter;
    if (!isTrusted && this.#serving !== this.#certificates[0]) server.use((this.#serving = this.#certificates[0]));
    const failure = await this.#answers(at).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const isResting = clock.monotonic() < this.#restsUntil;
    if (failure !== undefined) {
      // Not announced while it does not answer, but removed where nobody answers: this may be the only replica.
      if (!isResting) await this.#checkRegistered(signal);
      throw failure.error;
    }
    if (isResting) return;
    const wasKnown = this.#announced === this.#certificates[0];
    await this.#announce(signal);
    this.#announced = this.#certificates[0];
    // A new one is used a look later, when every API server has it; the old one is dropped a look after that.
    if (this.#serving === this.#certificates[0]) this.#certificates = [this.#serving];
    else if (wasKnown) server.use((this.#serving = this.#certificates[0]));
  }

  async #checkRegistered(signal: AbortSignal): Promise<void> {
    const found = await this.#found(signal);
    if (found === undefined) return;
    this.#checkClaim(found);
    await this.#checkReached(found, signal);
  }

  async #found(signal: AbortSignal): Promise<ApiService | undefined> {
    const services = this.#options.client.resource<ApiService>(API_SERVICES);
    return await services.get(API_SERVICE, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  }

  async #announce(signal: AbortSignal, attempts = MOST_ATTEMPTS): Promise<void> {
    const services = this.#options.client.resource<ApiService>(API_SERVICES);
    const found = await this.#found(signal);
    if (found === undefined) {
      await this.#checkService(signal);
      const role = await this.#role(signal);
      const owner = (await this.#putOff(role, signal)) ?? role;
      await services.create(this.#apiService(owner), { signal });
      return this.#begun();
    }
    this.#checkClaim(found);
    await this.#checkReached(found, signal);
    const owner = await this.#putOff(undefined, signal);
    const isOwned = owner === undefined || found.metadata.ownerReferences?.[0]?.uid === owner.uid;
    const before = Buffer.from(found.spec.caBundle ?? '', 'base64').toString('utf8');
    const bundle = this.#bundle(before);
    this.#options.onBundle?.(bundle);
    const isKnown = splitBundle(before).sort().join('') === splitBundle(bundle).sort().join('');
    if (isOwned && isKnown) return this.#begun();
    const spec = { ...found.spec, ...this.#spec(bundle) };
    const metadata = isOwned ? found.metadata : { ...found.metadata, ownerReferences: [owner] };
    try {
      await services.update({ ...found, metadata, spec }, { signal });
      this.#begun();
    } catch (error) {
      // Another replica announced itself in between.
      if (!isConflict(error) || attempts === 1) throw error;
      await this.#announce(signal, attempts - 1);
    }
  }

  #begun(): void {
    if (!this.#wasRegistered) this.#options.onRegistered();
    this.#wasRegistered = true;
  }

  /** What another has written stays. */
  #checkClaim({ spec }: ApiService): void {
    const { namespace, name } = this.#options.service;
    if (spec.service?.namespace === namespace && spec.service.name === name) return;
    const other = spec.service ? `${spec.service.namespace}/${spec.service.name}` : 'the API server itself';
    throw new OperatorError('claimed', `${API_SERVICE} is served by ${other} already`, {
      hint: `end that operator, or delete the APIService ${API_SERVICE} if it is a leftover.`,
    });
  }

  /** A Service that is not there would make an APIService that nobody answers for. */
  async #checkService(signal: AbortSignal): Promise<void> {
    const { client, service } = this.#options;
    const fieldSelector = `metadata.name=${service.name}`;
    const { items } = await client.resource(SERVICES, service.namespace).list({ fieldSelector, signal });
    if (items.length > 0) return;
    throw new OperatorError('no-service', `there is no Service ${service.namespace}/${service.name}`, {
      hint: 'create it (deploy/kustomize has it), or name another with --history-service.',
    });
  }

  /** Deletes it and throws if API servers have got no answer for too long. */
  async #checkReached({ status, metadata }: ApiService, signal: AbortSignal): Promise<void> {
    const { clock, client, silentAfterMs = SILENT_AFTER_MS } = this.#options;
    const available = status?.conditions?.find(({ type }) => type === 'Available');
    if (available?.status !== 'False') {
      this.#silentSince = undefined;
      if (available?.status === 'True') this.#restMs = this.#options.firstRestMs ?? FIRST_REST_MS;
      return;
    }
    this.#silentSince ??= clock.monotonic();
    if (clock.monotonic() - this.#silentSince < silentAfterMs) return;
    const preconditions = metadata.uid === undefined ? {} : { preconditions: { uid: metadata.uid } };
    await client.resource(API_SERVICES).delete(API_SERVICE, { signal, ...preconditions });
    this.#silentSince = undefined;
    this.#wasRegistered = false;
    this.#announced = undefined;
    this.#restsUntil = clock.monotonic() + this.#restMs;
    this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS);
    throw new OperatorError(
      'history-silent',
      `API servers get no answer from the history API: ${available.message ?? ''}`,
      {
        hint: 'let them through to the history port (firewall, NetworkPolicy); until then it is not registered.',
      },
    );
  }

  /** Our certificates go; without one left the APIService goes. */
  async #withdraw(): Promise<void> {
    if (!this.#wasRegistered) return;
    const services = this.#options.client.resource<ApiService>(API_SERVICES);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      try {
        const found = await services.get(API_SERVICE, { timeoutMs: 1_000 });
        this.#checkClaim(found);
        const before = Buffer.from(found.spec.caBundle ?? '', 'base64').toString('utf8');
        const left = withoutCertificatesOf(before, this.#serving.certificate, this.#options.clock.now());
        if (left === '') {
          const preconditions = { resourceVersion: found.metadata.resourceVersion ?? '' };
          await services.delete(API_SERVICE, { timeoutMs: 1_000, preconditions });
        } else {
          const caBundle = Buffer.from(left).toString('base64');
          await services.update({ ...found, spec: { ...found.spec, caBundle } }, { timeoutMs: 1_000 });
        }
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error)) throw error;
      }
    }
  }

  #bundle(before: string): string {
    const [own, ...older] = this.#certificates.map(({ certificate }) => certificate) as [string, ...string[]];
    return withCertificate(before, own, older, this.#options.clock.now());
  }

  #spec(bundle: string): ApiService['spec'] {
    const { namespace, name, port } = this.#options.service;
    return {
      ...{ group: GROUP, version: VERSION, groupPriorityMinimum: 1_000, versionPriority: 15 },
      ...{ service: { namespace, name, port }, caBundle: Buffer.from(bundle).toString('base64') },
    };
  }

  #apiService(owner: OwnerReference | undefined): ApiService {
    const ownerReferences = owner === undefined ? {} : { ownerReferences: [owner] };
    return {
      ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
      metadata: { name: API_SERVICE, labels: LABELS, ...ownerReferences },
      spec: this.#spec(this.#bundle('')),
    };
  }

  /** Undefined where the cluster cannot do it (before 1.33, or without the rights): then an uninstall is all that ends it. */
  async #putOff(role: OwnerReference | undefined, signal: AbortSignal): Promise<OwnerReference | undefined> {
    try {
      return await this.#deadline.putOff(role ?? (await this.#role(signal)), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#options.onNoDeadline?.(error);
      return undefined;
    }
  }

  /** Deleted at an uninstall, and what it owns goes with it. */
  async #role(signal: AbortSignal): Promise<OwnerReference | undefined> {
    const { client } = this.#options;
    const role = await client
      .resource(CLUSTER_ROLES)
      .get(OWNER, { signal })
      .catch(() => undefined);
    const uid = role?.metadata.uid;
    if (uid === undefined) return undefined;
    return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: OWNER, uid };
  }

  #issue(): ServingCertificate {
    const { identity, clock, validMs = VALID_MS } = this.#options;
    const names = [this.#serverName, 'localhost'];
    return issueCertificate({ commonName: identity, names, now: clock.now(), validMs });
  }

  /** Asks this replica itself, without a certificate: 401 is its answer, and shows that it is there. */
  async #answers({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
    const status = await new Promise<number>((resolve, reject) => {
      const asked = request(
        {
          ...{ host: host === '0.0.0.0' || host === '::' ? 'localhost' : host, port, path: `/apis/${GROUP_VERSION}` },
          ca: this.#certificates.map(({ certificate }) => certificate),
          ...{ servername: this.#serverName, timeout: 5_000, agent: false },
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      asked.on('timeout', () => asked.destroy(new Error('no answer within 5 s')));
      asked.on('error', reject);
      asked.end();
    });
    if (status === 401) return;
    throw new OperatorError('history-not-answering', `the history API answered ${status} to itself`);
  }
}
