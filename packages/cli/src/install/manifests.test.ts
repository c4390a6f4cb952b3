// The manifests of deploy/kustomize, as far as that can be said without a cluster; e2e/operator.test.ts applies them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { run } from '../testing/run-in-process.ts';

const DEPLOY = new URL('../../../../deploy/', import.meta.url);

interface Manifest {
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape; a wrong path fails the test.
  readonly [field: string]: any;
}

const read = (path: string): string => readFileSync(new URL(path, DEPLOY), 'utf8');
const kustomization = parse(read('kustomize/kustomization.yaml'));
const manifests: Manifest[] = kustomization.resources.flatMap((file: string) =>
  parseAllDocuments(read(`kustomize/${file}`)).map((document) => document.toJS()),
);
const named = (kind: string, name: string): Manifest => {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  assert.ok(found, `${kind} ${name}`);
  return found;
};
const operator = named('StatefulSet', 'podtrail-operator')['spec'];
const container = operator.template.spec.containers[0];

test('the definitions that kustomize applies are those of deploy/crds', () => {
  const files = readdirSync(new URL('crds/', DEPLOY)).sort();
  assert.deepEqual(readdirSync(new URL('kustomize/crds/', DEPLOY)).sort(), files);
  for (const file of files)
    assert.equal(read(`kustomize/crds/${file}`), read(`crds/${file}`), `${file}: npm run generate`);
});

test('every file of the folder is applied', () => {
  const all = readdirSync(new URL('kustomize/', DEPLOY), { recursive: true }) as string[];
  const files = all.filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
  assert.deepEqual(files.sort(), [...kustomization.resources].sort());
});

test('everything says by labels what it is part of', () => {
  const [{ pairs, includeTemplates }] = kustomization.labels;
  assert.deepEqual(
    Object.keys(pairs),
    ['name', 'part-of', 'managed-by'].map((key) => `app.kubernetes.io/${key}`),
  );
  assert.equal(includeTemplates, true);
  for (const { kind, metadata } of manifests)
    assert.ok(metadata.labels?.['app.kubernetes.io/component'], `${kind} ${metadata.name}`);
  assert.ok(operator.template.metadata.labels['app.kubernetes.io/component']);
  assert.ok(operator.volumeClaimTemplates[0].metadata.labels['app.kubernetes.io/component']);
});

test('whoever selects the pods of the operator selects by labels that they have', () => {
  const labels = { ...kustomization.labels[0].pairs, ...operator.template.metadata.labels };
  const selectors = [
    operator.selector.matchLabels,
    operator.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    named('PodDisruptionBudget', 'podtrail-operator')['spec'].selector.matchLabels,
    named('NetworkPolicy', 'podtrail-operator')['spec'].podSelector.matchLabels,
    named('NetworkPolicy', 'podtrail-conversion')['spec'].podSelector.matchLabels,
    ...manifests.filter(({ kind }) => kind === 'Service').map(({ spec }) => spec.selector),
  ];
  assert.equal(selectors.length, 9);
  for (const selector of selectors) {
    assert.ok(Object.keys(selector).length > 0);
    for (const [key, value] of Object.entries(selector)) assert.equal(labels[key], value);
  }
});

test('only conversion is open to anybody, in a policy of its own that the examples narrow or take away', () => {
  const ports = (name: string) =>
    named('NetworkPolicy', name)['spec'].ingress.map((rule: { from?: unknown; ports: { port: string }[] }) => [
      rule.from === undefined ? 'anybody' : 'selected',
      ...rule.ports.map(({ port }) => port),
    ]);
  assert.deepEqual(ports('podtrail-operator'), [['selected', 'metrics']]);
  assert.deepEqual(ports('podtrail-conversion'), [['anybody', 'conversion']]);
  assert.deepEqual(named('NetworkPolicy', 'podtrail-conversion')['spec'].policyTypes, ['Ingress']);
  for (const example of ['conversion-narrowed', 'without-conversion']) {
    const { resources, patches } = parse(read(`examples/${example}/kustomization.yaml`));
    assert.deepEqual(resources, ['../../kustomize']);
    for (const { patch, target } of patches) {
      const { kind, metadata } = target === undefined ? parse(patch) : { kind: target.kind, metadata: target };
      named(kind, metadata.name);
    }
  }
});

test('the audit webhook is open to selected addresses only, and its ports, flags and files fit together', () => {
  const { resources, patches } = parse(read('examples/audit-webhook/kustomization.yaml'));
  assert.deepEqual(resources, ['../../kustomize', 'service.yaml', 'network-policy.yaml']);
  const values = parse(patches[0].patch).map(({ value }: { value: unknown }) => value);
  const flags = values.filter((value: unknown) => typeof value === 'string');
  const [, mounted, volume] = values.filter((value: unknown) => typeof value === 'object');
  const { spec: service } = parse(read('examples/audit-webhook/service.yaml'));
  const { spec: policy } = parse(read('examples/audit-webhook/network-policy.yaml'));
  assert.deepEqual(
    policy.ingress.map(({ ports, from }: { ports: { port: string }[]; from: unknown[] }) => [
      ports[0]?.port,
      from.length,
    ]),
    [['audit', 1]],
  );
  assert.equal(service.ports[0].targetPort, 'audit');
  assert.equal(service.selector['statefulset.kubernetes.io/pod-name'], 'podtrail-operator-0');
  const { clusters } = parse(read('examples/audit-webhook/kubeconfig.yaml'));
  assert.equal(clusters[0].cluster.server, `https://${service.clusterIP}/audit`);
  assert.equal(mounted.name, volume.name);
  // As docs/audit.md issues the certificate of the API servers.
  assert.equal(flags.pop(), '--audit-webhook-client-name=kube-apiserver');
  assert.equal(flags.length, 4);
  for (const flag of flags.slice(1)) assert.ok(flag.includes(`=${mounted.mountPath}/`), flag);
});

test('the pod is restricted: no root, nothing to write to but its volumes, no capabilities, no privileges', () => {
  const pod = operator.template.spec.securityContext;
  assert.deepEqual([pod.runAsNonRoot, pod.seccompProfile.type], [true, 'RuntimeDefault']);
  assert.deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const { labels } = named('Namespace', 'podtrail').metadata;
  for (const mode of ['enforce', 'warn', 'audit']) {
    assert.equal(labels?.[`pod-security.kubernetes.io/${mode}`], 'restricted');
  }
});

test('two replicas with volumes of their own that outlive them, probes, and a bound on memory', () => {
  assert.equal(operator.replicas, 2);
  assert.equal(operator.persistentVolumeClaimRetentionPolicy.whenDeleted, 'Retain');
  const [{ mountPath }] = container.volumeMounts;
  assert.ok(container.args.includes(`--store=sqlite:${mountPath}/ledger.db`));
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    assert.equal(container[probe].httpGet.port, 'health');
  assert.ok(container.resources.requests.cpu && container.resources.limits.memory);
  // It ends within ten seconds by itself.
  assert.ok(operator.template.spec.terminationGracePeriodSeconds > 10);
});

test('it is served on both families, asks no DNS server, and bounds what it writes outside its volume', () => {
  assert.ok(container.args.includes('--bind=::'));
  // The API server is reached by the address in the environment: no name is looked up.
  const { egress } = named('NetworkPolicy', 'podtrail-operator')['spec'];
  const out = egress.flatMap(({ ports }: { ports: { port: unknown }[] }) => ports.map(({ port }) => port));
  // And the history port of the other replicas.
  assert.deepEqual(out, [443, 6443, 9444]);
  const { requests, limits } = container.resources;
  assert.ok(requests['ephemeral-storage'] && limits['ephemeral-storage']);
  const [scratch] = operator.template.spec.volumes;
  assert.equal(scratch.emptyDir.sizeLimit, '64Mi');
});

test('a replica that is not ready does not stop a node from being drained', () => {
  const { maxUnavailable, unhealthyPodEvictionPolicy } = named('PodDisruptionBudget', 'podtrail-operator')['spec'];
  assert.deepEqual([maxUnavailable, unhealthyPodEvictionPolicy], [1, 'AlwaysAllow']);
});

test('nobody can widen the rights of the operator by a label, and it writes ConfigMaps in its own namespace only', () => {
  const roles = manifests.filter(({ kind }) => kind === 'ClusterRole');
  for (const { metadata, aggregationRule } of roles) assert.equal(aggregationRule, undefined, metadata.name);
  const footprints = manifests.filter(({ roleRef }) => roleRef?.name === 'podtrail-footprints');
  assert.deepEqual(
    footprints.map(({ kind, metadata }) => [kind, metadata.namespace]),
    [['RoleBinding', 'podtrail']],
  );
  const { versions } = named('CustomResourceDefinition', 'podtrackers.podtrail.dev')['spec'];
  const spec = versions[0].schema.openAPIV3Schema.properties.spec.properties;
  assert.equal(spec.footprints.properties.configMaps.properties.namespace.default, undefined);
});

test('Leases may be read where those of nodes are, by their name only, and nowhere else', () => {
  const { rules } = named('ClusterRole', 'podtrail-node-leases');
  assert.deepEqual(rules, [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] }]);
  const bindings = manifests.filter(({ roleRef }) => roleRef?.name === 'podtrail-node-leases');
  assert.deepEqual(
    bindings.map(({ kind, metadata }) => [kind, metadata.namespace]),
    [['RoleBinding', 'kube-node-lease']],
  );
});

test('rights: no wildcards, no secrets, nobody else, and every role of ours is bound', () => {
  const roles = manifests.filter(({ kind }) => kind === 'ClusterRole');
  for (const { metadata, rules } of roles) {
    for (const { verbs, resources, apiGroups } of rules) {
      const words = [...verbs, ...resources, ...apiGroups];
      for (const refused of ['*', 'secrets', 'impersonate', 'escalate', 'bind'])
        assert.ok(!words.includes(refused), `${metadata.name}: ${refused}`);
    }
  }
  const bindings = manifests.filter(({ kind }) => kind.endsWith('RoleBinding'));
  for (const { subjects } of bindings) {
    assert.deepEqual(subjects, [{ kind: 'ServiceAccount', name: 'podtrail-operator', namespace: 'podtrail' }]);
  }
  const bound = bindings.map(({ roleRef }) => roleRef.name);
  const forPeople = (name: string) => /^podtrail-(?:podtracker-|history-viewer$)/.test(name);
  for (const { metadata } of roles.filter((role) => !forPeople(role.metadata.name))) {
    assert.ok(bound.includes(metadata.name), metadata.name);
  }
});

test('the network policy has both directions, and lets in nothing but the ports that are there', () => {
  const { policyTypes, ingress } = named('NetworkPolicy', 'podtrail-operator')['spec'];
  assert.deepEqual(policyTypes, ['Ingress', 'Egress']);
  const ports = container.ports.map(({ name }: { name: string }) => name);
  for (const { port } of ingress.flatMap((rule: { ports: unknown[] }) => rule.ports)) assert.ok(ports.includes(port));
});

test('the arguments are ones that the command knows', async () => {
  const words = container.args.map((arg: string) => arg.replace(/\$\(\w+\)/, 'x'));
  const { out } = await run(['operator', '--help']);
  for (const word of words.slice(1)) assert.ok(out.includes(word.split('=')[0]), word);
});
