// The counters of moves beside a recorder on the sandbox: they count what `moves` finds in the same store.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { epochMillis, moves, openStore, withSnapshot } from '@podtrail/history';
import { MoveFollower } from '@podtrail/operator';
import { MoveMetrics, newRegistry } from '@podtrail/operator/monitoring';
import { FaultStage } from '../testing/fault-stage.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

const CLUSTER = { id: 'faults', name: 'faults' };
const ONE_PAGE = { limit: 500 };

async function recordedAndCounted(t: TestContext) {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const engine = await openStore('memory:', { access: 'write' });
  await engine.takeOver(CLUSTER);
  const registry = newRegistry('1');
  const listeners = [new MoveMetrics(registry)];
  const follower = new MoveFollower({ reader: engine, cluster: CLUSTER.id, clock: stage.clock, listeners });
  await follower.resume();
  const recorded = await RecordedSandbox.start(stage, { causes: true, engine, listener: follower });
  const stop = new AbortController();
  const running = follower.run(stop.signal);
  stage.atEnd(async () => {
    stop.abort();
    await running;
  });
  return { stage, engine, registry, recorded };
}

type Stage = Awaited<ReturnType<typeof recordedAndCounted>>;

async function found({ engine, stage }: Stage): Promise<Record<string, number>> {
  const span = { from: epochMillis(0), to: epochMillis(stage.clock.now()) };
  const { items } = await withSnapshot(engine, CLUSTER.id, (snapshot) => moves(snapshot, { span, page: ONE_PAGE }));
  return tally(items.map(({ verdict, departure }) => `${verdict.cause} ${departure.pod.workload?.kind ?? 'none'}`));
}

async function counted({ registry }: Stage): Promise<Record<string, number>> {
  const page = await registry.metrics();
  const lines = page.matchAll(/^podtrail_pod_moves_total\{cause="(\w+)",kind="(\w+)"\} (\d+)$/gm);
  const series = [...lines].map(([, cause, kind, count]) => [`${cause} ${kind}`, Number(count)] as const);
  return Object.fromEntries(series.filter(([, count]) => count > 0).sort());
}

function tally(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].sort());
}

test('the counters are what moves finds in the same store, and an address that is handed on is counted', async (t) => {
  const counting = await recordedAndCounted(t);
  const { stage, recorded } = counting;
  stage.pod('web', { ip: '10.0.0.7' });
  stage.pod('job', { ip: '10.0.0.8' });
  await recorded.current();
  stage.remove('web');
  stage.pod('next', { ip: '10.0.0.7' });
  stage.api.delete('pods', 'default', 'job', {});
  await recorded.current();
  assert.deepEqual(await counted(counting), {}, 'not before their traces can have come');
  await stage.leap(100_000);
  assert.deepEqual(await counted(counting), await found(counting));
  assert.equal(
    Object.values(await counted(counting)).reduce((sum, count) => sum + count, 0),
    2,
  );
  const page = await counting.registry.metrics();
  assert.match(page, /^podtrail_address_reuses_total 1$/m);
  assert.match(page, /^podtrail_address_reuse_seconds_count 1$/m);
});
