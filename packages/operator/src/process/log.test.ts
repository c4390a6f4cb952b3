import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAge } from './age.ts';
import { Log, problemOf } from './log.ts';

function logAt(level: 'debug' | 'warn') {
  const lines: string[] = [];
  return { lines, log: new Log({ level, now: () => 0, write: (line) => void lines.push(line) }) };
}

test('a log line is one JSON object, whatever is in its values', () => {
  const { log, lines } = logAt('debug');
  log.info('message', { problem: 'two\nlines \u001b[31m', keys: ['a'] });
  assert.equal(lines[0]?.indexOf('\n'), (lines[0]?.length ?? 0) - 1);
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    ...{ time: '1970-01-01T00:00:00.000Z', level: 'info', msg: 'message' },
    ...{ problem: 'two\nlines \u001b[31m', keys: ['a'] },
  });
});

test('a log line has nothing in it that acts on a terminal, and keeps the bytes', () => {
  const hostile = '\u009b31m \u0085 \u007f \u202egnp.exe\u2066 \u200b\u2028\ufeff \u{e0041} é 東 🚀';
  const { log, lines } = logAt('debug');
  log.warn('message', { pod: hostile, [hostile]: 1 });
  assert.doesNotMatch(lines[0] ?? '', /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\u{e0041}/u);
  assert.match(lines[0] ?? '', /\\u009b31m .*\\u202egnp\.exe.* é 東 🚀/);
  assert.equal(JSON.parse(lines[0] ?? '').pod, hostile);
});

test('what is below the level is not said', () => {
  const { log, lines } = logAt('warn');
  log.debug('1');
  log.info('2');
  log.warn('3');
  log.error('4');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['3', '4'],
  );
});

test('a log that cannot be written, or a value that is no JSON, ends nothing', () => {
  const broken = new Log({
    ...{ level: 'info', now: () => 0 },
    write: () => {
      throw new Error('gone');
    },
  });
  broken.error('message');
  const { log, lines } = logAt('debug');
  log.info('message', { count: 1n });
  assert.deepEqual(lines, []);
});

test('a problem is one line', () => {
  assert.equal(problemOf(new Error('a\n  b')), 'a b');
  assert.equal(problemOf('x'), 'x');
});

test('ages are numbers with units, one after the other; anything else is none', () => {
  assert.deepEqual(['7d', '168h', '1h30m', '90s'].map(parseAge), [604_800_000, 604_800_000, 5_400_000, 90_000]);
  assert.deepEqual(['', '7', 'x', '1.5h', '-1h', '1w'].map(parseAge), Array(6).fill(undefined));
});
