// What there is: the group, its resources, and both in one document (aggregated discovery), as API servers and kubectl
// read them. Made from the resources; nothing can be deleted or written, so that no controller waits for it.
import { GROUP, GROUP_VERSION, VERSION } from './history-object.ts';
import { RESOURCES } from './resources.ts';

const READ = ['get', 'list', 'watch'];

/** Answers to questions that are posted; nothing is kept of them. */
export const ATTRIBUTIONS = { plural: 'ipattributions', singular: 'ipattribution', kind: 'IPAttribution' } as const;
/** The same for a command that asks: `podtrail who` without a ledger of its own. */
export const COMMANDS = { plural: 'commands', singular: 'command', kind: 'Command' } as const;

/** What can only be created: why there is none to get, and what to do instead. */
export const POSTED = [
  {
    ...{ ...ATTRIBUTIONS, namespaced: false, notKept: 'ipattributions are questions, and none is kept' },
    instead: 'create one, and read the answer in its status: kubectl create -o yaml -f -.',
  },
  {
    ...{ ...COMMANDS, namespaced: true, notKept: 'commands are run as they are posted, and none is kept' },
    instead: 'run podtrail, which posts one where it has no ledger: podtrail who ADDRESS.',
  },
] as const;

export function apiGroup(): object {
  const version = { groupVersion: GROUP_VERSION, version: VERSION };
  return { kind: 'APIGroup', apiVersion: 'v1', name: GROUP, versions: [version], preferredVersion: version };
}

export function apiGroupList(): object {
  const { kind: _kind, apiVersion: _version, ...group } = apiGroup() as Record<string, unknown>;
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: [group] };
}

export function apiResourceList(): object {
  return {
    ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: GROUP_VERSION },
    resources: [
      ...RESOURCES.map(({ plural, singular, kind, namespaced }) => ({
        ...{ name: plural, singularName: singular, namespaced, kind, verbs: READ },
      })),
      ...POSTED.map(({ plural, singular, kind, namespaced }) => ({
        ...{ name: plural, singularName: singular, namespaced, kind, verbs: ['create'] },
      })),
    ],
  };
}

/** `version`: of apidiscovery.k8s.io, as it was asked for. */
export function apiGroupDiscovery(version: 'v2' | 'v2beta1'): object {
  const kindOf = (kind: string) => ({ group: GROUP, version: VERSION, kind });
  const resources = [
    ...RESOURCES.map(({ plural, singular, kind, namespaced }) => ({
      ...{ resource: plural, singularResource: singular, responseKind: kindOf(kind), verbs: READ },
      scope: namespaced ? 'Namespaced' : 'Cluster',
    })),
    ...POSTED.map(({ plural, singular, kind, namespaced }) => ({
      ...{ resource: plural, singularResource: singular, responseKind: kindOf(kind), verbs: ['create'] },
      scope: namespaced ? 'Namespaced' : 'Cluster',
    })),
  ];
  return {
    ...{ kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {} },
    items: [{ metadata: { name: GROUP }, versions: [{ version: VERSION, resources, freshness: 'Current' }] }],
  };
}

/** The version of aggregated discovery that is accepted; undefined: the older documents. */
export function aggregatedVersion(accept: string | undefined): 'v2' | 'v2beta1' | undefined {
  for (const wanted of (accept ?? '').split(',')) {
    if (!/;\s*g=apidiscovery\.k8s\.io/.test(wanted) || !/;\s*as=APIGroupDiscoveryList/.test(wanted)) continue;
    const [, version] = /;\s*v=(v2beta1|v2)\b/.exec(wanted) ?? [];
    if (version === 'v2' || version === 'v2beta1') return version;
  }
  return undefined;
}

/** The content type of an answer to it; clients look at it. */
export function aggregatedType(version: 'v2' | 'v2beta1'): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}
