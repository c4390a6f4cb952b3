// Two replicas of the history API behind one Service, reached by the endpoints of it as in a real cluster
// (--enable-aggregator-routing): one bundle trusts both, kubectl lands on either, one ends in order and nobody notices,
// a watch goes on at the other. And without the ConfigMap by which front proxies are recognised, nobody is answered.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, test } from 'node:test';
import { freePort } from './controlplane/free-port.ts';
import { FRONT_PROXY_NAME, until, useCluster } from './controlplane/index.ts';
import { install, OperatorReplica } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';
import { askDirectly, kubectlGoesOn } from './serving-requests.ts';
import { API_SERVICE, addEndpoint, HISTORY, ownAddress, untilAvailable, withoutSelector } from './serving-stage.ts';

const cluster = await useCluster({
  needs: ['own control plane'],
  apiserverFlags: ['--enable-aggregator-routing=true'],
  // Without the pods of the StatefulSet, which would never run here.
  controllerManager: { flags: ['--controllers=*,-statefulset-controller'] },
});
const { skip } = cluster;
const ROOT = `/apis/${HISTORY}/v1`;
const SERVICE = 'podtrail-history';
const leavings: (() => Promise<unknown>)[] = [];
const stage = { after: (done: () => Promise<unknown>) => void leavings.push(done) };

interface Replica {
  readonly operator: OperatorReplica;
  readonly port: number;
}

let hand: Hand;
let host: string;
let ending: Replica;
let staying: Replica;

const kubectl = (words: string, input?: string) =>
  cluster.kubectl(words.split(' '), input === undefined ? {} : { input });
const apply = (object: object) => kubectl('apply -f -', JSON.stringify(object));

async function startReplica(name: string): Promise<Replica> {
  const port = await freePort();
  const words = ['--no-conversion', '--bind', host, '--history', '--history-port', `${port}`];
  const operator = await OperatorReplica.start(stage, cluster.controlPlane, name, { words });
  await operator.untilReady();
  await addEndpoint(cluster.controlPlane, SERVICE, name, host, port);
  return { operator, port };
}

async function bundle(): Promise<X509Certificate[]> {
  const { spec } = JSON.parse(await kubectl(`get apiservice ${API_SERVICE} -o json`));
  const text = Buffer.from(spec.caBundle, 'base64').toString('utf8');
  return text.match(/-----BEGIN .+?-----END CERTIFICATE-----/gs)?.map((pem) => new X509Certificate(pem)) ?? [];
}

const announced = async () => (await bundle()).map(({ subject }) => /^CN=(.*)$/m.exec(subject)?.[1]).sort();

/** The last digits of a version are the replica's. */
const replicaOf = (version: string) => version.slice(-3);

async function answeredBy(): Promise<string> {
  return replicaOf(JSON.parse(await kubectl(`get --raw ${ROOT}/tenures`)).metadata.resourceVersion);
}

before(async () => {
  if (skip !== false) return;
  host = ownAddress();
  await install(cluster.controlPlane);
  await withoutSelector(cluster.controlPlane);
  hand = await Hand.of(stage, cluster.controlPlane);
  await kubectl('create namespace shop');
  await hand.createNode('node-1');
  [ending, staying] = await Promise.all([startReplica('first'), startReplica('second')]);
  for (const [name, ip] of [
    ['cart', '10.1.0.1'],
    ['bell', '10.1.0.2'],
  ] as const) {
    await hand.createPod('shop', name, 'node-1', ip);
  }
});

after(async () => {
  for (const leave of leavings.reverse()) await leave();
});

let digits: { readonly ending: string; readonly staying: string };

test('the caBundle has a certificate of each replica, and kubectl lands on either', {
  skip,
  timeout: 300_000,
}, async () => {
  await until('both are announced', async () => (await announced()).join() === 'first,second');
  await untilAvailable(cluster.controlPlane);
  const seen = new Map<string, number>();
  for (let n = 0; n < 20 || (seen.size < 2 && n < 100); n++) {
    const digitsOf = await answeredBy();
    seen.set(digitsOf, (seen.get(digitsOf) ?? 0) + 1);
  }
  assert.equal(seen.size, 2, `both answer: ${JSON.stringify([...seen])}`);
  const client = cluster.controlPlane.pki.frontProxy.issue({
    subject: { commonName: FRONT_PROXY_NAME },
    usage: 'client',
  });
  const headers = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' };
  const version = async ({ port }: Replica) => {
    const { body } = await askDirectly(port, `${ROOT}/tenures`, { host, client, headers });
    return replicaOf(JSON.parse(body).metadata.resourceVersion);
  };
  digits = { ending: await version(ending), staying: await version(staying) };
  assert.deepEqual([...seen.keys()].sort(), [digits.ending, digits.staying].sort());
});

test('one replica ends in order: no kubectl request fails, its watches end in order, and go on at the other', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const watches = await watchesOfBoth((words) => {
    const watching = kubectlGoesOn(cluster.kubectlPath, cluster.kubeconfig, words);
    t.after(() => watching.end());
    return watching;
  });
  await kubectl('-n podtrail delete endpointslice podtrail-history-first');
  await until('the aggregator has noticed', async () => {
    for (let n = 0; n < 10; n++) if ((await answeredBy()) !== digits.staying) return false;
    return true;
  });
  const failures: unknown[] = [];
  let isOver = false;
  let asked = 0;
  const asking = (async () => {
    while (!isOver || asked < 30) {
      await kubectl('get tenures -n shop').catch((error: unknown) => failures.push(error));
      asked++;
    }
  })();
  assert.equal((await ending.operator.process.end('SIGTERM')).code, 0);
  assert.deepEqual(await announced(), ['second'], 'the other one stays, and so does the APIService');
  await until('the watch at the replica that ended is over', () => watches.ending.code !== undefined);
  assert.equal(watches.staying.code, undefined, 'the other watch goes on');
  await hand.deletePod('shop', 'bell');
  await until('the watch at the other replica reports what came', () => /"name": ?"bell"/.test(watches.staying.out));
  isOver = true;
  await asking;
  assert.deepEqual(failures, [], `of ${asked} requests`);
  assert.deepEqual([watches.ending.code, watches.ending.err], [0, ''], 'kubectl ends, as at the end of any watch');

  const last = versionsIn(watches.ending.out).at(-1) ?? '';
  assert.equal(replicaOf(last), digits.ending);
  const path = `${ROOT}/namespaces/shop/moves?watch=true&timeoutSeconds=3&resourceVersion=`;
  const goneOn = (await kubectl(`get --raw ${path}${last}`))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const names = goneOn.map(({ object }) => object.pod.name);
  assert.ok(names.includes('bell'), `it goes on at the other replica: ${names}`);
  assert.ok(goneOn.every(({ object }) => replicaOf(object.metadata.resourceVersion) === digits.staying));
  const old = `${Date.now() - 20 * 60_000}${digits.ending}`;
  await assert.rejects(kubectl(`get --raw ${path}${old}`), /too old resource version/);
});

type Watching = ReturnType<typeof kubectlGoesOn>;

/** kubectl -w at each of the replicas: which one a watch is at, its first event says. */
async function watchesOfBoth(begin: (words: readonly string[]) => Watching) {
  const found = new Map<string, Watching>();
  for (let round = 0; round < 8 && found.size < 2; round++) {
    const words = 'get moves -n shop --watch-only -o json --output-watch-events'.split(' ');
    for (const watching of [begin(words), begin(words), begin(words)]) {
      const replica = replicaOf(await firstVersionIn(watching));
      if (found.has(replica)) watching.end();
      else found.set(replica, watching);
    }
  }
  const [atEnding, atStaying] = [found.get(digits.ending), found.get(digits.staying)];
  assert.ok(atEnding && atStaying, 'watches land on either');
  return { ending: atEnding, staying: atStaying };
}

/** When a watch stands cannot be seen from outside: pods end one after the other until it reports one. */
async function firstVersionIn(watching: Watching): Promise<string> {
  return await until(
    'a move is reported',
    async () => {
      const [reported] = versionsIn(watching.out);
      if (reported !== undefined) return reported;
      await hand.createPod('shop', 'brief', 'node-1', '10.1.1.1');
      await hand.deletePod('shop', 'brief');
      return undefined;
    },
    { everyMs: 1_000 },
  ).catch((cause) => {
    throw new Error(`${watching.out}${watching.err}`, { cause });
  });
}

const versionsIn = (text: string) => [...text.matchAll(/"resourceVersion": ?"(\d+)"/g)].map(([, of = '']) => of);

test('without the ConfigMap of front proxies nobody is answered; when it is back, kubectl is', {
  skip,
  timeout: 300_000,
}, async () => {
  const { pki } = cluster.controlPlane;
  const client = pki.frontProxy.issue({ subject: { commonName: FRONT_PROXY_NAME }, usage: 'client' });
  const headers = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' };
  const direct = () => askDirectly(staying.port, `${ROOT}/tenures`, { host, client, headers });
  assert.equal((await direct()).status, 200);
  const name = 'extension-apiserver-authentication';
  const { data } = JSON.parse(await kubectl(`get configmap -n kube-system ${name} -o json`));
  // API servers write it again at once, if they may.
  await forbidCreationOf(name);
  await kubectl(`delete configmap -n kube-system ${name}`);
  await until('the front proxy is not trusted', async () => (await direct()).status === 401);
  for (let n = 0; n < 5; n++) {
    const { status, body } = await direct();
    assert.equal(status, 401, body);
    assert.doesNotMatch(body, /cart|10\.1\.0/);
    await assert.rejects(kubectl('get tenures -n shop'), /must be logged in|unable to handle|doesn't have a resource/);
  }
  await kubectl('delete validatingadmissionpolicybinding,validatingadmissionpolicy no-front-proxy');
  await until('it is back', () =>
    apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'kube-system' }, data }),
  );
  await until('the front proxy is trusted', async () => (await direct()).status === 200);
  await until('kubectl is answered', async () => /cart/.test(await kubectl('get tenures -n shop')), {
    withinMs: 180_000,
    everyMs: 500,
  });
});

async function forbidCreationOf(name: string): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  await apply({
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy' },
    metadata: { name: 'no-front-proxy' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `object.metadata.name != '${name}'` }],
    },
  });
  await apply({
    ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicyBinding' },
    metadata: { name: 'no-front-proxy' },
    spec: { policyName: 'no-front-proxy', validationActions: ['Deny'] },
  });
  const attempt = `create configmap ${name} -n kube-system --dry-run=server`;
  await until('the policy is in force', () =>
    kubectl(attempt).then(
      () => false,
      (error: unknown) => /no-front-proxy/.test(String(error)),
    ),
  );
}
