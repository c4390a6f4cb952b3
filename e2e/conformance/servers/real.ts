// The real kube-apiserver with etcd. Of the controllers only those run whose work belongs to the API's own semantics:
// garbage collection, the termination of namespaces and disruption budgets. No scheduler and no kubelet, so that objects
// stay as they are.
import { readFile } from 'node:fs/promises';
import { type ControlPlane, startControlPlane, until } from '../../controlplane/index.ts';
import { LIMITED_NAMESPACE, LIMITED_USER } from '../case.ts';
import type { Access } from '../raw-client.ts';
import type { ServerUnderTest } from './server.ts';

const CONTROLLERS = [
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
  'disruption-controller',
];

export async function startRealServer(): Promise<ServerUnderTest & { readonly plane: ControlPlane }> {
  const plane = await startControlPlane({
    audit: false,
    users: [{ name: LIMITED_USER }],
    apiserverFlags: ['--disable-admission-plugins=ServiceAccount'],
    controllerManager: { flags: [`--controllers=${CONTROLLERS.join(',')}`] },
  });
  await grantLimitedRights(plane);
  const { url } = plane.apiserver;
  const ca = plane.pki.clusterTrust;
  const admin = await tokenOf(plane, 'admin');
  const limited = await tokenOf(plane, LIMITED_USER);
  await until('the rights of the limited user are known', async () => {
    const path = `/api/v1/namespaces/${LIMITED_NAMESPACE}/pods`;
    return (await plane.request(path, { token: limited })).status === 200;
  });
  return {
    name: 'real',
    plane,
    admin: { url, ca, token: admin },
    limited: { url, ca, token: limited },
    stranger: { url, ca, token: 'nobody-knows-this-token' },
    anonymous: { url, ca } satisfies Access,
    async compact() {
      await plane.compact();
      // The watch caches hold history that etcd has forgotten; only a new server begins without it.
      await plane.apiserver.kill();
      await plane.apiserver.start();
    },
    close: () => plane.stop(),
  };
}

async function grantLimitedRights(plane: ControlPlane): Promise<void> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${LIMITED_NAMESPACE}`;
  const create = async (path: string, body: unknown) => {
    const answer = await plane.request(path, { body });
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.body}`);
  };
  await create('/api/v1/namespaces', { metadata: { name: LIMITED_NAMESPACE } });
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }];
  await create(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
  await create(`${rbac}/rolebindings`, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: LIMITED_USER }],
  });
}

async function tokenOf(plane: ControlPlane, user: string): Promise<string> {
  const text = await readFile(await plane.kubeconfig({ user, via: 'token' }), 'utf8');
  const token = /token: "([^"]+)"/.exec(text)?.[1];
  if (token === undefined) throw new Error(`the kubeconfig of ${user} holds no token`);
  return token;
}
