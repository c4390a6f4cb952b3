// The node of the pods that the driver plays: a Node object as a kubelet of 1.36 registers and reports it, and a Lease that
// is renewed as by one. Nothing runs on it, and no controller judges it: it stays ready for as long as nobody writes
// otherwise.
import type { HttpAnswer, HttpRequest } from '../controlplane/index.ts';

export const NODE = 'proof-node';
export const NODE_IP = '192.168.7.1';
/** The address pool is within. */
const POD_CIDRS = ['10.9.0.0/24', 'fd00:9::/64'];

const RENEW_MS = { least: 10_000, most: 10_400 };
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

type Request = (path: string, request: HttpRequest) => Promise<HttpAnswer>;

export interface ProofNode {
  readonly name?: string;
  /** What keeps pods away that are not bound to it by name. */
  readonly taints?: readonly object[];
}

/** Disposed of, it is not renewed any more. */
export async function createProofNode(
  request: Request,
  { name = NODE, taints = [] }: ProofNode = {},
): Promise<AsyncDisposable> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
    spec: { podCIDR: POD_CIDRS[0], podCIDRs: POD_CIDRS, taints },
  };
  const made = await request('/api/v1/nodes', { method: 'POST', body: node });
  if (made.status !== 201) throw new Error(`no node ${name}: the API server answered ${made.status}: ${made.body}`);
  const status = {
    capacity: { cpu: '4', memory: '16Gi', pods: '250' },
    allocatable: { cpu: '4', memory: '16Gi', pods: '250' },
    addresses: [
      { type: 'InternalIP', address: NODE_IP },
      { type: 'Hostname', address: name },
    ],
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
        lastHeartbeatTime: now,
        lastTransitionTime: now,
      },
    ],
    nodeInfo: {
      machineID: 'proof',
      systemUUID: 'proof',
      bootID: '5e0c7a3e-7f5e-4c57-9d0e-3b1c6a9f2d10',
      kernelVersion: '6.12.0',
      osImage: 'proof',
      containerRuntimeVersion: 'containerd://2.3.7',
      kubeletVersion: 'v1.36.3',
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  const ready = await request(`/api/v1/nodes/${name}/status`, { method: 'PATCH', headers, body: { status } });
  if (ready.status !== 200)
    throw new Error(`${name} is not ready: the API server answered ${ready.status}: ${ready.body}`);
  return keepLease(request, name);
}

/** As a kubelet: every ten seconds or a little more, whatever became of the one before. */
async function keepLease(request: Request, name: string): Promise<AsyncDisposable> {
  const spec = () => ({
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: `${new Date().toISOString().slice(0, -1)}000Z`,
  });
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } };
  // Nobody makes that namespace where no controller manager runs.
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-node-lease' } };
  await request('/api/v1/namespaces', { method: 'POST', body: namespace });
  const made = await request(LEASES, { method: 'POST', body: { ...lease, spec: spec() } });
  if (made.status !== 201) throw new Error(`no lease of ${name}: the API server answered ${made.status}: ${made.body}`);
  const headers = { 'Content-Type': 'application/merge-patch+json' };
  let timer: NodeJS.Timeout;
  const renewLater = (): void => {
    const wait = RENEW_MS.least + Math.random() * (RENEW_MS.most - RENEW_MS.least);
    timer = setTimeout(() => {
      renewLater();
      // The API server may be away; the next renewal comes in time.
      request(`${LEASES}/${name}`, { method: 'PATCH', headers, body: { spec: spec() } }).catch(() => {});
    }, wait);
  };
  renewLater();
  return { [Symbol.asyncDispose]: async () => clearTimeout(timer) };
}
