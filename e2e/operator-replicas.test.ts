// Two operators on a real control plane: the leader is killed, stopped past its lease, and replaced one by one. One
// writer at any time, no change lost, neither in the PodTracker nor in the ledgers.
// Runs alone: it measures how soon another replica leads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { type AuditEvent, until, useCluster } from './controlplane/index.ts';
import { install, OPERATOR_USER, OperatorReplica } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;
const TAKE_OVER_MS = 20_000;
const PODS = 5;

if (skip === false) await install(cluster.controlPlane);

/** Gives pods new addresses, one after the other, until asked to stop; remembers which pod had which address when. */
class Changes {
  readonly made: { readonly ip: string; readonly pod: string; readonly at: number }[] = [];
  readonly #hand: Hand;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  static #next = 0;

  constructor(hand: Hand) {
    this.#hand = hand;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const n = Changes.#next++;
      const [pod, ip] = [`web-${n % PODS}`, `10.1.${n >> 8}.${n & 255}`];
      await this.#hand.setStatus('default', pod, ip, 'Running');
      await sleep(100);
      this.made.push({ ip, pod, at: Date.now() });
      await sleep(100);
    }
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

interface Write {
  readonly credential: string;
  readonly at: number;
  readonly uri: string;
}

/** What operators changed of trackers, slices, ConfigMaps and events, oldest first. */
async function writes(): Promise<Write[]> {
  const log = await cluster.controlPlane.auditLog();
  const isWrite = ({ user, verb, objectRef, responseStatus, stage }: AuditEvent) =>
    user.username === OPERATOR_USER &&
    stage === 'ResponseComplete' &&
    ['create', 'patch', 'update', 'delete'].includes(verb) &&
    objectRef?.resource !== 'leases' &&
    (responseStatus?.code ?? 500) < 300;
  return log.filter(isWrite).map((event) => {
    const { extra } = event.user as { extra?: Record<string, string[]> };
    const credential = extra?.['authentication.kubernetes.io/credential-id']?.[0] ?? '';
    return { credential, at: Date.parse(event.requestReceivedTimestamp), uri: event.requestURI };
  });
}

async function untilListed(hand: Hand): Promise<void> {
  await until('the tracker lists what is there', async () => {
    assert.deepEqual(await hand.listed('all'), await hand.selected(() => true));
    return true;
  });
}

/** What each address change was, asked of one replica's ledger. */
async function assertRecorded(store: string, changes: Changes): Promise<void> {
  const engine = await openStore(store, { access: 'read' });
  try {
    const [recorded] = await engine.clusters();
    assert.ok(recorded);
    for (const { ip, pod, at } of changes.made) {
      const question = { ip: parseIp(ip)!, at: epochMillis(at) };
      // A ledger speaks of an instant a moment later, when it knows that it was watching.
      const { answer, holders, coverage } = await until(
        `the ledger has come to ${ip}`,
        async (): Promise<Answer | false> => {
          const given = await withSnapshot(engine, recorded.id, (snapshot) => who(snapshot, question));
          return given.reason !== 'after-last-record' && given;
        },
      );
      // Each address was held for a second; the bounds of that are seconds too, so that "ambiguous" is honest.
      assert.ok(answer === 'held' || answer === 'ambiguous', `${answer}: ${ip} at ${new Date(at).toISOString()}`);
      const names = holders.map(({ name }) => name);
      assert.deepEqual([names, coverage.gaps], [[pod], []], `${ip} at ${new Date(at).toISOString()}`);
    }
  } finally {
    await engine.close();
  }
}

async function twoReplicas(t: Parameters<typeof OperatorReplica.start>[0], suffix: string) {
  const plane = cluster.controlPlane;
  const a = await OperatorReplica.start(t, plane, `a-${suffix}`);
  await a.untilLeads();
  const b = await OperatorReplica.start(t, plane, `b-${suffix}`);
  await Promise.all([a.untilReady(), b.untilReady()]);
  assert.equal(await b.leads(), false);
  return { a, b };
}

test('a leader that is killed is followed by the other within 20 s; nothing is lost', {
  skip,
  timeout: 270_000,
}, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  await hand.createNode('node-1');
  for (let i = 0; i < PODS; i++) await hand.createPod('default', `web-${i}`, 'node-1', `10.0.0.${i}`);
  await hand.createTracker('all');
  const { a, b } = await twoReplicas(t, 'killed');
  await untilListed(hand);
  const changes = new Changes(hand);
  await sleep(1_000);
  const killed = performance.now();
  await a.process.end('SIGKILL');
  await b.untilLeads(TAKE_OVER_MS);
  const took = performance.now() - killed;
  await sleep(1_000);
  await changes.end();
  await untilListed(hand);
  t.diagnostic(`taken over after ${(took / 1000).toFixed(1)} s`);
  assert.ok(took < TAKE_OVER_MS);
  await assertRecorded(b.store, changes);
  const { code } = await b.process.end('SIGTERM');
  assert.equal(code, 0, b.process.err.slice(-1_000));
});

test('fault 22: a leader that is stopped past its lease and continued writes nothing more, and ends; the other leads', {
  skip,
  timeout: 360_000,
}, async (t) => {
  const hand = await Hand.of(t, cluster.controlPlane);
  const { a, b } = await twoReplicas(t, 'stopped');
  await untilListed(hand);
  const changes = new Changes(hand);
  await sleep(500);
  a.process.process.kill('SIGSTOP');
  await b.untilLeads(TAKE_OVER_MS);
  const taken = Date.now();
  await sleep(2_000);
  a.process.process.kill('SIGCONT');
  const { code, err } = await a.process.ended();
  assert.equal(code, 1);
  assert.match(err, /the lease was lost/);
  await sleep(1_000);
  await changes.end();
  await untilListed(hand);
  const late = (await writes()).filter(({ credential, at }) => credential === a.credential && at > taken);
  assert.deepEqual(late, []);
  assert.ok((await writes()).some(({ credential, at }) => credential === b.credential && at > taken));
  await assertRecorded(b.store, changes);
  await b.process.end('SIGTERM');
});

test('a rolling restart: replicas end and come back one by one; one writer at a time, no change lost in either ledger', {
  skip,
  timeout: 360_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  const hand = await Hand.of(t, plane);
  const { a, b } = await twoReplicas(t, 'rolled');
  const changes = new Changes(hand);
  await sleep(500);
  assert.equal((await b.process.end('SIGTERM')).code, 0);
  const b2 = await OperatorReplica.start(t, plane, 'b-rolled', { store: b.store });
  await b2.untilReady();
  const before = performance.now();
  assert.equal((await a.process.end('SIGTERM')).code, 0);
  await b2.untilLeads(TAKE_OVER_MS);
  t.diagnostic(`a released lease is taken after ${((performance.now() - before) / 1000).toFixed(1)} s`);
  const a2 = await OperatorReplica.start(t, plane, 'a-rolled', { store: a.store });
  await a2.untilReady();
  await sleep(500);
  await changes.end();
  await untilListed(hand);
  for (const { store } of [a2, b2]) await assertRecorded(store, changes);
  const spans = new Map<string, { first: number; last: number }>();
  for (const { credential, at } of await writes()) {
    const span = spans.get(credential) ?? { first: at, last: at };
    spans.set(credential, { first: span.first, last: at });
  }
  const old = spans.get(a.credential);
  const next = spans.get(b2.credential);
  assert.ok(old !== undefined && next !== undefined && old.last <= next.first, 'one after the other');
  assert.equal(spans.has(b.credential), false);
});
