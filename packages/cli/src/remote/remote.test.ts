// Commands that ask, of a store and of a server: the same bytes and the same exit code, in every format, also when
// something is wrong.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, type TestContext, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { epochMillis, type Visibility } from '@podtrail/history/wire';
import { systemClock, systemRandom } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger, HttpServer } from '@podtrail/operator/serving';
import { type Ran, type RunOptions, run } from '../testing/run-in-process.ts';
import { serve } from '../testing/served.ts';
import { aStory, at } from '../testing/story.ts';
import { commandRoute } from './command-route.ts';

const SOON = { timeout: 120_000 };
const FORMATS = ['table', 'wide', 'json', 'jsonl', 'yaml', 'csv', 'name'];
const COMMANDS = [
  'who 10.0.0.7 --at 2026-11-15T10:00:30Z',
  'who 10.0.0.7 --at 2026-11-15T10:00:59.5Z',
  'who 10.0.0.99 --at 3m',
  'who 10.0.0.7 --at 2026-11-15T12:00:20+02:00 --timezone Asia/Tokyo',
  'who 10.0.0.7 --at 2026-11-14',
  'trail web-1 -n shop',
  'trail 10.0.0.7 --limit 1',
  'trail web-77 -n shop',
  // A pod may be called as what every object has.
  'trail constructor -n shop',
  'node node-a --at 2026-11-15T10:00:30Z',
  'node node-a --since 1h',
  'changes db-0 -n shop',
  'moves --since 1h',
  'explain web-1 -n shop',
  'anomalies',
  'gaps --since 1h --no-headers',
] as const;
const WRONG = [
  'who 10.0.0',
  'who',
  'who 10.0.0.7 --at yesterday',
  'who 10.0.0.7 --colour',
  'trail deploy/',
  'moves --cause Bored',
  'gaps --cursor nonsense',
  'gaps --cluster other',
  'node nowhere',
] as const;

const HIDDEN = ['web-1', 'web-9', 'db-0', 'job-2', 'agent', 'node-a', 'node-b', 'Deployment'];

let engine: Engine;
before(async () => {
  engine = await aStory();
});

const words = (text: string) => text.split(' ');
const around: RunOptions = { now: at(201), systemZone: 'Europe/Berlin' };

/** Without the line that names the server. */
function withoutServer({ code, out, err }: Ran): Ran {
  return { code, out, err: err.replace(/^asking http:\/\/127\.0\.0\.1:\d+\n/, '') };
}

describe('of a server as of a store', () => {
  for (const command of COMMANDS) {
    test(command, SOON, async (t) => {
      const { origin, token: bearer } = await serve(t, { engine, now: at(201) });
      for (const format of FORMATS) {
        const asked = [...words(command), '-o', format];
        const local = await run(asked, { ...around, engine });
        const remote = await run([...asked, '--server', origin], { ...around, env: { PODTRAIL_TOKEN: bearer } });
        assert.deepEqual(withoutServer(remote), local, format);
        assert.match(remote.err, /^asking http/);
      }
    });
  }

  test('what is wrong is said in the same words', SOON, async (t) => {
    const { origin, token: bearer } = await serve(t, { engine, now: at(201) });
    for (const command of WRONG) {
      const local = await run(words(command), { ...around, engine });
      const remote = await run([...words(command), `--server=${origin}`], {
        ...around,
        env: { PODTRAIL_TOKEN: bearer },
      });
      assert.deepEqual(withoutServer(remote), local, command);
      assert.notEqual(local.code, 0, command);
    }
  });

  test('the namespace of the current context and a terminal that shows colours come along', SOON, async (t) => {
    const { origin, token: bearer } = await serve(t, { engine, now: at(201) });
    const loadConfig = async () => ({ namespace: 'shop' }) as never;
    const env = { PODTRAIL_TOKEN: bearer, TERM: 'xterm' };
    const asked = ['trail', 'web-1'];
    const remote = await run([...asked, '--server', origin], { ...around, env, loadConfig });
    assert.equal(remote.code, 0);
    assert.deepEqual(withoutServer(remote), await run(asked, { ...around, engine, loadConfig }));
    const who = ['who', '10.0.0.7', '--at', '2026-11-15T10:00:30Z'];
    const painted = await run([...who, '--server', origin], { ...around, env, isTTY: true });
    assert.ok(painted.out.includes('\u001b['));
    assert.equal(painted.out, (await run(who, { ...around, engine, env: { TERM: 'xterm' }, isTTY: true })).out);
  });
});

describe('attribute of a server as of a store', () => {
  const rows = Array.from(
    { length: 9_000 },
    (_, i) =>
      `10.0.0.${i % 11},2026-11-15T10:00:${String(i % 60).padStart(2, '0')}Z,2026-11-15T10:01:${String(i % 60).padStart(2, '0')}Z`,
  );
  const files = {
    'flows.csv': `src,start,end\n${rows.join('\n')}\nnobody,2026-11-15T10:00:00Z,x\n`,
    'flows.jsonl': '{"src":"10.0.0.7","start":1794736830}\n{"src":"10.0.0.7"}\n',
    'empty.csv': '',
    'zoneless.csv': 'src,start\n10.0.0.7,2026-11-15 10:00:00\n',
  };
  for (const command of [
    'attribute flows.csv --ip src --time start',
    'attribute flows.csv --ip src --time start --traffic',
    'attribute flows.csv --ip src --time start --end end',
    'attribute flows.csv --ip src --time start --end end --traffic -o jsonl',
    'attribute flows.jsonl --ip src --time start',
    'attribute flows.jsonl --ip src --time start -o csv --no-headers',
    'attribute empty.csv --ip src --time start',
    'attribute zoneless.csv --ip src --time start',
    'attribute nothing.csv --ip src --time start',
    'attribute flows.csv --ip src --time start --cluster other',
    'attribute flows.csv --ip nowhere --time start',
  ]) {
    test(command, SOON, async (t) => {
      const { origin, token: bearer } = await serve(t, { engine, now: at(201) });
      const local = await run(words(command), { ...around, engine, files });
      const env = { PODTRAIL_TOKEN: bearer };
      const remote = await run([...words(command), '--server', origin], { ...around, env, files });
      assert.deepEqual(withoutServer(remote), local);
    });
  }
});

describe('what is no server of podtrail', () => {
  const ANSWERS: readonly [number, string][] = [
    [200, '<html>'],
    [200, 'null'],
    [200, '{"exitCode":0}'],
    [200, '{"exitCode":0,"out":1,"err":2}'],
    [302, ''],
    [405, '{"detail":"Method Not Allowed"}'],
    [422, '{"detail":[{"loc":["body"],"msg":"field required"}]}'],
    [404, '404 page not found'],
  ];
  for (const [status, body] of ANSWERS) {
    test(`that answers ${status} ${body} is said to be none, with what to look at`, SOON, async (t) => {
      const server = createServer((_, response) => response.writeHead(status, { location: '/login' }).end(body));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      t.after(() => server.close());
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { code, out, err } = await run(['gaps', '--server', origin], { ...around, env: { PODTRAIL_TOKEN: 't' } });
      assert.deepEqual([code, out], [1, '']);
      assert.match(
        err,
        /(is no server of podtrail, or an older one|does not answer as podtrail does)\nhint: check the/,
      );
      assert.doesNotMatch(err, /internal|bug|undefined|object Object/);
    });
  }
});

test('a failure that does not say what it is comes with what to look at', SOON, async (t) => {
  for (const [status, body] of [
    [500, '{}'],
    [502, '<html>Bad Gateway</html>'],
    [503, ''],
  ] as const) {
    const server = createServer((_, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, err } = await run(['gaps', '--server', origin], { ...around, env: { PODTRAIL_TOKEN: 't' } });
    assert.equal(code, 1);
    assert.match(err, new RegExp(`answers with status ${status}\nhint: try again`));
  }
});

test('a bug of the server is in its log without --access-log, because its answer says so', SOON, async (t) => {
  const broken = new Proxy(engine, {
    get: (target, name) => {
      if (name === 'snapshot') return () => Promise.reject(new TypeError('this is a bug'));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const served = await serve(t, { engine: broken, now: at(201) });
  const answer = await served.get('/api/v1/gaps');
  assert.equal(answer.status, 500);
  const { requestId } = (await answer.json()) as { readonly requestId: string };
  assert.equal((await served.get('/api/v1/nothing')).status, 404);
  const lines = served
    .err()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  assert.equal(lines.length, 1, served.err());
  assert.match(lines[0] ?? '', /this is a bug/);
  assert.ok(lines[0]?.includes(requestId));
});

describe('a server refuses', () => {
  test('to be sent anything over plain HTTP, if it is another machine', SOON, async () => {
    for (const url of ['http://10.1.2.3:7080', 'http://podtrail.example', 'http://127.0.0.1.example:7080']) {
      const { code, err } = await run(['gaps', '--server', url], { ...around, env: { PODTRAIL_TOKEN: 'secret' } });
      assert.equal(code, 2, url);
      assert.match(err, /over plain HTTP\nhint: use https/);
    }
  });

  test('to be given as the URL of its page, whose token it does not repeat', SOON, async () => {
    for (const behind of ['/?token=secret', '/podtrail', '/api/v1/']) {
      const { code, err } = await run(['gaps', '--server', `http://127.0.0.1:7080${behind}`], around);
      assert.equal(code, 2, behind);
      assert.match(err, /hint: write --server http:\/\/127\.0\.0\.1:7080\. A token goes into PODTRAIL_TOKEN/);
      assert.doesNotMatch(err, /secret/);
    }
  });

  test('who has no token, what is no server, and two places to ask, each with what to do', SOON, async (t) => {
    const { origin, token: bearer } = await serve(t, { engine, now: at(201) });
    const asked = ['who', '10.0.0.7'];
    const stranger = await run([...asked, '--server', origin], around);
    assert.equal(stranger.code, 6);
    assert.match(
      stranger.err,
      /does not know who asks\nhint: put the token that the server printed into PODTRAIL_TOKEN/,
    );
    const wrong = { ...around, env: { PODTRAIL_TOKEN: 'of-another-run-of-it' } };
    const late = await run([...asked, '--server', origin], wrong);
    assert.equal(late.code, 6);
    assert.match(late.err, /does not know who asks: the token is not valid there\nhint: put the token/);
    const withLine = { ...around, env: { PODTRAIL_TOKEN: `${bearer}\n` } };
    assert.equal((await run([...asked, '--server', origin], withLine)).code, 3, 'as a file that was read ends');
    for (const token of [`Bearer ${wrong.env.PODTRAIL_TOKEN}`, 'of-another\nrun-of-it', 'of-änother-run-of-it']) {
      const no = await run([...asked, '--server', origin], { ...around, env: { PODTRAIL_TOKEN: token } });
      assert.equal(no.code, 2, no.err);
      assert.match(no.err, /PODTRAIL_TOKEN has characters that no token has\nhint: put the token alone into it/);
    }
    const secure = await run([...asked, '--server', origin.replace('http:', 'https:')], wrong);
    assert.equal(secure.code, 1);
    assert.match(secure.err, /does not answer \(EPROTO\)\nhint: there is no TLS at this port: write http:/);
    const gone = await serve(t, { engine, now: at(201) });
    await gone.stop();
    const nobody = await run([...asked, '--server', gone.origin], around);
    assert.equal(nobody.code, 1);
    assert.match(nobody.err, /http:\/\/127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)\nhint: check the address/);
    const both = await run([...asked, '--server', origin, '--store', 'memory:'], around);
    assert.equal(both.code, 2);
    assert.equal((await run([...asked, '--server', 'ledger.db'], around)).code, 2);
  });

  test('what reaches beyond the ledger, and more than it prints at once', SOON, async (t) => {
    const { origin, token: bearer } = await serve(t, { engine, now: at(201) });
    const post = async (command: readonly string[]) => {
      const response = await fetch(`${origin}/api/v1/commands`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
        body: JSON.stringify({ words: command, zone: 'UTC', namespace: null, colour: false }),
      });
      return [response.status, ((await response.json()) as { code?: string }).code];
    };
    for (const command of [
      ['export'],
      ['import', '/etc/passwd'],
      ['store', 'status'],
      ['serve'],
      ['who', '10.0.0.7', '--store', 'sqlite:/etc/passwd'],
      ['who', '10.0.0.7', '--store=sqlite:/etc/passwd'],
      ['who', '10.0.0.7', '--kubeconfig=/root/.kube/config'],
      ['who', '10.0.0.7', '--server', 'http://169.254.169.254'],
    ])
      assert.deepEqual(await post(command), [400, 'bad-command'], command.join(' '));
    for (const limit of [
      ['--limit', '0'],
      ['--limit=10001'],
      ['--limit', '5', '--limit', '0'],
      // What looks like the last limit is the value of another flag.
      ['--limit', '0', '--cluster', '--limit', '--cluster', 'prod-eu'],
    ])
      assert.deepEqual(await post(['gaps', ...limit]), [400, 'bad-page'], limit.join(' '));
    assert.deepEqual(await post(['gaps', '--limit', '10000']), [200, undefined]);
    assert.deepEqual(await post([]), [400, 'bad-command']);
  });

  test('nothing of what the caller may not see: neither rows nor hints', SOON, async (t) => {
    const origin = await narrowed(t);
    const asked = (text: string) => run([...words(text), '--server', origin], around);
    for (const command of COMMANDS.filter((one) => !one.startsWith('anomalies'))) {
      const { out, err } = await asked(command);
      // What was asked about may be repeated.
      for (const name of HIDDEN.filter((one) => !command.includes(one)))
        assert.ok(!`${out}${err}`.includes(name), `${command} names ${name}`);
    }
    assert.equal((await asked('who 10.0.0.7 --at 2026-11-15T10:00:30Z')).code, 5);
    assert.equal((await asked('anomalies')).code, 6);
  });

  test('attribute says once that its answers are narrowed, however long the log is', SOON, async (t) => {
    const row = '10.0.0.7,2026-11-15T10:00:30Z\n';
    const asked = ['attribute', 'flows.csv', '--ip', 'src', '--time', 'at', '--server', await narrowed(t)];
    for (const more of [[], ['-q']]) {
      const ran = await run([...asked, ...more], { ...around, files: { 'flows.csv': `src,at\n${row.repeat(9_000)}` } });
      assert.equal(ran.code, 0, ran.err);
      const said = ran.err.split('\n').filter((line) => line.startsWith('narrowed '));
      assert.deepEqual(said, ['narrowed to the namespaces in which you may list pods: other']);
      for (const name of HIDDEN) assert.ok(!`${ran.out}${ran.err}`.includes(name), name);
    }
  });
});

/** The origin of a server whose caller may see one namespace, of which the ledger has nothing. */
async function narrowed(t: TestContext): Promise<string> {
  const visibility: Visibility = { kind: 'namespaces', since: new Map([['other', epochMillis(0)]]) };
  const ledger = new AskedLedger(engine, new ManualClock(at(201)));
  const server = await HttpServer.start({
    ...{ host: '127.0.0.1', port: 0, clock: systemClock },
    routes: [commandRoute(ledger, { clock: new ManualClock(at(201)), random: systemRandom })],
    access: { identify: async () => ({ name: 'sam', groups: [] }), visibility: async () => visibility },
  });
  t.after(() => server.close(0));
  return `http://127.0.0.1:${server.port}`;
}
