import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openStore } from '@podtrail/history';
import { run } from '../testing/run-in-process.ts';
import { aStory, at } from '../testing/story.ts';

interface Saved {
  readonly phase?: string;
  readonly hostNetwork?: boolean;
  readonly since?: string;
  readonly owner?: string;
}

function pod(name: string, ips: readonly string[], { phase = 'Running', hostNetwork, since, owner }: Saved = {}) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      creationTimestamp: '2026-11-10T08:00:00Z',
      labels: { 'pod-template-hash': 'abc' },
      ...(owner === undefined ? {} : { ownerReferences: [{ kind: 'ReplicaSet', name: owner, controller: true }] }),
    },
    spec: { nodeName: 'node-a', ...(hostNetwork === undefined ? {} : { hostNetwork }) },
    status: {
      phase,
      podIP: ips[0],
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since ?? '2026-11-10T08:00:05Z' }],
    },
  };
}

const PODS = [
  pod('web-1', ['10.9.9.1', 'fd00::91'], { owner: 'web-abc' }),
  pod('done-1', ['10.9.9.2'], { phase: 'Succeeded' }),
  pod('new-1', [], { phase: 'Pending' }),
  pod('agent-1', ['192.168.9.1'], { hostNetwork: true, since: '2026-11-10T09:00:00Z' }),
  pod('hidden-1', ['***HIDDEN***']),
];

const withoutKind = PODS.map(({ kind: _, apiVersion: __, ...rest }) => rest);
const POD_LIST = { kind: 'PodList', apiVersion: 'v1', items: withoutKind };
const YAML = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: cart, namespace: shop}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-1, namespace: shop, uid: uid-web-1, creationTimestamp: "2026-11-10T09:00:00Z"}
  spec: {nodeName: node-a}
  status: {phase: Running, podIP: 10.9.9.1}
`;

const empty = () => openStore('memory:', { access: 'write' });

test('saved pods are candidates of one instant, the newest that they show, and certain holders at none', async () => {
  const engine = await empty();
  const imported = await run(['import', '--pods', '-', '--cluster', 'old'], {
    engine,
    input: JSON.stringify(POD_LIST),
  });
  assert.equal(imported.code, 0, imported.err);
  assert.match(imported.err, /^--at 2026-11-10T09:00:00\.000Z: the newest time that the pods show$/m);
  assert.match(imported.err, /^old: 5 pods gave 3 candidates; 3 had ended or had no address$/m);
  const who = async (ip: string, time: string) => {
    const { code, out } = await run(['who', ip, '--at', time, '-o', 'json'], { engine });
    return [code, JSON.parse(out).holders.map((holder: Record<string, unknown>) => holder['pod'])];
  };
  assert.deepEqual(await who('10.9.9.1', '2026-11-10T09:00:00Z'), [4, ['web-1']]);
  assert.deepEqual(await who('fd00::91', '2026-11-10T09:00:00.5Z'), [4, ['web-1']]);
  assert.deepEqual(await who('10.9.9.1', '2026-11-10T08:59:59Z'), [5, []]);
  assert.deepEqual(await who('10.9.9.1', '2026-11-10T09:00:02Z'), [5, []]);
  assert.deepEqual(await who('10.9.9.2', '2026-11-10T09:00:00Z'), [5, []]);
  assert.deepEqual(await who('192.168.9.1', '2026-11-10T09:00:00Z'), [4, ['agent-1']]);
  const { out } = await run('who 10.9.9.1 --at 2026-11-10T09:00:00Z -o json'.split(' '), { engine });
  const [holder] = JSON.parse(out).holders;
  assert.deepEqual(
    [holder.uid, holder.node, holder.workload.name, holder.start.source],
    ['uid-web-1', 'node-a', 'web', 'import'],
  );
});

test('--at says when they were saved; twice changes nothing', async () => {
  const engine = await empty();
  for (let again = 0; again < 2; again++) {
    const words = ['import', '--pods', 'pods.json', '--cluster', 'old', '--at', '2026-11-11T00:00:00Z'];
    const { code } = await run(words, { engine, files: { 'pods.json': JSON.stringify(POD_LIST) } });
    assert.equal(code, 0);
  }
  assert.equal((await engine.status()).clusters[0]?.tenures, 3);
  assert.equal((await run('who 10.9.9.1 --at 2026-11-11T00:00:00Z'.split(' '), { engine })).code, 4);
});

test('a List in YAML, pods one on each line, and a gzipped file', async () => {
  const inputs = [
    YAML,
    PODS.map((one) => JSON.stringify(one)).join('\n'),
    gzipSync(JSON.stringify({ kind: 'List', items: PODS })),
  ];
  for (const input of inputs) {
    const engine = await empty();
    const { code, err } = await run(['import', '--pods', '-', '--cluster', 'old'], { engine, input });
    assert.equal(code, 0, err);
    assert.equal((await run('who 10.9.9.1 --at 2026-11-10T09:00:00Z'.split(' '), { engine })).code, 4);
  }
});

test('a must-gather or support bundle: all pods below the directory, each once, and nothing else of it', async () => {
  const engine = await empty();
  const single = pod('db-0', ['10.9.9.7']);
  const files = {
    'bundle/namespaces/shop/core/pods.yaml': YAML,
    'bundle/namespaces/shop/pods/web-1/web-1.yaml': YAML.slice(YAML.indexOf('- apiVersion: v1\n  kind: Pod'))
      .replace('- ', '  ')
      .replaceAll(/^ {2}/gm, ''),
    'bundle/cluster-resources/pods/data.json': JSON.stringify({ kind: 'PodList', items: [single] }),
    'bundle/cluster-resources/nodes.json': '{"kind":"NodeList","items":[{"metadata":{"name":"node-a"}}]}',
    'bundle/namespaces/shop/pods/web-1/web/logs/current.log': 'Pod Pod Pod {{{',
    'bundle/broken.json': '{"kind":"PodList","items":[',
    'bundle/version': 'must-gather',
  };
  const { code, err } = await run(['import', '--pods', 'bundle', '--cluster', 'old'], { engine, files });
  assert.equal(code, 0, err);
  assert.match(err, /bundle\/broken\.json is left out/);
  assert.match(err, /^old: 3 pods gave 2 candidates$/m);
});

test('times that the ledger watched itself are not touched', async () => {
  const engine = await aStory();
  const words = ['import', '--pods', '-', '--at', '2026-11-15T10:00:30Z'];
  const { code, err } = await run(words, { engine, now: at(201), input: JSON.stringify(POD_LIST) });
  assert.equal(code, 0);
  assert.match(err, /gave 0 candidates; 3 had ended or had no address, the ledger watched that time itself/);
});

test('what holds no pods, is no file of that kind, or is given twice, is an error with a hint', async () => {
  const engine = await empty();
  const ask = (words: string, input = '') => run(['import', ...words.split(' ')], { engine, input });
  const none = await ask('--pods - --cluster old', '{"kind":"NodeList","items":[]}');
  assert.deepEqual(
    [none.code, /there are no pods in the input\nhint: .*kubectl get pods -A -o json/.test(none.err)],
    [1, true],
  );
  const broken = await ask('--pods - --cluster old', 'a: [');
  assert.deepEqual([broken.code, /neither JSON nor YAML/.test(broken.err)], [1, true]);
  const timeless = await ask(
    '--pods - --cluster old',
    '{"kind":"Pod","metadata":{"name":"a"},"status":{"podIP":"10.0.0.1"}}',
  );
  assert.deepEqual([timeless.code, /--at TIME/.test(timeless.err)], [2, true]);
  assert.equal((await ask('x --pods - --cluster old')).code, 2);
  assert.equal((await ask('--cluster old')).code, 2);
  assert.equal((await ask('x --at 1794736830 --cluster old')).code, 2);
});
