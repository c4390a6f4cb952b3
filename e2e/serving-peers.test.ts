// Two operators, each with a ledger of its own, and one of them did not watch for a while: killed, and its API server no
// longer has the events of that time. What it does not know it answers from the union of both ledgers, by mutual TLS; a
// peer that hangs or is gone costs little and is named; and pages go on at the other one.
// Runs alone: it measures what a peer that hangs costs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freePort } from './controlplane/free-port.ts';
import { FRONT_PROXY_NAME, until, useCluster } from './controlplane/index.ts';
import { install, OperatorReplica } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';
import { askDirectly } from './serving-requests.ts';
import { addEndpoint, HISTORY, ownAddress, withoutSelector } from './serving-stage.ts';

const cluster = await useCluster({
  needs: ['own control plane'],
  // One for each: what one forgets the other still has.
  apiservers: 2,
  apiserverFlags: ['--enable-aggregator-routing=true'],
  controllerManager: { flags: ['--controllers=*,-statefulset-controller'] },
});
const { skip } = cluster;
const ROOT = `/apis/${HISTORY}/v1`;
const PEERS = 'podtrail-peers';
const SERVICE = 'podtrail-history';
/** What all peers together may cost a question (docs/operator.md). */
const PEERS_MAY_COST_MS = 300;
const leavings: (() => Promise<unknown>)[] = [];
const stage = { after: (done: () => Promise<unknown>) => void leavings.push(done) };

// biome-ignore lint/suspicious/noExplicitAny: the test reads what it knows to be there.
type Document = any;

interface Replica {
  readonly operator: OperatorReplica;
  readonly port: number;
}

let hand: Hand;
let host: string;
let token: string;
let watching: Replica;
let absent: Replica;
/** Of a Service that came and went during the outage. */
let serviceIp: string;
/** Since when both have watched. */
let begun: string;
/** Within the outage: when the pod and the Service certainly had their addresses, and when the Service had not any more. */
let during: { readonly held: string; readonly free: string };

const kubectl = (words: string) => cluster.kubectl(words.split(' '));

async function startReplica(name: string, apiserver: number, store?: string): Promise<Replica> {
  const port = await freePort();
  const words = ['--no-conversion', '--bind', host, '--history', '--history-port', `${port}`];
  const { url: server } = cluster.controlPlane.apiservers[apiserver] as { url: string };
  const options = store === undefined ? { words, server } : { words, server, store };
  const operator = await OperatorReplica.start(stage, cluster.controlPlane, name, options);
  await operator.untilReady();
  // Where API servers do not reach a replica it announces no certificate either.
  for (const service of [PEERS, SERVICE]) await addEndpoint(cluster.controlPlane, service, name, host, port);
  return { operator, port };
}

async function asked({ operator, port }: Replica, question: string): Promise<Document> {
  const headers = { Authorization: `Bearer ${token}` };
  const { status, body } = await askDirectly(port, `/api/v1/${question}`, { host, headers }).catch((cause) => {
    throw new Error(`${operator.name} said:\n${operator.process.err.slice(-2_000)}`, { cause });
  });
  assert.equal(status, 200, body);
  return JSON.parse(body);
}

/** As kubectl asks, by the front proxy of an API server. */
async function listed({ port }: Replica, path: string): Promise<Document> {
  const subject = { commonName: FRONT_PROXY_NAME };
  const client = cluster.controlPlane.pki.frontProxy.issue({ subject, usage: 'client' });
  const headers = { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' };
  const { body } = await askDirectly(port, `${ROOT}/${path}`, { host, client, headers });
  return JSON.parse(body);
}

before(async () => {
  if (skip !== false) return;
  const plane = cluster.controlPlane;
  host = ownAddress();
  await install(plane);
  await withoutSelector(plane);
  hand = await Hand.of(stage, plane);
  await kubectl('create namespace shop');
  await hand.createNode('node-1');
  await kubectl('create serviceaccount auditor -n shop');
  await kubectl('create clusterrolebinding auditor-views --clusterrole=view --serviceaccount=shop:auditor');
  token = (await kubectl('create token auditor -n shop --audience=podtrail')).trim();
  watching = await startReplica('watching', 0);
  const before = await startReplica('absent', 1);
  await hand.createPod('shop', 'cart', 'node-1', '10.1.0.1');
  for (const replica of [watching, before]) {
    await until('both have recorded the first pod', async () => {
      return (await asked(replica, 'who?ip=10.1.0.1')).answer === 'held';
    });
  }
  begun = new Date().toISOString();
  await before.operator.process.end('SIGKILL');
  await hand.createPod('shop', 'brief', 'node-1', '10.1.0.2');
  await kubectl('create service clusterip short -n shop --tcp=80');
  serviceIp = JSON.parse(await kubectl('get service short -n shop -o json')).spec.clusterIP;
  const held = await until(
    'it is settled who has the addresses',
    async () => {
      const at = new Date(Date.now() - 8_000).toISOString();
      return (await isSettled('10.1.0.2', at, 'held')) && (await isSettled(serviceIp, at, 'held')) && at;
    },
    { everyMs: 500 },
  );
  await kubectl('delete service short -n shop');
  await hand.deletePod('shop', 'brief');
  const free = await until(
    'it is settled that the Service has it no more',
    async () => {
      const at = new Date(Date.now() - 8_000).toISOString();
      return (await isSettled(serviceIp, at, 'free')) && at;
    },
    { everyMs: 500 },
  );
  during = { held, free };
  await plane.compact();
  await plane.apiservers[1]?.restart();
  absent = await startReplica('absent', 1, before.operator.store);
  await hand.createPod('shop', 'late', 'node-1', '10.1.0.3');
  for (const replica of [watching, absent]) {
    await until('both have recorded the last pod', async () => {
      return (await asked(replica, 'who?ip=10.1.0.3')).answer === 'held';
    });
  }
  await until('the replicas know each other', async () => {
    const { peers } = await asked(absent, `who?ip=10.1.0.2&at=${during.held}`);
    if (peers?.[0]?.answered === true) return true;
    throw new Error(JSON.stringify(peers));
  });
});

/** For good, by the replica that watched. What proves how far it is are events: else they come once a minute. */
async function isSettled(ip: string, at: string, answer: string): Promise<boolean> {
  await hand.annotate('shop', 'cart', { tick: at });
  const said = await asked(watching, `who?ip=${ip}&at=${at}`);
  if (said.answer === answer && said.provisional === false) return true;
  throw new Error(JSON.stringify(said));
}

after(async () => {
  for (const leave of leavings.reverse()) await leave();
});

/** From all ledgers: on a busy machine 300 ms may be too short, and a peer that was late is asked again after 5 s. */
async function askedOfAll(replica: Replica, question: string): Promise<Document> {
  return await until(
    `the peer answers in time about ${question}`,
    async () => {
      const document = await asked(replica, question);
      return (document.peers ?? []).every((peer: Document) => peer.answered) && document;
    },
    { withinMs: 180_000 },
  );
}

const collectorsOf = ({ evidence }: Document) => [...new Set(evidence.map((one: Document) => one.collector))];
const THERE = [{ collector: 'watching', answered: true }];

test('what one replica missed it answers from the other: who had the address, and the collector is named', {
  skip,
  timeout: 300_000,
}, async () => {
  const said = await askedOfAll(absent, `who?ip=10.1.0.2&at=${during.held}`);
  assert.deepEqual([said.answer, said.holders[0].name, said.provisional], ['held', 'brief', false]);
  assert.deepEqual(said.peers, THERE);
  assert.deepEqual(collectorsOf(said), ['watching']);
});

test('what one replica knows to be free is free in the union, though the other lost sight of nodes and services', {
  skip,
}, async () => {
  for (const at of [during.free, during.held]) {
    const document = await askedOfAll(absent, `who?ip=10.1.7.7&at=${at}`);
    assert.deepEqual([document.answer, document.peers], ['free', THERE], JSON.stringify(document));
  }
  const document = await askedOfAll(absent, `who?ip=${serviceIp}&at=${during.free}`);
  assert.deepEqual([document.answer, document.last?.name, document.peers], ['free', 'short', THERE]);
});

test('trails, moves and gaps are of the union, too; what a replica knows itself costs no question to others', {
  skip,
}, async () => {
  const trail = await askedOfAll(absent, `trail?subject=brief&namespace=shop&since=${begun}`);
  assert.ok(JSON.stringify(trail).includes('"10.1.0.2"'), JSON.stringify(trail));
  assert.deepEqual(trail.peers, THERE);
  const moves = await askedOfAll(absent, `moves?since=${begun}&namespace=shop`);
  assert.deepEqual(
    moves.moves.map(({ name }: Document) => name),
    ['brief'],
  );
  const [own, union] = [await asked(watching, `gaps?since=${begun}`), await askedOfAll(absent, `gaps?since=${begun}`)];
  assert.deepEqual(union.gaps, own.gaps, 'while the other one watched there is no gap');
  const known = await askedOfAll(absent, 'who?ip=10.1.0.1');
  assert.deepEqual([known.answer, known.peers], ['held', undefined]);
});

test('a page of one replica goes on at the other, also that of a list of kubectl', { skip }, async () => {
  const pages = async (first: Replica, second: Replica, question: string) => {
    const page = await askedOfAll(first, `${question}&limit=1`);
    assert.ok(page.cursor, JSON.stringify(page));
    const rest = await askedOfAll(second, `${question}&limit=10&cursor=${encodeURIComponent(page.cursor)}`);
    const names = [...page.pods, ...rest.pods].map(({ name }: Document) => name);
    assert.deepEqual(names.sort(), ['brief', 'cart', 'late'], JSON.stringify([page, rest]));
  };
  const question = `node?node=node-1&since=${begun}`;
  await pages(watching, absent, question);
  await pages(absent, watching, question);
  const list = 'namespaces/shop/placements?fieldSelector=node%3Dnode-1';
  const first = await listed(watching, `${list}&limit=1`);
  await until('the list of the other one goes on, with what only the first one saw', async () => {
    const rest = await listed(absent, `${list}&continue=${first.metadata.continue}`);
    const names = [...first.items, ...rest.items].map(({ pod }: Document) => pod.name);
    assert.deepEqual(names.sort(), ['brief', 'cart', 'late'], JSON.stringify([first, rest]));
    return true;
  });
});

test('a peer that hangs costs 300 ms at most and is named, then rests; one that is gone is named, too', {
  skip,
  timeout: 300_000,
}, async () => {
  const question = `who?ip=10.1.0.2&at=${during.held}`;
  const { operator } = watching;
  const timed = async () => {
    const start = performance.now();
    const document = await asked(absent, question);
    return { document, ms: performance.now() - start };
  };
  const costs: number[] = [];
  for (let round = 0; round < 3; round++) {
    // For less time than a leader may be silent.
    operator.process.process.kill('SIGSTOP');
    const { document, ms } = await timed().finally(() => operator.process.process.kill('SIGCONT'));
    assert.deepEqual([document.answer, document.peers[0].answered], ['unknown', false]);
    assert.match(document.peers[0].why, /did not answer in time/);
    const rested = await timed();
    assert.deepEqual(rested.document.peers, document.peers, 'it is not asked again at once');
    // What is left is the peer: the question itself costs both times the same.
    costs.push(ms - rested.ms);
    await until('it is asked again', async () => (await asked(absent, question)).answer === 'held');
  }
  const least = Math.min(...costs);
  assert.ok(least <= PEERS_MAY_COST_MS + 50, `a peer that hangs cost ${costs.map(Math.round).join(', ')} ms`);
  await operator.process.end('SIGKILL');
  const gone = await until('that it is gone is noticed', async () => {
    const document = await asked(absent, question);
    return document.answer === 'unknown' && document;
  });
  assert.deepEqual(gone.peers, [{ collector: 'watching', answered: false, why: 'cannot be reached' }]);
});
