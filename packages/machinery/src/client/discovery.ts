// Which resources the server serves, read once and kept. A miss reads again (a CRD may have arrived), but not more
// often than the given interval, so that a typing error does not become a storm.
import { type Clock, systemClock } from '../clock.ts';
import { isNotFound, MachineryError } from '../errors.ts';
import type { GroupVersionResource } from '../objects/group-version-resource.ts';
import type { Transport } from '../transport/transport.ts';
import { JSON_TYPE, parseJson } from './http-resource-client.ts';

export interface ApiResource extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly singularName: string;
  readonly categories: readonly string[];
}

interface ResourceListBody {
  groupVersion: string;
  resources: {
    name: string;
    singularName?: string;
    kind: string;
    namespaced: boolean;
    verbs: string[];
    shortNames?: string[];
    categories?: string[];
  }[];
}

interface GroupListBody {
  groups: { name: string; versions: { groupVersion: string }[]; preferredVersion?: { groupVersion: string } }[];
}

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

const REFRESH_NOT_BEFORE_MS = 10_000;

export class Discovery {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #byGroupVersion = new Map<string, { readonly resources: readonly ApiResource[]; readonly readAt: number }>();
  readonly #inFlight = new Map<string, Promise<readonly ApiResource[]>>();

  constructor(transport: Transport, clock: Clock = systemClock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  async serverVersion(): Promise<ServerVersion> {
    return await this.#read<ServerVersion>('/version');
  }

  /** Group versions that the server offers, each group's preferred one first. */
  async groupVersions(): Promise<string[]> {
    const { groups } = await this.#read<GroupListBody>('/apis');
    const found = ['v1'];
    for (const group of groups) {
      const preferred = group.preferredVersion?.groupVersion;
      if (preferred !== undefined) found.push(preferred);
      for (const version of group.versions) if (version.groupVersion !== preferred) found.push(version.groupVersion);
    }
    return found;
  }

  /** The resources of one group version ("v1", "apps/v1"); empty if the server does not serve it. Subresources are left out. */
  async resources(groupVersion: string): Promise<readonly ApiResource[]> {
    return this.#byGroupVersion.get(groupVersion)?.resources ?? (await this.#refresh(groupVersion));
  }

  /** Finds the collection of a kind. Throws `unknown-kind` with a hint when the server does not serve it. */
  async resourceFor(apiVersion: string, kind: string): Promise<ApiResource> {
    const known = (await this.resources(apiVersion)).find((r) => r.kind === kind);
    if (known !== undefined) return known;
    const readAt = this.#byGroupVersion.get(apiVersion)?.readAt ?? Number.NEGATIVE_INFINITY;
    if (this.#clock.monotonic() - readAt >= REFRESH_NOT_BEFORE_MS) {
      const found = (await this.#refresh(apiVersion)).find((r) => r.kind === kind);
      if (found !== undefined) return found;
    }
    throw new MachineryError('unknown-kind', `the server does not serve ${kind} in ${apiVersion}`, {
      hint: 'is the custom resource definition installed, and is its version served?',
    });
  }

  /** Forgets everything; the next question reads again. */
  invalidate(): void {
    this.#byGroupVersion.clear();
  }

  #refresh(groupVersion: string): Promise<readonly ApiResource[]> {
    const running = this.#inFlight.get(groupVersion);
    if (running !== undefined) return running;
    const started = this.#readResources(groupVersion).finally(() => this.#inFlight.delete(groupVersion));
    this.#inFlight.set(groupVersion, started);
    return started;
  }

  async #readResources(groupVersion: string): Promise<readonly ApiResource[]> {
    const slash = groupVersion.indexOf('/');
    const group = slash < 0 ? '' : groupVersion.slice(0, slash);
    const version = slash < 0 ? groupVersion : groupVersion.slice(slash + 1);
    let resources: readonly ApiResource[] = [];
    try {
      const body = await this.#read<ResourceListBody>(slash < 0 ? `/api/${version}` : `/apis/${group}/${version}`);
      resources = body.resources
        .filter((r) => !r.name.includes('/'))
        .map((r) => ({
          group,
          version,
          resource: r.name,
          kind: r.kind,
          namespaced: r.namespaced,
          verbs: r.verbs,
          shortNames: r.shortNames ?? [],
          singularName: r.singularName ?? '',
          categories: r.categories ?? [],
        }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#byGroupVersion.set(groupVersion, { resources, readAt: this.#clock.monotonic() });
    return resources;
  }

  async #read<R>(path: string): Promise<R> {
    const request = { method: 'GET', path, headers: { accept: JSON_TYPE } } as const;
    return parseJson<R>(request, await this.#transport.request(request));
  }
}
