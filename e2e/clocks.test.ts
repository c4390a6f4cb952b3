// Fault 21 on a real API server: a recorder whose machine has a wrong clock, and a store that one left behind.
// Runs alone: it compares clocks to the second.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Engine, epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { Client, type Clock, loadClusterConfig, systemClock } from '@podtrail/machinery';
import { Recorder } from '@podtrail/operator';
import { podtrail } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({ needs: ['own control plane'] });
const LEDGER = { id: 'e2e', name: 'e2e' };
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const TOLERANCE_MS = 2_000;

/** This machine's clock, set ahead. */
class SetClock implements Clock {
  aheadMs: number;
  constructor(aheadMs: number) {
    this.aheadMs = aheadMs;
  }
  now = () => systemClock.now() + this.aheadMs;
  monotonic = () => systemClock.monotonic();
  setTimer: Clock['setTimer'] = (ms, fire, keepAlive) => systemClock.setTimer(ms, fire, keepAlive);
}

async function aStore(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-clocks-e2e-'));
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return `sqlite:${join(directory, 'ledger.db')}`;
}

interface Recording {
  readonly recorder: Recorder;
  readonly engine: Engine;
  stop(): Promise<void>;
}

/** In this process, so that its clock can be set. Resolves once it claims to watch. */
async function record(t: TestContext, store: string, clock: Clock): Promise<Recording> {
  const engine = await openStore(store, { access: 'write' });
  const client = Client.connect(await loadClusterConfig({ kubeconfig: cluster.kubeconfig }), { clock });
  const recorder = await Recorder.open({ client, engine, cluster: LEDGER, collector: 'e2e', clock });
  const end = new AbortController();
  const running = recorder.run(end.signal);
  let ended: Promise<void> | undefined;
  const stop = () =>
    (ended ??= (async () => {
      end.abort();
      await running;
      await client.close();
      await engine.close();
    })());
  t.after(stop);
  await until('it claims to watch', () => recorder.status.current && recorder.status.coverageTo !== undefined);
  return { recorder, engine, stop };
}

async function ask(engine: Engine, ip: string, at: number): Promise<string> {
  const question = { cluster: LEDGER.id, ip: parseIp(ip)!, at: epochMillis(at), now: epochMillis(Date.now()) };
  const { answer, reason, holders } = await withSnapshot(engine, question.cluster, (snapshot) =>
    who(snapshot, question),
  );
  return [answer, reason, ...holders.map((holder) => holder.name)].filter((word) => word).join(' ');
}

async function untilCovered({ recorder }: Recording, at: number): Promise<void> {
  await until('the ledger has come that far', () => (recorder.status.coverageTo ?? 0) > at);
}

async function aService(namespace: string, name: string): Promise<string> {
  await cluster.kubectl(['-n', namespace, 'create', 'service', 'clusterip', name, '--tcp=80']);
  const { spec } = await cluster.kubectlJson(['-n', namespace, 'get', 'service', name]);
  return spec.clusterIP as string;
}

test('fault 21: a recorder that starts a year ahead records by the API server’s time', {
  skip: cluster.skip,
}, async (t) => {
  const clock = new SetClock(YEAR);
  const recording = await record(t, await aStore(t), clock);
  const namespace = await cluster.namespace(t);
  const ip = await aService(namespace, 'ahead');
  const at = Date.now() + TOLERANCE_MS;
  await untilCovered(recording, at + TOLERANCE_MS);
  const [first] = await withSnapshot(recording.engine, LEDGER.id, (snapshot) => snapshot.coverage());
  assert.ok(Math.abs((first?.to ?? 0) - Date.now()) <= TOLERANCE_MS, `covered to ${first?.to} at ${Date.now()}`);
  assert.equal(await ask(recording.engine, ip, at), 'held ahead');
  assert.equal(await ask(recording.engine, ip, at + YEAR / 3), 'unknown in-the-future');
  assert.match(recording.recorder.status.clock.warning ?? '', /ahead of the API server's, whose time is recorded/);
});

test('fault 21: a clock that is set an hour ahead and back while it records leaves no gap and no wrong answer', {
  skip: cluster.skip,
}, async (t) => {
  const clock = new SetClock(0);
  const recording = await record(t, await aStore(t), clock);
  const namespace = await cluster.namespace(t);
  const ip = await aService(namespace, 'jumped');
  await untilCovered(recording, Date.now() + TOLERANCE_MS);
  clock.aheadMs = HOUR;
  await untilCovered(recording, Date.now() + 5_000);
  assert.ok((recording.recorder.status.coverageTo ?? 0) <= Date.now() + TOLERANCE_MS);
  clock.aheadMs = 0;
  await untilCovered(recording, Date.now() + 5_000);
  const before = Date.now();
  await cluster.kubectl(['-n', namespace, 'delete', 'service', 'jumped']);
  const after = Date.now() + TOLERANCE_MS;
  await untilCovered(recording, after + TOLERANCE_MS);
  assert.equal(await ask(recording.engine, ip, before - TOLERANCE_MS), 'held jumped');
  assert.equal(await ask(recording.engine, ip, after), 'free');
  const stretches = (await withSnapshot(recording.engine, LEDGER.id, (snapshot) => snapshot.coverage())).filter(
    ({ scope }) => scope.kind === 'cluster',
  );
  assert.equal(stretches.length, 1, 'no gap');
  assert.equal(recording.recorder.status.clock.warning, undefined);
});

test('fault 21: `store repair` brings a store back that a wrong clock left in the next year, and recording goes on', {
  skip: cluster.skip,
}, async (t) => {
  const store = await aStore(t);
  const clock = new SetClock(0);
  const first = await record(t, store, clock);
  const namespace = await cluster.namespace(t);
  const ip = await aService(namespace, 'kept');
  const at = Date.now() + 1_000;
  await untilCovered(first, at + 1_000);
  await first.stop();
  const stuck = await openStore(store, { access: 'write' });
  const writer = await stuck.takeOver(LEDGER);
  const claim = (await withSnapshot(stuck, LEDGER.id, (snapshot) => snapshot.coverage())).at(-1)!;
  const to = epochMillis(Date.now() + YEAR);
  await writer.append({ facts: [{ kind: 'coverage', coverage: { ...claim, to, confirmed: to } }] });
  await stuck.close();
  assert.equal((await podtrail(`who 10.255.255.1 --at 2027-03-01 --store ${store}`)).code, 5);
  assert.match((await podtrail(`store repair --store ${store}`)).out, /would be taken back/);
  assert.match((await podtrail(`store repair --yes --store ${store}`)).out, /was taken back/);
  const second = await record(t, store, clock);
  const later = Date.now() + 1_000;
  await untilCovered(second, later + 1_000);
  assert.equal(await ask(second.engine, ip, later), 'held kept');
  assert.ok((second.recorder.status.coverageTo ?? 0) <= Date.now() + TOLERANCE_MS);
});
