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
    footprints: { log: false, configMaps: { enabled: true, namespace: 'default', retention: '168h' } },
    annotations: { enabled: false },
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
  'no annotation key': { spec: { annotations: { keys: [] } }, says: /leave keys out to report all annotations/ },
  'a field of the first shape': { spec: { namespace: 'shop' }, says: /unknown field "spec.namespace"/ },
  'a name that fits into no label': { spec: {}, name: 'x'.repeat(64), says: /choose a name of at most 63 characters/ },
};

for (const [what, { spec, says, name }] of Object.entries(REFUSED)) {
  test(`${what} is refused with what to write instead`, { skip }, async () => {
    assert.match(await refusal(spec, name), says);
  });
}

test('kubectl get pt prints Ready, Pods, Nodes, Slices and Age', { skip }, async () => {
  await cluster.kubectl(['apply', '-f', '-'], { input: tracker({ namespaces: ['shop'] }, 'shop') });
  const status = {
    counts: { pods: 7, nodes: 2, slices: 0 },
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Listed', message: 'm', lastTransitionTime: '2026-11-15T10:00:00Z' },
    ],
  };
  const args = ['patch', 'pt', 'shop', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
  await cluster.kubectl(args);
  const [head, row] = (await cluster.kubectl(['get', 'pt'])).split('\n');
  assert.deepEqual(head?.split(/\s+/), ['NAME', 'READY', 'PODS', 'NODES', 'SLICES', 'AGE']);
  assert.match(row ?? '', /^shop\s+True\s+7\s+2\s+0\s+\d+s$/);
  assert.match(await cluster.kubectl(['get', 'pt', '-o', 'wide']), /REASON.*\n.*Listed/);
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
