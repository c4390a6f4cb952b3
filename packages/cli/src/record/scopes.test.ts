// A store that recorders of different scopes write to, one after the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { seededRandom } from '@podtrail/machinery';
import { Recorder } from '@podtrail/operator';
import { FaultStage } from '../testing/fault-stage.ts';

test('after a recording of one namespace, one of the whole cluster knows the others again, and not what it missed', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const cluster = { id: 'scopes', name: 'scopes' };
  const engine = await openStore('memory:', { access: 'write' });
  const recordFor = async (ms: number, namespaces: readonly string[] | undefined): Promise<void> => {
    const { clock } = stage;
    const client = await stage.connect();
    const options = { client, clock, random: seededRandom(7), engine, cluster, collector: 'test', namespaces };
    const recorder = await Recorder.open(options);
    const stop = new AbortController();
    const running = recorder.run(stop.signal);
    await stage.until('it is current', () => recorder.status.current);
    await stage.leap(ms);
    stop.abort();
    let isOver = false;
    void running.finally(() => (isOver = true));
    await stage.until('it has ended', () => isOver);
  };
  const says = async (ip: string, at: number) => {
    const { answer, reason, holders } = await withSnapshot(engine, cluster.id, (snapshot) =>
      who(snapshot, { ip: parseIp(ip)!, at: epochMillis(at) }),
    );
    return [answer, ...holders.map(({ name }) => name), reason ?? ''].join(' ').trim();
  };

  stage.pod('gone', { ip: '10.0.0.7' });
  stage.pod('kept', { ip: '10.0.0.8' });
  await recordFor(20_000, undefined);
  const first = stage.clock.now() - 8_000;
  const narrow = recordFor(60_000, ['kube-system']);
  await stage.pass(5_000);
  stage.remove('gone');
  await narrow;
  const between = stage.clock.now() - 8_000;
  const listed = stage.clock.now() + 8_000;
  // Nobody saw it end: when it was missed its network may have stood, until a kubelet that is ready has found it.
  await recordFor(300_000, undefined);
  const last = stage.clock.now() - 8_000;

  assert.equal(await says('10.0.0.8', first), 'held kept');
  assert.deepEqual([await says('10.0.0.7', between), await says('10.0.0.8', between)], ['ambiguous gone', 'held kept']);
  assert.deepEqual([await says('10.0.0.7', listed), await says('10.0.0.8', listed)], ['ambiguous gone', 'held kept']);
  assert.deepEqual([await says('10.0.0.7', last), await says('10.0.0.8', last)], ['free', 'held kept']);
  assert.deepEqual(
    (await withSnapshot(engine, cluster.id, (snapshot) => snapshot.coverage()))
      .map(({ scope }) => scope.kind)
      .filter((kind) => kind !== 'pods'),
    ['cluster', 'namespaces', 'cluster'],
  );
});
