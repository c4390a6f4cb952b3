// What roles and bindings grant the operator's ServiceAccount, each by itself: which verb on what, in which namespace, on
// which object. Compared with the audit log by operator-rights.test.ts.
import type { ControlPlane } from './controlplane/index.ts';

export interface Grant {
  readonly verb: string;
  /** With its group, and its subresource if there is one. */
  readonly resource: string;
  /** Undefined: everywhere, also on what is in no namespace. */
  readonly namespace: string | undefined;
  /** Undefined: whatever it is called. */
  readonly name: string | undefined;
}

/** One request, as the audit log has it. */
export interface Use {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly refused: boolean;
}

interface Rule {
  readonly verbs: string[];
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly resourceNames?: string[];
}

interface Binding {
  readonly metadata: { readonly namespace?: string };
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

export async function grantsOf(plane: ControlPlane, account: { namespace: string; name: string }): Promise<Grant[]> {
  const list = async (kind: string) => (await plane.request(`/apis/rbac.authorization.k8s.io/v1/${kind}`)).json().items;
  const roles = new Map<string, Rule[]>();
  const keyOf = (kind: string, name: string, namespace = '') => (kind === 'Role' ? `${namespace}/${name}` : name);
  for (const { metadata, rules } of await list('clusterroles')) roles.set(metadata.name, rules ?? []);
  for (const { metadata, rules } of await list('roles')) {
    roles.set(keyOf('Role', metadata.name, metadata.namespace), rules ?? []);
  }
  const bindings: Binding[] = [...(await list('clusterrolebindings')), ...(await list('rolebindings'))];
  const isFor = ({ subjects = [] }: Binding) =>
    subjects.some(({ kind, name, namespace }) => {
      return kind === 'ServiceAccount' && name === account.name && namespace === account.namespace;
    });
  return bindings.filter(isFor).flatMap(({ metadata: { namespace }, roleRef }) => {
    return (roles.get(keyOf(roleRef.kind, roleRef.name, namespace)) ?? []).flatMap((rule) => grantsIn(rule, namespace));
  });
}

function grantsIn({ verbs, apiGroups, resources, resourceNames }: Rule, namespace: string | undefined): Grant[] {
  const names = resourceNames ?? [undefined];
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((name) => ({ verb, resource: inGroup(resource, group), namespace, name })),
      ),
    ),
  );
}

export async function usesBy(plane: ControlPlane, user: string): Promise<Use[]> {
  const uses: Use[] = [];
  for (const { user: who, verb, objectRef, responseStatus } of await plane.auditLog()) {
    if (who.username !== user || objectRef?.resource === undefined) continue;
    const { resource, subresource, apiGroup = '', namespace, name } = objectRef;
    const full = inGroup(subresource === undefined ? resource : `${resource}/${subresource}`, apiGroup);
    uses.push({ verb, resource: full, namespace, name, refused: responseStatus?.code === 403 });
  }
  return uses;
}

export function covers(grant: Grant, use: Use): boolean {
  return (
    grant.verb === use.verb &&
    grant.resource === use.resource &&
    (grant.namespace === undefined || grant.namespace === use.namespace) &&
    (grant.name === undefined || grant.name === use.name)
  );
}

/** To be read: `patch podtrackers.podtrail.dev/status`, `get leases.coordination.k8s.io in podtrail named x`. */
export function spelled({ verb, resource, namespace, name }: Grant | Use): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${verb} ${resource}${where}${name === undefined ? '' : ` named ${name}`}`;
}

function inGroup(resource: string, group: string): string {
  if (group === '') return resource;
  const [plain, subresource] = resource.split('/');
  return `${plain}.${group}${subresource === undefined ? '' : `/${subresource}`}`;
}
