// The HTTP API of the operator, asked directly as a script in the cluster asks it: the commands of docs/api.md as they are
// written there, with real tokens, real reviews and the certificate that the operator announces. Also what is logged and
// counted of it. Through the aggregator: serving.test.ts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until, useCluster } from './controlplane/index.ts';
import { install } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';
import { askDirectly } from './serving-requests.ts';
import { type ServedHistory, serveHistory } from './serving-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;
const leavings: (() => Promise<unknown>)[] = [];
const stage = { after: (done: () => Promise<unknown>) => void leavings.push(done) };
const DOCUMENT = new URL('../docs/api.md', import.meta.url);
const PODTRAIL = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
let served: ServedHistory;
let hand: Hand;

const kubectl = (words: string) => cluster.kubectl(words.split(' '));
const tokenOf = async (name: string, audience = '--audience=podtrail') =>
  (await kubectl(`create token ${name} -n shop ${audience}`)).trim();
const asked = async (token: string, path: string) => {
  const { status, body } = await askDirectly(served.port, path, { headers: { Authorization: `Bearer ${token}` } });
  return { status, body, document: JSON.parse(body) };
};

before(async () => {
  if (skip !== false) return;
  const plane = cluster.controlPlane;
  await install(plane);
  hand = await Hand.of(stage, plane);
  for (const namespace of ['shop', 'vault']) await kubectl(`create namespace ${namespace}`);
  await hand.createNode('node-1');
  served = await serveHistory(stage, plane, 'history-0', { words: ['--no-conversion', '--history-access-log'] });
  await served.operator.untilReady();
  await hand.createPod('shop', 'cart', 'node-1', '10.1.0.1');
  await hand.createPod('vault', 'gold', 'node-1', '10.1.0.3');
  for (const name of ['robot', 'auditor']) await kubectl(`create serviceaccount ${name} -n shop`);
  await kubectl('create rolebinding robot-views -n shop --clusterrole=view --serviceaccount=shop:robot');
  await kubectl('create clusterrolebinding auditor-views --clusterrole=view --serviceaccount=shop:auditor');
  const auditor = await tokenOf('auditor');
  await until('both pods are recorded, and the rights are in force', async () => {
    const answers = await Promise.all(['10.1.0.1', '10.1.0.3'].map((ip) => asked(auditor, `/api/v1/who?ip=${ip}`)));
    return answers.every(({ document }) => document.answer === 'held' && document.narrowed === undefined);
  });
  const robot = await tokenOf('robot');
  await until('the robot sees its namespace', async () => {
    return (await asked(robot, '/api/v1/who?ip=10.1.0.1')).document.answer === 'held';
  });
});

after(async () => {
  for (const leave of leavings.reverse()) await leave();
});

test('a script asks the operator with a token of its own, and sees its namespaces alone; the document says so', {
  skip,
}, async () => {
  const robot = await tokenOf('robot');
  const own = await asked(robot, '/api/v1/who?ip=10.1.0.1');
  assert.deepEqual([own.status, own.document.holders[0].name, own.document.narrowed], [200, 'cart', true]);
  const other = await asked(robot, '/api/v1/who?ip=10.1.0.3');
  assert.deepEqual([other.document.answer, other.document.narrowed], ['unknown', true]);
  assert.doesNotMatch(other.body, /gold|vault/);
  const node = await asked(robot, '/api/v1/node?node=node-1');
  assert.equal(node.document.narrowed, true, node.body);
  assert.doesNotMatch(node.body, /gold|vault/);
  const stats = await asked(robot, '/api/v1/stats');
  assert.deepEqual([stats.status, stats.document.code], [403, 'forbidden']);
  assert.equal((await asked(await tokenOf('robot', '--duration=10m'), '/api/v1/who?ip=10.1.0.1')).status, 401);
  const stranger = await askDirectly(served.port, '/api/v1/who?ip=10.1.0.1');
  assert.deepEqual([stranger.status, JSON.parse(stranger.body).code], [401, 'unauthorized']);
  assert.equal(JSON.parse((await askDirectly(served.port, '/apis/nothing')).body).kind, 'Status');
});

test('PodTrackers are listed with their status, narrowed to the namespaces of the caller', { skip }, async () => {
  await cluster.kubectl(['apply', '-f', '-'], {
    input: ['shop', 'vault']
      .map((name) =>
        JSON.stringify({
          ...{ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name: `of-${name}` } },
          spec: { namespaces: [name] },
        }),
      )
      .join('\n---\n'),
  });
  const auditor = await tokenOf('auditor');
  const listed = await until('both are served', async () => {
    const { document } = await asked(auditor, '/api/v1/trackers');
    const counts = document.trackers?.map((tracker: { counts: { pods: number } | null }) => tracker.counts?.pods);
    return counts?.length === 2 && counts.every((pods: number) => pods === 1) && document;
  });
  assert.deepEqual(
    listed.trackers.map(({ name }: { name: string }) => name),
    ['of-shop', 'of-vault'],
  );
  const ready = listed.trackers[0].conditions.find(({ type }: { type: string }) => type === 'Ready');
  assert.equal(ready.status, 'True');
  const robot = await asked(await tokenOf('robot'), '/api/v1/trackers');
  assert.deepEqual(
    robot.document.trackers.map(({ name }: { name: string }) => name),
    ['of-shop'],
  );
  assert.equal(robot.document.narrowed, true);
  assert.doesNotMatch(robot.body, /vault/);
  assert.ok((await asked(auditor, '/openapi.json')).document.paths['/api/v1/trackers']);
});

test('the commands of docs/api.md "In the cluster" do what is written there', { skip }, async (t) => {
  const text = await readFile(DOCUMENT, 'utf8');
  const [, section = ''] = /^## In the cluster$([\s\S]*?)(?=^## )/m.exec(text) ?? [];
  const [, script = ''] = /```sh\n([\s\S]*?)```/.exec(section) ?? [];
  assert.match(script, /^curl /m);
  const home = await mkdtemp(join(tmpdir(), 'podtrail-direct-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  await mkdir(join(home, 'bin'));
  await symlink(cluster.kubectlPath, join(home, 'bin', 'kubectl'));
  // Outside of the cluster its names lead nowhere.
  const to = `podtrail-history.podtrail.svc:443:127.0.0.1:${served.port}`;
  await writeFile(join(home, '.curlrc'), `connect-to = "${to}"\n`);
  const env = { PATH: `${home}/bin:${process.env['PATH']}`, HOME: home, KUBECONFIG: cluster.kubeconfig };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: home, env });
  const [who, trackers] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual([who.answer, who.holders[0].name, who.narrowed], ['held', 'cart', true]);
  assert.ok(Array.isArray(trackers.trackers));
});

test('the access log has who, what and how it went, and no token, address or query; requests are counted', {
  skip,
}, async () => {
  const robot = await tokenOf('robot');
  await asked(robot, '/api/v1/who?ip=10.1.0.1&secret=swordfish');
  const line = await until('the request is logged', () => {
    const found = served.operator.log.filter((entry) => entry['msg'] === 'request');
    return found.find(({ caller, status }) => caller === 'system:serviceaccount:shop:robot' && status === 400);
  });
  assert.deepEqual([line['method'], line['route'], line['code']], ['GET', '/api/v1/who', 'bad-parameter']);
  assert.equal(typeof line['ms'], 'number');
  assert.ok(Number(line['bytes']) > 50);
  const lines = served.operator.log.filter((entry) => entry['msg'] === 'request');
  assert.doesNotMatch(JSON.stringify(lines), /swordfish|10\.1\.0\.1|Bearer|eyJ/);
  const counted = async (series: string) => await served.operator.metric(`podtrail_history_${series}`);
  for (const series of [
    'requests_total{route="who",code="200"}',
    'requests_total{route="who",code="400"}',
    'reviews_total{kind="token",outcome="allowed"}',
    'reviews_total{kind="access",outcome="denied"}',
    'request_seconds_count{route="who"}',
  ]) {
    assert.ok((await counted(series)) >= 1, series);
  }
});

interface Finding {
  readonly check: string;
  readonly result: string;
  readonly detail: string;
}

/** Of the history API; what else it finds about this machine is not looked at. */
async function doctor(): Promise<readonly Finding[]> {
  const words = ['doctor', '--kubeconfig', cluster.kubeconfig, '--store', 'memory:', '-o', 'json'];
  const out = await promisify(execFile)(process.execPath, [PODTRAIL, ...words]).catch(
    (failed: { readonly stdout: string }) => failed,
  );
  const { findings } = JSON.parse(out.stdout) as { readonly findings: readonly Finding[] };
  return findings.filter(({ check }) => check.startsWith('history API'));
}

test('doctor says that the history API answers, and names the right that is missing', { skip }, async () => {
  const results = (await doctor()).map(({ check, result }) => `${check}: ${result}`);
  assert.deepEqual(results, ['history API: ok', 'history API rights: ok']);
  await kubectl('delete clusterrolebinding podtrail-history');
  const [, rights] = await until('it is noticed', async () => {
    const findings = await doctor();
    return findings[1]?.result === 'failed' && findings;
  });
  assert.match(rights?.detail ?? '', /may not create tokenreviews \(no token is believed\)/);
});
