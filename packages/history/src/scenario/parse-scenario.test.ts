import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { HistoryError } from '../errors.ts';
import { parseScenario } from './parse-scenario.ts';
import { runScenario } from './run-scenario.ts';

function refusal(text: string): string {
  try {
    parseScenario('x.trail', text);
  } catch (error) {
    assert.ok(error instanceof HistoryError && error.code === 'bad-scenario');
    return `${error.message}; ${error.hint}`;
  }
  return 'accepted';
}

describe('a scenario', () => {
  test('may have comments, blank lines and asks anywhere', () => {
    const { statements, asks } = parseScenario(
      'x.trail',
      '# a story\n\n10:00 watch starts # here\nask 10:01 who 10.0.0.1 -> free\n10:02 pod a/b completes\n',
    );
    assert.deepEqual(
      statements.map(({ kind, line }) => [kind, line]),
      [
        ['watch-starts', 3],
        ['pod-ends', 5],
      ],
    );
    assert.equal(asks.length, 1);
  });

  test('a line that is not understood is refused with its number and what was expected', () => {
    assert.equal(
      refusal('10:00 watch starts\n10:01 service shop/db sleeps'),
      'x.trail:2: "10:01 service shop/db sleeps" is not understood; ' +
        'expected one of "service shop/db has 10.96.0.10", "service shop/db is deleted".',
    );
    assert.match(refusal('watch starts'), /^x\.trail:1: .*; expected a time like 10:05/);
    assert.match(refusal('25:00 watch starts'), /expected a time like 10:05/);
    assert.match(refusal('10:05 watch starts\n10:04 pod a/b completes'), /not before the line above/);
    assert.match(refusal('10:05 pod web gets 10.0.0.1 on n'), /expected namespace\/name where "web" stands/);
    assert.match(refusal('10:05 pod a/web gets 10.0.0.300 on n'), /expected an address where "10.0.0.300" stands/);
  });

  test('an ask that cannot be is refused', () => {
    assert.match(refusal('ask 10:00 who 10.0.0.1'), /expected "ask 10:06 who/);
    assert.match(refusal('ask 10:00 who 10.0.0.1 -> held'), /one holder after "held"/);
    assert.match(refusal('ask 10:00 who 10.0.0.1 -> free a/b'), /nobody after "free"/);
    assert.match(refusal('ask 10:00 who 10.0.0.1 -> ambiguous'), /the candidates after "ambiguous"/);
    assert.match(refusal('ask 10:00 who 10.0.0.1 -> unknown why'), /why it is unknown: one of/);
  });

  test('what cannot happen is refused when it is played, with its line', async () => {
    const play = (text: string) => runScenario(new MemoryEngine(), 'c', parseScenario('x.trail', text));
    await assert.rejects(play('10:00 watch starts\n10:01 pod a/b completes'), /x\.trail:2: there is no pod b then/);
    await assert.rejects(play('10:01 pod a/b gets 10.0.0.1'), /x\.trail:1: say on which node b is/);
    const moves = '10:00 watch starts\n10:01 pod a/b gets 10.0.0.1 on n\n10:02 pod a/b gets 10.0.0.2 on m';
    await assert.rejects(play(moves), /x\.trail:3: b is on n; a pod never changes its node/);
    await assert.rejects(play('10:00 watch is lost until 10:01'), /x\.trail:1: the watch has not started/);
  });

  test('an answer that differs is printed beside what was expected', async () => {
    const story = '10:00 watch starts\n10:01 pod a/b gets 10.0.0.1 on n\nask 10:02 who 10.0.0.1 -> free';
    const [outcome] = await runScenario(new MemoryEngine(), 'c', parseScenario('x.trail', story));
    assert.deepEqual([outcome?.expected, outcome?.given], ['free', 'held a/b']);
  });
});
