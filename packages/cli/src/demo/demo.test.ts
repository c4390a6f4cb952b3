import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../main.ts', import.meta.url));
const FLAGS = ['--nodes', '4', '--pods', '60', '--seed', '7', '--speed', '20'];

function podtrail(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function ended(child: ChildProcess): Promise<Ended> {
  const told = { stdout: '', stderr: '' };
  child.stdout?.on('data', (bytes) => (told.stdout += bytes));
  child.stderr?.on('data', (bytes) => (told.stderr += bytes));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...told };
}

test('the demo records a day, prints commands that work as they are printed, lives, and leaves nothing behind', async () => {
  const demo = podtrail(['demo', ...FLAGS]);
  const lines: string[] = [];
  const heard = createInterface({ input: demo.stdout! });
  const isLiving = Promise.withResolvers<void>();
  heard.on('line', (line) => {
    lines.push(line);
    // What happens now, after the first status line, is told with the time of day.
    if (lines.filter((told) => /^\d\d:\d\d:\d\d {2}/.test(told)).length >= 3) isLiving.resolve();
  });
  let complaint = '';
  demo.stderr?.on('data', (bytes) => (complaint += bytes));
  demo.on('close', () => isLiving.reject(new Error(`the demo ended: ${lines.join('\n')}\n${complaint}`)));
  try {
    await isLiving.promise;
    assert.match(lines[0] ?? '', /^podtrail demo: a simulated cluster of 4 nodes and about 60 pods \(--seed 7\)$/);
    assert.match(lines[1] ?? '', /^a day of history \(\d+ changes\) recorded in [\d.]+ s$/);
    const commands = lines.flatMap((line) => /^ {5}npx podtrail (.+)$/.exec(line)?.[1] ?? []);
    assert.deepEqual(
      commands.map((command) => command.split(' ')[0]),
      ['who', 'trail', 'node', 'attribute', 'gaps'],
    );
    const results = await Promise.all(commands.map((command) => ended(podtrail(command.split(' ')))));
    const [who, trail, node, attribute, gaps] = results as [Ended, Ended, Ended, Ended, Ended];
    assert.equal(who.code, 0, who.stderr);
    const ip = commands[0]?.split(' ')[1] ?? '';
    assert.match(who.stdout, new RegExp(`^${ip.replaceAll('.', '\\.')} was held by pod \\S+ on node node-0\\d`));
    assert.equal(trail.code, 0, trail.stderr);
    const pod = commands[1]?.split(' ')[1] ?? '';
    assert.ok(trail.stdout.split(pod).length >= 3, `a trail of several lives:\n${trail.stdout}`);
    assert.equal(node.code, 0, node.stderr);
    assert.ok(node.stdout.split('\n').length > 3, 'several pods were on that node');
    assert.equal(attribute.code, 0, attribute.stderr);
    const rows = attribute.stdout.trimEnd().split('\n');
    assert.equal(rows.length, 2001, 'a header and every row of the flow log');
    const held = rows.filter((row) => row.includes(',held,')).length;
    assert.ok(held > 1900, `${held} of 2000 rows are attributed`);
    // Nobody has killed the recorder: the day has no gap.
    assert.ok(gaps.code === 0 || gaps.code === 3, gaps.stderr);

    const store = /--store sqlite:(\S+)/.exec(commands[0] ?? '')?.[1] ?? '';
    assert.ok(existsSync(store));
    demo.kill('SIGINT');
    const [code] = (await once(demo, 'close')) as [number | null];
    assert.equal(code, 0, complaint);
    assert.equal(existsSync(dirname(store)), false, 'its directory is gone');
  } finally {
    demo.kill('SIGKILL');
    heard.close();
  }
});

test('a demo that is told to end before its day is over ends at once, and leaves nothing behind', async () => {
  const { code, stdout } = await ended(podtrail(['demo', ...FLAGS, '--duration', '300ms']));
  assert.equal(code, 0);
  assert.match(stdout, /^podtrail demo: /);
});

test('what cannot be simulated is refused with a sentence', async () => {
  for (const [words, sentence] of [
    [['--pods', '5000', '--nodes', '2'], /5000 pods do not fit on 2 nodes/],
    [['--speed', 'fast'], /--speed fast does not do/],
    [['--duration', 'soon'], /--duration soon is not a duration/],
    [['--seed', '-1'], /--seed/],
  ] as const) {
    const { code, stderr } = await ended(podtrail(['demo', ...words]));
    assert.equal(code, 2, stderr);
    assert.match(stderr, sentence);
  }
});
