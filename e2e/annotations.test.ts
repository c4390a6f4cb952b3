// `podtrail annotations` on a real cluster: what it reports, and that it asks the API server for nothing but one watch.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PodtrailProcess } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({ controllerManager: true, scheduler: true, kwok: { nodes: 2 } });
const skip = cluster.skipUnless('simulated nodes');

function annotations(t: TestContext, ...words: string[]): PodtrailProcess {
  const started = new PodtrailProcess(['annotations', '--kubeconfig', cluster.kubeconfig, ...words]);
  t.after(() => started.end('SIGKILL'));
  return started;
}

async function printed(watcher: PodtrailProcess, text: string | RegExp): Promise<void> {
  const isThere = () => (typeof text === 'string' ? watcher.out.includes(text) : text.test(watcher.out));
  await until(
    `it prints ${text}`,
    () => {
      if (isThere()) return true;
      throw new Error(`so far:\n${watcher.out.slice(-2000)}\n${watcher.err}`);
    },
    { withinMs: 60_000 },
  );
}

async function aNamespace(t: TestContext) {
  const namespace = await cluster.namespace(t);
  const kubectl = (...args: string[]) => cluster.kubectl(['-n', namespace, ...args]);
  const runs = (name: string) =>
    until(
      `${name} runs`,
      async () => (await kubectl('get', 'pod', name, '-o', 'jsonpath={.status.phase}')) === 'Running',
    );
  return { namespace, kubectl, runs };
}

test('it begins with counts and reports what is added, changed and removed, with phase and node', {
  skip,
}, async (t) => {
  const { namespace, kubectl, runs } = await aNamespace(t);
  await kubectl('run', 'web', '--image=none', '--annotations=team=shop', '--annotations=old=1');
  await kubectl('run', 'plain', '--image=none');
  await Promise.all([runs('web'), runs('plain')]);
  const node = await kubectl('get', 'pod', 'web', '-o', 'jsonpath={.spec.nodeName}');
  const watcher = annotations(t, '-n', namespace);
  await printed(watcher, '2 total pods, 1 with annotations\n');
  await kubectl('annotate', 'pod', 'web', 'team=checkout', 'new=2', 'old-', '--overwrite');
  await printed(
    watcher,
    `UPDATED  ${namespace}/web  Running  ${node}\n  + new: 2\n  - old: 1\n  ~ team: shop → checkout\n`,
  );
  await kubectl('run', 'late', '--image=none', '--annotations=a=b');
  await printed(watcher, new RegExp(`ADDED    ${namespace}/late  \\S+  \\S+\n  \\+ a: b\n`));
  await kubectl('delete', 'pod', 'web', '--grace-period=0', '--force');
  await printed(watcher, new RegExp(`DELETED  ${namespace}/web  \\S+  ${node}\n  - new: 2\n  - team: checkout\n`));
  assert.doesNotMatch(watcher.out, /plain/);
  const ended = await watcher.end('SIGINT');
  assert.deepEqual([ended.code, ended.err], [0, '']);
});

test('--all, --full and --key; JSON lines with the exact values; keys that objects have too', { skip }, async (t) => {
  const { namespace, kubectl, runs } = await aNamespace(t);
  await kubectl('run', 'web', '--image=none');
  await runs('web');
  const text = annotations(t, '-n', namespace, '--all');
  const full = annotations(t, '-n', namespace, '--full');
  const some = annotations(t, '-n', namespace, '--key', 'prometheus.io/*', '-o', 'jsonl');
  const json = annotations(t, '-A', '-l', 'run=web', '-o', 'json', '--all');
  await Promise.all([text, full].map((watcher) => printed(watcher, '1 total pods, 0 with annotations\n')));
  await Promise.all([some, json].map((watcher) => printed(watcher, '"event":"START"')));
  const evil = '\u001b[31mred\nADDED  forged/line\r\u202e';
  const large = 'v'.repeat(200_000);
  const file = join(tmpdir(), `${namespace}.json`);
  t.after(() => import('node:fs/promises').then(({ rm }) => rm(file, { force: true })));
  const patch = {
    metadata: { annotations: { constructor: 'c', toString: evil, large, 'prometheus.io/scrape': 'true' } },
  };
  await writeFile(file, JSON.stringify(patch));
  await kubectl('patch', 'pod', 'web', '--type=merge', '--patch-file', file);
  await printed(text, '  + constructor: c\n');
  await printed(text, `  + large: ${'v'.repeat(80)}…\n`);
  await printed(text, `    toString: \\e[31mred\\nADDED  forged/line\\r\\u{202e}\n`);
  assert.doesNotMatch(text.out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  await printed(full, `+ large: ${large}\n`);
  await printed(some, /"event":"UPDATED".*\n/);
  const last = (watcher: PodtrailProcess) => JSON.parse(watcher.out.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual(last(some).changes, [{ change: 'added', key: 'prometheus.io/scrape', after: 'true' }]);
  await printed(json, /"event":"UPDATED".*\n/);
  const reported = new Map(
    last(json).annotations.map(({ key, value }: { key: string; value: string }) => [key, value]),
  );
  assert.deepEqual([reported.get('constructor'), reported.get('toString'), reported.get('large')], ['c', evil, large]);
  await kubectl('annotate', 'pod', 'web', 'constructor-', 'toString-', 'large-', 'prometheus.io/scrape-');
  await printed(text, '  annotations: (none)\n');
  for (const watcher of [text, full, some, json]) assert.equal((await watcher.end('SIGTERM')).code, 0);
});

test('nothing but the watch is asked of the API server, however much is reported', {
  skip: cluster.skipUnless('own control plane', 'simulated nodes'),
}, async (t) => {
  const { namespace, kubectl, runs } = await aNamespace(t);
  await kubectl('run', 'web', '--image=none');
  await runs('web');
  const asked = async () =>
    (await cluster.controlPlane.auditLog()).filter(({ userAgent, requestURI }) =>
      Boolean(userAgent?.includes('podtrail') && requestURI.includes(namespace)),
    );
  const watcher = annotations(t, '-n', namespace, '--all');
  await printed(watcher, '1 total pods');
  for (let n = 1; n <= 10; n++) {
    await kubectl('annotate', 'pod', 'web', `n=${n}`, '--overwrite');
    await printed(watcher, new RegExp(`[:→] ${n}\n`));
  }
  assert.equal((await watcher.end('SIGINT')).code, 0);
  await until('the watch is in the audit log', async () => (await asked()).length > 0);
  const requests = (await asked()).map(({ verb, stage }) => `${verb} ${stage}`);
  assert.deepEqual(new Set((await asked()).map(({ auditID }) => auditID)).size, 1, requests.join());
  assert.ok(
    requests.every((request) => request.startsWith('watch ')),
    requests.join(),
  );
});
