// One collection of an API server, in memory, for tests of what talks to it (elections, recorders, controllers).
// Optimistic concurrency, AlreadyExists, NotFound and merge patches behave as on a real server; failures, delays and
// lost replies can be injected. It is a double of the server, never of the code under test.
import { isDeepStrictEqual } from 'node:util';
import type {
  CallOptions,
  DeleteOptions,
  ListOptions,
  Patch,
  ResourceClient,
  SubresourceOptions,
  WriteOptions,
} from '../client/resource-client.ts';
import { ApiError, ConnectionError, type StatusDetails } from '../errors.ts';
import type { KubeList, KubeObject } from '../objects/kube-object.ts';

export type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';

export interface RecordedCall {
  readonly verb: Verb;
  readonly name: string;
  /** What was sent: the object, or the patch. */
  readonly body?: unknown;
}

/** Runs before the server does anything; may throw what the caller shall see, or wait. */
export type Intercept = (call: RecordedCall, options: CallOptions) => void | Promise<void>;

export interface MemoryResourceClientOptions {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  /** Resource versions are taken from here, so that several collections may share one counter. */
  readonly nextVersion?: () => number;
  readonly now?: () => number;
}

export class MemoryResourceClient<T extends KubeObject = KubeObject> implements ResourceClient<T> {
  readonly calls: RecordedCall[] = [];
  readonly #objects = new Map<string, T>();
  readonly #options: MemoryResourceClientOptions;
  readonly #queued: { verb: Verb; intercept: Intercept; when: 'before' | 'after' }[] = [];
  #version = 0;
  #created = 0;

  constructor(options: MemoryResourceClientOptions = {}) {
    this.#options = options;
  }

  /** The next call of `verb` (that no earlier injection takes) fails with `error` and changes nothing. */
  failNext(verb: Verb, error: Error, times = 1): void {
    for (let i = 0; i < times; i++) {
      this.interceptNext(verb, () => {
        throw error;
      });
    }
  }

  /** The next call of `verb` waits for, or fails with, whatever `intercept` does, before anything is changed. */
  interceptNext(verb: Verb, intercept: Intercept): void {
    this.#queued.push({ verb, intercept, when: 'before' });
  }

  /** The next write of `verb` is carried out, but its answer never arrives. */
  loseReplyOfNext(verb: Verb): void {
    const intercept = () => {
      throw new ConnectionError('reset', 'the connection was reset before the answer arrived');
    };
    this.#queued.push({ verb, intercept, when: 'after' });
  }

  /** The stored object, as a copy; undefined if there is none. */
  peek(name: string): T | undefined {
    const stored = this.#objects.get(name);
    return stored === undefined ? undefined : structuredClone(stored);
  }

  get(name: string, options: CallOptions & SubresourceOptions = {}): Promise<T> {
    return this.#serve({ verb: 'get', name }, options, () => this.#stored(name));
  }

  list(options: ListOptions = {}): Promise<KubeList<T>> {
    return this.#serve({ verb: 'list', name: '' }, options, () => {
      if (options.labelSelector !== undefined || options.fieldSelector !== undefined) {
        throw refusal(400, 'BadRequest', 'the in-memory collection knows no selectors');
      }
      return { metadata: { resourceVersion: String(this.#version) }, items: [...this.#objects.values()] };
    });
  }

  async *pages(options: ListOptions = {}): AsyncIterable<KubeList<T>> {
    yield await this.list(options);
  }

  create(object: T, options: WriteOptions & SubresourceOptions & { readonly name?: string } = {}): Promise<T> {
    const name = options.name ?? object.metadata.name ?? `${object.metadata.generateName ?? ''}${++this.#created}`;
    return this.#serve({ verb: 'create', name, body: object }, options, () => {
      if (object.metadata.resourceVersion) {
        throw refusal(400, 'BadRequest', 'resourceVersion should not be set on objects to be created');
      }
      if (this.#objects.has(name)) throw refusal(409, 'AlreadyExists', `"${name}" already exists`, { name });
      const created = structuredClone(object);
      created.metadata.name = name;
      created.metadata.uid = `uid-${name}-${++this.#created}`;
      created.metadata.creationTimestamp = new Date(this.#options.now?.() ?? 0).toISOString();
      return this.#store(created, options);
    });
  }

  update(object: T, options: WriteOptions & SubresourceOptions = {}): Promise<T> {
    const name = object.metadata.name ?? '';
    return this.#serve({ verb: 'update', name, body: object }, options, () => {
      this.#checkVersion(this.#stored(name), object.metadata.resourceVersion);
      return this.#store(structuredClone(object), options);
    });
  }

  patch(name: string, patch: Patch, options: WriteOptions & SubresourceOptions = {}): Promise<T> {
    return this.#serve({ verb: 'patch', name, body: patch }, options, () => {
      if (patch.kind !== 'merge') {
        throw refusal(415, 'UnsupportedMediaType', `the in-memory collection knows no ${patch.kind} patches`);
      }
      const stored = this.#stored(name);
      const patched = mergePatch(stored, structuredClone(patch.body)) as T;
      this.#checkVersion(stored, patched.metadata.resourceVersion);
      return this.#store(patched, options);
    });
  }

  delete(name: string, options: DeleteOptions = {}): Promise<unknown> {
    return this.#serve({ verb: 'delete', name }, options, () => {
      const stored = this.#stored(name);
      this.#checkVersion(stored, options.preconditions?.resourceVersion);
      if (options.preconditions?.uid !== undefined && options.preconditions.uid !== stored.metadata.uid) {
        throw refusal(409, 'Conflict', `the UID of "${name}" is another one`, { name });
      }
      if (options.dryRun !== true) this.#objects.delete(name);
      return stored;
    });
  }

  async #serve<R>(call: RecordedCall, options: CallOptions, act: () => R): Promise<R> {
    this.calls.push(structuredClone(call));
    const at = this.#queued.findIndex((queued) => queued.verb === call.verb);
    const [injected] = at === -1 ? [] : this.#queued.splice(at, 1);
    if (injected?.when === 'before') await injected.intercept(call, options);
    else await Promise.resolve();
    if (options.signal?.aborted) {
      throw new ConnectionError('aborted', 'the call was aborted', { cause: options.signal.reason });
    }
    const answer = structuredClone(act());
    if (injected?.when === 'after') await injected.intercept(call, options);
    return answer;
  }

  #stored(name: string): T {
    const stored = this.#objects.get(name);
    if (stored === undefined) throw refusal(404, 'NotFound', `"${name}" not found`, { name });
    return stored;
  }

  #checkVersion(stored: T, version: string | undefined): void {
    if (version === undefined || version === '' || version === stored.metadata.resourceVersion) return;
    const name = stored.metadata.name ?? '';
    throw refusal(409, 'Conflict', `"${name}" has been modified; apply your changes to the latest version`, { name });
  }

  #store(object: T, options: WriteOptions): T {
    const name = object.metadata.name as string;
    const before = this.#objects.get(name);
    if (this.#options.apiVersion !== undefined) object.apiVersion = this.#options.apiVersion;
    if (this.#options.kind !== undefined) object.kind = this.#options.kind;
    if (this.#options.namespace !== undefined) object.metadata.namespace = this.#options.namespace;
    if (before !== undefined) {
      for (const field of ['uid', 'creationTimestamp', 'resourceVersion'] as const) {
        Object.assign(object.metadata, { [field]: before.metadata[field] });
      }
      // As on a real server, a write that changes nothing gets no new version.
      if (isDeepStrictEqual(object, before)) return before;
    }
    this.#version = this.#options.nextVersion?.() ?? this.#version + 1;
    object.metadata.resourceVersion = String(this.#version);
    if (options.dryRun !== true) this.#objects.set(name, object);
    return object;
  }
}

/** An error as the server would send it. */
export function refusal(status: number, reason: string, message: string, details?: StatusDetails): ApiError {
  return new ApiError(
    status,
    { code: status, reason, message, ...(details === undefined ? {} : { details }) },
    undefined,
  );
}

/** RFC 7386. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
