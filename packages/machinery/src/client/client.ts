// The front door to one cluster: verbs on any resource, discovery, raw calls. Watching is the reflector's work.
import { type Clock, systemClock } from '../clock.ts';
import type { ClusterConfig } from '../config/identity.ts';
import { DecodeError } from '../errors.ts';
import {
  CONFIG_MAPS,
  collectionPath,
  EVENTS,
  type GroupVersionResource,
  LEASES,
  NAMESPACES,
  NODES,
  objectPath,
  PODS,
  SERVICES,
} from '../objects/group-version-resource.ts';
import type { KubeList, KubeObject } from '../objects/kube-object.ts';
import { HttpTransport, type HttpTransportOptions } from '../transport/http-transport.ts';
import type { HttpRequest, HttpResponse, RequestOptions, Transport } from '../transport/transport.ts';
import { Discovery } from './discovery.ts';
import { HttpResourceClient, listQuery, parseJson } from './http-resource-client.ts';
import { withQuery } from './query-string.ts';
import type { CallOptions, ListOptions, ResourceClient } from './resource-client.ts';
import { PARTIAL_METADATA_LIST_TYPE, PARTIAL_METADATA_TYPE, TABLE_TYPE, type Table } from './table.ts';

export interface TableOptions extends ListOptions {
  readonly namespace?: string;
  readonly name?: string;
  /** What each row carries besides its cells. Default of the server: Metadata. */
  readonly includeObject?: 'None' | 'Metadata' | 'Object';
}

export class Client {
  readonly transport: Transport;
  readonly discovery: Discovery;
  /** Of the kubeconfig's context, or the pod's own; what a command without `-n` means. */
  readonly defaultNamespace: string;

  constructor(transport: Transport, options: { clock?: Clock; defaultNamespace?: string } = {}) {
    this.transport = transport;
    this.discovery = new Discovery(transport, options.clock ?? systemClock);
    this.defaultNamespace = options.defaultNamespace ?? 'default';
  }

  static connect(config: ClusterConfig, options: HttpTransportOptions = {}): Client {
    return new Client(new HttpTransport(config, options), {
      defaultNamespace: config.namespace,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    });
  }

  /** Verbs on one collection; leave the namespace out for cluster-scoped resources and to read across namespaces. */
  resource<T = KubeObject>(resource: GroupVersionResource, namespace?: string): ResourceClient<T> {
    return new HttpResourceClient<T>(this.transport, { resource, namespace });
  }

  /** The collection of a kind, found by discovery. */
  async resourceOfKind<T = KubeObject>(
    apiVersion: string,
    kind: string,
    namespace?: string,
  ): Promise<ResourceClient<T>> {
    const found = await this.discovery.resourceFor(apiVersion, kind);
    return this.resource<T>(found, found.namespaced ? (namespace ?? this.defaultNamespace) : undefined);
  }

  pods(namespace?: string): ResourceClient {
    return this.resource(PODS, namespace);
  }
  nodes(): ResourceClient {
    return this.resource(NODES);
  }
  services(namespace?: string): ResourceClient {
    return this.resource(SERVICES, namespace);
  }
  namespaces(): ResourceClient {
    return this.resource(NAMESPACES);
  }
  configMaps(namespace?: string): ResourceClient {
    return this.resource(CONFIG_MAPS, namespace);
  }
  leases(namespace?: string): ResourceClient {
    return this.resource(LEASES, namespace);
  }
  events(namespace?: string): ResourceClient {
    return this.resource(EVENTS, namespace);
  }

  /** Only `metadata` of each object: cheap for owners and for comparing versions. */
  metadata(resource: GroupVersionResource, namespace?: string): Pick<ResourceClient, 'get' | 'list' | 'pages'> {
    const one = new HttpResourceClient<KubeObject>(this.transport, {
      resource,
      namespace,
      accept: PARTIAL_METADATA_TYPE,
    });
    const many = new HttpResourceClient<KubeObject>(this.transport, {
      resource,
      namespace,
      accept: PARTIAL_METADATA_LIST_TYPE,
    });
    return {
      get: (name, options) => one.get(name, options),
      list: (options): Promise<KubeList<KubeObject>> => many.list(options),
      pages: (options) => many.pages(options),
    };
  }

  /** The server's own rendering of a collection, or of one object when `name` is given. */
  async table(resource: GroupVersionResource, options: TableOptions = {}): Promise<Table> {
    const { includeObject } = options;
    const path =
      options.name === undefined
        ? withQuery(collectionPath(resource, options.namespace), { ...listQuery(options), includeObject })
        : withQuery(objectPath(resource, options.name, { namespace: options.namespace }), { includeObject });
    const request: HttpRequest = { method: 'GET', path, headers: { accept: TABLE_TYPE } };
    const table = parseJson<Table>(request, await this.transport.request(request, callOptions(options)));
    if (table.kind !== 'Table') throw new DecodeError(`GET ${path}: the server cannot render this resource as a table`);
    return table;
  }

  /** Any path, any body: for what has no verb here. */
  async raw(request: HttpRequest, options?: RequestOptions): Promise<HttpResponse> {
    return await this.transport.request(request, options);
  }

  async close(): Promise<void> {
    await this.transport.close();
  }
}

function callOptions(options: CallOptions): RequestOptions {
  return { signal: options.signal, timeoutMs: options.timeoutMs };
}
