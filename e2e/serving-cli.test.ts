// Commands that ask, on the real control plane: of the operator's own ledger, through the Kubernetes API with no ledger at
// hand, and of the operator's port. The same bytes and exit codes; users with fewer rights see less, and standard error says so.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Ended, PodtrailProcess } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';
import { install } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';
import { API_SERVICE, type ServedHistory, serveHistory } from './serving-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;
const leavings: (() => Promise<unknown>)[] = [];
const stage = { after: (done: () => Promise<unknown>) => void leavings.push(done) };
let served: ServedHistory;
/** Between the instants at which the pods came and those at which they went. */
let then = '';
/** When all was over. What is asked about until then does not change any more, and has no age. */
let over = '';

const kubectl = (words: string) => cluster.kubectl(words.split(' '));
const kubeconfigs = new Map<string, string>();

async function asked(words: readonly string[], env: Readonly<Record<string, string>> = {}, input = ''): Promise<Ended> {
  const nothing = { HOME: '/nonexistent', XDG_DATA_HOME: '/nonexistent', PODTRAIL_STORE: '', KUBECONFIG: '' };
  return await new PodtrailProcess(words, { env: { ...nothing, ...env }, input }).ended();
}

async function as(user: string, words: readonly string[], input = ''): Promise<Ended> {
  let kubeconfig = kubeconfigs.get(user);
  if (kubeconfig === undefined) {
    const options = user === 'admin' ? {} : { user, via: 'cert' as const, namespace: 'shop' };
    kubeconfig = await cluster.controlPlane.kubeconfig(options);
    kubeconfigs.set(user, kubeconfig);
  }
  return await asked(words, { KUBECONFIG: kubeconfig }, input);
}

/** Without the line that names the place. */
const plain = ({ code, out, err }: Ended): Ended => ({ code, out, err: err.replace(/^asking .*\n/m, '') });

/** Answers about that instant are final. Events of a pod prove how far the watch is: else bookmarks do, once a minute. */
const confirmed = (hand: Hand, at: string) =>
  until(`${at} is confirmed`, async () => {
    await hand.annotate('vault', 'clock', { asked: new Date().toISOString() });
    const who = await as('admin', ['who', '10.1.0.1', '--at', at, '-o', 'json']);
    return /"provisional": ?false/.test(who.out);
  });

before(async () => {
  if (skip !== false) return;
  const plane = cluster.controlPlane;
  await install(plane);
  const hand = await Hand.of(stage, plane);
  for (const namespace of ['shop', 'vault']) await cluster.kubectl(['create', 'namespace', namespace]);
  await hand.createNode('node-1');
  served = await serveHistory(stage, plane, 'history-0');
  await served.operator.untilReady();
  await hand.createPod('shop', 'cart', 'node-1', '10.1.0.1');
  await hand.createPod('vault', 'gold', 'node-1', '10.1.0.3');
  await hand.createPod('shop', 'till', 'node-1', '10.1.0.2');
  await hand.createPod('vault', 'clock', 'node-1', '10.1.0.9');
  const items = async (words: string) => JSON.parse(await kubectl(`${words} -o json`)).items;
  await until('they are recorded', async () => (await items('get tenures -A')).length === 4);
  then = new Date().toISOString();
  await confirmed(hand, then);
  for (const [namespace, name] of [
    ['shop', 'till'],
    ['shop', 'cart'],
    ['vault', 'gold'],
  ] as const)
    await hand.deletePod(namespace, name);
  await until('the ends are recorded', async () => (await items('get moves -A')).length === 3);
  over = new Date().toISOString();
  await confirmed(hand, over);
  await kubectl('create clusterrolebinding reader --clusterrole=view --user=reader');
  await kubectl('create rolebinding shop-reader -n shop --clusterrole=view --user=shop-reader');
  await until('the rights are in force', async () => {
    const [reader, shop] = [await as('reader', ['gaps']), await as('shop-reader', ['gaps'])];
    return reader.code === 0 && shop.code === 0;
  });
});

after(async () => {
  for (const leave of leavings.reverse()) await leave();
});

const COMMANDS = () => [
  ['who', '10.1.0.1', '--at', then],
  ['who', '10.1.0.200', '--at', then],
  ['who', '10.1.0.1', '--at', '2020-01-01T00:00:00Z'],
  ['trail', 'cart', '-n', 'shop', '--until', over],
  ['trail', 'nobody', '-n', 'shop', '--until', over],
  ['node', 'node-1', '--at', then],
  ['node', 'node-1', '--since', then, '--until', over],
  ['changes', 'cart', '-n', 'shop', '--until', over],
  ['moves', '--since', then, '--until', over],
  ['explain', 'till', '-n', 'shop', '--at', then],
  ['anomalies', '--until', over],
  ['gaps', '--until', over],
  ['who', '10.1.0'],
  ['trail', 'deploy/'],
  ['gaps', '--cursor', 'nonsense'],
];
/**
 * How far the cluster has been watched moves on between two questions, and with it how long a pod that still runs has
 * stayed; nothing else does.
 */
const STAYED_SO_FAR = /(?<=<present> +)\d\w* */g;
const EDGE = / to \d\d:\d\d:\d\d(?:\.\d+)?Z|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const withoutEdge = ({ code, out, err }: Ended): Ended => {
  const day = over.slice(0, 11);
  const late = (text: string) =>
    text
      .replaceAll(EDGE, (found) => (found.replace(/^ to /, day) > over ? 'LATER' : found))
      .replaceAll(STAYED_SO_FAR, 'SO-FAR');
  return { code, out: late(out), err: late(err) };
};

/** As the program itself says: so a new command or format cannot be forgotten. */
async function helpOf(...words: readonly string[]): Promise<string> {
  return (await asked([...words, '--help'])).out;
}

async function formatsOf(command: string): Promise<readonly string[]> {
  const [, choices = ''] = /--output <format>[^(]*\(choices:([^)]*)\)/.exec(await helpOf(command)) ?? [];
  return [...choices.matchAll(/"(\w+)"/g)].map(([, format = '']) => format);
}

test('every command that asks a server is among those that are compared', { skip, timeout: 300_000 }, async () => {
  const names = [...(await helpOf()).matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name = '']) => name);
  const asking: string[] = [];
  for (const name of names) if (/^ {2}--server <url>/m.test(await helpOf(name))) asking.push(name);
  // Of a log the rows are printed: it is compared below. What doctor says is about the place itself.
  const compared = [...new Set(COMMANDS().map(([name = '']) => name)), 'attribute', 'doctor'];
  assert.deepEqual(compared.sort(), asking.sort());
});

test('every command that asks prints the same through the Kubernetes API as on the ledger itself', {
  skip,
  timeout: 1_200_000,
}, async (t) => {
  let raw = 0;
  const moving: string[] = [];
  const asking: string[][] = [];
  for (const words of COMMANDS()) {
    const formats = await formatsOf(words[0] ?? '');
    assert.ok(formats.length >= 5, `${words[0]}: ${formats}`);
    for (const format of formats) asking.push([...words, '-o', format]);
  }
  for (const all of asking) {
    const [own, through] = await Promise.all([asked([...all, '--store', served.operator.store]), as('reader', all)]);
    assert.deepEqual(withoutEdge(plain(through)), withoutEdge(plain(own)), all.join(' '));
    if (through.code !== 2) assert.match(through.err, /asking the operator of .* through the Kubernetes API/);
    if (JSON.stringify(plain(through)) === JSON.stringify(plain(own))) raw++;
    else moving.push(all.join(' '));
  }
  t.diagnostic(
    `${asking.length} compared, ${raw} byte for byte; but for the edge of the watch: ${moving.join(', ') || 'none'}`,
  );
});

test('attribute prints the same through the Kubernetes API', { skip, timeout: 240_000 }, async () => {
  const rows = Array.from({ length: 6_000 }, (_, i) => `10.1.0.${i % 5},${then}`);
  const log = `src,at\n${rows.join('\n')}\n`;
  const words = ['attribute', '-', '--ip', 'src', '--time', 'at'];
  const own = await asked([...words, '--store', served.operator.store], {}, log);
  assert.equal(own.code, 0, own.err);
  assert.deepEqual(plain(await as('reader', words, log)), plain(own));
});

test('who may see one namespace is answered about it, and standard error says so; who may see nothing learns what to grant', {
  skip,
}, async () => {
  const mine = await as('shop-reader', ['who', '10.1.0.1', '--at', then]);
  assert.equal(mine.code, 0, mine.err);
  assert.match(mine.err, /asked within the namespace shop: this user may not ask in the whole cluster/);
  assert.match(mine.err, /narrowed to the namespaces in which you may list pods: shop/);
  const others = await as('shop-reader', ['who', '10.1.0.3', '--at', then]);
  assert.equal(others.code, 5);
  assert.doesNotMatch(others.out + others.err, /gold|vault/);
  assert.equal((await as('shop-reader', ['anomalies'])).code, 6);
  const stranger = await as('stranger', ['who', '10.1.0.1']);
  assert.equal(stranger.code, 6);
  assert.match(stranger.err, /User "stranger" cannot create resource "commands"/);
  assert.match(stranger.err, /hint: whoever may grant it: kubectl .*--user=stranger/);
});

test("the operator's own port is asked by a service account, with a token for podtrail alone", { skip }, async () => {
  await kubectl('create serviceaccount robot -n shop');
  await kubectl('create clusterrolebinding robot-views --clusterrole=view --serviceaccount=shop:robot');
  await kubectl('create role tokens -n shop --verb=create --resource=serviceaccounts/token');
  await kubectl('create rolebinding robot-tokens -n shop --role=tokens --serviceaccount=shop:robot');
  const { caBundle } = JSON.parse(await kubectl(`get apiservice ${API_SERVICE} -o json`)).spec;
  const plane = cluster.controlPlane;
  const ca = join(plane.directory, 'history-ca.pem');
  await writeFile(ca, Buffer.from(caBundle, 'base64'));
  const url = `https://localhost:${served.port}`;
  const words = ['who', '10.1.0.1', '--at', then, '-o', 'json', '--server', url];
  const untrusted = await as('reader', words);
  assert.equal(untrusted.code, 1);
  assert.match(untrusted.err, /its certificate is not trusted: --server-ca FILE/);
  const person = await as('reader', [...words, '--server-ca', ca]);
  assert.equal(person.code, 6);
  assert.match(person.err, /does not know who asks\nhint: put a token for the audience podtrail into PODTRAIL_TOKEN/);
  const kubeconfig = await plane.kubeconfig({ serviceAccount: { namespace: 'shop', name: 'robot' } });
  const robot = await until('the rights are in force', async () => {
    const ran = await asked([...words, '--server-ca', ca], { KUBECONFIG: kubeconfig });
    return ran.code === 0 && ran;
  });
  const own = await asked([...words.slice(0, -2), '--store', served.operator.store]);
  assert.deepEqual(withoutEdge(plain(robot)), withoutEdge(plain(own)));
  const sent = await asked([...words, '--server-ca', ca, '--send-kubeconfig-token'], { KUBECONFIG: kubeconfig });
  assert.equal(sent.code, 6, 'a token of the API server is not one of podtrail');
});

test('where podtrail is not served, the command says how to have it', { skip }, async () => {
  await served.operator.process.end('SIGTERM');
  const gone = await until('it is not served any more', async () => {
    const ran = await as('reader', ['gaps']);
    return /does not serve/.test(ran.err) && ran;
  });
  assert.equal(gone.code, 1);
  assert.match(gone.err, /does not serve history\.podtrail\.dev\nhint: no podtrail operator runs there with --history/);
});
