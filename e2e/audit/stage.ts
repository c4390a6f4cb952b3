// A real control plane on which requests about pods are allowed and refused in every way that can be provoked, and the
// audit log that its API server wrote of them. Used by make.ts, which records lines of it, and by audit.test.ts.
import { readFile } from 'node:fs/promises';
import { type ControlPlane, type HttpRequest, startControlPlane, until } from '../controlplane/index.ts';
import { startWebhooks } from './webhooks.ts';

/** Bodies only where the namespace asks for them; every stage, so that both lines of a request are there. */
const POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitManagedFields: true
rules:
  - level: None
    nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/metrics", "/openapi*", "/version*"]
  - level: None
    resources: [{ group: "coordination.k8s.io", resources: ["leases"] }, { group: "", resources: ["events"] }]
  - level: RequestResponse
    namespaces: ["bodies"]
  - level: Request
    namespaces: ["requests"]
  - level: Request
    resources: [{ group: "", resources: ["nodes"] }]
  - level: Metadata
`;

const USERS = [
  { name: 'jane', groups: ['developers'] },
  { name: 'mallory' },
  { name: 'ci' },
  { name: 'flooder' },
] as const;
export type UserName = 'admin' | 'nobody' | (typeof USERS)[number]['name'];

/** One request whose line is looked for: its Audit-ID is made of its number. */
export interface Provoked {
  readonly name: string;
  readonly auditID: string;
  readonly uri: string;
  readonly status: number;
}

const PODS = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;

/** A pod that the API server takes. */
function pod(name: string | { generateName: string }, more: object = {}, labels: Record<string, string> = {}) {
  const named = typeof name === 'string' ? { name } : name;
  const container = { name: 'main', image: 'registry.k8s.io/pause:3.10' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...named, labels }, spec: { containers: [container], ...more } };
}

export class AuditStage {
  readonly plane: ControlPlane;
  readonly provoked: Provoked[] = [];
  #sent = 0;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #webhooks: { readonly url: string; close(): void };

  static async start(): Promise<AuditStage> {
    const plane = await startControlPlane({
      controllerManager: true,
      scheduler: true,
      kwok: { nodes: 2 },
      users: USERS,
      audit: POLICY,
    });
    const file = await readFile(`${plane.directory}/tokens.csv`, 'utf8');
    const rows = file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(`[${line}]`) as string[]);
    return new AuditStage(plane, new Map(rows.map(([token, name]) => [name!, token!])), await startWebhooks(plane));
  }

  private constructor(
    plane: ControlPlane,
    tokens: ReadonlyMap<string, string>,
    webhooks: { url: string; close(): void },
  ) {
    this.plane = plane;
    this.#tokens = tokens;
    this.#webhooks = webhooks;
  }

  async stop(): Promise<void> {
    this.#webhooks.close();
    await this.plane.stop();
  }

  /** Sends one request under an Audit-ID of its own. */
  async send(name: string, user: UserName, path: string, request: HttpRequest = {}): Promise<number> {
    const auditID = `00000000-0000-4000-8000-${String(++this.#sent).padStart(12, '0')}`;
    const headers = {
      'Audit-ID': auditID,
      'User-Agent': 'kubectl/v1.36.3 (linux/amd64) kubernetes/0000000',
      ...request.headers,
    };
    const token = user === 'nobody' ? 'wrong' : this.#tokens.get(user)!;
    // A server that refuses a body closes the connection while it is being sent: 0.
    const answer = await this.plane.request(path, { ...request, token, headers }).catch((error: { code?: string }) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return { status: 0 };
      throw error;
    });
    const { status } = answer;
    this.provoked.push({ name, auditID, uri: path, status });
    return status;
  }

  async apply(...objects: object[]): Promise<void> {
    await this.plane.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    });
  }

  async prepare(): Promise<void> {
    const namespaces = ['shop', 'bodies', 'requests', 'secured', 'quota', 'limits', 'ending'];
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await this.apply(
      ...namespaces.map((name) => ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, ...(name === 'secured' && { labels }) },
      })),
    );
    for (const name of namespaces)
      await until('its ServiceAccount is there', () =>
        this.plane.kubectl(['-n', name, 'get', 'serviceaccount', 'default']).then(() => true),
      );
    const caBundle = Buffer.from(this.plane.pki.clusterTrust).toString('base64');
    const webhook = (name: string, label: string, url: string, failurePolicy: string) => ({
      ...{ name, admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy, timeoutSeconds: 2 },
      clientConfig: { url, caBundle },
      objectSelector: { matchLabels: { test: label } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    });
    const at = (path: string) => `${this.#webhooks.url}/${path}`;
    const nowhere = 'https://127.0.0.1:1/';
    const policy = (name: string, validation: object, actions: string[]) => [
      {
        ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', metadata: { name } },
        spec: {
          matchConstraints: {
            objectSelector: { matchLabels: { test: name } },
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          },
          validations: [{ expression: 'false', ...validation }],
        },
      },
      {
        ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
        metadata: { name: `${name}-everywhere` },
        spec: { policyName: name, validationActions: actions },
      },
    ];
    await this.apply(
      {
        ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
        metadata: { name: 'image-rules' },
        webhooks: [
          webhook('images.example.com', 'webhook-denies', at('deny'), 'Fail'),
          webhook('conflicts.example.com', 'webhook-conflicts', at('deny-409'), 'Fail'),
          webhook('down.example.com', 'webhook-down', nowhere, 'Fail'),
          webhook('open.example.com', 'webhook-open', nowhere, 'Ignore'),
        ],
      },
      {
        ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' },
        metadata: { name: 'sidecars' },
        webhooks: [webhook('inject.example.com', 'webhook-mutates', at('mutate'), 'Fail')],
      },
      ...policy('no-latest', { message: 'the tag latest is not allowed' }, ['Deny']),
      ...policy('no-root', { message: 'root is not allowed', reason: 'Forbidden' }, ['Deny']),
      ...policy('team-label', { message: 'a team is missing' }, ['Audit', 'Warn']),
      {
        ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few', namespace: 'quota' } },
        spec: { hard: { pods: '0' } },
      },
      {
        ...{ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'small', namespace: 'limits' } },
        spec: { limits: [{ type: 'Container', max: { cpu: '100m' } }] },
      },
      {
        ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'acts-as-jane' } },
        rules: [{ apiGroups: [''], resources: ['users'], resourceNames: ['jane'], verbs: ['impersonate'] }],
      },
      ...[
        ['jane', 'edit'],
        ['ci', 'acts-as-jane'],
        ['flooder', 'edit'],
      ].map(([user, role]) => ({
        ...{
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          metadata: { name: `${user}-${role}` },
        },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      })),
      {
        ...{
          apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
          kind: 'PriorityLevelConfiguration',
          metadata: { name: 'none' },
        },
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 0,
            lendablePercent: 0,
            borrowingLimitPercent: 0,
            limitResponse: { type: 'Reject' },
          },
        },
      },
      {
        ...{ apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name: 'flooder' } },
        spec: {
          priorityLevelConfiguration: { name: 'none' },
          matchingPrecedence: 2,
          rules: [
            {
              subjects: [{ kind: 'User', user: { name: 'flooder' } }],
              resourceRules: [
                { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
              ],
            },
          ],
        },
      },
      {
        ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'guard', namespace: 'shop' } },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'guarded' } } },
      },
    );
  }

  /** Policies and webhooks are watched by the API server: what is refused by one is tried until it is. */
  async refusedBy(name: string, namespace: string, label: string, more: object = {}): Promise<void> {
    await until(`${name} is in force`, async () => {
      const probe = await this.plane.request(`${PODS(namespace)}?dryRun=All`, {
        body: pod('probe', more, { test: label }),
      });
      return probe.status >= 400 || probe.headers['warning'] !== undefined;
    });
    await this.send(name, 'jane', PODS(namespace), { body: pod(name, more, { test: label }) });
  }

  async provokeAll(): Promise<void> {
    await this.#whatIsAllowed();
    await this.#whatIsRefused();
    await this.#whatOthersDo();
  }

  async #whatIsAllowed(): Promise<void> {
    const remove = (more: object = {}) => ({
      method: 'DELETE',
      body: { apiVersion: 'v1', kind: 'DeleteOptions', ...more },
    });
    const patch = (body: object, type = 'application/merge-patch+json') => ({
      method: 'PATCH',
      body,
      headers: { 'Content-Type': type },
    });
    const here = { nodeName: 'node-0' };
    for (const namespace of ['shop', 'requests', 'bodies']) {
      await this.send(`create-in-${namespace}`, 'jane', PODS(namespace), { body: pod('web-1', here, { app: 'web' }) });
      await this.send(`create-generated-in-${namespace}`, 'jane', PODS(namespace), {
        body: pod({ generateName: 'batch-' }, here, { app: 'batch' }),
      });
      await this.send(
        `patch-in-${namespace}`,
        'jane',
        `${PODS(namespace)}/web-1`,
        patch({ metadata: { labels: { tier: 'front' } } }),
      );
      await this.send(
        `delete-dry-run-in-${namespace}`,
        'jane',
        `${PODS(namespace)}/web-1`,
        remove({ dryRun: ['All'] }),
      );
      await this.send(`evict-in-${namespace}`, 'jane', `${PODS(namespace)}/web-1/eviction`, {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-1', namespace } },
      });
      await this.send(
        `deletecollection-in-${namespace}`,
        'jane',
        `${PODS(namespace)}?labelSelector=app%3Dbatch`,
        remove(),
      );
    }
    await this.send('create-dry-run', 'jane', `${PODS('shop')}?dryRun=All`, { body: pod('rehearsed') });
    await this.send('create-web-2', 'jane', PODS('shop'), { body: pod('web-2', here) });
    // Once its kubelet has written its status. Without a resourceVersion: one more write must not be a conflict.
    const running = await until('web-2 runs', async () => {
      const now = (await this.plane.request(`${PODS('shop')}/web-2`)).json();
      return now.status.phase === 'Running' ? now : undefined;
    });
    const { resourceVersion: _, ...metadata } = running.metadata;
    await this.send('update', 'jane', `${PODS('shop')}/web-2`, {
      method: 'PUT',
      body: { ...running, metadata: { ...metadata, labels: { tier: 'back' } } },
    });
    await this.send(
      'ephemeral-container',
      'admin',
      `${PODS('shop')}/web-2/ephemeralcontainers`,
      patch(
        { spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] } },
        'application/strategic-merge-patch+json',
      ),
    );
    await this.send('exec', 'jane', `${PODS('shop')}/web-2/exec?command=sh&stdin=true`, {
      method: 'POST',
      headers: { Upgrade: 'SPDY/3.1', Connection: 'Upgrade' },
    });
    await this.send('delete', 'jane', `${PODS('shop')}/web-2`, remove());
    await this.send('create-web-3', 'jane', PODS('shop'), { body: pod('web-3', here) });
    await this.send('delete-by-force', 'jane', `${PODS('shop')}/web-3`, remove({ gracePeriodSeconds: 0 }));
    await this.send('create-unbound', 'jane', PODS('shop'), { body: pod('unbound', { schedulerName: 'nobody' }) });
    await this.send('bind', 'admin', `${PODS('shop')}/unbound/binding`, {
      body: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'unbound' },
        target: { kind: 'Node', name: 'node-1' },
      },
    });
    await this.send(
      'status-by-hand',
      'admin',
      `${PODS('shop')}/unbound/status`,
      patch({ status: { message: 'by hand' } }),
    );
    await this.send('as-jane', 'ci', PODS('shop'), {
      body: pod('by-robot', here),
      headers: { 'Impersonate-User': 'jane' },
    });
    await this.send('webhook-mutates', 'jane', PODS('shop'), {
      body: pod('webhook-mutates', here, { test: 'webhook-mutates' }),
    });
    await this.send('webhook-open', 'jane', PODS('shop'), {
      body: pod('webhook-open', here, { test: 'webhook-open' }),
    });
    await this.refusedBy('team-label', 'shop', 'team-label', here);
    // The same Audit-ID again, chosen by the client: another request all the same.
    const reused = this.provoked.at(-1)!.auditID;
    await this.send('reused-audit-id', 'jane', `${PODS('shop')}/team-label`, {
      ...remove(),
      headers: { 'Audit-ID': reused },
    });
    this.provoked.push({ ...this.provoked.pop()!, auditID: reused });
  }

  async #whatIsRefused(): Promise<void> {
    const remove = { method: 'DELETE' };
    await this.send('no-token', 'nobody', `${PODS('shop')}/unbound`, remove);
    await this.send('rbac-delete', 'mallory', `${PODS('shop')}/unbound`, remove);
    await this.send('rbac-list', 'mallory', PODS('shop'));
    await this.send('rbac-evict', 'mallory', `${PODS('bodies')}/web-1/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-1', namespace: 'bodies' } },
    });
    await this.send('impersonation-refused', 'ci', `${PODS('shop')}/unbound`, {
      ...remove,
      headers: { 'Impersonate-User': 'admin' },
    });
    await this.refusedBy('webhook-denies', 'shop', 'webhook-denies');
    await this.refusedBy('webhook-conflicts', 'shop', 'webhook-conflicts');
    await this.refusedBy('webhook-down', 'shop', 'webhook-down');
    await this.refusedBy('no-latest', 'shop', 'no-latest');
    await this.refusedBy('no-root', 'bodies', 'no-root');
    await this.refusedBy('pod-security', 'secured', 'none');
    await this.refusedBy('quota', 'quota', 'none');
    await this.refusedBy('limit-range', 'limits', 'none', {
      containers: [{ name: 'main', image: 'x', resources: { limits: { cpu: '2' }, requests: { cpu: '2' } } }],
    });
    await this.send('service-account-missing', 'jane', PODS('shop'), {
      body: pod('sa', { serviceAccountName: 'ghost' }),
    });
    await this.send('priority-class-missing', 'jane', PODS('shop'), {
      body: pod('prio', { priorityClassName: 'ghost' }),
    });
    await this.plane.kubectl(['-n', 'ending', 'create', 'configmap', 'stays']);
    await this.plane.kubectl([
      '-n',
      'ending',
      'patch',
      'configmap',
      'stays',
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":["example.com/stay"]}}',
    ]);
    await this.send('delete-namespace', 'admin', '/api/v1/namespaces/ending', remove);
    await this.send('namespace-terminating', 'jane', PODS('ending'), { body: pod('late') });
    await this.send('namespace-missing', 'jane', PODS('nowhere'), { body: pod('lost') });
    await this.send('not-found', 'jane', `${PODS('shop')}/ghost`, remove);
    await this.send('already-exists', 'jane', PODS('shop'), { body: pod('unbound') });
    const bound = (await this.plane.request(`${PODS('shop')}/unbound`)).json();
    await this.send('conflict', 'jane', `${PODS('shop')}/unbound`, {
      method: 'PUT',
      body: { ...bound, metadata: { ...bound.metadata, resourceVersion: '1' } },
    });
    await this.send('precondition', 'jane', `${PODS('shop')}/unbound`, {
      ...remove,
      body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: '00000000-0000-0000-0000-000000000000' } },
    });
    await this.plane.compact();
    // Its watch cache would still answer.
    await this.plane.apiserver.restart();
    await this.send('gone', 'jane', `${PODS('shop')}?resourceVersion=2&resourceVersionMatch=Exact`);
    await this.send('invalid', 'jane', PODS('shop'), { body: pod('Not_A_Name') });
    await this.send('bad-json', 'jane', PODS('shop'), { body: '{"apiVersion":' });
    await this.send('media-type', 'jane', PODS('shop'), { body: 'pod', headers: { 'Content-Type': 'text/plain' } });
    await this.send('method', 'admin', `${PODS('shop')}/unbound/eviction`, { method: 'PUT', body: {} });
    await this.send('too-large', 'jane', PODS('shop'), { body: `{"x":"${'y'.repeat(4 << 20)}"}` });
    const others = [...this.provoked];
    await until('the flood is throttled', async () => {
      await Promise.all(Array.from({ length: 40 }, () => this.send('throttled', 'flooder', PODS('shop'))));
      const throttled = this.provoked.splice(others.length).find(({ status }) => status === 429);
      return throttled !== undefined && this.provoked.push(throttled);
    });
    await this.send('create-guarded', 'jane', PODS('shop'), {
      body: pod('guarded', { nodeName: 'node-1' }, { app: 'guarded' }),
    });
    const budget = '/apis/policy/v1/namespaces/shop/poddisruptionbudgets/guard';
    await until(
      'the budget knows its pod',
      async () => (await this.plane.request(budget)).json().status?.expectedPods === 1,
    );
    await this.send('disruption-budget', 'jane', `${PODS('shop')}/guarded/eviction`, {
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'guarded', namespace: 'shop' } },
    });
  }

  /** What people and controllers do to owners, nodes and namespaces. */
  async #whatOthersDo(): Promise<void> {
    const { plane } = this;
    const jane = { kubeconfig: await plane.kubeconfig({ user: 'jane', via: 'token' }) };
    const there = async (count: number) => {
      const { items } = JSON.parse(
        await plane.kubectl(['-n', 'shop', 'get', 'pods', '-l', 'app=cart', '-o', 'json']),
      ) as {
        items: { status: { phase: string } }[];
      };
      return items.length === count && items.every(({ status }) => status.phase === 'Running');
    };
    await plane.kubectl(
      ['-n', 'shop', 'create', 'deployment', 'cart', '--image=registry.k8s.io/pause:3.10', '--replicas=2'],
      jane,
    );
    await until('two carts run', () => there(2));
    await plane.kubectl(['-n', 'shop', 'scale', 'deployment/cart', '--replicas=3'], jane);
    await until('three carts run', () => there(3));
    await plane.kubectl(['-n', 'shop', 'rollout', 'restart', 'deployment/cart'], jane);
    await plane.kubectl(['-n', 'shop', 'rollout', 'status', 'deployment/cart']);
    await until('three carts run', () => there(3));
    await plane.kubectl([
      'drain',
      'node-0',
      '--ignore-daemonsets',
      '--force',
      '--delete-emptydir-data',
      '--timeout=60s',
    ]);
    await until('three carts run', () => there(3));
    await plane.kubectl(['uncordon', 'node-0']);
    await plane.kubectl(['taint', 'node', 'node-1', 'broken=yes:NoExecute']);
    await until('three carts run', () => there(3));
    await plane.kubectl(['taint', 'node', 'node-1', 'broken-']);
    await plane.kubectl(['-n', 'shop', 'delete', 'deployment', 'cart'], jane);
    await until('no cart runs', () => there(0));
    await plane.kubectl(['delete', 'node', 'node-1', '--wait=false']);
    await plane.kubectl(['delete', 'namespace', 'requests', '--wait=true']);
  }

  async lines(): Promise<string[]> {
    return (await readFile(this.plane.apiserver.auditLogFile, 'utf8')).split('\n').slice(0, -1);
  }
}
