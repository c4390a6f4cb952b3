// Which resources the server serves, read once and kept. A miss reads again (a CRD may have arrived), but not more
// often than every ten seconds, so that a typing error does not become a storm.
import { type Clock, systemClock } from '../clock.ts';
import { isNotFound, MachineryError } from '../errors.ts';
import { type GroupVersionResource, groupVersionPath } from '../objects/group-version-resource.ts';
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

interface Known {
  readonly resources: readonly ApiResource[];
  readonly readAt: number;
}

const REFRESH_NOT_BEFORE_MS = 10_000;

export class Discovery {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<readonly ApiResource[]>>();

  constructor(transport: Transport, clock: Clock = systemClock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  async serverVersion(): Promise<ServerVersion> {
    return await this.#read<ServerVersion>('/version');
  }

  /** Group versions that the server offers now, each group's preferred one first; not kept. */
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

  /** Everything in one group version ("v1", "apps/v1"); nothing if it is not served. Subresources are left out. */
  async resources(groupVersion: string): Promise<readonly ApiResource[]> {
    return await this.#lookUp(groupVersion, (resources) => resources.length > 0);
  }

  /** Finds the collection of a kind. Throws `unknown-kind` with a hint when the server does not serve it. */
  async resourceFor(apiVersion: string, kind: string): Promise<ApiResource> {
    const isIt = (resource: ApiResource) => resource.kind === kind;
    const found = (await this.#lookUp(apiVersion, (resources) => resources.some(isIt))).find(isIt);
    if (found !== undefined) return found;
    throw new MachineryError('unknown-kind', `the server does not serve ${kind} in ${apiVersion}`, {
      hint: 'is the custom resource definition installed, and is its version served?',
    });
  }

  /** Forgets everything; the next question reads again. */
  invalidate(): void {
    this.#known.clear();
    // What is being read now may be from before the change that the caller knows of.
    this.#reading.clear();
  }

  async #lookUp(
    groupVersion: string,
    isThere: (resources: readonly ApiResource[]) => boolean,
  ): Promise<readonly ApiResource[]> {
    const known = this.#known.get(groupVersion);
    if (known === undefined) return await this.#refresh(groupVersion);
    const mayRead = this.#clock.monotonic() - known.readAt >= REFRESH_NOT_BEFORE_MS;
    return isThere(known.resources) || !mayRead ? known.resources : await this.#refresh(groupVersion);
  }

  /** One reading at a time for each group version; a failed one is not remembered. */
  #refresh(groupVersion: string): Promise<readonly ApiResource[]> {
    const running = this.#reading.get(groupVersion);
    if (running !== undefined) return running;
    const reading: Promise<readonly ApiResource[]> = this.#readResources(groupVersion)
      .then((resources) => {
        if (isCurrent()) this.#known.set(groupVersion, { resources, readAt: this.#clock.monotonic() });
        return resources;
      })
      .finally(() => {
        if (isCurrent()) this.#reading.delete(groupVersion);
      });
    const isCurrent = () => this.#reading.get(groupVersion) === reading;
    this.#reading.set(groupVersion, reading);
    return reading;
  }

  async #readResources(groupVersion: string): Promise<readonly ApiResource[]> {
    const slash = groupVersion.indexOf('/');
    const group = slash < 0 ? '' : groupVersion.slice(0, slash);
    const version = slash < 0 ? groupVersion : groupVersion.slice(slash + 1);
    try {
      const { resources } = await this.#read<ResourceListBody>(groupVersionPath(group, version));
      return resources
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
      if (isNotFound(error)) return [];
      throw error;
    }
  }

  async #read<R>(path: string): Promise<R> {
    const request = { method: 'GET', path, headers: { accept: JSON_TYPE } } as const;
    return parseJson<R>(request, await this.#transport.request(request));
  }
}
