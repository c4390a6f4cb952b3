import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../main.ts', import.meta.url));
const FLAGS = ['--nodes', '4', '--pods', '60', '--seed', '7', '--speed', '20'];
/** As small as it gets, for what does not depend on what happens. */
const SMALL = ['--nodes', '2', '--pods', '8', '--seed', '7', '--speed', '0'];

function podtrail(words: readonly string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env });
}

/** One that does not end though it should is ended with its test. */
const SOON = { timeout: 120_000 };
function podtrailOf(t: TestContext, words: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess {
  const child = podtrail(words, env);
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** A place of its own for temporary directories, so that whatever is left there is the demo's. */
function aTemporaryRoot(t: TestContext): { readonly root: string; readonly env: NodeJS.ProcessEnv } {
  const root = mkdtempSync(join(tmpdir(), 'podtrail-test-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  // Node's own cache of compiled modules stays where it is.
  return { root, env: { ...process.env, TMPDIR: root, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') } };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function ended(child: ChildProcess): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (bytes) => (output.stdout += bytes));
  child.stderr?.on('data', (bytes) => (output.stderr += bytes));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** Resolves at the first line that matches, with its first group. */
function printed(child: ChildProcess, wanted: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const lines = createInterface({ input: child.stdout! });
  lines.on('line', (line) => {
    const found = wanted.exec(line);
    if (found !== null) resolve(found[1] ?? '');
  });
  child.once('close', (code) => reject(new Error(`it ended with ${code} before it said ${wanted}`)));
  return promise;
}

test('the demo records a day, prints commands that work as they are printed, lives, and leaves nothing behind', async () => {
  const demo = podtrail(['demo', ...FLAGS]);
  const lines: string[] = [];
  const reader = createInterface({ input: demo.stdout! });
  const isLiving = Promise.withResolvers<void>();
  reader.on('line', (line) => {
    lines.push(line);
    // What happens now is printed with the time of day; a pod that moved, with the cause.
    if (/^\d\d:\d\d:\d\d {2}\S+ moved node-0\d → node-0\d: [a-z]/.test(line)) isLiving.resolve();
  });
  let complaint = '';
  demo.stderr?.on('data', (bytes) => (complaint += bytes));
  demo.on('close', () => isLiving.reject(new Error(`the demo ended: ${lines.join('\n')}\n${complaint}`)));
  try {
    await isLiving.promise;
    assert.match(lines[0] ?? '', /^open in a browser, works once: http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+$/);
    assert.match(lines[1] ?? '', /^podtrail demo: a simulated cluster of 4 nodes and about 60 pods \(--seed 7\)$/);
    assert.match(lines[2] ?? '', /^a day of history \(\d+ changes\) recorded in [\d.]+ s$/);
    const commands = lines.flatMap((line) => /^ {5}npx podtrail (.+)$/.exec(line)?.[1] ?? []);
    assert.deepEqual(
      commands.map((command) => command.split(' ')[0]),
      ['who', 'trail', 'explain', 'attribute', 'gaps'],
    );
    const results = await Promise.all(commands.map((command) => ended(podtrail(command.split(' ')))));
    const [who, trail, explain, attribute, gaps] = results as [Ended, Ended, Ended, Ended, Ended];
    assert.equal(who.code, 0, who.stderr);
    const ip = commands[0]?.split(' ')[1] ?? '';
    assert.match(who.stdout, new RegExp(`^${ip.replaceAll('.', '\\.')} was held by pod \\S+ on node node-0\\d`));
    assert.equal(trail.code, 0, trail.stderr);
    const pod = commands[1]?.split(' ')[1] ?? '';
    assert.ok(trail.stdout.split(pod).length >= 3, `a trail of several lives:\n${trail.stdout}`);
    assert.equal(explain.code, 0, explain.stderr);
    assert.match(explain.stdout, /^\S+ on node-0\d .+\. \([A-Z]\w+, (?:certain|inferred)\)$/m);
    assert.doesNotMatch(explain.stdout, /\(Unknown, /);
    assert.equal(attribute.code, 0, attribute.stderr);
    const rows = attribute.stdout.trimEnd().split('\n');
    assert.equal(rows.length, 2001, 'a header and every row of the flow log');
    const held = rows.filter((row) => row.includes(',held,')).length;
    // Half of the day's pods are jobs of less than a minute: the seconds at both ends of them are in doubt.
    assert.ok(held > 1850, `${held} of 2000 rows are attributed`);
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
    reader.close();
  }
});

test('a demo that is asked to end before its day is over ends at once, and leaves nothing behind', async () => {
  const { code, stdout } = await ended(podtrail(['demo', ...FLAGS, '--duration', '300ms']));
  assert.equal(code, 0);
  assert.match(stdout, /^podtrail demo: /m);
});

test('demo --no-serve serves nothing, and says how the page can be had', SOON, async (t) => {
  const demo = podtrailOf(t, ['demo', ...SMALL, '--no-serve']);
  const lines: string[] = [];
  createInterface({ input: demo.stdout! }).on('line', (line) => lines.push(line));
  await printed(demo, /^the page, and answers for scripts: npx podtrail serve --store sqlite:\S+$/);
  assert.match(lines[0] ?? '', /^podtrail demo: /);
  assert.ok(!lines.some((line) => line.includes('http://')), lines.join('\n'));
});

test(
  'demo answers on this machine until it ends: the page, a URL that works once, a cookie, a token',
  SOON,
  async (t) => {
    const { root, env } = aTemporaryRoot(t);
    const demo = podtrailOf(t, ['demo', ...SMALL], env);
    const end = ended(demo);
    const [url, bearer] = await Promise.all([
      printed(demo, /^open in a browser, works once: (http:\/\/127\.0\.0\.1:\d+\/\S+)$/),
      printed(demo, /^for scripts: Authorization: Bearer (\S+)$/),
    ]);
    const { origin } = new URL(url);
    const gaps = (headers: Record<string, string>) => fetch(`${origin}/api/v1/gaps`, { headers });
    assert.equal((await gaps({})).status, 401);
    assert.match(await (await fetch(`${origin}/trail`)).text(), /<script type="module" src="\/assets\/page-\w+\.js">/);
    const first = await fetch(url, { redirect: 'manual' });
    assert.equal(first.status, 303);
    const cookie = first.headers.get('set-cookie') ?? '';
    assert.match(cookie, /; HttpOnly; SameSite=Strict; /);
    assert.equal((await fetch(url, { redirect: 'manual' })).status, 401, 'it works once');
    assert.equal((await gaps({ cookie: cookie.split(';')[0] ?? '' })).status, 200);
    assert.equal((await gaps({ authorization: `Bearer ${bearer}` })).status, 200);
    assert.equal((await gaps({ authorization: `Bearer ${bearer}`, origin: 'http://evil.example' })).status, 403);
    const asked = await ended(podtrail(['gaps', '--server', origin], { ...env, PODTRAIL_TOKEN: bearer }));
    assert.ok(asked.code === 0 || asked.code === 3, asked.stderr);
    assert.match(asked.stdout, /^demo was watched from /);
    demo.kill('SIGINT');
    const { code, stderr } = await end;
    assert.deepEqual({ code, stderr, left: readdirSync(root) }, { code: 0, stderr: '', left: [] });
    await assert.rejects(gaps({}));
  },
);

for (const [sentence, signals] of [
  ['SIGTERM', ['SIGTERM']],
  ['SIGHUP, as a closed terminal sends it,', ['SIGHUP']],
  // The same request, from the terminal and from those who started us. (Two of the same signal would become one.)
  ['SIGINT that comes along with others', ['SIGINT', 'SIGTERM', 'SIGHUP']],
] as const) {
  test(`${sentence} ends the demo, and nothing is left behind`, SOON, async (t) => {
    const { root, env } = aTemporaryRoot(t);
    const demo = podtrailOf(t, ['demo', ...FLAGS], env);
    const isLiving = printed(demo, /Try in another terminal/);
    const end = ended(demo);
    await isLiving;
    assert.equal(readdirSync(root).length, 1);
    for (const signal of signals) demo.kill(signal);
    const { code, stderr } = await end;
    assert.deepEqual({ code, stderr, left: readdirSync(root) }, { code: 0, stderr: '', left: [] });
  });
}

test('a demo whose reader has gone ends by itself without a word, and leaves nothing behind', SOON, async (t) => {
  const { root, env } = aTemporaryRoot(t);
  const demo = podtrailOf(t, ['demo', ...FLAGS], env);
  const end = ended(demo);
  await printed(demo, /^podtrail demo/);
  demo.stdout?.destroy();
  const { code, stderr } = await end;
  assert.deepEqual({ code, stderr, left: readdirSync(root) }, { code: 0, stderr: '', left: [] });
});

test('what a killed demo leaves behind is removed by the next one', SOON, async (t) => {
  const { root, env } = aTemporaryRoot(t);
  const killed = podtrailOf(t, ['demo', ...FLAGS], env);
  const end = ended(killed);
  await printed(killed, /^a day of history/);
  killed.kill('SIGKILL');
  await end;
  assert.equal(readdirSync(root).length, 1, 'a kill leaves it');
  const { code, stderr } = await ended(podtrailOf(t, ['demo', ...FLAGS, '--duration', '300ms'], env));
  assert.deepEqual({ code, stderr, left: readdirSync(root) }, { code: 0, stderr: '', left: [] });
});

test(
  'a sandbox ends with its signals and with its reader, without a word, and also before its pods run',
  SOON,
  async (t) => {
    const words = ['sandbox', '--nodes', '4', '--pods', '60', '--seed', '7'];
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const sandbox = podtrailOf(t, words);
      const end = ended(sandbox);
      await printed(sandbox, /^https:/);
      sandbox.kill(signal);
      assert.equal((await end).code, 0, signal);
    }
    const unread = podtrailOf(t, words);
    unread.stdout?.destroy();
    const { code, stderr } = await ended(unread);
    assert.equal(code, 0);
    assert.match(stderr, /^starting a cluster of 4 nodes and about 60 pods \(--seed 7\) …\n$/);
    const large = podtrailOf(t, ['sandbox', '--nodes', '500', '--pods', '20000']);
    const end = ended(large);
    await once(large.stderr!, 'data');
    large.kill('SIGINT');
    assert.deepEqual({ ...(await end), stderr: '' }, { code: 0, stdout: '', stderr: '' });
  },
);

test('a sandbox whose second port is taken says so and ends', SOON, async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const words = ['sandbox', '--nodes', '2', '--pods', '10', '--fault-port', String(port)];
  const { code, stderr } = await ended(podtrailOf(t, words));
  assert.equal(code, 2);
  assert.match(stderr, new RegExp(`port ${port} is taken`));
});

test('what cannot be simulated is refused with a sentence', async () => {
  for (const [words, sentence] of [
    [['--pods', '5000', '--nodes', '2'], /5000 pods do not fit on 2 nodes/],
    [['--speed', 'fast'], /--speed fast is out of range/],
    [['--duration', 'soon'], /--duration soon is not a duration/],
    [['--seed', '-1'], /--seed/],
    [['--serve', '70800'], /--serve 70800 is not a port/],
  ] as const) {
    const { code, stderr } = await ended(podtrail(['demo', ...words]));
    assert.equal(code, 2, stderr);
    assert.match(stderr, sentence);
  }
});
