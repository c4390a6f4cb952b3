// The custom resource definitions on a real API server: what kubectl shows of them, and what it refuses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until, useCluster } from './controlplane/index.ts';

const CRDS = fileURLToPath(new URL('../deploy/crds/', import.meta.url));
const cluster = await useCluster({ needs: ['own control plane'] });
const { skip } = cluster;

if (skip === false) {
  await cluster.kubectl(['apply', '-f', CRDS]);
  for (const name of ['podtrackers', 'podtrackerslices']) {
    await cluster.kubectl(['wait', '--for=condition=Established', `crd/${name}.podtrail.dev`]);
  }
  await until('pt is known', () => cluster.kubectl(['get', 'pt']).then(() => true));
}

function tracker(spec: unknown, name = 'web'): string {
  return JSON.stringify({ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name }, spec });
}

async function refusal(spec: unknown, name = 'web'): Promise<string> {
  const args = ['apply', '--dry-run=server', '-f', '-'];
  try {
    await cluster.kubectl(args, { input: tracker(spec, name) });
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

test('the definitions are applied twice without a change, and the server finds nothing wrong with their schemas', {
  skip,
}, async () => {
  const again = await cluster.kubectl(['apply', '-f', CRDS]);
  assert.equal(again.match(/unchanged/g)?.length, 2, again);
  const { items } = await cluster.kubectlJson(['get', 'crd']);
  for (const { metadata, status } of items) {
    const conditions: { type: string; status: string; message: string }[] = status.conditions;
    assert.ok(!conditions.some(({ type }) => type === 'NonStructuralSchema'), metadata.name);
    assert.equal(conditions.find(({ type }) => type === 'Established')?.status, 'True');
  }
});

test('kubectl explain describes every field', { skip }, async () => {
  // The description of a new kind is published some time after the kind itself is there.
  const text = await until('kubectl can explain PodTrackers', () =>
    cluster.kubectl(['explain', 'pt.spec', '--recursive']),
  );
  for (const field of [
    'namespaces',
    'namespaceSelector',
    'podSelector',
    'namePrefix',
    'nodeNames',
    'retention',
    'keys',
  ]) {
    assert.match(text, new RegExp(`\\b${field}\\b`));
  }
  assert.match(await cluster.kubectl(['explain', 'pt.spec.namePrefix']), /whose name begins with this/);
  const explained = async (field: string) => (await cluster.kubectl(['explain', field])).replace(/\s+/g, ' ');
  assert.match(await explained('pt.spec.footprints.log'), /to its standard output. Left out: it does not/);
  assert.match(await explained('pt.spec.footprints.configMaps.enabled'), /Left out: they are not/);
  assert.match(await explained('pt.spec.footprints.configMaps.namespace'), /Left out: in the operator's own namespace/);
  assert.match(await explained('pt.spec.footprints.configMaps.retention'), /Left out: "168h"/);
  assert.match(await explained('pt.spec.annotations.enabled'), /Left out: they are not/);
  const entries = await until('kubectl can explain slices', () => cluster.kubectl(['explain', 'pts.entries']));
  assert.match(entries, /Pods by their UID/);
  assert.doesNotMatch(await cluster.kubectl(['explain', 'pt.status', '--recursive']), /<no description>/);
});

test('an empty spec, or none, tracks all pods, and defaults are filled in', { skip }, async () => {
  assert.equal(await refusal({}), 'accepted');
  assert.equal(await refusal(undefined), 'accepted');
  const args = ['apply', '--dry-run=server', '-f', '-'];
  const input = tracker({ footprints: { configMaps: { enabled: true } }, annotations: {} });
  const { spec } = await cluster.kubectlJson(args, { input });
  assert.deepEqual(spec, {
    footprints: { log: false, configMaps: { enabled: true, retention: '168h' } },
    annotations: {},
  });
});

const REFUSED: Record<string, { readonly spec: unknown; readonly says: RegExp; readonly name?: string }> = {
  'a pattern as a namespace': {
    spec: { namespaces: ['shop', 'team-*'] },
    says: /"team-\*" cannot be: name each namespace in full.*use namespaceSelector/,
  },
  'an empty list of namespaces': {
    spec: { namespaces: [] },
    says: /leave namespaces out to track pods of all namespaces/,
  },
  'a namespace twice': { spec: { namespaces: ['a', 'a'] }, says: /Duplicate value: "a"/ },
  'a pattern as a prefix': { spec: { namePrefix: 'web-*' }, says: /it is no pattern, so leave "\*" out/ },
  'In without values': {
    spec: { podSelector: { matchExpressions: [{ key: 'app', operator: 'In' }] } },
    says: /with the operators In and NotIn write at least one of values/,
  },
  'Exists with values': {
    spec: { namespaceSelector: { matchExpressions: [{ key: 'app', operator: 'Exists', values: ['x'] }] } },
    says: /with Exists and DoesNotExist leave values out/,
  },
  'an operator that is none': {
    spec: { podSelector: { matchExpressions: [{ key: 'app', operator: 'Equals', values: ['x'] }] } },
    says: /supported values: "In", "NotIn", "Exists", "DoesNotExist"/,
  },
  'an empty list of nodes': { spec: { nodeNames: [] }, says: /leave nodeNames out to track pods on all nodes/ },
  'a retention without a unit': {
    spec: { footprints: { configMaps: { retention: '7' } } },
    says: /such as "168h" or "7d"/,
  },
  'a retention below an hour': {
    spec: { footprints: { configMaps: { retention: '59m59s' } } },
    says: /write an age of at least "1h"/,
  },
  'a retention of no time, in days': {
    spec: { footprints: { configMaps: { retention: '00d30m' } } },
    says: /write an age of at least "1h"/,
  },
  'a key of a label that cannot be one, among labels': {
    spec: { podSelector: { matchLabels: { app: 'web', 'no key!': 'x' } } },
    says: /podSelector.matchLabels: .*"no key!" cannot be: write the key of a label, such as "app"/,
  },
  'a key of a label with too long a name': {
    spec: { namespaceSelector: { matchLabels: { [`example.com/${'x'.repeat(64)}`]: 'x' } } },
    says: /namespaceSelector.matchLabels: .*write the key of a label.*at most 63/,
  },
  'a key of a label with a domain that is none': {
    spec: { podSelector: { matchLabels: { 'Example..com/app': 'x' } } },
    says: /"Example..com\/app" cannot be: write the key of a label/,
  },
  'an empty key in an expression': {
    spec: { podSelector: { matchExpressions: [{ key: '', operator: 'Exists' }] } },
    says: /matchExpressions\[0\].key: .*write the key of a label/,
  },
  'a pattern as the value of a label': {
    spec: { podSelector: { matchLabels: { app: 'web-*' } } },
    says: /matchLabels\[app\]: .*write the value of a label.*leave "\*" out/,
  },
  'a value in an expression that no label can have': {
    spec: { namespaceSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'a b'] }] } },
    says: /values\[1\]: .*write the value of a label/,
  },
  'a value of a label that is too long': {
    spec: { podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['x'.repeat(64)] }] } },
    says: /values\[0\]: Too long.*63/,
  },
  'an empty annotation key': {
    spec: { annotations: { enabled: true, keys: ['a', ''] } },
    says: /"" cannot be: write the key of an annotation or a pattern, such as "example.com\/\*"/,
  },
  'annotation keys without a word on whether they count': {
    spec: { annotations: { keys: ['a'] } },
    says: /beside keys write "enabled: true"/,
  },
  'no annotation key': {
    spec: { annotations: { enabled: true, keys: [] } },
    says: /leave keys out to report all annotations/,
  },
  'a field of the first shape': { spec: { namespace: 'shop' }, says: /unknown field "spec.namespace"/ },
  'a name that fits into no label': { spec: {}, name: 'x'.repeat(64), says: /choose a name of at most 63 characters/ },
};

for (const [what, { spec, says, name }] of Object.entries(REFUSED)) {
  test(`${what} is refused with what to write instead`, { skip }, async () => {
    assert.match(await refusal(spec, name), says);
  });
}

const ACCEPTED: Record<string, unknown> = {
  'labels with a domain, and empty values': {
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'web', 'A_b.c-D': '', x: 'V1.2_3-x' } },
    namespaceSelector: { matchExpressions: [{ key: 'example.com/x', operator: 'NotIn', values: ['', 'a'] }] },
  },
  'the longest key and value': {
    podSelector: { matchLabels: { [`${'a'.repeat(63)}.com/${'x'.repeat(63)}`]: 'x'.repeat(63) } },
  },
  'an hour': { footprints: { configMaps: { retention: '1h' } } },
  'an hour in minutes and seconds': { footprints: { configMaps: { retention: '59m60s' } } },
  'days with hours': { footprints: { configMaps: { retention: '1d12h' } } },
  'no days and an hour': { footprints: { configMaps: { retention: '0d1h' } } },
  never: { footprints: { configMaps: { enabled: true, retention: 'never' } } },
  'keys for later': { annotations: { enabled: false, keys: ['example.com/*'] } },
};

for (const [what, spec] of Object.entries(ACCEPTED)) {
  test(`accepted: ${what}`, { skip }, async () => {
    assert.equal(await refusal(spec), 'accepted');
  });
}

test('kubectl get pt prints Ready, Pods, Nodes, Slices and Age', { skip }, async () => {
  await cluster.kubectl(['apply', '-f', '-'], { input: tracker({ namespaces: ['shop'] }, 'shop') });
  const status = {
    counts: { pods: 7, nodes: 2, slices: 0 },
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'Filling',
        message: 'Because.',
        lastTransitionTime: '2026-11-15T10:00:00Z',
      },
      {
        type: 'Degraded',
        status: 'True',
        reason: 'Forbidden',
        message: 'Broken.',
        lastTransitionTime: '2026-11-15T10:00:00Z',
      },
    ],
  };
  const args = ['patch', 'pt', 'shop', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
  await cluster.kubectl(args);
  const [head, row] = (await cluster.kubectl(['get', 'pt'])).split('\n');
  assert.deepEqual(head?.split(/\s+/), ['NAME', 'READY', 'PODS', 'NODES', 'SLICES', 'AGE']);
  assert.match(row ?? '', /^shop\s+False\s+7\s+2\s+0\s+\d+s$/);
  assert.match(
    await cluster.kubectl(['get', 'pt', '-o', 'wide']),
    /REASON +MESSAGE +PROBLEM\n.* Filling +Because\. +Broken\./,
  );
  assert.match(await cluster.kubectl(['get', 'podtrail']), /podtracker.*shop/);
});

test('more than 100 entries in one slice are refused', { skip }, async () => {
  const entries = Object.fromEntries(
    Array.from({ length: 101 }, (_, i) => [`uid-${i}`, { podName: `p-${i}`, namespace: 'a', ip: '10.0.0.1' }]),
  );
  const input = JSON.stringify({
    apiVersion: 'podtrail.dev/v1',
    kind: 'PodTrackerSlice',
    metadata: { name: 'large' },
    entries,
  });
  await assert.rejects(cluster.kubectl(['create', '--dry-run=server', '-f', '-'], { input }), /at most 100|Too many/);
});
