// Removes the APIService when every replica died without a word. A Job that runs no pod is a timer of the controller
// manager: replicas put its deadline off while they live, and when it passes the Job is deleted. An APIService has no
// namespace and cannot be owned by a Job, so the chain goes Job, Service, IPAddress (the cluster's record of the Service's
// address, deleted with it), APIService. The garbage collector does the rest; nothing of ours must be alive.
import { type Client, type Clock, type GroupVersionResource, isNotFound, type KubeObject } from '@podtrail/machinery';
import { OperatorError } from '../../errors.ts';

const DEADLINE_NAME = 'podtrail-history-deadline';
const JOBS: GroupVersionResource = { group: 'batch', version: 'v1', resource: 'jobs' };
const SERVICES: GroupVersionResource = { group: '', version: 'v1', resource: 'services' };
const IP_ADDRESSES: GroupVersionResource = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
/** How long namespaces wait at most; also how long replicas may be cut off from the API server. */
const LASTS_S = 300;
/** It is not written more often than this. */
const PUT_OFF_S = 60;
const LABELS = { 'app.kubernetes.io/name': 'podtrail', 'app.kubernetes.io/component': 'history' };
const ANNOTATIONS = {
  'podtrail.dev/purpose':
    'A timer that runs no pod: when no replica of podtrail puts it off, it and the APIService v1.history.podtrail.dev are deleted.',
};

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

interface Job extends KubeObject {
  spec: { activeDeadlineSeconds?: number; [field: string]: unknown };
  status?: { startTime?: string; conditions?: readonly { type: string; status: string }[] };
}

interface Service extends KubeObject {
  spec: { clusterIP?: string; [field: string]: unknown };
}

export interface RegistrationDeadlineOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
}

export class RegistrationDeadline {
  readonly #options: RegistrationDeadlineOptions;

  constructor(options: RegistrationDeadlineOptions) {
    this.#options = options;
  }

  /** Puts it off. Resolves with who must own the APIService. `owner`: of the Job, so that an uninstall deletes all. */
  async putOff(owner: OwnerReference | undefined, signal: AbortSignal): Promise<OwnerReference> {
    const job = await this.#job(owner, signal);
    const address = await this.#address(job, signal);
    const { metadata } = await this.#options.client.resource(IP_ADDRESSES).get(address, { signal });
    return {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', name: address },
      uid: metadata.uid ?? '',
    };
  }

  async #job(owner: OwnerReference | undefined, signal: AbortSignal): Promise<Job> {
    const { client, clock, namespace } = this.#options;
    const jobs = client.resource<Job>(JOBS, namespace);
    const found = await jobs.get(DEADLINE_NAME, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (found === undefined) return await jobs.create(timer(namespace, owner), { signal });
    const hasEnded = found.status?.conditions?.some(({ status }) => status === 'True') === true;
    if (hasEnded || found.metadata.deletionTimestamp !== undefined) {
      throw new OperatorError('deadline-passed', `the Job ${namespace}/${DEADLINE_NAME} has ended`, {
        hint: 'it is created again once it is gone. If this comes back, compare the clocks of this node and of the control plane.',
      });
    }
    const { startTime } = found.status ?? {};
    if (startTime === undefined) return found;
    const wanted = Math.ceil((clock.now() - Date.parse(startTime)) / 1000) + LASTS_S;
    if (wanted < (found.spec.activeDeadlineSeconds ?? 0) + PUT_OFF_S) return found;
    const body = { spec: { activeDeadlineSeconds: wanted } };
    return await jobs.patch(DEADLINE_NAME, { kind: 'merge', body }, { signal });
  }

  /** Of the Service, which the Job owns. */
  async #address({ metadata: { uid = '' } }: Job, signal: AbortSignal): Promise<string> {
    const { client, namespace } = this.#options;
    const services = client.resource<Service>(SERVICES, namespace);
    const fieldSelector = `metadata.name=${DEADLINE_NAME}`;
    const [found] = (await services.list({ fieldSelector, signal })).items;
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: DEADLINE_NAME, uid };
    const service = found ?? (await services.create(placeholder(namespace, owner), { signal }));
    const isOfThis = service.metadata.ownerReferences?.some((reference) => reference.uid === uid) === true;
    const { clusterIP = '' } = service.spec;
    if (isOfThis && clusterIP !== '') return clusterIP;
    throw new OperatorError('deadline-passed', `the Service ${namespace}/${DEADLINE_NAME} is of an earlier Job`, {
      hint: 'the garbage collector deletes it; it is created again then.',
    });
  }
}

function timer(namespace: string, owner: OwnerReference | undefined): Job {
  const ownerReferences = owner === undefined ? {} : { ownerReferences: [owner] };
  const securityContext = {
    ...{ allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const spec = { restartPolicy: 'Never', containers: [{ name: 'none', image: 'none', securityContext }] };
  return {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name: DEADLINE_NAME, namespace, labels: LABELS, annotations: ANNOTATIONS, ...ownerReferences },
    spec: {
      // No pod, ever: only its deadline counts.
      ...{ parallelism: 0, completions: 1, activeDeadlineSeconds: LASTS_S, ttlSecondsAfterFinished: 0 },
      template: { spec },
    },
  };
}

/** Leads nowhere; it is there for its address. */
function placeholder(namespace: string, owner: OwnerReference): Service {
  return {
    ...{ apiVersion: 'v1', kind: 'Service' },
    metadata: { name: DEADLINE_NAME, namespace, labels: LABELS, annotations: ANNOTATIONS, ownerReferences: [owner] },
    spec: { type: 'ClusterIP', ports: [{ port: 443 }] },
  };
}
