// The history API through the real aggregator, with stock kubectl and real RBAC: `kubectl get tenures` and its relatives,
// and who is believed to be who. What is left when podtrail is gone: serving-down.test.ts; who sees what:
// serving-access.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createCertificateAuthority } from './controlplane/certificate-authority.ts';
import { FRONT_PROXY_NAME, until, useCluster } from './controlplane/index.ts';
import { install } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';
import { askDirectly, kubectlGoesOn } from './serving-requests.ts';
import { HISTORY, type ServedHistory, serveHistory } from './serving-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;
const leavings: (() => Promise<unknown>)[] = [];
const stage = { after: (done: () => Promise<unknown>) => void leavings.push(done) };
let served: ServedHistory;
let hand: Hand;

const kubectl = (words: string, input?: string) =>
  cluster.kubectl(words.split(' '), input === undefined ? {} : { input });
const json = async (words: string) => JSON.parse(await kubectl(`${words} -o json`));

before(async () => {
  if (skip !== false) return;
  const plane = cluster.controlPlane;
  await install(plane);
  hand = await Hand.of(stage, plane);
  for (const namespace of ['shop', 'vault']) await cluster.kubectl(['create', 'namespace', namespace]);
  for (const node of ['node-1', 'node-2']) await hand.createNode(node);
  served = await serveHistory(stage, plane, 'history-0');
  await served.operator.untilReady();
  await hand.createPod('shop', 'cart', 'node-1', '10.1.0.1');
  await hand.createPod('shop', 'till', 'node-2', '10.1.0.2');
  await hand.createPod('vault', 'gold', 'node-1', '10.1.0.3');
  await until('all of them are recorded', async () => (await json('get tenures -A')).items.length === 3);
});

after(async () => {
  for (const leave of leavings.reverse()) await leave();
});

test('kubectl get tenures -A --field-selector ip= answers from the ledger of the recorder', { skip }, async () => {
  const table = await kubectl('get tenures -A --field-selector ip=10.1.0.1');
  assert.match(table, /^NAMESPACE +IP +HOLDER +NODE +START +END *\nshop +10\.1\.0\.1 +cart +node-1 +\S+Z +<none> *\n$/);
  const { items } = await json('get tenures -A --field-selector ip=10.1.0.1');
  assert.equal(items.length, 1);
  assert.equal(items[0].apiVersion, `${HISTORY}/v1`);
  assert.deepEqual([items[0].kind, items[0].ip, items[0].holder.name], ['Tenure', '10.1.0.1', 'cart']);
});

test('-o wide, -o yaml, -o name, --raw and a get by name show the same record', { skip }, async () => {
  const wide = await kubectl('get tenures -n shop -o wide --field-selector pod=cart');
  assert.match(wide, /^IP +HOLDER +NODE +START +END +WORKLOAD +UID +NAME *\n10\.1\.0\.1 +cart/);
  const name = (await kubectl('get tenures -n shop -o name --field-selector pod=cart')).trim();
  assert.match(name, new RegExp(`^tenure\\.${HISTORY}/10-1-0-1\\.[-0-9a-f]{36}\\.\\d+-\\d+$`));
  assert.ok(wide.includes(name.split('/')[1] ?? '?'));
  const yaml = await kubectl(`-n shop get ${name} -o yaml`);
  assert.match(yaml, /^kind: Tenure$/m);
  assert.match(yaml, /^ip: 10\.1\.0\.1$/m);
  const path = `/apis/${HISTORY}/v1/namespaces/shop/tenures?fieldSelector=pod%3Dcart`;
  const raw = JSON.parse(await kubectl(`get --raw ${path}`));
  assert.deepEqual([raw.kind, raw.items[0].metadata.name], ['TenureList', name.split('/')[1]]);
  assert.match(raw.metadata.resourceVersion, /^\d{16}$/);
});

test('every resource lists by its selectors, gets by name, and refuses what it cannot do in a sentence', {
  skip,
}, async () => {
  assert.deepEqual(
    (await json('get placements -A --field-selector node=node-1')).items.map((x: Item) => x.pod.name).sort(),
    ['cart', 'gold'],
  );
  const { uid } = (await json('get pod -n shop cart')).metadata;
  assert.equal((await json(`get placement -n shop ${uid}`)).node, 'node-1');
  assert.equal((await json(`get tenures -A --field-selector uid=${uid}`)).items.length, 1);
  assert.equal(
    (await json(`get tenures -A --field-selector ip=10.1.0.1,at=${Date.now() - 86_400_000}`)).items.length,
    0,
  );
  await hand.annotate('shop', 'cart', { team: 'blue' });
  const changed = await until('the change is recorded', async () => {
    const { items } = await json('get changes -n shop');
    return items.length > 0 && items;
  });
  assert.deepEqual([changed[0].change, changed[0].key, changed[0].after.text], ['added', 'team', 'blue']);
  assert.equal((await json(`get change -n shop ${changed[0].metadata.name}`)).key, 'team');
  assert.deepEqual((await json('get gaps')).items, []);
  const refusals: readonly [string, RegExp][] = [
    ['get tenures -A -l app=web', /tenures have no labels/],
    ['get tenures -A --field-selector colour=red', /tenures have no field colour to select by.*ip \(an address\)/],
    ['get tenures -A --field-selector ip!=10.1.0.1', /selected by what they are/],
    ['get tenures -A --field-selector ip=10.1.0', /"10\.1\.0" is not an IP address/],
    ['get tenures -A --field-selector pod=cart', /names are of a namespace.*-n NAMESPACE/],
    ['get tenures -A --field-selector since=2026-01-01T00:00:00Z', /needs to know whose/],
    ['get moves -A --field-selector cause=Bored', /Bored is no cause of a move/],
    ['get tenures -n shop nothing', /tenures\.history\.podtrail\.dev "nothing" not found/],
    ['delete tenures -n shop nothing', /the history is read-only: nothing of it can be .* deleted/],
    ['label tenures -n shop --all a=b', /the history is read-only/],
    ['get ipattributions', /ipattributions are questions, and none is kept: create one/],
    ['get commands -n shop', /commands are run as they are posted, and none is kept: run podtrail/],
  ];
  for (const [words, expected] of refusals) await assert.rejects(kubectl(words), expected, words);
});

test('describe, sort, chunks, columns of one own and wait work as on any resource', { skip }, async () => {
  const name = (await kubectl('get tenures -n shop -o name --field-selector pod=cart')).trim();
  assert.match(await kubectl(`describe -n shop ${name}`), /^Kind: +Tenure$/m);
  const holders = (text: string) => text.match(/\b(?:cart|till|gold)\b/g);
  assert.deepEqual(holders(await kubectl('get tenures -A --sort-by=.holder.name')), ['cart', 'gold', 'till']);
  assert.deepEqual(holders(await kubectl('get tenures -A --chunk-size=1'))?.sort(), ['cart', 'gold', 'till']);
  assert.match(await kubectl('get tenures -n shop -o custom-columns=IP:.ip'), /^IP\n10\.1\.0\.1\n10\.1\.0\.2\n$/);
  const met = await kubectl(`wait -n shop ${name} --for=jsonpath={.holder.kind}=Pod --timeout=20s`);
  assert.match(met, /condition met/);
});

interface Item {
  readonly metadata: { readonly name: string };
  readonly pod: { readonly name: string; readonly uid: string };
  readonly holder?: { readonly uid: string };
  readonly end?: { readonly notAfter?: string };
}

test('pages follow each other by limit and continue; an old or foreign token is refused', { skip }, async () => {
  const path = `/apis/${HISTORY}/v1/tenures`;
  const plane = cluster.controlPlane;
  const first = (await plane.request(`${path}?limit=2`)).json();
  assert.equal(first.items.length, 2);
  const second = (await plane.request(`${path}?limit=2&continue=${first.metadata.continue}`)).json();
  assert.equal(second.items.length, 1);
  assert.equal(second.metadata.continue, undefined);
  const names = [...first.items, ...second.items].map((item: { holder: { name: string } }) => item.holder.name);
  assert.deepEqual(names.sort(), ['cart', 'gold', 'till']);
  const old = Buffer.from(JSON.stringify([1, Date.now() - 3_600_000, 'x'])).toString('base64url');
  const expired = await plane.request(`${path}?continue=${old}`);
  assert.deepEqual([expired.status, expired.json().reason], [410, 'Expired']);
  assert.equal((await plane.request(`${path}?continue=nonsense`)).status, 400);
  const before = await plane.request(`${path}?watch=true&resourceVersion=1000000000000000`);
  assert.deepEqual([before.status, before.json().reason], [410, 'Expired']);
});

test('kubectl get moves -w reports a pod that ends, and kubectl get tenures -w that its address is free', {
  skip,
}, async (t) => {
  const begin = (words: string) => {
    const process = kubectlGoesOn(cluster.kubectlPath, cluster.kubeconfig, words.split(' '));
    t.after(() => process.end());
    return process;
  };
  const moves = begin('get moves -n shop -w');
  const tenures = begin('get tenures -n shop -w --output-watch-events');
  await until('the watch shows what there is', () => /ADDED +10\.1\.0\.2 +till/.test(tenures.out));
  // kubectl prints nothing of an empty list; when the watch of moves stands cannot be seen from outside.
  await hand.deletePod('shop', 'till');
  await until('it is reported as a move', () => /\S+Z +till +node-2 +<none> +\S+/.test(moves.out)).catch((cause) => {
    throw new Error(`${moves.out}\n${moves.err}`, { cause });
  });
  await until('its tenure is over', () => /DELETED +10\.1\.0\.2 +till/.test(tenures.out)).catch((cause) => {
    throw new Error(`${tenures.out}\n${tenures.err}`, { cause });
  });
  const { items } = await json('get moves -n shop');
  assert.deepEqual([items.length, items[0].pod.name, items[0].from], [1, 'till', 'node-2']);
  assert.equal((await json(`get move -n shop ${items[0].metadata.name}`)).pod.name, 'till');
  const closed = await until('the tenure is closed', async () => {
    const [tenure] = (await json('get tenures -A --field-selector ip=10.1.0.2')).items;
    return tenure?.end !== undefined && tenure;
  });
  assert.ok(closed.end.at >= closed.start.at);
});

test('every field selector of every resource selects by kubectl, by the list that the server gives itself', {
  skip,
}, async () => {
  const before = new Date(Date.now() - 60_000).toISOString();
  const { name, uid } = await podOfDeployment('web', '10.1.0.9');
  await hand.annotate('shop', name, { team: 'red' });
  const during = await until('it is recorded', async () => {
    const lists = ['tenures', 'changes'].map((plural) => json(`get ${plural} -n shop --field-selector uid=${uid}`));
    return (await Promise.all(lists)).every(({ items }) => items.length === 1) && new Date().toISOString();
  });
  await hand.deletePod('shop', name);
  const [{ cause }] = await until('its end is recorded', async () => {
    const { items } = await json(`get moves -n shop --field-selector uid=${uid}`);
    const [tenure] = (await json(`get tenures -n shop --field-selector uid=${uid}`)).items;
    return items.length === 1 && tenure?.end !== undefined && items;
  });
  const later = new Date().toISOString();
  const cart = (await json('get pod -n shop cart')).metadata.uid;
  // One that selects it, and one that does not.
  const values: Readonly<Record<string, readonly [string, string]>> = {
    ip: ['10.1.0.9', '10.1.0.1'],
    node: ['node-2', 'node-1'],
    pod: [name, 'cart'],
    uid: [uid, cart],
    workload: ['deploy/web', 'deploy/cart'],
    cause: [cause, cause === 'Evicted' ? 'NodeUnreachable' : 'Evicted'],
    at: [during, before],
    since: [before, later],
    until: [later, before],
    'metadata.namespace': ['shop', 'vault'],
  };
  const tried: string[] = [];
  for (const { name: plural, namespaced } of await listedResources()) {
    for (const field of await selectorsOf(plural)) {
      tried.push(`${plural} ${field}`);
      const scope = !namespaced ? '' : field === 'metadata.namespace' ? '-A' : '-n shop';
      const get = async (selector: string) =>
        (await json(`get ${plural} ${scope} --field-selector ${selector}`.replace('  ', ' '))).items as Item[];
      const its = (items: readonly Item[]) => items.filter((item) => (item.pod ?? item.holder)?.uid === uid);
      if (field === 'metadata.name') {
        const [item] = namespaced ? await get(`uid=${uid}`) : [];
        if (item !== undefined) assert.deepEqual(await get(`metadata.name=${item.metadata.name}`), [item], plural);
        assert.deepEqual(await get('metadata.name=nothing'), [], plural);
        continue;
      }
      const [selects, selectsNot] = values[field] ?? assert.fail(`no value for ${field} of ${plural}: add one here`);
      // Of a time: whose must be said.
      const whose = /^(?:at|since|until|metadata\.namespace)$/.test(field) && namespaced ? `,uid=${uid}` : '';
      const [found, others] = [await get(`${field}=${selects}${whose}`), await get(`${field}=${selectsNot}${whose}`)];
      if (namespaced) assert.equal(its(found).length, 1, `${plural} ${field}=${selects}: ${JSON.stringify(found)}`);
      // No kubelet says that the address is free: the end is at an instant from then on, and since= asks what may touch it.
      const mayTouch = field === 'since' && (its(found)[0]?.end?.notAfter ?? '') > later;
      assert.equal(its(others).length, mayTouch ? 1 : 0, `${plural} ${field}=${selectsNot}`);
    }
  }
  for (const field of Object.keys(values))
    assert.ok(
      tried.some((pair) => pair.endsWith(` ${field}`)),
      field,
    );
  assert.ok(tried.length >= 37, `${tried.length}: ${tried}`);
});

/** Bound to node-2 by its template; the address is the test's. */
async function podOfDeployment(name: string, ip: string): Promise<{ readonly name: string; readonly uid: string }> {
  const labels = { app: name };
  const containers = [{ name: 'c', image: 'none' }];
  const template = { metadata: { labels }, spec: { nodeName: 'node-2', containers } };
  const spec = { replicas: 1, selector: { matchLabels: labels }, template };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'shop' }, spec };
  await kubectl('create -f -', JSON.stringify(deployment));
  const { metadata } = await until('its pod is there', async () => {
    return (await json(`get pods -n shop -l app=${name}`)).items[0];
  });
  await hand.setStatus('shop', metadata.name, ip, 'Running');
  return metadata;
}

/** From discovery: what can be listed. */
async function listedResources(): Promise<{ readonly name: string; readonly namespaced: boolean }[]> {
  const { resources } = JSON.parse(await kubectl(`get --raw /apis/${HISTORY}/v1`));
  return resources.filter(({ verbs }: { verbs: string[] }) => verbs.includes('list'));
}

/** As it refuses another one. */
async function selectorsOf(plural: string): Promise<string[]> {
  const refusal = await kubectl(`get ${plural} --field-selector colour=red`).catch(String);
  const [, list = ''] = /to select by: there are (.*)/s.exec(refusal) ?? assert.fail(refusal);
  return [...`, ${list}`.matchAll(/, ([\w.]+) \(/g)].map(([, field = '']) => field);
}

test('bookmarks come through kubectl: at the end of what there is, at the end of a watch, and a watch goes on from one', {
  skip,
}, async () => {
  const path = `/apis/${HISTORY}/v1/namespaces/shop/tenures?watch=true&allowWatchBookmarks=true&timeoutSeconds=2`;
  const watched = async (more: string) =>
    (await kubectl(`get --raw ${path}${more}`))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; object: { kind: string; metadata: Bookmark } });
  const first = await watched('&sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
  const marks = first.filter(({ type }) => type === 'BOOKMARK');
  assert.ok(first[0]?.type === 'ADDED' && first.at(-1)?.type === 'BOOKMARK', JSON.stringify(first));
  assert.equal(marks[0]?.object.kind, 'Tenure');
  assert.deepEqual(marks[0]?.object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' });
  assert.equal(marks.at(-1)?.object.metadata.annotations, undefined);
  const version = marks.at(-1)?.object.metadata.resourceVersion ?? '';
  assert.ok(Number(version) >= Number(marks[0]?.object.metadata.resourceVersion), version);
  const next = await watched(`&resourceVersion=${version}`);
  assert.deepEqual([...new Set(next.map(({ type }) => type))], ['BOOKMARK'], 'nothing is reported twice');
  const none = (
    await kubectl(`get --raw ${path.replace('allowWatchBookmarks=true&', '')}&resourceVersion=${version}`)
  ).trim();
  assert.equal(none, '', 'who does not ask for bookmarks gets none');
});

interface Bookmark {
  readonly resourceVersion: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

test('kubectl explain, api-resources and auth can-i know the group', { skip }, async () => {
  const explained = await kubectl('explain tenures');
  assert.match(explained, /^GROUP: +history\.podtrail\.dev\nKIND: +Tenure\nVERSION: +v1$/m);
  assert.match(explained, /holder\s+<Object>/);
  assert.doesNotMatch(explained, /<no description>/);
  assert.doesNotMatch(await kubectl('explain commands'), /<no description>/);
  assert.match(await kubectl('explain moves.successor.certain'), /Nobody else can have taken it/);
  assert.match(await kubectl('explain ipattributions.spec'), /ip\s+<string> -required-/);
  const resources = await kubectl(`api-resources --api-group=${HISTORY} -o wide`);
  assert.match(resources, /^tenures +history\.podtrail\.dev\/v1 +true +Tenure +get,list,watch/m);
  assert.match(resources, /^gaps +history\.podtrail\.dev\/v1 +false +Gap +get,list,watch/m);
  assert.match(resources, /^ipattributions +history\.podtrail\.dev\/v1 +false +IPAttribution +create/m);
  assert.match(await kubectl(`auth can-i list tenures.${HISTORY} -n shop`), /^yes/);
  const v2 = (await cluster.controlPlane.request('/openapi/v2')).json();
  assert.ok(v2.definitions['dev.podtrail.history.v1.Tenure'], 'for older kubectl');
});

test('an IPAttribution is answered at once', { skip }, async () => {
  const review = { apiVersion: `${HISTORY}/v1`, kind: 'IPAttribution', spec: { ip: '10.1.0.1' } };
  const { status } = JSON.parse(await kubectl('create -o json -f -', JSON.stringify(review)));
  assert.deepEqual([status.answer, status.holders[0].name, status.holders[0].node], ['held', 'cart', 'node-1']);
  const unknown = { ...review, spec: { ip: '10.1.0.1', at: '2020-01-01T00:00:00Z' } };
  assert.equal(JSON.parse(await kubectl('create -o json -f -', JSON.stringify(unknown))).status.answer, 'unknown');
  const bad = { ...review, spec: { ip: 'x' } };
  await assert.rejects(kubectl('create -f -', JSON.stringify(bad)), /"x" is not an IP address/);
});

test('front-proxy headers without the certificate of the front proxy are nothing: 401', { skip }, async () => {
  const { pki } = cluster.controlPlane;
  const headers = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' };
  const path = `/apis/${HISTORY}/v1/tenures`;
  const client = (commonName: string) => ({ subject: { commonName }, usage: 'client' as const });
  const stranger = createCertificateAuthority('podtrail-e2e-front-proxy-ca').issue(client(FRONT_PROXY_NAME));
  const wrongName = pki.frontProxy.issue(client('somebody-else'));
  const wrongAuthority = pki.cluster.issue(client(FRONT_PROXY_NAME));
  const forged = [undefined, stranger, wrongName, wrongAuthority];
  for (const shown of forged) {
    const answer = await askDirectly(served.port, path, { headers, ...(shown === undefined ? {} : { client: shown }) });
    assert.equal(answer.status, 401, answer.body);
    assert.doesNotMatch(answer.body, /cart|10\.1\.0/);
  }
  const real = pki.frontProxy.issue(client(FRONT_PROXY_NAME));
  assert.equal((await askDirectly(served.port, path, { client: real, headers })).status, 200);
  assert.equal((await askDirectly(served.port, path, { client: real })).status, 401, 'it names nobody');
  const joined = { 'X-Remote-User': 'joe', 'X-Remote-Group': 'readers, system:masters' };
  assert.equal((await askDirectly(served.port, path, { client: real, headers: joined })).status, 403, 'one group');
});

test('a bearer token must be meant for podtrail, and sees what its owner may', { skip }, async () => {
  await kubectl('create serviceaccount robot -n shop');
  await kubectl('create rolebinding robot-views -n shop --clusterrole=view --serviceaccount=shop:robot');
  const token = async (audience: string) => (await kubectl(`create token robot -n shop ${audience}`)).trim();
  const ours = { Authorization: `Bearer ${await token('--audience=podtrail')}` };
  const servers = { Authorization: `Bearer ${await token('--duration=10m')}` };
  const path = `/apis/${HISTORY}/v1/namespaces/shop/tenures`;
  assert.equal((await askDirectly(served.port, path, { headers: servers })).status, 401);
  assert.equal((await askDirectly(served.port, path, { headers: { Authorization: 'Bearer nonsense' } })).status, 401);
  await until('the grant works', async () => (await askDirectly(served.port, path, { headers: ours })).status === 200, {
    withinMs: 30_000,
    everyMs: 1_000,
  });
  const vault = await askDirectly(served.port, path.replace('shop', 'vault'), { headers: ours });
  assert.equal(vault.status, 403);
});

test('another front-proxy authority is trusted without a restart', { skip }, async () => {
  const plane = cluster.controlPlane;
  await plane.pki.rotateFrontProxy({ dropOld: true });
  await plane.pki.frontProxyClient(plane.apiserver.name);
  const real = plane.pki.frontProxy.issue({ subject: { commonName: FRONT_PROXY_NAME }, usage: 'client' });
  const headers = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' };
  await until(
    'the new one is trusted',
    async () => {
      const path = `/apis/${HISTORY}/v1/tenures`;
      return (await askDirectly(served.port, path, { client: real, headers })).status === 200;
    },
    { withinMs: 120_000, everyMs: 500 },
  );
  await until('kubectl is answered', async () => (await json('get tenures -A')).items.length > 0, {
    withinMs: 120_000,
  });
});
