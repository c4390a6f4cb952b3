// The verbs of `ResourceClient` as HTTP calls with JSON bodies. Made by `Client.resource`; keeps no state.
import { DecodeError, MachineryError } from '../errors.ts';
import { collectionPath, type GroupVersionResource, objectPath } from '../objects/group-version-resource.ts';
import type { KubeList, KubeObject } from '../objects/kube-object.ts';
import type { HttpRequest, HttpResponse, Transport } from '../transport/transport.ts';
import { type QueryValue, withQuery } from './query-string.ts';
import type {
  CallOptions,
  DeleteOptions,
  ListOptions,
  Patch,
  ResourceClient,
  SubresourceOptions,
  WriteOptions,
} from './resource-client.ts';

export const JSON_TYPE = 'application/json';

const PATCH_TYPES: Readonly<Record<Patch['kind'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export interface ResourceScope {
  readonly resource: GroupVersionResource;
  /** Undefined for cluster-scoped resources and for reading across all namespaces. */
  readonly namespace: string | undefined;
  /** What to ask for: plain JSON, a Table, or only metadata. */
  readonly accept?: string | undefined;
}

export class HttpResourceClient<T> implements ResourceClient<T> {
  readonly #transport: Transport;
  readonly #scope: ResourceScope;

  constructor(transport: Transport, scope: ResourceScope) {
    this.#transport = transport;
    this.#scope = scope;
  }

  async get(name: string, options: CallOptions & SubresourceOptions = {}): Promise<T> {
    return await this.#call({ method: 'GET', path: this.#objectPath(name, options.subresource) }, options);
  }

  async list(options: ListOptions = {}): Promise<KubeList<T>> {
    const path = withQuery(this.#collectionPath(), listQuery(options));
    return await this.#call<KubeList<T>>({ method: 'GET', path }, options);
  }

  async *pages(options: ListOptions = {}): AsyncGenerator<KubeList<T>> {
    let next = options.continue;
    do {
      // The server ties every following page to the first one's version; naming it again is an error.
      const page: KubeList<T> = await this.list(
        next === undefined
          ? options
          : { ...options, continue: next, resourceVersion: undefined, resourceVersionMatch: undefined },
      );
      yield page;
      next = page.metadata.continue || undefined;
    } while (next !== undefined);
  }

  async create(object: T, options: WriteOptions & SubresourceOptions & { readonly name?: string } = {}): Promise<T> {
    const path =
      options.subresource === undefined
        ? this.#collectionPath()
        : this.#objectPath(options.name ?? nameOf(object, 'create'), options.subresource);
    return await this.#write('POST', path, object, JSON_TYPE, options);
  }

  async update(object: T, options: WriteOptions & SubresourceOptions = {}): Promise<T> {
    const path = this.#objectPath(nameOf(object, 'update'), options.subresource);
    return await this.#write('PUT', path, object, JSON_TYPE, options);
  }

  async patch(name: string, patch: Patch, options: WriteOptions & SubresourceOptions = {}): Promise<T> {
    const path = this.#objectPath(name, options.subresource);
    const extra =
      patch.kind === 'apply'
        ? { fieldManager: patch.fieldManager, force: patch.force === true ? true : undefined }
        : {};
    return await this.#write('PATCH', path, patch.body, PATCH_TYPES[patch.kind], options, extra);
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<unknown> {
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: options.gracePeriodSeconds,
      propagationPolicy: options.propagationPolicy,
      preconditions: options.preconditions,
      dryRun: options.dryRun === true ? ['All'] : undefined,
    };
    return await this.#call<unknown>(
      {
        method: 'DELETE',
        path: this.#objectPath(name),
        body: JSON.stringify(body),
        headers: { 'content-type': JSON_TYPE },
      },
      options,
    );
  }

  #collectionPath(): string {
    return collectionPath(this.#scope.resource, this.#scope.namespace);
  }

  #objectPath(name: string, subresource?: string): string {
    return objectPath(this.#scope.resource, name, { namespace: this.#scope.namespace, subresource });
  }

  async #write(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    contentType: string,
    options: WriteOptions,
    extra: Readonly<Record<string, QueryValue>> = {},
  ): Promise<T> {
    const query = {
      dryRun: options.dryRun === true ? 'All' : undefined,
      fieldManager: options.fieldManager,
      fieldValidation: options.fieldValidation,
      ...extra,
    };
    const headers = { 'content-type': contentType };
    return await this.#call({ method, path: withQuery(path, query), body: JSON.stringify(body), headers }, options);
  }

  async #call<R = T>(request: HttpRequest, options: CallOptions): Promise<R> {
    const accept = this.#scope.accept ?? JSON_TYPE;
    const response = await this.#transport.request({ ...request, headers: { accept, ...request.headers } }, options);
    return parseJson<R>(request, response);
  }
}

export function listQuery(options: ListOptions): Record<string, QueryValue> {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  };
}

export function parseJson<R>(request: HttpRequest, response: HttpResponse): R {
  try {
    return JSON.parse(response.body.toString('utf8')) as R;
  } catch (cause) {
    throw new DecodeError(`${request.method} ${request.path}: the answer is not JSON`, {
      cause,
      hint: 'is there a login page or a proxy in front of the API server?',
    });
  }
}

function nameOf(object: unknown, verb: string): string {
  const name = (object as KubeObject).metadata?.name;
  if (name === undefined || name === '') {
    throw new MachineryError('empty-name', `${verb}: the object has no metadata.name`);
  }
  return name;
}
