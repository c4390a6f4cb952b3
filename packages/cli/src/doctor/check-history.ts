// Looks at the history API of a cluster: is it registered, do API servers get an answer, and may the operator find out who
// asks. A cluster without it is in order: it is served with `podtrail operator --history` only.
import { type Client, isForbidden, isNotFound } from '@podtrail/machinery';
import { type Finding, found, looked } from './finding.ts';

const CHECK = 'history API';
const RIGHTS = 'history API rights';
const API_SERVICE = 'v1.history.podtrail.dev';
const GROUP = '/apis/history.podtrail.dev/v1';
const OPERATOR = 'podtrail-operator';
const WITHIN_MS = 10_000;
const TAKE_BACK = `if nothing answers for long, no namespace can be deleted: kubectl delete apiservice ${API_SERVICE}`;

/** What the operator needs besides, with --history, each with what goes wrong without it. */
const NEEDED = [
  [{ verb: 'create', group: 'authentication.k8s.io', resource: 'tokenreviews' }, 'no token is believed'],
  [{ verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' }, 'nobody sees anything'],
  [
    {
      ...{ verb: 'watch', group: '', resource: 'configmaps' },
      ...{ namespace: 'kube-system', name: 'extension-apiserver-authentication' },
    },
    'kubectl is answered 401',
  ],
  [
    { verb: 'update', group: 'apiregistration.k8s.io', resource: 'apiservices', name: API_SERVICE },
    'its certificate is not renewed',
  ],
] as const;

interface ApiService {
  readonly spec?: { readonly service?: { readonly namespace?: string; readonly name?: string } | null };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

export async function checkHistory(client: Client): Promise<Finding[]> {
  let service: ApiService;
  try {
    service = await read(client, `/apis/apiregistration.k8s.io/v1/apiservices/${API_SERVICE}`);
  } catch (error) {
    return [notRead(error)];
  }
  const findings = [await looked(CHECK, () => isAnswering(client, service))];
  const { namespace } = service.spec?.service ?? {};
  if (namespace !== undefined) findings.push(await looked(RIGHTS, () => mayReview(client, namespace)));
  return findings;
}

function notRead(error: unknown): Finding {
  if (isNotFound(error)) {
    const hint = 'for kubectl get tenures run the operator with --history; its log says why it is not registered.';
    return found(CHECK, 'skipped', 'not registered in this cluster', hint);
  }
  if (isForbidden(error)) return found(CHECK, 'skipped', 'this user may not read APIServices');
  return found(CHECK, 'failed', error instanceof Error ? error.message : String(error));
}

async function isAnswering(client: Client, { spec, status }: ApiService): Promise<Finding> {
  const { namespace, name } = spec?.service ?? {};
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  if (available === undefined) return found(CHECK, 'skipped', 'API servers have not looked at it yet');
  if (available.status !== 'True') {
    return found(
      CHECK,
      'failed',
      `API servers get no answer from the Service ${namespace}/${name}: ${available.message ?? 'they do not say why'}`,
      `look at the pods behind that Service and at what lies between (NetworkPolicy, firewall, port 9444); ${TAKE_BACK}.`,
    );
  }
  try {
    await read(client, GROUP);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return found(
      CHECK,
      'failed',
      `it is registered as available, and does not answer: ${why}`,
      `the log of the operator says why; ${TAKE_BACK}.`,
    );
  }
  return found(CHECK, 'ok', `answered through the Service ${namespace}/${name}`);
}

async function mayReview(client: Client, namespace: string): Promise<Finding> {
  const user = `system:serviceaccount:${namespace}:${OPERATOR}`;
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  const missing: string[] = [];
  for (const [resourceAttributes, without] of NEEDED) {
    const spec = { user, groups, resourceAttributes };
    let review: { readonly status?: { readonly allowed?: boolean } };
    try {
      review = await read(client, '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        ...{ kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec },
      });
    } catch (error) {
      if (isForbidden(error)) return found(RIGHTS, 'skipped', 'this user may not ask about the rights of others');
      throw error;
    }
    const { verb, resource } = resourceAttributes;
    if (review.status?.allowed !== true) missing.push(`${verb} ${resource} (${without})`);
  }
  if (missing.length === 0) return found(RIGHTS, 'ok', `${user} may find out who asks`);
  return found(
    RIGHTS,
    'failed',
    `${user} may not ${missing.join(', ')}`,
    'apply the ClusterRole podtrail-history and the RoleBinding podtrail-history-front-proxy of deploy/kustomize, or serve without --history; with another service account this says nothing.',
  );
}

async function read<T>(client: Client, path: string, body?: object): Promise<T> {
  const headers = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const response = await client.raw(
    {
      ...{ method: body === undefined ? 'GET' : 'POST', path, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    { timeoutMs: WITHIN_MS },
  );
  return JSON.parse(response.body.toString()) as T;
}
