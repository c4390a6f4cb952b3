// Follows the ConfigMap by which a cluster says how its front proxies are recognised, so that a new authority is trusted,
// and an old one is not any more, without a restart. Until it has been read, and when it is gone or cannot be understood,
// nobody is trusted.

import type { Transport } from '@podtrail/machinery';
import { type Clock, CONFIG_MAPS, Informer, jsonCodec, type KubeObject, type Random } from '@podtrail/machinery';
import { type FrontProxyTrust, frontProxyTrust } from './front-proxy.ts';

const FRONT_PROXY_CONFIG = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };

interface ConfigMap extends KubeObject {
  data?: Readonly<Record<string, string>>;
}

export interface FrontProxyConfigOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Called with each change; undefined: nobody is trusted. */
  readonly onTrust: (trust: FrontProxyTrust | undefined) => void;
  readonly onError: (error: unknown) => void;
}

export class FrontProxyConfig {
  readonly #informer: Informer<ConfigMap>;
  #trust: FrontProxyTrust | undefined;
  #known = '';

  constructor({ transport, clock, random, onTrust, onError }: FrontProxyConfigOptions) {
    this.#informer = new Informer<ConfigMap>({
      ...{ transport, clock, random, resource: CONFIG_MAPS, codec: jsonCodec<ConfigMap>('v1', 'ConfigMap') },
      namespace: FRONT_PROXY_CONFIG.namespace,
      fieldSelector: `metadata.name=${FRONT_PROXY_CONFIG.name}`,
      onState: (state) => {
        if (state.kind === 'waiting' && !this.#informer.synced) onError(state.error);
      },
    });
    this.#informer.addHandler({
      onDelta: () => {
        const { namespace, name } = FRONT_PROXY_CONFIG;
        const data = this.#informer.lister.getIn(namespace, name)?.data;
        const text = JSON.stringify(data) ?? '';
        if (text === this.#known) return;
        this.#known = text;
        try {
          this.#trust = frontProxyTrust(data);
        } catch (error) {
          this.#trust = undefined;
          onError(error);
        }
        onTrust(this.#trust);
      },
    });
  }

  get trust(): FrontProxyTrust | undefined {
    return this.#trust;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#informer.start(signal);
  }
}
