import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { run } from '../testing/run-in-process.ts';

/** What bash offers for a line of words, the last of which is being typed. */
async function offered(...words: string[]): Promise<string[]> {
  const { out } = await run(['completion', 'bash']);
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const script = `${out}\nCOMP_WORDS=(podtrail ${quoted}); COMP_CWORD=${words.length}; _podtrail; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

test('bash completes commands, subcommands, flags and their values', async () => {
  assert.deepEqual(await offered('wh'), ['who']);
  assert.deepEqual(await offered('store', 'ret'), ['retain']);
  assert.deepEqual(await offered('who', '10.0.0.7', '--ti'), ['--timezone']);
  assert.deepEqual(await offered('who', '10.0.0.7', '-o', 'js'), ['json', 'jsonl']);
  assert.deepEqual(await offered('who', '10.0.0.7', '--color', ''), ['auto', 'always', 'never']);
});

test('zsh and fish have their scripts', async () => {
  assert.match((await run(['completion', 'zsh'])).out, /bashcompinit[\s\S]*complete -o default -F _podtrail/);
  const { code, out } = await run(['completion', 'fish']);
  assert.equal(code, 0);
  assert.match(out, /^complete -c podtrail -n '__fish_use_subcommand' -a who -d 'Which pod/m);
  assert.match(out, /__fish_seen_subcommand_from store; and __fish_seen_subcommand_from retain' -l before -r/);
});
