// trail, node, changes and gaps on the story.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { parse } from 'yaml';
import { run } from '../testing/run-in-process.ts';
import { aLedgerWithFlood, aStory, at, CLUSTER, HOSTILE } from '../testing/story.ts';

let engine: Engine;
before(async () => {
  engine = await aStory();
});

const ask = (words: string, options = {}) => run(words.split(' '), { engine, now: at(201), ...options });
const WARNING =
  'nobody was watching from 2026-11-15T10:01:40Z to 10:02:40Z (the watch expired and the server no longer had the versions in between): what happened then may be missing here\n';

test('trail of an address: all who held it, in order, and what may be missing', async () => {
  const { code, out, err } = await ask('trail 10.0.0.7');
  assert.equal(code, 0);
  assert.equal(err, WARNING);
  assert.equal(
    out,
    `NAMESPACE   NAME    IP         NODE     WORKLOAD         FROM                       TO                                HELD    CAUSE            NEXT
shop        web-1   10.0.0.7   node-a   Deployment/web   2026-11-15T09:58:20Z ±1s   2026-11-15T10:00:59Z ±1s          2m39s   <not recorded>   <none>
shop        job-2   10.0.0.7   node-a   Job/job          2026-11-15T10:01:09Z ±1s   2026-11-15T10:01:35Z..10:02:44Z   91s     <not recorded>   <none>
`,
  );
});

test('trail in JSON', async () => {
  const { out } = await ask('trail deploy/web -n shop -o json');
  const document = JSON.parse(out);
  assert.deepEqual(document.query, {
    ...{
      cluster: CLUSTER.name,
      clusterId: CLUSTER.id,
      by: 'workload',
      namespace: 'shop',
      kind: 'Deployment',
      name: 'web',
    },
    ...{ since: null, until: null },
  });
  assert.deepEqual(Object.keys(document), ['query', 'stays', 'more', 'cursor', 'coverage']);
  assert.equal(document.stays.length, 1);
  assert.deepEqual(Object.keys(document.stays[0]), [
    ...['kind', 'namespace', 'name', 'pod', 'uid', 'node', 'workload', 'hostNetwork', 'ip', 'start', 'end'],
    // Added with causes; this story has none.
    ...['cause', 'certainty', 'sentence', 'causeMissing', 'successor', 'life'],
  ]);
  assert.equal(document.stays[0].ip, '10.0.0.7');
});

for (const [what, namespace] of [
  ['web-1', ' -n shop'],
  ['pod/web-1', ' -n shop'],
  ['uid/uid-web-1', ''],
  ['rs/nothing', ' -n shop'],
  ['Deployment/web', ' --namespace=shop'],
] as const) {
  test(`trail ${what}${namespace}`, async () => {
    const { code, out } = await ask(`trail ${what}${namespace} -o name`);
    assert.deepEqual([code, out], what === 'rs/nothing' ? [3, ''] : [0, 'pod/shop/web-1\n']);
  });
}

test('trail without a record: a sentence and exit code 3', async () => {
  const { code, out, err } = await ask('trail nobody');
  assert.deepEqual([code, out], [3, '']);
  assert.match(err, /^no such pod has ever been seen: default\/nobody\n/);
});

test('a name that was never seen is reported as such, with the nearest one or the namespace where it is', async () => {
  const said = async (words: string) => {
    const { code, err } = await ask(words);
    const sentences = err.split('\n').filter((line) => !line.startsWith('--') && !line.startsWith('nobody was'));
    return [code, sentences.join('')];
  };
  assert.deepEqual(await said('node nod-a'), [3, 'no such node has ever been seen: nod-a; did you mean node-a?']);
  assert.deepEqual(await said('node elsewhere'), [3, 'no such node has ever been seen: elsewhere']);
  assert.deepEqual(await said('node node-a -n nowhere'), [
    3,
    'there is no record of a pod on node node-a in that time',
  ]);
  assert.deepEqual(await said('trail web1 -n shop'), [
    3,
    'no such pod has ever been seen: shop/web1; did you mean web-1?',
  ]);
  assert.deepEqual(await said('trail web-1'), [
    3,
    'no such pod has ever been seen in namespace default: web-1; there is one in shop: add -n shop',
  ]);
  assert.deepEqual(await said('trail deploy/wbe -n shop'), [
    3,
    'no such Deployment has ever been seen: shop/wbe; did you mean web?',
  ]);
  assert.deepEqual(await said('changes db0 -n shop'), [
    3,
    'no such pod has ever been seen: shop/db0; did you mean db-0?',
  ]);
  assert.deepEqual(await said('trail web-1 -n shop --until 2026-11-15T09:00:00Z'), [
    3,
    'there is no record of pod shop/web-1 in that time',
  ]);
});

test('kinds as kubectl writes them: a group behind the kind, Services, and CronJobs with what to ask instead', async () => {
  for (const kind of ['deployments.apps', 'deployment.v1.apps', 'Deployments', 'deploy']) {
    assert.equal((await ask(`trail ${kind}/web -n shop -o name`)).out, 'pod/shop/web-1\n', kind);
  }
  const service = await ask('trail svc/cart -n shop --no-headers');
  assert.equal(service.code, 0);
  assert.match(service.out, /^shop +cart +10\.96\.0\.10 /);
  const none = await ask('trail service/web-1 -n shop');
  assert.deepEqual([none.code, none.err.split('\n')[0]], [3, 'there is no record of Service shop/web-1 in that time']);
  assert.match((await ask('changes svc/cart -n shop')).err, /annotations of Services are not recorded/);
  const cron = await ask('trail cronjob/nightly -n shop');
  assert.equal(cron.code, 2);
  assert.match(cron.err, /hint: ask for one of its Jobs, which are named nightly-NUMBER: job\/nightly-\d+/);
  assert.match((await ask('trail rollouts.argoproj.io/x')).err, /hint: .*Rollout\/cart/);
});

test('help of node says that -n narrows it, and no flag says "without it"', async () => {
  const { out } = await run(['node', '--help']);
  assert.match(
    out.replaceAll(/\s+/g, ' '),
    /-n, --namespace <name> only pods of this namespace; default: of all namespaces/,
  );
  for (const command of [
    'who',
    'trail',
    'node',
    'changes',
    'gaps',
    'attribute',
    'record',
    'operator',
    'footprints',
    'demo',
  ]) {
    const help = (await run([command, '--help'])).out;
    assert.doesNotMatch(help, /without it/, command);
  }
});

test('--tz is answered with the flag that is meant, 1d and now are times', async () => {
  const { code, err } = await ask('who 10.0.0.7 --tz UTC');
  assert.deepEqual([code, /hint: write --timezone; see podtrail who --help/.test(err)], [2, true]);
  assert.match((await ask('who 10.0.0.7 --at 1d')).err, /^--at 2026-11-14T10:03:21\.000Z\n/);
  assert.match((await ask('who 10.0.0.7 --at now')).err, /^--at 2026-11-15T10:03:21\.000Z\n/);
});

test('a pod without an address of its own has a trail too', async () => {
  const { out } = await ask('trail agent -n shop --no-headers');
  assert.match(out, /^shop +agent +<none> +node-a/);
});

test('the namespace of the current context is the default, as with kubectl', async () => {
  const config = { namespace: 'shop' } as never;
  const { code } = await ask('trail web-1', { loadConfig: async () => config });
  assert.equal(code, 0);
});

test('a kubeconfig that was named must be there', async () => {
  const { code, err } = await ask('trail web-1 --kubeconfig missing');
  assert.equal(code, 1);
  assert.match(err, /no Kubernetes configuration/);
});

test('spans: --since and --until cut, and must not cross', async () => {
  assert.equal((await ask('trail 10.0.0.7 --since 2026-11-15T10:01:05Z -o name')).out, 'pod/shop/job-2\n');
  assert.equal((await ask('trail 10.0.0.7 --until 2026-11-15T10:01:05Z -o name')).out, 'pod/shop/web-1\n');
  const crossed = await ask('trail 10.0.0.7 --since 1h --until 2h');
  assert.equal(crossed.code, 2);
  assert.match(crossed.err, /--since is not before --until.*\nhint: the earlier time is --since/);
  const future = await ask('trail 10.0.0.7 --since 2036-11-15');
  assert.equal(future.code, 2);
  assert.match(future.err, /--since is yet to come.*\nhint: name a time that has passed: --since 1h/);
});

test('a limit is reported', async () => {
  const { out, err } = await ask('trail 10.0.0.7 --limit 1 -o name');
  assert.equal(out, 'pod/shop/web-1\n');
  assert.match(err, /^1 shown; more: add --cursor \S+\n/);
  assert.equal((await ask('trail 10.0.0.7 --limit 0 -o name')).out, 'pod/shop/web-1\npod/shop/job-2\n');
  assert.equal((await ask('trail 10.0.0.7 --limit x')).code, 2);
});

test('a cursor goes on where the listing before it ended, one record after the other, in every listing', async () => {
  for (const words of [
    'trail 10.0.0.7',
    'trail Deployment/web -n shop',
    'node node-a --since 1h',
    'changes db-0 -n shop',
    'gaps',
  ]) {
    const options = { now: at(3600) };
    const whole = (await ask(`${words} -o jsonl`, options)).out;
    let joined = '';
    let cursor: string | undefined;
    do {
      const more = cursor === undefined ? '' : ` --cursor ${cursor}`;
      const { out, err } = await ask(`${words} -o jsonl --limit 1${more}`, options);
      const json = JSON.parse((await ask(`${words} -o json --limit 1${more}`, options)).out);
      cursor = /more: add --cursor (\S+)\n/.exec(err)?.[1];
      assert.deepEqual([json.more, json.cursor], [cursor !== undefined, cursor ?? null], words);
      joined += out;
    } while (cursor !== undefined);
    assert.equal(joined, whole, words);
  }
  assert.match((await ask('trail 10.0.0.7 --cursor nonsense')).err, /no cursor.*\nhint:/);
  assert.equal((await ask('gaps --cursor nonsense')).code, 2);
});

test('node at an instant: who was there, and how sure that is', async () => {
  const { code, out, err } = await ask('node node-a --at 2026-11-15T10:00:30Z');
  assert.equal(code, 0);
  assert.equal(err, '--at 2026-11-15T10:00:30.000Z\n');
  assert.equal(
    out,
    `NAMESPACE   NAME    WORKLOAD         CERTAIN   FROM                       TO                                STAYED   CAUSE            NEXT
shop        web-1   Deployment/web   yes       2026-11-15T10:00:00Z       2026-11-15T10:00:59Z ±1s          59s      <not recorded>   <none>
shop        agent   <none>           yes       2026-11-15T10:00:02Z ±1s   2026-11-15T10:01:35Z..10:02:40Z   2m38s    <not recorded>   <none>
`,
  );
});

test('node within a gap: what may have been there, and a warning', async () => {
  const { code, out, err } = await ask('node node-a --at 2026-11-15T10:02:00Z -o json');
  assert.equal(code, 0);
  assert.match(err, /nobody was watching from/);
  const { pods, coverage } = JSON.parse(out);
  assert.deepEqual(
    pods.map((p: { pod: string; certain: boolean }) => [p.pod, p.certain]),
    [
      ['agent', false],
      ['job-2', false],
    ],
  );
  assert.equal(coverage.gaps.length, 1);
});

test('node within a span, of one namespace or all', async () => {
  assert.equal((await ask('node node-a --since 1h -n shop -o name')).out.split('\n').length, 5);
  assert.equal((await ask('node node-a --since 1h -n other')).code, 3);
  assert.equal((await ask('node node-a --since 1h -n other -A')).code, 0);
  assert.equal((await ask('node node-a --since 1h --at 1h')).code, 2);
});

test('node: nobody there is 3, nobody watching is 5', async () => {
  assert.equal((await ask('node node-z')).code, 3);
  assert.equal((await ask('node node-z --at 2026-11-15T10:02:00Z')).code, 5);
  assert.equal((await ask('node node-z --at 5h')).code, 5);
});

test('node before the first record: the document has the gap, and standard error says it once', async () => {
  const { code, out, err } = await ask('node node-a --at 2026-11-14T00:00:00Z -q -o json');
  assert.deepEqual(
    [code, JSON.parse(out).coverage.gaps],
    [5, [{ from: '2026-11-14T00:00:00.000Z', to: '2026-11-15T10:00:00.000Z', reason: 'before-first-record' }]],
  );
  assert.equal(err.match(/nobody was watching/g)?.length, 1, err);
});

test('node: an open stay is certain only as far as anybody watched', async () => {
  const { out } = await ask('node node-b', { now: at(3600) });
  assert.match(out, /db-0 +StatefulSet\/db +no .*<open at 2026-11-15T10:03:20Z>/);
});

test('fault 29: changes show hostile values written out, CSV defuses formulas, JSON and YAML keep the bytes', async () => {
  const table = await ask('changes db-0 -n shop');
  assert.match(table.out, /changed +note +=cmd\(\) +\\e\]0;owned\\x07\\e\[31m\\r\\nroot# \\u\{202e\}gnp\n/);
  const csv = await ask('changes db-0 -n shop -o csv');
  assert.match(csv.out, /added,note,,'=cmd\(\),\r\n/);
  for (const { out } of [table, csv]) assert.doesNotMatch(out, /\u001b|\u202e|\u0007/);
  const json = JSON.parse((await ask('changes db-0 -n shop -o json')).out);
  const yaml = parse((await ask('changes db-0 -n shop -o yaml')).out);
  for (const document of [json, yaml]) assert.equal(document.changes[1].after.text, HOSTILE);
});

test('changes of one key, and of none', async () => {
  assert.equal((await ask('changes db-0 -n shop --key note -o name')).out, 'pod/shop/db-0/note\npod/shop/db-0/note\n');
  assert.equal((await ask('changes db-0 -n shop --key constructor')).code, 3);
  assert.equal((await ask('changes 10.0.0.7')).code, 2);
});

test('changes that were suppressed are one line that counts them, in every format, also with --key', async () => {
  const flooded = await aLedgerWithFlood();
  const of = (words: string) => run(`changes web-1 -n shop ${words}`.split(' '), { engine: flooded, now: at(100) });
  const table = await of('-o table');
  assert.match(table.out, /2026-11-15T10:00:13Z +shop +web-1 +suppressed +<7 changes> +<none> +<none>\n$/);
  assert.match(table.err, /7 more changes were counted and not recorded/);
  const { changes } = JSON.parse((await of('-o json --key other')).out);
  assert.deepEqual(changes.length, 1);
  assert.deepEqual(changes[0].suppressed, { budget: 'pod', changes: 7, last: '2026-11-15T10:00:19.000Z' });
  assert.match((await of('-o csv')).out, /,suppressed,,,,7\r\n$/);
  assert.match((await of('-o name')).out, /pod\/shop\/web-1\/suppressed\n$/);
});

test('gaps: the table and the sentence before it', async () => {
  const { code, out } = await ask('gaps');
  assert.equal(code, 0);
  assert.equal(
    out,
    `prod-eu was watched from 2026-11-15T10:00:00Z to 10:03:20Z; 1 gap in the time asked about.

FROM                   TO                     LENGTH   REASON
2026-11-15T10:01:40Z   2026-11-15T10:02:40Z   60s      the watch expired and the server no longer had the versions in between
`,
  );
});

test('gaps in JSON, with the one that goes on', async () => {
  const { out } = await ask('gaps -o json', { now: at(3600) });
  assert.deepEqual(JSON.parse(out), {
    query: { cluster: CLUSTER.name, clusterId: CLUSTER.id, since: null, until: null },
    more: false,
    cursor: null,
    coverage: {
      from: '2026-11-15T10:00:00.000Z',
      to: '2026-11-15T10:03:20.000Z',
      gaps: [
        { from: '2026-11-15T10:01:40.000Z', to: '2026-11-15T10:02:40.000Z', reason: 'expired' },
        { from: '2026-11-15T10:03:20.000Z', to: null, reason: 'not-watching' },
      ],
    },
  });
});

test('the time before the first record is a gap for whoever asks about it', async () => {
  const { out } = await ask('gaps --since 2026-11-14 --until 2026-11-15T09:00:00Z -o csv --no-headers --timezone UTC');
  assert.equal(out, '2026-11-14T00:00:00.000Z,2026-11-15T10:00:00.000Z,before-first-record\r\n');
  const { code, err } = await ask('trail web-1 -n shop --since 2026-11-14 --until 2026-11-15T09:00:00Z --timezone UTC');
  assert.equal(code, 3);
  assert.match(err, /nobody was watching from 2026-11-14T00:00:00Z to .* \(nothing had been recorded yet\)/);
});

for (const listing of ['trail 10.0.0.7', 'node node-a', 'changes web-1 -n shop', 'anomalies', 'gaps'])
  test(`a cursor that is none is a wrong command line: ${listing}`, async () => {
    const { code, err } = await ask(`${listing} --cursor bogus`);
    assert.equal(code, 2);
    assert.match(err, /\nhint: /);
  });

/** The first page's cursor of a question, passed with another one. */
const FOREIGN: readonly (readonly [asked: string, other: string])[] = [
  ['trail 10.0.0.7', 'trail Deployment/web -n shop'],
  ['trail 10.0.0.7', 'trail 10.0.0.8'],
  ['trail 10.0.0.7', 'node node-a --since 1h'],
  ['trail 10.0.0.7', 'anomalies'],
  ['trail 10.0.0.7', 'gaps'],
  ['changes db-0 -n shop', 'trail db-0 -n shop'],
  ['changes db-0 -n shop', 'changes db-0 -n shop --key note'],
  ['node node-a --since 1h', 'node node-a --since 1h -n shop'],
  ['gaps', 'trail 10.0.0.7'],
];

for (const [asked, other] of FOREIGN)
  test(`a cursor of another question is refused with a hint, and skips nothing: ${asked}, then ${other}`, async () => {
    const options = { now: at(3600) };
    const { err: first } = await ask(`${asked} --limit 1`, options);
    const cursor = /more: add --cursor (\S+)\n/.exec(first)?.[1];
    assert.ok(cursor !== undefined, first);
    const { code, out, err } = await ask(`${other} --cursor ${cursor}`, options);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /cursor belongs to another question\nhint: .* start at the first page/);
  });

test('a cursor is good as time goes on, with a time that counts from now; one of an older podtrail is refused', async () => {
  const { err: first } = await ask('trail 10.0.0.7 --since 2h --limit 1 -o name', { now: at(3600) });
  const cursor = /more: add --cursor (\S+)\n/.exec(first)?.[1];
  const { out } = await ask(`trail 10.0.0.7 --since 2h --limit 1 -o name --cursor ${cursor}`, { now: at(3700) });
  assert.equal(out, 'pod/shop/job-2\n');
  const { code, err } = await ask('trail 10.0.0.7 --cursor 1763200860000.dWlkLXdlYi0x');
  assert.equal(code, 2);
  assert.match(err, /no cursor.*\nhint: .* start at the first page/);
});

for (const [text, hint] of [
  ['10.244.300.1', 'go from 0 to 255'],
  ['10.244.16.017', 'leave out the zeros in front'],
  ['10.244.16.17:443', 'leave the port out: 10.244.16.17'],
  ['10.244.16.0/24', 'without the length of its prefix'],
] as const)
  test(`trail of a mistyped address is a wrong command line, not a pod: ${text}`, async () => {
    const { code, err } = await ask(`trail ${text} -n shop`);
    assert.equal(code, 2);
    assert.ok(err.includes(hint), err);
  });

test('gaps within a span that has none', async () => {
  const { code, out } = await ask('gaps --since 2026-11-15T10:02:50Z');
  assert.equal(code, 0);
  assert.match(out, /; no gaps in the time asked about\.\n$/);
});

test('which pods will be on a node is unknown, exit code 5', async () => {
  const { code, out, err } = await ask('node node-b --at 2026-11-15T10:03:00Z', { now: at(150) });
  assert.deepEqual([code, out], [5, '']);
  assert.match(err, /that time is in the future/);
  const span = await ask('node node-b --since 2026-11-15T10:03:00Z --until 2026-11-15T11:00:00Z', { now: at(201) });
  assert.equal(span.code, 0);
  assert.match(span.err, /since 2026-11-15T10:03:21Z \(that time is in the future\)/);
});
