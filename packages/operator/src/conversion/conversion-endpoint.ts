// Has conversion served on this replica, by a process of its own, and registers it with the API server: once that answers,
// one patch of the definition sets the webhook, the bundle to trust and `served` of v1alpha1. Looks again now and then,
// because somebody may apply the shipped definition again, and renews its certificate in time. What API servers turn out
// not to reach is taken back, because whoever writes would wait for it. v1 goes on without any of this.
import { request } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  type Clock,
  type GroupVersionResource,
  isConflict,
  type JsonPatchOperation,
  type KubeObject,
  sleep,
  systemClock,
} from '@podtrail/machinery';
import { issueCertificate, type ServingCertificate } from '../certificates/certificate.ts';
import { splitBundle, withCertificate } from '../certificates/trust-bundle.ts';
import { OperatorError } from '../errors.ts';
import { ConversionHost } from './conversion-host.ts';
import { isConversionSilent } from './conversion-probe.ts';
import { CONVERT_PATH } from './conversion-server.ts';

const DEFINITIONS: GroupVersionResource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
const DEFINITION = 'podtrackers.podtrail.dev';
const OLD_VERSION = 'v1alpha1';
const DAY_MS = 86_400_000;
/** API servers need a moment to turn to what was announced; then it shows whether they get there. */
const PROBE_AFTER_MS = 5_000;
/** After it was taken back: twice as long each time. */
const FIRST_REST_MS = 60_000;
const LONGEST_REST_MS = 30 * 60_000;

/** Where API servers find the endpoint: a Service in the cluster, or a URL outside of it. */
export type ConversionAddress =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }
  | { readonly url: (port: number) => string };

export interface ConversionEndpointOptions {
  readonly client: Client;
  readonly clock?: Clock;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly address: ConversionAddress;
  /** This replica: what it announced before is replaced. */
  readonly identity: string;
  /** How long a certificate is valid; it is renewed after two thirds of that. Default 30 days. */
  readonly validMs?: number;
  /** How often the definition is looked at, and whether API servers are answered. Default 20 seconds. */
  readonly checkMs?: number;
  readonly onError?: (error: unknown) => void;
  /** Asked before the definition is written: rejects with the reason if it must stay as it is. `known`: what is there. */
  readonly mayAnnounce?: (
    own: AnnouncedWebhook,
    known: AnnouncedWebhook | undefined,
    signal: AbortSignal,
  ) => Promise<void>;
}

/** Where API servers are configured to ask. */
export interface AnnouncedWebhook {
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly url?: string;
  /** PEM in base64. */
  readonly caBundle?: string;
}

interface Definition extends KubeObject {
  spec: {
    conversion?: { webhook?: { clientConfig?: { caBundle?: string } & Record<string, unknown> } };
    versions: { name: string; served: boolean }[];
  };
}

export class ConversionEndpoint {
  readonly #options: ConversionEndpointOptions;
  readonly #clock: Clock;
  /** Announced before it is used: the newest first. */
  #certificates: ServingCertificate[];
  #announced: ServingCertificate | undefined;
  #serving: ServingCertificate;
  #port = 0;
  /** The definition was changed with the last look. */
  #isNews = false;
  #restMs = FIRST_REST_MS;
  #restsUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ConversionEndpointOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#serving = this.#issue();
    this.#certificates = [this.#serving];
  }

  /** Where it listens; 0 before. */
  get port(): number {
    return this.#port;
  }

  /** Until the signal aborts. Rejects only if it cannot listen; what the API server refuses is reported and tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { host, port, checkMs = 20_000, onError } = this.#options;
    const restarted = onError === undefined ? {} : { onRestart: onError };
    const server = new ConversionHost({ host, port, certificate: this.#serving, clock: this.#clock, ...restarted });
    this.#port = await server.listen();
    try {
      while (!signal.aborted) {
        try {
          await this.#tend(server, signal);
        } catch (error) {
          if (!signal.aborted) onError?.(error);
        }
        const nextMs = this.#isNews ? Math.min(checkMs, PROBE_AFTER_MS) : checkMs;
        await sleep(this.#clock, nextMs, signal).catch(() => {});
      }
    } finally {
      await server.close();
    }
  }

  get #newest(): ServingCertificate {
    return this.#certificates[0] as ServingCertificate;
  }

  async #tend(server: ConversionHost, signal: AbortSignal): Promise<void> {
    const { validMs = 30 * DAY_MS } = this.#options;
    if (this.#clock.now() >= this.#newest.notAfter - validMs / 3) this.#certificates = [this.#issue(), this.#newest];
    this.#isNews = false;
    await this.#answers();
    if (this.#clock.monotonic() < this.#restsUntil) return;
    const known = this.#announced === this.#newest;
    this.#isNews = await this.#announce(signal);
    this.#announced = this.#newest;
    if (!this.#isNews) await this.#checkReached(signal);
    // A new one is used a look later, when every API server has it; the old one is dropped a look after that.
    if (this.#serving === this.#newest) this.#certificates = [this.#newest];
    else if (known) server.use((this.#serving = this.#newest));
  }

  /** One patch, made from what was read; with everything as it should be, none. True if it was needed. */
  async #announce(signal: AbortSignal): Promise<boolean> {
    const definitions = this.#options.client.resource<Definition>(DEFINITIONS);
    const definition = await definitions.get(DEFINITION, { signal });
    const body = this.#patch(definition);
    if (body.length === 0) return false;
    await this.#options.mayAnnounce?.(this.#clientConfig(), definition.spec.conversion?.webhook?.clientConfig, signal);
    try {
      await definitions.patch(DEFINITION, { kind: 'json', body }, { signal });
      return true;
    } catch (error) {
      // Another replica announced itself in between.
      if (isConflict(error)) return await this.#announce(signal);
      throw error;
    }
  }

  /** Rejects if it had to be taken back. */
  async #checkReached(signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    if (!(await isConversionSilent(client, signal))) {
      this.#restMs = FIRST_REST_MS;
      return;
    }
    await this.#takeBack(signal);
    this.#restsUntil = this.#clock.monotonic() + this.#restMs;
    this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS);
    throw new OperatorError('conversion-silent', 'API servers get no answer at the address of the webhook', {
      hint: 'let them through to the conversion port (firewall, NetworkPolicy); v1alpha1 is not served until then.',
    });
  }

  /** Without conversion, and v1alpha1 not served, nobody is asked; what is stored is v1. */
  async #takeBack(signal: AbortSignal): Promise<void> {
    const definitions = this.#options.client.resource<Definition>(DEFINITIONS);
    const { metadata, spec } = await definitions.get(DEFINITION, { signal });
    const at = spec.versions.findIndex(({ name }) => name === OLD_VERSION);
    const { caBundle: _, ...known } = spec.conversion?.webhook?.clientConfig ?? {};
    if (at < 0 || !isDeepStrictEqual(known, this.#clientConfig())) return;
    const body: JsonPatchOperation[] = [
      { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      { op: 'replace', path: '/spec/conversion', value: { strategy: 'None' } },
      { op: 'replace', path: `/spec/versions/${at}/served`, value: false },
    ];
    await definitions.patch(DEFINITION, { kind: 'json', body }, { signal });
  }

  #patch({ metadata, spec }: Definition): JsonPatchOperation[] {
    const at = spec.versions.findIndex(({ name }) => name === OLD_VERSION);
    if (at < 0) return [];
    const { clientConfig = {} } = spec.conversion?.webhook ?? {};
    const before = Buffer.from(clientConfig.caBundle ?? '', 'base64').toString('utf8');
    const [own, ...older] = this.#certificates.map(({ certificate }) => certificate) as [string, ...string[]];
    const bundle = withCertificate(before, own, older, this.#clock.now());
    const { caBundle: _known, ...known } = clientConfig;
    const found = isDeepStrictEqual(known, this.#clientConfig()) && sameCertificates(before, bundle);
    if (found && spec.versions[at]?.served === true) return [];
    const webhook = {
      conversionReviewVersions: ['v1'],
      clientConfig: { ...this.#clientConfig(), caBundle: Buffer.from(bundle).toString('base64') },
    };
    return [
      { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      { op: 'replace', path: '/spec/conversion', value: { strategy: 'Webhook', webhook } },
      { op: 'replace', path: `/spec/versions/${at}/served`, value: true },
    ];
  }

  #clientConfig(): Record<string, unknown> {
    const { address } = this.#options;
    if ('service' in address) return { service: { ...address.service, path: CONVERT_PATH } };
    return { url: `${address.url(this.#port)}${CONVERT_PATH}` };
  }

  /** Asks this replica itself, the way an API server would: what does not answer is not announced. */
  async #answers(): Promise<void> {
    const { host } = this.#options;
    const review = {
      kind: 'ConversionReview',
      request: { uid: 'self', desiredAPIVersion: 'podtrail.dev/v1', objects: [] },
    };
    const status = await new Promise<number>((resolve, reject) => {
      const asked = request(
        {
          host: host === '0.0.0.0' || host === '::' ? 'localhost' : host,
          port: this.#port,
          path: CONVERT_PATH,
          method: 'POST',
          ca: this.#certificates.map(({ certificate }) => certificate),
          servername: this.#names()[0],
          timeout: 5_000,
          agent: false,
        },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      asked.on('timeout', () => asked.destroy(new Error('no answer within 5 s')));
      asked.on('error', reject);
      asked.end(JSON.stringify(review));
    });
    if (status === 200) return;
    throw new OperatorError('conversion-not-answering', `the conversion endpoint answered ${status} to itself`, {
      hint: 'v1alpha1 is not served until it answers; v1 is not affected.',
    });
  }

  #issue(): ServingCertificate {
    const { identity, validMs = 30 * DAY_MS } = this.#options;
    return issueCertificate({ commonName: identity, names: this.#names(), now: this.#clock.now(), validMs });
  }

  /** The names by which API servers call; the first is a DNS name. */
  #names(): [string, ...string[]] {
    const { address } = this.#options;
    if ('url' in address) return ['localhost', new URL(address.url(1)).hostname.replace(/^\[|\]$/g, '')];
    const { name, namespace } = address.service;
    return [`${name}.${namespace}.svc`, 'localhost'];
  }
}

function sameCertificates(a: string, b: string): boolean {
  return splitBundle(a).sort().join('') === splitBundle(b).sort().join('');
}
