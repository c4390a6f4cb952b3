// Where the other replicas are: the endpoints of the headless Service of peers, looked at now and then. What cannot be read
// leaves the last ones.
import {
  type Client,
  type Clock,
  type GroupVersionResource,
  isNotFound,
  type KubeObject,
  sleep,
} from '@podtrail/machinery';

const ENDPOINT_SLICES: GroupVersionResource = {
  ...{ group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' },
};
const LOOK_MS = 5_000;
const MOST_PEERS = 8;

interface EndpointSlice extends KubeObject {
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[] | null;
}

export interface PeerAddressesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly service: { readonly namespace: string; readonly name: string };
  readonly onError: (error: unknown) => void;
}

export class PeerAddresses {
  readonly #options: PeerAddressesOptions;
  #known: readonly string[] = [];

  constructor(options: PeerAddressesOptions) {
    this.#options = options;
  }

  /** host:port, also of replicas that are not ready: they may have the records all the same. */
  get known(): readonly string[] {
    return this.#known;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, service, onError } = this.#options;
    const slices = client.resource<EndpointSlice>(ENDPOINT_SLICES, service.namespace);
    const labelSelector = `kubernetes.io/service-name=${service.name}`;
    while (!signal.aborted) {
      try {
        const { items } = await slices.list({ labelSelector, signal });
        this.#known = addressesOf(items);
      } catch (error) {
        if (!signal.aborted && !isNotFound(error)) onError(error);
      }
      await sleep(clock, LOOK_MS, signal).catch(() => undefined);
    }
  }
}

function addressesOf(slices: readonly EndpointSlice[]): readonly string[] {
  const found = slices.flatMap(({ ports, endpoints }) => {
    const port = ports?.[0]?.port;
    if (port === undefined) return [];
    const hosts = (endpoints ?? []).flatMap(({ addresses }) => addresses.slice(0, 1));
    return hosts.map((host) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`));
  });
  return [...new Set(found)].sort().slice(0, MOST_PEERS);
}
