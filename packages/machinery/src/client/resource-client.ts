// The verbs on one collection of the API, as an interface: the real one is made by `Client.resource`, elections and
// recorders take it as a parameter.
import type { KubeList, KubeObject } from '../objects/kube-object.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, retries included. */
  readonly timeoutMs?: number | undefined;
  /** Asked before each try of the call is sent; what it throws ends the call, with nothing sent. */
  readonly beforeSend?: (() => void) | undefined;
}

export interface ListOptions extends CallOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Page size; `pages` follows `continue`. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

export interface SubresourceOptions {
  readonly subresource?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

export type Patch =
  | { readonly kind: 'merge'; readonly body: unknown }
  | { readonly kind: 'json'; readonly body: readonly JsonPatchOperation[] }
  | { readonly kind: 'strategic'; readonly body: unknown }
  /** Server-side apply; `fieldManager` is required by the server, `force` takes over conflicting fields. */
  | { readonly kind: 'apply'; readonly body: unknown; readonly fieldManager: string; readonly force?: boolean };

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export interface ResourceClient<T = KubeObject> {
  get(name: string, options?: CallOptions & SubresourceOptions): Promise<T>;
  list(options?: ListOptions): Promise<KubeList<T>>;
  /** Page after page; the memory of one page. */
  pages(options?: ListOptions): AsyncIterable<KubeList<T>>;
  create(object: T, options?: WriteOptions & SubresourceOptions & { readonly name?: string }): Promise<T>;
  /** PUT; carries the object's own resourceVersion, so a late write conflicts. */
  update(object: T, options?: WriteOptions & SubresourceOptions): Promise<T>;
  patch(name: string, patch: Patch, options?: WriteOptions & SubresourceOptions): Promise<T>;
  /** The deleted object, or the Status that the server sent instead of it. */
  delete(name: string, options?: DeleteOptions): Promise<unknown>;
}
