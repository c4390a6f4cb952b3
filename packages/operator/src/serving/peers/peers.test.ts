// Replicas ask each other over TLS both ways: what one did not watch is answered from the ledger of the other, and a peer
// that is of no use costs its time once, and is named.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Coverage, type Engine, openStore, type StoredFact, type Tenure } from '@podtrail/history';
import { ALL_VISIBLE, epochMillis, parseIp } from '@podtrail/history/wire';
import { askQuestion, QUESTIONS, type QuestionName } from '@podtrail/history/wire/catalogue';
import { type Clock, systemClock } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { issueCertificate, type ServingCertificate } from '../../certificates/certificate.ts';
import { apiRoutes } from '../api/api-routes.ts';
import { AskedLedger } from '../api/asked-ledger.ts';
import { HttpServer } from '../http/http-server.ts';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { PeerConnections } from './peer-connection.ts';
import { PeerFailure } from './peer-failure.ts';
import { PEER_PATH } from './peer-reads.ts';
import { peerRoute } from './peer-route.ts';
import { PeerTrust } from './peer-trust.ts';
import { PeeredReader } from './peered-reader.ts';

const CLUSTER = { id: 'cluster-1', name: 'test' };
const BEGUN = Date.UTC(2026, 10, 16, 10);
const NOW = BEGUN + 3_600_000;
const IP = '10.0.0.7';
const HOSTS = ['podtrail-history.podtrail.svc', 'localhost'];
const at = (minute: number) => epochMillis(BEGUN + minute * 60_000);

function certificateOf(commonName: string, validMs = 3_600_000): ServingCertificate {
  return issueCertificate({ commonName, names: HOSTS, now: Date.now(), validMs });
}

/** Watched in these minutes; the pod had the address from minute 10 to 30. */
async function ledgerOf(collector: string, watched: readonly (readonly [number, number])[]): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const provenance = { source: 'watch' as const, epoch: 1, collector };
  const boundary = (minute: number, resourceVersion: string) => ({
    ...{ ...provenance, resourceVersion, observedAt: at(minute), at: at(minute) },
    ...{ notBefore: at(minute), notAfter: at(minute) },
  });
  const facts: StoredFact[] = watched.map(([from, to], i): StoredFact => {
    const times = { from: at(from), to: at(to), confirmed: at(to) };
    const ended = i < watched.length - 1;
    const coverage: Coverage = { scope: { kind: 'cluster' }, epoch: 1, collector, ...times, ended, opened: 'start' };
    return { kind: 'coverage', coverage };
  });
  if (watched.some(([from, to]) => from <= 10 && to >= 30)) {
    const ip = parseIp(IP) as Tenure['ip'];
    const pod = { kind: 'Pod' as const, namespace: 'shop', name: 'cart', uid: 'uid-cart', node: 'node-1' };
    const holder = { ...pod, workload: undefined, hostNetwork: false };
    facts.push({ kind: 'tenure', tenure: { ip, holder, start: boundary(10, '100'), end: boundary(30, '300') } });
  }
  await (await engine.takeOver(CLUSTER)).append({ facts });
  return engine;
}

/** A replica that answers its peers. */
async function replica(t: TestContext, name: string, bundle: () => string, own: ServingCertificate, ledger: Engine) {
  const trust = new PeerTrust(() => Date.now());
  trust.trust(bundle());
  const server = await HttpServer.start({
    ...{ host: '127.0.0.1', port: 0, clock: systemClock, access: trust.within(accessOf()) },
    tls: { cert: own.certificate, key: own.key, requestCert: true, rejectUnauthorized: false },
    routes: [peerRoute({ reader: ledger, cluster: CLUSTER, identity: name, clock: systemClock, isPeer: trust.isPeer })],
  });
  t.after(() => server.close(0));
  return `127.0.0.1:${server.port}`;
}

const SERVER_NAME = HOSTS[0] as string;

/** Where peers are to answer, they have time: the machine may be busy with other tests. */
const PATIENT: Clock = {
  ...systemClock,
  setTimer: (ms, fire, keepAlive) => systemClock.setTimer(100 * ms, fire, keepAlive),
};

function asking(
  t: TestContext,
  { own, certificate, bundle, clock }: { own: Engine; certificate: ServingCertificate; bundle: string; clock: Clock },
) {
  const connections = new PeerConnections(() => ({ certificate, bundle, serverName: SERVER_NAME }));
  t.after(() => connections.close());
  let sent = 0;
  const known: string[] = [];
  const reader = new PeeredReader({
    ...{ own, identity: 'replica-0', clock, addresses: () => known, session: () => `session-${sent}` },
    send: (address, body, signal) => {
      sent++;
      return connections.send(address, body, signal);
    },
  });
  const ledger = new AskedLedger(reader, { now: () => NOW, monotonic: () => systemClock.monotonic() });
  const who = (minute: number) =>
    askQuestion(ledger.reader, { visibility: ALL_VISIBLE, now: epochMillis(NOW) }, 'who', {
      ...{ ip: IP, at: new Date(at(minute)).toISOString() },
    });
  return { known, who, ledger, sent: () => sent };
}

/** Two replicas of which the first did not watch from minute 5 to 40. */
async function stage(t: TestContext, clock = PATIENT) {
  const [one, two] = [certificateOf('replica-0'), certificateOf('replica-1')];
  const bundle = `${one.certificate}${two.certificate}`;
  const own = await ledgerOf('replica-0', [
    [0, 5],
    [40, 60],
  ]);
  const other = await ledgerOf('replica-1', [[0, 60]]);
  const address = await replica(t, 'replica-1', () => bundle, two, other);
  return { one, two, bundle, own, other, address, asked: asking(t, { own, certificate: one, bundle, clock }) };
}

test('what one replica did not watch is answered from the ledger of another, which the evidence names', async (t) => {
  const { asked, address } = await stage(t);
  assert.equal((await asked.who(20)).answer, 'unknown');
  asked.known.push(address);
  const held = await asked.who(20);
  assert.equal(held.answer, 'held');
  assert.equal(held.holders[0]?.name, 'cart');
  assert.deepEqual(
    held.evidence.map(({ collector }) => collector),
    ['replica-1', 'replica-1'],
  );
  assert.deepEqual(held.peers, [{ collector: 'replica-1', answered: true }]);
  assert.equal((await asked.who(35)).answer, 'free');
});

test('what a replica knows itself is answered without any peer, byte for byte as ever', async (t) => {
  const { asked, address } = await stage(t);
  const before = JSON.stringify(await asked.who(50));
  asked.known.push(address);
  assert.equal(JSON.stringify(await asked.who(50)), before);
  assert.equal(asked.sent(), 0);
});

test('gaps, trails and nodes are those of the union', async (t) => {
  const { asked, address } = await stage(t);
  asked.known.push(address);
  const asker = { visibility: ALL_VISIBLE, now: epochMillis(NOW) };
  const gaps = await askQuestion(asked.ledger.reader, asker, 'gaps', {});
  assert.deepEqual(gaps.coverage.gaps, []);
  const trail = await askQuestion(asked.ledger.reader, asker, 'trail', { subject: IP });
  assert.deepEqual(
    trail.stays.map(({ name }) => name),
    ['cart'],
  );
});

test('of a batch, what the replica does not know is asked of its peers in one go; the rest stays as it is', async (t) => {
  const { asked, address, own } = await stage(t);
  const routes = apiRoutes({ ledger: asked.ledger, version: '0', status: () => own.status() });
  const { get } = await startedServer(t, routes);
  const batch = async (...minutes: readonly number[]) => {
    const questions = minutes.map((minute) => ({ ip: IP, at: new Date(at(minute)).toISOString() }));
    const headers = { 'content-type': 'application/json' };
    const answer = await get('/api/v1/who', { method: 'POST', headers, body: JSON.stringify({ questions }) });
    return ((await answer.json()) as { answers: Awaited<ReturnType<typeof asked.who>>[] }).answers;
  };
  const minutes = [50, 20, 2, 35];
  const alone = await batch(...minutes);
  asked.known.push(address);
  const answers = await batch(...minutes);
  assert.deepEqual(
    answers.map(({ answer, peers }) => [answer, peers?.map(({ collector }) => collector)]),
    [
      ['free', undefined],
      ['held', ['replica-1']],
      ['free', undefined],
      ['free', ['replica-1']],
    ],
  );
  assert.equal(answers[1]?.evidence[0]?.collector, 'replica-1');
  assert.deepEqual([answers[0], answers[2]], [alone[0], alone[2]]);
  assert.deepEqual(await Promise.all(minutes.map((minute) => asked.who(minute))), answers, 'as each of them alone');
});

test('who may see other namespaces only learns nothing more from peers', async (t) => {
  const { asked, address } = await stage(t);
  asked.known.push(address);
  const visibility = { kind: 'namespaces' as const, since: new Map([['vault', epochMillis(0)]]) };
  const parameters = { ip: IP, at: new Date(at(20)).toISOString() };
  const said = await askQuestion(asked.ledger.reader, { visibility, now: epochMillis(NOW) }, 'who', parameters);
  assert.deepEqual([said.answer, said.holders, said.evidence], ['unknown', [], []]);
});

test('the address of the replica itself is found out and not counted as a peer', async (t) => {
  const { one, bundle, own, asked } = await stage(t);
  asked.known.push(await replica(t, 'replica-0', () => bundle, one, own));
  assert.equal((await asked.who(20)).peers, undefined);
  const sent = asked.sent();
  await asked.who(20);
  assert.equal(asked.sent(), sent);
});

test('only replicas reach the route of peers: others get 401, and who has a token finds nothing there', async (t) => {
  const { address, bundle, two } = await stage(t);
  const ask = (certificate: ServingCertificate | undefined, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve, reject) => {
      const { request } = process.getBuiltinModule('node:https');
      const [host, port] = address.split(':');
      const shown = certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key };
      const more = { headers: { 'content-type': 'application/json', ...headers }, agent: false, ca: bundle };
      const options = { host, port, path: PEER_PATH, method: 'POST', servername: SERVER_NAME, ...shown, ...more };
      const sent = request(options as object, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end('{}');
    });
  assert.equal(await ask(undefined), 401);
  assert.equal(await ask(certificateOf('replica-1')), 401, 'a certificate of that name which nobody announced');
  assert.equal(await ask(undefined, { authorization: 'Bearer jane' }), 404);
  assert.equal(await ask(two), 400, 'a replica, with a request that is none');
});

/** Answers every request so. */
async function impostor(t: TestContext, certificate: ServingCertificate, answer: Parameters<Server['on']>[1]) {
  const server = createServer({ cert: certificate.certificate, key: certificate.key }, answer as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const document = (more: object) => JSON.stringify({ version: 1, cluster: CLUSTER.id, collector: 'x', ...more });
const says = (text: string) => (_: unknown, response: { end(text: string): void }) => response.end(text);
const endless = (_: unknown, response: import('node:http').ServerResponse) => {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};

const USELESS: readonly [string, Parameters<Server['on']>[1], RegExp][] = [
  ['accepts and never answers', () => undefined, /did not answer in time/],
  ['sends no JSON', says('<html>'), /sent what is no record/],
  ['sends what is no record', says(document({ results: [[{ scope: 7 }], []] })), /sent what is no record/],
  ['leaves something out', says(document({ results: [] })), /left something out/],
  ['sends without end', endless, /sent too much|did not answer in time/],
  ['records another cluster', says(document({ cluster: 'c2', results: [[], []] })), /records another cluster/],
  ['speaks another version', says(document({ version: 2, results: [[], []] })), /speaks another version/],
];
for (const [what, answer, why] of USELESS) {
  test(`a peer that ${what} costs 300 ms at most, is named, and is not asked again at once`, async (t) => {
    const { asked, two } = await stage(t, /never|without end/.test(what) ? systemClock : PATIENT);
    const address = await impostor(t, two, answer);
    asked.known.push(address);
    const begun = performance.now();
    const said = await asked.who(20);
    const took = performance.now() - begun;
    assert.equal(said.answer, 'unknown');
    assert.deepEqual(
      said.peers?.map(({ collector, answered }) => [collector, answered]),
      [[address, false]],
    );
    assert.match(said.peers?.[0]?.why ?? '', why);
    assert.ok(took < 5_000, `${took} ms`);
    const sent = asked.sent();
    assert.deepEqual((await asked.who(20)).peers, said.peers);
    assert.equal(asked.sent(), sent, 'it rests');
  });
}

test('a peer that refuses connections, or is no replica, is named; the others answer all the same', async (t) => {
  const { asked, address } = await stage(t);
  const stranger = await impostor(t, certificateOf('replica-1'), says('{}'));
  asked.known.push('127.0.0.1:1', stranger, address);
  const said = await asked.who(20);
  assert.equal(said.answer, 'held');
  assert.deepEqual(
    said.peers?.map(({ answered, why }) => [answered, why]),
    [
      [false, 'cannot be reached'],
      [false, 'cannot be reached'],
      [true, undefined],
    ],
  );
});

test('peers that say nothing cost 200 ms by the clock, and those that stop later 300 ms', async () => {
  const clock = new ManualClock();
  const own = await ledgerOf('replica-0', [[0, 5]]);
  const coverage = { scope: { kind: 'cluster' }, epoch: 1, collector: 'b', opened: 'start', ended: false };
  const watched = { ...coverage, from: at(0), to: at(60), confirmed: at(60) };
  for (const [what, costs] of [
    ['silent', 200],
    ['stops', 300],
  ] as const) {
    let sent = 0;
    const reader = new PeeredReader({
      ...{ own, identity: 'replica-0', clock, addresses: () => ['b:1'], session: () => 's' },
      send: async (address, _, signal) => {
        if (what === 'stops' && sent++ === 0)
          return JSON.stringify({ version: 1, cluster: CLUSTER.id, collector: 'b', results: [[watched], []] });
        return await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new PeerFailure(address, 'did not answer in time')));
        });
      },
    });
    let isOver = false;
    const asked = askQuestion(reader, { visibility: ALL_VISIBLE, now: epochMillis(NOW) }, 'who', {
      ...{ ip: IP, at: new Date(at(20)).toISOString() },
    }).finally(() => (isOver = true));
    await clock.untilPending();
    await clock.advance(costs - 1);
    assert.equal(isOver, false, what);
    await clock.advance(1);
    assert.equal((await asked).answer, 'unknown');
  }
});

const SUBJECT = { subject: 'cart', namespace: 'shop' };
const SINCE = { since: new Date(at(0)).toISOString(), until: new Date(at(59)).toISOString() };
const ASKED: { readonly [Name in QuestionName]: Readonly<Record<string, unknown>> } = {
  who: { ip: IP, at: new Date(at(20)).toISOString() },
  trail: { ...SUBJECT, ...SINCE },
  node: { node: 'node-1', ...SINCE },
  moves: SINCE,
  explain: { subject: IP, at: new Date(at(20)).toISOString() },
  changes: { ...SUBJECT, ...SINCE },
  gaps: SINCE,
  anomalies: SINCE,
  find: { text: 'cart' },
  timeline: { by: 'node', ...SINCE },
  nodes: { at: new Date(at(20)).toISOString() },
};

for (const name of Object.keys(QUESTIONS) as QuestionName[]) {
  test(`a peer that fails in the middle of ${name} leaves the answer of the own ledger, and nothing behind`, async (t) => {
    const { own, other } = await stage(t);
    const route = peerRoute({ reader: other, cluster: CLUSTER, identity: 'b', clock: PATIENT, isPeer: () => true });
    for (let failsAt = 0; failsAt < 40; failsAt++) {
      let sent = 0;
      const reader = new PeeredReader({
        ...{ own, identity: 'replica-0', clock: PATIENT, addresses: () => ['b:1'], session: () => `s-${failsAt}` },
        send: async (address, text) => {
          if (sent++ === failsAt) throw new PeerFailure(address, 'did not answer in time');
          const body = { json: async () => JSON.parse(text) };
          const reply = await route.handle({ body, caller: { name: 'b', groups: [] } } as never);
          return 'body' in reply ? String(reply.body ?? '') : '';
        },
      });
      const document = await askQuestion(reader, { visibility: ALL_VISIBLE, now: epochMillis(NOW) }, name, ASKED[name]);
      const { peers = [] } = document as { readonly peers?: readonly { readonly answered: boolean }[] };
      // Time for what nobody waits for to be noticed by the test runner.
      await new Promise((resolve) => setImmediate(resolve));
      if (peers.length === 0 || peers[0]?.answered === true) break;
    }
  });
}
