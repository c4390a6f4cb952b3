// Which resources there are now. Paths, discovery and names in process are all resolved here.
import { builtInResources } from './built-in-resources.ts';
import { type ResourceType, typeKey } from './resource-type.ts';

export class ResourceRegistry {
  readonly #types = new Map<string, ResourceType>();

  constructor() {
    for (const type of builtInResources()) this.#types.set(typeKey(type), type);
  }

  /** By `pods` or `deployments.apps`. */
  byName(name: string): ResourceType | undefined {
    return this.#types.get(name);
  }

  byPath(group: string, version: string, plural: string): ResourceType | undefined {
    const type = this.#types.get(typeKey({ group, plural }));
    return type?.versions.includes(version) ? type : undefined;
  }

  all(): Iterable<ResourceType> {
    return this.#types.values();
  }

  groupVersions(): ReadonlyMap<string, readonly string[]> {
    const groups = new Map<string, string[]>();
    for (const type of this.#types.values()) {
      const versions = groups.get(type.group) ?? [];
      for (const version of type.versions) if (!versions.includes(version)) versions.push(version);
      groups.set(type.group, versions);
    }
    return groups;
  }

  put(type: ResourceType): void {
    this.#types.set(typeKey(type), type);
  }

  delete(type: ResourceType): void {
    this.#types.delete(typeKey(type));
  }
}
