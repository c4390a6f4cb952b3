// A short run of the benchmark of serve: that it goes through, and that its JSON has what is promised. No figure is judged.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('a short run has ratios.who, errors, the recorder’s lag and memory in its JSON', {
  timeout: 240_000,
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-serve-test-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const json = join(directory, 'report.json');
  const words = ['serve', '--tenures', '2000', '--weeks', '2', '--clients', '8', '--seconds', '2', '--rate', '200'];
  const main = join(import.meta.dirname, 'main.ts');
  const run = spawn(process.execPath, [main, ...words, '--directory', directory, '--json', json], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [run.stdout, run.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(run, 'exit');
  assert.equal(code, 0, said);
  const { ratios, errors, lag, memory, mixed, load, machine } = JSON.parse(await readFile(json, 'utf8'));
  for (const [name, value] of Object.entries({
    ...{ 'ratios.who': ratios.who, 'ratios.whoCpu': ratios.whoCpu, 'ratios.whoAgain': ratios.whoAgain },
    ...{ 'lag.p50': lag.p50, 'lag.p99': lag.p99, 'lag.samples': lag.samples, 'memory.peakBytes': memory.peakBytes },
    ...{ 'memory.growth': memory.growth, 'mixed.perSecond': mixed.perSecond },
  })) {
    assert.ok(typeof value === 'number' && value > 0, `${name}: ${value}\n${said}`);
  }
  assert.equal(errors, 0, said);
  assert.equal(lag.missed, 0, said);
  assert.equal(load.length, 3);
  assert.ok(machine.cores >= 1);
});
