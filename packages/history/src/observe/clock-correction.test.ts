import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { diagnoseClock, repairClock } from '../engines/clock-repair.ts';
import type { Engine } from '../engines/engine.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { openStore } from '../engines/open-store.ts';
import { exportLines } from '../query/export.ts';
import { aPod } from '../testing/observed-pod.ts';
import { scratchDirectory } from '../testing/scratch-directory.ts';
import { at, CLUSTER, TestLedger } from '../testing/test-ledger.ts';

const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;
const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(5)).readyAt(at(7));
const job = aPod('job').withIp('10.0.0.8').createdAt(at(120)).readyAt(at(121));

/** Right until 100 s. Then the clock is `ahead`, the watch goes on for 200 s, and web-1 ends in that time. */
async function wronglyDated(ahead: number, engine: Engine = new MemoryEngine()): Promise<TestLedger> {
  const ledger = new TestLedger({ kind: 'cluster' }, engine);
  await ledger.list(0, 'start');
  await ledger.see(8, web);
  await ledger.alive(100);
  await ledger.see(ahead + 122, job);
  await ledger.deleted(ahead + 150, web);
  await ledger.alive(ahead + 200);
  return ledger;
}

for (const [store, open] of [
  ['in memory', async () => new MemoryEngine()],
  ['in SQLite', async () => await openStore(`sqlite:${scratchDirectory('clock')}/store.db`, { access: 'write' })],
] as const) {
  describe(`a ledger ${store} whose recorder had a wrong clock`, () => {
    test('fault 21: is cut back to before the jump, keeps its records, and goes on with a gap', async () => {
      const engine = await open();
      const ledger = await wronglyDated(YEAR, engine);
      assert.equal(await ledger.answer('10.0.0.9', YEAR / 2), 'free', 'that is the harm');
      const records = (await Array.fromAsync(exportLines(engine, CLUSTER.id))).length;
      const diagnosis = await diagnoseClock(engine, { cluster: CLUSTER.id, now: at(300) });
      assert.ok(diagnosis !== undefined);
      assert.equal(diagnosis.latest, at(YEAR + 200));
      assert.ok(diagnosis.since <= at(100), 'the last observation whose clock agreed with the objects');
      await repairClock(engine, await engine.takeOver(CLUSTER), { ...diagnosis, since: at(100) });
      assert.equal((await Array.fromAsync(exportLines(engine, CLUSTER.id))).length, records + 1, 'and an anomaly');
      await ledger.restart();
      await ledger.alive(301);
      await ledger.see(310, aPod('next').withIp('10.0.0.9').createdAt(at(308)).readyAt(at(309)));
      await ledger.alive(400);
      assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
      assert.equal(await ledger.answer('10.0.0.7', 200), 'ambiguous web-1', 'it ended at some time in between');
      assert.equal(await ledger.answer('10.0.0.9', 200), 'unknown gap');
      assert.equal(await ledger.answer('10.0.0.7', 380), 'free');
      assert.equal(await ledger.answer('10.0.0.8', 380), 'held job');
      assert.equal(await ledger.answer('10.0.0.9', YEAR / 2), 'unknown after-last-record');
      const [, second] = await ledger.coverage();
      assert.equal(second?.opened, 'clock');
      await engine.close();
    });

    test('a repair changes nothing a second time, and nothing where there is nothing wrong', async () => {
      const engine = await open();
      await wronglyDated(HOUR, engine);
      const question = { cluster: CLUSTER.id, now: at(300) };
      const diagnosis = await diagnoseClock(engine, question);
      assert.ok(diagnosis !== undefined && diagnosis.records.coverage === 1);
      const writer = await engine.takeOver(CLUSTER);
      await repairClock(engine, writer, diagnosis);
      const once = await Array.fromAsync(exportLines(engine, CLUSTER.id));
      assert.equal(await diagnoseClock(engine, question), undefined);
      await repairClock(engine, writer, diagnosis);
      assert.deepEqual(await Array.fromAsync(exportLines(engine, CLUSTER.id)), once);
      await engine.close();
    });

    test('a claim that began in the wrong time is void, and a late word of it does not bring it back', async () => {
      const engine = await open();
      const ledger = await wronglyDated(YEAR, engine);
      await ledger.list(YEAR + 220, 'expired', web);
      await ledger.alive(YEAR + 250);
      const stale = await ledger.coverage();
      assert.equal(stale.length, 2);
      const diagnosis = await diagnoseClock(engine, { cluster: CLUSTER.id, now: at(300), since: at(100) });
      assert.ok(diagnosis !== undefined);
      const writer = await engine.takeOver(CLUSTER);
      await repairClock(engine, writer, diagnosis);
      await writer.append({ facts: stale.map((coverage) => ({ kind: 'coverage', coverage })) });
      assert.deepEqual(
        (await ledger.coverage()).map(({ from, to, ended }) => [from, to, ended]),
        [[at(0), at(100), true]],
      );
      assert.equal((await engine.resume(CLUSTER.id)).state.coverage?.to, at(100));
      await engine.close();
    });
  });
}

test('what the wrong clock had sealed into a week that has not come is corrected, too', async () => {
  const path = `${scratchDirectory('clock')}/store.db`;
  const engine = await openStore(`sqlite:${path}`, { access: 'write' });
  const ledger = await wronglyDated(YEAR, engine);
  await engine.maintain(at(YEAR + 60 * 24 * HOUR));
  assert.equal(readdirSync(`${path}.d`).length, 1, 'a week is sealed');
  const diagnosis = await diagnoseClock(engine, { cluster: CLUSTER.id, now: at(300), since: at(100) });
  assert.ok(diagnosis !== undefined && diagnosis.records.tenure > 0);
  await repairClock(engine, await engine.takeOver(CLUSTER), diagnosis);
  await ledger.restart();
  await ledger.alive(301);
  await ledger.alive(400);
  assert.equal((await ledger.tenures('10.0.0.7')).length, 1);
  assert.equal(await ledger.answer('10.0.0.7', 50), 'held web-1');
  assert.equal(await ledger.answer('10.0.0.7', 200), 'ambiguous web-1');
  assert.equal(await ledger.answer('10.0.0.7', 390), 'free');
  assert.equal((await engine.verify()).damages.length, 0);
  await engine.close();
});

test('fault 21: an observer that learns that its clock was wrong takes back what it claimed, and its time goes back', async () => {
  const ledger = await wronglyDated(HOUR);
  await ledger.observe({ kind: 'clock', since: at(100), at: at(300) });
  await ledger.alive(301);
  await ledger.see(310, job.annotated({ a: '1' }));
  await ledger.alive(329);
  await ledger.deleted(330, job);
  await ledger.alive(400);
  assert.equal(await ledger.answer('10.0.0.9', 350), 'free');
  assert.equal(await ledger.answer('10.0.0.9', 200), 'unknown gap');
  assert.equal(await ledger.answer('10.0.0.8', 320), 'held job');
  assert.equal(await ledger.answer('10.0.0.8', 380), 'free');
  assert.equal(await ledger.answer('10.0.0.9', HOUR), 'unknown after-last-record');
});
