import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

function bench(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], { encoding: 'utf8' });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

test('help lists every benchmark with its options', () => {
  const { code, stdout } = bench('help');
  assert.equal(code, 0);
  for (const text of [
    'sync:',
    'watch:',
    'store:',
    'attribute:',
    'audit:',
    'lag:',
    'writes:',
    'footprint:',
    'hold:',
    '--pods N',
    '--rate N',
    '--json FILE',
    '--control-plane KUBECONFIG',
  ]) {
    assert.ok(stdout.includes(text), text);
  }
  assert.equal(bench().stdout, stdout);
});

const refusals: Readonly<Record<string, readonly [args: string[], sentence: RegExp]>> = {
  'a benchmark that does not exist': [['nope'], /^There is no benchmark 'nope'; there are: (?:[a-z]+, )+hold\. See /],
  'a peer that does not exist': [['sync', '--only', 'ours,curl'], /^There is no peer 'curl'; there are: ours, /],
  'a number that is none': [['sync', '--pods', 'many'], /^--pods takes a whole number of at least 1, not 'many'\./],
  'an option of another benchmark': [['sync', '--rate', '5'], /^Unknown option '--rate'\./],
  'no benchmark at all': [['--pods', '5'], /^Name a benchmark\./],
};
for (const [what, [args, sentence]] of Object.entries(refusals)) {
  test(`${what} is refused with a sentence and exit code 2`, () => {
    const { code, stderr, stdout } = bench(...args);
    assert.match(stderr.replace(/^== sync\n/, ''), sentence);
    assert.equal(stderr.includes('    at '), false, stderr);
    assert.equal(code, 2);
    assert.equal(stdout, '');
  });
}
