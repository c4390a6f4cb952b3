import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import { formatHealth, HealthChecks } from './health.ts';

describe('health checks', () => {
  test('the report is ok when every check is, and names each that is not', async () => {
    const checks = new HealthChecks(new ManualClock());
    assert.deepEqual(await checks.report(), { ok: true, checks: [] });
    checks.add('store', () => ({ ok: true }));
    checks.add('disk', async () => ({ ok: false, reason: 'full' }));
    checks.add('watch', () => {
      throw new Error('never started');
    });
    const report = await checks.report();
    assert.equal(report.ok, false);
    assert.equal(
      formatHealth(report),
      '[+]store ok\n[-]disk failed: full\n[-]watch failed: never started\ncheck failed\n',
    );
    checks.add('disk', () => ({ ok: true }));
    checks.add('watch', () => ({ ok: true }));
    assert.equal((await checks.report()).ok, true);
  });

  test('a check that hangs fails in time for the probe', async () => {
    const clock = new ManualClock();
    const checks = new HealthChecks(clock);
    checks.add('hung', () => new Promise(() => {}));
    checks.add('fine', () => ({ ok: true }));
    const report = checks.report();
    await clock.advance(900);
    assert.deepEqual((await report).checks, [
      { name: 'hung', ok: false, reason: 'no answer within 900 ms' },
      { name: 'fine', ok: true, reason: undefined },
    ]);
    assert.equal(clock.pending, 0);
  });
});
