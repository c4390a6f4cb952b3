// Fault 21 at the whole recorder: the machine's clock, the server's, or both are wrong. The stage's clock is the truth.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Engine, epochMillis, openStore, parseIp, withSnapshot } from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';
import { FaultStage } from '../testing/fault-stage.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The clock of the machine that records: the stage's, and so much ahead as it is set. */
class MachineClock implements Clock {
  aheadMs: number;
  readonly #clock: Clock;
  constructor(clock: Clock, aheadMs = 0) {
    this.#clock = clock;
    this.aheadMs = aheadMs;
  }
  now = () => this.#clock.now() + this.aheadMs;
  monotonic = () => this.#clock.monotonic();
  setTimer = (ms: number, fire: () => void) => this.#clock.setTimer(ms, fire);
}

test('fault 21: a recorder whose clock is an hour ahead for 100 s claims nothing of that hour, and no answer is wrong', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web-1', { ip: '10.0.0.7' });
  const clock = new MachineClock(stage.clock);
  const recorded = await RecordedSandbox.start(stage, { clock });
  await stage.pass(10_000);
  clock.aheadMs = HOUR;
  await stage.leap(100_000);
  clock.aheadMs = 0;
  await stage.leap(20_000);
  const deletedAt = stage.clock.now();
  stage.remove('web-1');
  await recorded.current();
  await stage.pass(5_000);
  assert.ok((recorded.recorder.status.coverageTo ?? 0) <= stage.clock.now() + 2_000, 'not beyond the time that it is');
  assert.equal(await recorded.says('10.0.0.7', deletedAt - 2_000 - 5_000), 'held web-1');
  assert.doesNotMatch(await recorded.says('10.0.0.7', deletedAt + 60_000), /held|free/);
  await stage.leap(80_000);
  await recorded.current();
  assert.equal(await recorded.says('10.0.0.7', deletedAt + 60_000), 'free');
});

test('fault 21: a recorder that starts a year ahead records by the server’s time, and says so', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web-1', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage, { clock: new MachineClock(stage.clock, YEAR) });
  await stage.pass(10_000);
  const { coverageTo = 0, clock } = recorded.recorder.status;
  assert.ok(Math.abs(coverageTo - stage.clock.now()) < 2_000);
  assert.match(clock.warning ?? '', /3153\d{4} s ahead of the API server's/);
  assert.equal(await recorded.says('10.0.0.7', stage.clock.now() + YEAR / 2), 'unknown after-last-record');
});

/** A ledger that a recorder of before wrote with a clock that was ahead. */
async function stuckLedger(stage: FaultStage, aheadMs: number): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const writer = await engine.takeOver({ id: 'faults', name: 'faults' });
  const [from, to] = [epochMillis(stage.clock.now() - HOUR), epochMillis(stage.clock.now() + aheadMs)];
  const claim = { from, to, confirmed: to, epoch: 1, collector: 'old', ended: false, opened: 'start' } as const;
  // Observed half an hour ago, moments after what the kubelet wrote: until then the clock was right.
  const seen = Math.floor((stage.clock.now() - HOUR / 2) / 1000) * 1000;
  const provenance = { source: 'watch', epoch: 1, resourceVersion: '7', collector: 'old' } as const;
  const times = { notBefore: epochMillis(seen - 1000), at: epochMillis(seen), notAfter: epochMillis(seen + 1000) };
  const start = { ...provenance, ...times, observedAt: epochMillis(seen + 1500) };
  const pod = { kind: 'Pod', namespace: 'default', name: 'old', uid: 'uid-old', node: 'node-a' } as const;
  const holder = { ...pod, workload: undefined, hostNetwork: false };
  const tenure = { ip: parseIp('10.0.0.8')!, holder, start, end: { ...start, resourceVersion: '8' } };
  await writer.append({
    facts: [
      { kind: 'coverage', coverage: { ...claim, scope: { kind: 'cluster' } } },
      { kind: 'tenure', tenure },
    ],
  });
  return engine;
}

test('fault 21: a store that reaches into the future is cut back, and recording goes on after a gap', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web-1', { ip: '10.0.0.7' });
  const engine = await stuckLedger(stage, YEAR);
  const recorded = await RecordedSandbox.start(stage, { engine });
  await stage.pass(10_000);
  const stretches = await recorded.stretches();
  assert.deepEqual(
    stretches.map(({ ended }) => ended),
    [true, false],
  );
  assert.ok(Math.abs((stretches[0]?.to ?? 0) - (stage.clock.now() - HOUR / 2)) < 20_000, 'where the clock was right');
  assert.ok((stretches[1]?.to ?? 0) <= stage.clock.now() + 2_000);
  assert.equal(await recorded.says('10.0.0.7'), 'held web-1');
  assert.equal(await recorded.says('10.0.0.99', stage.clock.now() + YEAR / 2), 'unknown after-last-record');
});

test('fault 21: where the machine’s clock says the same as such a store, and only the server does not, a person decides', async (t) => {
  const stage = await FaultStage.start(t);
  const engine = await stuckLedger(stage, YEAR);
  const stale = (await withSnapshot(engine, 'faults', (snapshot) => snapshot.coverage())).map(({ to }) => to);
  await assert.rejects(
    async () => {
      const clock = new MachineClock(stage.clock, YEAR);
      const recorded = await RecordedSandbox.open(stage, { engine, clock });
      for (let i = 0; i < 400 && !recorded.hasEnded; i++) await stage.pass(50);
      await recorded.ended;
    },
    ({ code, hint }: { code: string; hint: string }) => code === 'store-ahead' && /store repair/.test(hint),
  );
  assert.deepEqual(
    (await withSnapshot(engine, 'faults', (snapshot) => snapshot.coverage())).map(({ to }) => to),
    stale,
  );
});

test('fault 21: retention asks the server what time it is: 60 days ahead removes nothing', async (t) => {
  const stage = await FaultStage.start(t);
  stage.pod('web-1', { ip: '10.0.0.7' });
  const clock = new MachineClock(stage.clock);
  const first = await RecordedSandbox.start(stage);
  stage.remove('web-1');
  await first.current();
  await first.stop();
  const kept = await first.tenures('10.0.0.7');
  clock.aheadMs = 60 * DAY;
  const second = await RecordedSandbox.start(stage, { engine: first.engine, clock, retentionMs: 30 * DAY });
  await stage.leap(310_000);
  assert.deepEqual(await second.tenures('10.0.0.7'), kept);
  assert.deepEqual(await withSnapshot(second.engine, 'faults', (snapshot) => snapshot.expired()), []);
});
