// Discovery: which groups, versions and resources there are. In the classic form (a document for each group version)
// and in the aggregated one (everything at once) that newer clients ask for.
import type { ResourceRegistry } from '../../api/resource-registry.ts';
import { apiVersionOf, type ResourceType, type Subresource } from '../../api/resource-type.ts';
import type { AcceptedForm } from '../content-negotiation.ts';
import { type Answer, jsonAnswer } from './answer.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const REVIEWS = { name: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview' };
const REVIEW_GROUP = 'authorization.k8s.io';

interface Entry {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Undefined where the path is none of discovery's. */
export function handleDiscovery(
  registry: ResourceRegistry,
  path: string,
  form: AcceptedForm,
  pretty: boolean,
): Answer | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const aggregated = form.as === 'APIGroupDiscoveryList';
  if (parts[0] === 'api' && parts.length === 1) {
    return aggregated ? aggregatedAnswer(registry, form.version, true) : jsonAnswer(LEGACY_VERSIONS, 200, pretty);
  }
  if (parts[0] === 'apis' && parts.length === 1) {
    if (aggregated) return aggregatedAnswer(registry, form.version, false);
    const groups = groupNames(registry).map((group) => groupDocument(registry, group));
    return jsonAnswer({ kind: 'APIGroupList', apiVersion: 'v1', groups }, 200, pretty);
  }
  if (parts[0] === 'apis' && parts.length === 2) {
    const group = parts[1] as string;
    if (!groupNames(registry).includes(group)) return undefined;
    return jsonAnswer({ kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(registry, group) }, 200, pretty);
  }
  const [group, version] = parts[0] === 'api' ? ['', parts[1]] : [parts[1] ?? '', parts[2]];
  if (version === undefined || parts.length !== (parts[0] === 'api' ? 2 : 3)) return undefined;
  if (!versionsOf(registry, group).includes(version)) return undefined;
  const resources = entries(registry, group, version);
  const groupVersion = apiVersionOf(group, version);
  return jsonAnswer({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }, 200, pretty);
}

const LEGACY_VERSIONS = {
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }],
};

function groupNames(registry: ResourceRegistry): string[] {
  const names = new Set([...registry.groupVersions().keys(), REVIEW_GROUP]);
  names.delete('');
  return [...names];
}

function versionsOf(registry: ResourceRegistry, group: string): readonly string[] {
  return group === REVIEW_GROUP ? ['v1'] : (registry.groupVersions().get(group) ?? []);
}

function groupDocument(registry: ResourceRegistry, name: string): object {
  const versions = versionsOf(registry, name).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function entries(registry: ResourceRegistry, group: string, version: string): Entry[] {
  if (group === REVIEW_GROUP) {
    const { name, kind } = REVIEWS;
    return [{ name, singularName: kind.toLowerCase(), namespaced: false, kind, verbs: ['create'] }];
  }
  return typesOf(registry, group, version).flatMap((type) => [mainEntry(type), ...subresourceEntries(type)]);
}

function typesOf(registry: ResourceRegistry, group: string, version: string): ResourceType[] {
  return [...registry.all()]
    .filter((type) => type.group === group && type.versions.includes(version))
    .sort((a, b) => (a.plural < b.plural ? -1 : 1));
}

function mainEntry(type: ResourceType): Entry {
  const verbs = type.plural === 'namespaces' && !type.custom ? VERBS.filter((v) => v !== 'deletecollection') : VERBS;
  return {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.namespaced,
    kind: type.kind,
    verbs,
    ...(type.shortNames.length === 0 ? {} : { shortNames: type.shortNames }),
    ...(type.categories.length === 0 ? {} : { categories: type.categories }),
  };
}

const READ_WRITE = ['get', 'patch', 'update'];
const SUBRESOURCES: Readonly<Record<Subresource, Partial<Entry>>> = {
  status: { verbs: READ_WRITE },
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: READ_WRITE },
  binding: { kind: 'Binding', verbs: ['create'] },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
  finalize: { verbs: ['update'] },
  log: { verbs: ['get'] },
};

function subresourceEntries(type: ResourceType): Entry[] {
  return [...type.subresources].sort().map((subresource) => ({
    name: `${type.plural}/${subresource}`,
    singularName: '',
    namespaced: type.namespaced,
    kind: type.kind,
    verbs: [],
    ...SUBRESOURCES[subresource],
  }));
}

function aggregatedAnswer(registry: ResourceRegistry, version: string, core: boolean): Answer {
  const groups = core ? [''] : groupNames(registry);
  const items = groups.map((group) => ({
    metadata: group === '' ? {} : { name: group },
    versions: versionsOf(registry, group).map((one) => ({
      version: one,
      resources: aggregatedResources(registry, group, one),
      freshness: 'Current',
    })),
  }));
  const apiVersion = `apidiscovery.k8s.io/${version}`;
  return {
    ...jsonAnswer({ kind: 'APIGroupDiscoveryList', apiVersion, metadata: {}, items }),
    contentType: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
  };
}

function aggregatedResources(registry: ResourceRegistry, group: string, version: string): unknown[] {
  const all = entries(registry, group, version);
  const kindOf = (entry: Entry) => ({
    group: entry.group ?? group,
    version: entry.version ?? version,
    kind: entry.kind,
  });
  return all
    .filter((entry) => !entry.name.includes('/'))
    .map((entry) => {
      const below = all.filter((other) => other.name.startsWith(`${entry.name}/`));
      const subresources = below.map((other) => ({
        subresource: other.name.slice(entry.name.length + 1),
        responseKind: kindOf(other),
        verbs: other.verbs,
      }));
      return {
        resource: entry.name,
        responseKind: kindOf(entry),
        scope: entry.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: entry.singularName,
        verbs: entry.verbs,
        ...(entry.shortNames === undefined ? {} : { shortNames: entry.shortNames }),
        ...(entry.categories === undefined ? {} : { categories: entry.categories }),
        ...(subresources.length === 0 ? {} : { subresources }),
      };
    });
}
