import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { causeWords, epochMillis, moves, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { ApiServer, SimulatedCluster, VirtualClock } from '@podtrail/sandbox';
import { LedgerMoves } from './ledger-moves.ts';
import { RecordedPast } from './recorded-past.ts';

const CLUSTER = { id: 'demo-id', name: 'demo' };
const HOUR = 3_600_000;

describe('a past that is recorded in virtual time', () => {
  test('answers who held an address as it really was, and leaves a checkpoint to go on from', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 10, 14, 12));
    const api = new ApiServer({ clock, seed: 11 });
    const cluster = new SimulatedCluster({ api, clock, seed: 11, nodes: 3 });
    const engine = await openStore('memory:', { access: 'write' });
    const options = { api, version: () => api.resourceVersion, now: () => clock.now(), collector: 'test' };
    const past = await RecordedPast.begin(engine, CLUSTER, options);
    cluster.populate({ pods: 30 });
    clock.advanceBy(HOUR);
    await past.flush();
    cluster.drain('node-02');
    clock.advanceBy(HOUR);
    await past.end();
    const asked = cluster.truth.tenures.filter(({ hostNetwork }) => !hostNetwork);
    let moved = 0;
    for (const { ip, uid, from, to = clock.now() } of asked) {
      if (to - from < 60_000) continue;
      const at = epochMillis((from + to) / 2);
      const answer = await withSnapshot(engine, CLUSTER.id, (snapshot) => who(snapshot, { ip: parseIp(ip)!, at }));
      assert.equal(answer.answer, 'held', `${ip} at ${new Date(at).toISOString()}`);
      assert.equal(answer.holders[0]?.uid, uid);
      if (to < clock.now()) moved++;
    }
    assert.ok(asked.length > 30 && moved > 3, 'something was asked, also about what has ended');
    const { checkpoint } = await engine.resume(CLUSTER.id);
    assert.equal(checkpoint?.resourceVersion, api.resourceVersion);
    assert.deepEqual(checkpoint?.others?.map(({ kind }) => kind).sort(), ['Node', 'Service']);
    cluster.close();
    await engine.close();
  });

  test('knows why pods ended as on a real cluster: what the controllers say of it is recorded, too', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 10, 14, 12));
    const api = new ApiServer({ clock, seed: 11 });
    const cluster = new SimulatedCluster({ api, clock, seed: 11, nodes: 3 });
    const engine = await openStore('memory:', { access: 'write' });
    const options = { api, version: () => api.resourceVersion, now: () => clock.now(), collector: 'test' };
    const past = await RecordedPast.begin(engine, CLUSTER, options);
    cluster.populate({ pods: 30 });
    clock.advanceBy(HOUR);
    const [scaled, restarted] = [...cluster.deployments()]
      .filter(({ spec }) => (spec.replicas ?? 1) > 1)
      .map(({ metadata: { namespace = '', name }, spec }) => ({ namespace, name, replicas: spec.replicas ?? 1 }));
    assert.ok(scaled !== undefined && restarted !== undefined);
    const begun = clock.now();
    cluster.scale(scaled.namespace, scaled.name, 1);
    clock.advanceBy(HOUR / 2);
    cluster.rollout(restarted.namespace, restarted.name);
    clock.advanceBy(HOUR / 2);
    const drained = clock.now();
    cluster.drain('node-02');
    clock.advanceBy(HOUR / 60);
    await past.end();
    const news = new LedgerMoves(drained);
    const look = () => withSnapshot(engine, CLUSTER.id, (snapshot) => news.look(snapshot, clock.now()));
    assert.match((await look()) ?? '', /^\S+ moved node-02 → node-0[13]: drained$/);
    const { count: counted } = news;
    assert.ok(counted > 2, `${counted} moves`);
    assert.deepEqual([await look(), news.count], [undefined, counted], 'each once');
    const span = { from: epochMillis(begun), to: epochMillis(clock.now()) };
    const page = { limit: 500 };
    const { items } = await withSnapshot(engine, CLUSTER.id, (snapshot) => moves(snapshot, { span, page }));
    const causes = items.map((move) => `${causeWords(move)}, ${move.verdict.certainty}`);
    const count = (words: string) => causes.filter((one) => one === words).length;
    assert.equal(count('scaled down, certain'), scaled.replicas - 1, causes.join('; '));
    assert.equal(count('restarted on request, certain'), restarted.replicas, causes.join('; '));
    assert.ok(count('drained, inferred') > 2, causes.join('; '));
    assert.deepEqual(
      items.filter(({ verdict }) => verdict.cause === 'Unknown').map(({ from }) => from.pod.name),
      [],
    );
    cluster.close();
    await engine.close();
  });
});
