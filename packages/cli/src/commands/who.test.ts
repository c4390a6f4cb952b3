import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Engine, HistoryError } from '@podtrail/history';
import { readerWith } from '@podtrail/history/testing';
import { run } from '../testing/run-in-process.ts';
import { aLedgerThatLostAStart, aStory, at, CLUSTER } from '../testing/story.ts';

let engine: Engine;
before(async () => {
  engine = await aStory();
});

const who = (words: string, options = {}) => run(['who', ...words.split(' ')], { engine, now: at(201), ...options });

test('held: the sentence, the table, the time asked about on standard error, exit code 0', async () => {
  const { code, out, err } = await who('10.0.0.7 --at 2026-11-15T10:00:30Z');
  assert.equal(code, 0);
  assert.equal(err, '--at 2026-11-15T10:00:30.000Z\n');
  assert.equal(
    out,
    `10.0.0.7 was held by pod shop/web-1 on node node-a (Deployment web) at 2026-11-15T10:00:30Z.

KIND   NAMESPACE   NAME    NODE     WORKLOAD         FROM                       TO                         HELD
Pod    shop        web-1   node-a   Deployment/web   2026-11-15T09:58:20Z ±1s   2026-11-15T10:00:59Z ±1s   2m39s
`,
  );
});

test('ambiguous: the sentence says why each pod is only a candidate', async () => {
  const { code, err, out } = await who('10.0.0.7 --at 2026-11-15T10:00:59.5Z');
  assert.equal(code, 4);
  assert.match(`${out}${err}`, /web-1 let go of it at some time from 2026-11-15T10:00:59Z to 10:01:00Z\./);
  assert.match(out, / WHY IN DOUBT\nPod .* end-not-exact\n$/);
});

test('ambiguous: the JSON has for each candidate a code and a sentence; held has none', async () => {
  const { out } = await who('10.0.0.7 --at 2026-11-15T10:00:59.5Z -o json');
  assert.deepEqual(JSON.parse(out).holders[0].why, {
    code: 'end-not-exact',
    text: 'let go of it at some time from 2026-11-15T10:00:59.000Z to 2026-11-15T10:01:00.000Z',
  });
  const held = await who('10.0.0.7 --at 2026-11-15T10:00:30Z -o json');
  assert.equal('why' in JSON.parse(held.out).holders[0], false);
  const node = await who('192.168.0.1 --at 2026-11-15T10:00:30Z -o json');
  const codes = JSON.parse(node.out).holders.map(({ why }: { why: { code: string } }) => why.code);
  assert.deepEqual(codes, ['node-address', 'node-address']);
});

test('held: the JSON of the contract, key for key', async () => {
  const { out } = await who('10.0.0.7 --at 2026-11-15T10:00:30Z -o json');
  const expected = {
    query: { cluster: CLUSTER.name, clusterId: CLUSTER.id, ip: '10.0.0.7', at: '2026-11-15T10:00:30.000Z' },
    answer: 'held',
    provisional: false,
    holders: [
      {
        ...{ kind: 'Pod', namespace: 'shop', name: 'web-1', pod: 'web-1', uid: 'uid-web-1', node: 'node-a' },
        workload: { kind: 'Deployment', name: 'web', inferred: true },
        hostNetwork: false,
        start: {
          ...{ at: '2026-11-15T09:58:20.000Z', notBefore: '2026-11-15T09:58:19.000Z' },
          ...{ notAfter: '2026-11-15T09:58:21.000Z', source: 'list' },
        },
        end: {
          ...{ at: '2026-11-15T10:00:59.000Z', notBefore: '2026-11-15T10:00:59.000Z' },
          ...{ notAfter: '2026-11-15T10:01:00.000Z', source: 'watch' },
        },
      },
    ],
    coverage: { scope: 'cluster', from: '2026-11-15T10:00:00.000Z', to: '2026-11-15T10:01:40.000Z', gaps: [] },
    evidence: [
      { source: 'list', epoch: 1, resourceVersion: '11', observedAt: '2026-11-15T10:00:00.000Z' },
      { source: 'watch', epoch: 1, resourceVersion: '17', observedAt: '2026-11-15T10:01:00.000Z' },
    ],
  };
  assert.equal(out, `${JSON.stringify(expected, undefined, 2)}\n`);
});

test('what a damaged part of the store would have to tell is unknown, exit code 5, and other commands end with it too', async () => {
  const refuse = () =>
    Promise.reject(new HistoryError('damaged', 'a part of the store is damaged', { hint: 'restore.' }));
  const damaged = readerWith(engine, () => ({ tenuresAt: refuse, placementsOf: refuse }));
  const asked = await who('10.0.0.7 --at 2026-11-15T10:00:30Z -o json', { engine: damaged });
  assert.equal(asked.code, 5);
  const { answer, reason, holders } = JSON.parse(asked.out) as Record<string, unknown>;
  assert.deepEqual({ answer, reason, holders }, { answer: 'unknown', reason: 'damaged', holders: [] });
  const { out } = await who('10.0.0.7 --at 2026-11-15T10:00:30Z', { engine: damaged });
  assert.match(out, /unknown who held 10\.0\.0\.7 .* damaged or missing; `podtrail store verify` says which/);
  const trail = await run(['trail', 'web-1', '-n', 'shop'], { engine: damaged, now: at(201) });
  assert.equal(trail.code, 5);
  assert.match(trail.err, /podtrail: a part of the store is damaged\nhint: restore\./);
});

test('an instant that has not come yet is unknown, exit code 5, also where a wrong clock claimed to have watched it', async () => {
  const { code, out } = await who('10.0.0.5 --at 2026-11-15T10:03:00Z', { now: at(150) });
  assert.equal(code, 5);
  assert.match(out, /It is unknown who held 10\.0\.0\.5 at 2026-11-15T10:03:00Z: that time is in the future/);
  assert.match(out, /the store was watched until 2026-11-15T10:03:20Z, later than the clock of this machine/);
  const json = JSON.parse((await who('10.0.0.5 --at 2027-03-01 -o json')).out) as Record<string, unknown>;
  assert.deepEqual([json['answer'], json['reason'], json['holders']], ['unknown', 'in-the-future', []]);
});

const ANSWERS: readonly (readonly [sentence: string, words: string, code: number, says: RegExp])[] = [
  [
    'held across a gap',
    '10.0.0.5 --at 2026-11-15T10:02:00Z',
    0,
    /held by pod shop\/db-0.*Nobody was watching from 2026-11-15T10:01:40Z to 10:02:40Z/,
  ],
  ['a service holds its cluster IP', '10.96.0.10 --at 2026-11-15T10:00:30Z', 0, /held by service shop\/cart at/],
  ['now, while a recorder runs, is provisional', '10.0.0.9', 0, /held by pod shop\/web-9.*has not confirmed/],
  [
    'free',
    '10.0.0.7 --at 2026-11-15T10:01:05Z',
    3,
    /^Nobody held 10\.0\.0\.7 at 2026-11-15T10:01:05Z: every pod of the cluster was being watched, from 2026-11-15T10:00:00Z to 10:01:40Z\. It was last held by pod shop\/web-1 .*, until 2026-11-15T10:00:59Z\. It was next held by pod shop\/job-2 .*, from 2026-11-15T10:01:09Z\.\n$/,
  ],
  [
    'free and outside',
    '8.8.8.8 --at 2026-11-15T10:00:30Z',
    3,
    /^Nobody held 8\.8\.8\.8 at 2026-11-15T10:00:30Z: it lies outside all ranges that the cluster has been seen to use\.\n$/,
  ],
  [
    'ambiguous within bounds',
    '10.0.0.7 --at 2026-11-15T10:00:59.5Z',
    4,
    /may have been held by pod shop\/web-1 .* or by nobody/,
  ],
  [
    'ambiguous for the address of a node',
    '192.168.0.1 --at 2026-11-15T10:00:30Z',
    4,
    /address of node node-a at .*: the node itself or the pod on its host network may be meant\.\n\nKIND.*\nNode .*\nPod +shop +agent/,
  ],
  [
    'unknown in a gap',
    '10.0.0.8 --at 2026-11-15T10:02:00Z',
    5,
    /^It is unknown who held 10\.0\.0\.8 at 2026-11-15T10:02:00Z: nobody was watching then: gap 2026-11-15T10:01:40Z to 10:02:40Z, the watch expired/,
  ],
  ['unknown before the first record', '10.0.0.7 --at 24h', 5, /nobody was watching before 2026-11-15T10:00:00Z/],
];

for (const [sentence, words, code, says] of ANSWERS) {
  test(`${sentence}: exit code ${code}`, async () => {
    const ran = await who(words);
    assert.match(ran.out, says);
    assert.equal(ran.code, code);
  });
}

test('unknown shortly before a gap, while a pod was starting: the sentence says what was not delivered any more', async () => {
  const lost = { engine: await aLedgerThatLostAStart() };
  const before = await who('10.0.0.8 --at 2026-11-15T10:01:39.500Z', lost);
  assert.match(
    before.out,
    /^It is unknown who held 10\.0\.0\.8 at .*: pods were starting, and the watch was lost before they had reported their addresses: gap 2026-11-15T10:01:40Z to 10:02:40Z, the watch expired/,
  );
  assert.equal(before.code, 5);
  const earlier = await who('10.0.0.8 --at 2026-11-15T10:01:20Z', lost);
  assert.equal(earlier.code, 3, 'long before the gap it was free');
});

test('unknown after the last word of the recorder', async () => {
  const { code, out } = await who('10.0.0.8', { now: at(3600) });
  assert.match(out, /the recorder was last known to watch at 2026-11-15T10:03:20Z/);
  assert.equal(code, 5);
});

test('a holder without an end is open as far as anybody watched', async () => {
  const { out } = await who('10.0.0.5 --at 2026-11-15T10:00:30Z', { now: at(3600) });
  assert.match(out, /<open at 2026-11-15T10:03:20Z> +5m\n/);
});

test('unknown in JSON carries its reason and its gap', async () => {
  const { out } = await who('10.0.0.8 --at 2026-11-15T10:02:00Z -o jsonl');
  const answer = JSON.parse(out);
  assert.equal(answer.reason, 'gap');
  assert.deepEqual(answer.coverage.gaps, [
    { from: '2026-11-15T10:01:40.000Z', to: '2026-11-15T10:02:40.000Z', reason: 'expired' },
  ]);
  assert.equal(out.split('\n').length, 2, 'one line');
});

test('wide shows the evidence', async () => {
  const { out } = await who('10.0.0.7 --at 2026-11-15T10:00:30Z -o wide');
  assert.match(out, /UID +START EVIDENCE +END EVIDENCE\n.*uid-web-1 +list 1\/11 +watch 1\/17\n/);
});

test('CSV has one record for each holder, and one for nobody', async () => {
  const header = 'ip,at,answer,kind,namespace,pod,uid,node,workload,from,to\r\n';
  const shared = await who('192.168.0.1 --at 2026-11-15T10:00:30Z -o csv');
  assert.equal(shared.out.split('\r\n').length, 4);
  const free = await who('10.0.0.7 --at 2026-11-15T10:01:05Z -o csv');
  assert.equal(free.out, `${header}10.0.0.7,2026-11-15T10:01:05.000Z,free,,,,,,,,\r\n`);
});

test('names only, and no headers', async () => {
  assert.equal((await who('10.0.0.7 --at 2026-11-15T10:00:30Z -o name')).out, 'pod/shop/web-1\n');
  assert.equal((await who('192.168.0.1 --at 2026-11-15T10:00:30Z -o name')).out, 'node/node-a\npod/shop/agent\n');
  const { out } = await who('10.0.0.7 --at 2026-11-15T10:00:30Z --no-headers');
  assert.match(out, /^Pod +shop +web-1 [^\n]*\n$/);
});

test('times without a zone are of the zone that is asked for, and shown in it; the zone is named', async () => {
  const { out, err } = await who('10.0.0.7 --at 2026-11-15T11:00:30 --timezone Europe/Berlin');
  assert.equal(err, '--at 2026-11-15T10:00:30.000Z (2026-11-15T11:00:30 in Europe/Berlin)\n');
  assert.match(out, /at 2026-11-15T11:00:30\+01:00\.\n/);
  const local = await who('10.0.0.7 --at 2026-11-15T02:00:30', { systemZone: 'America/Los_Angeles' });
  assert.equal(
    local.err,
    '--at 2026-11-15T10:00:30.000Z (2026-11-15T02:00:30 in America/Los_Angeles, the zone of this machine; --timezone names another)\n',
  );
});

test('every spelling of an address is the same address', async () => {
  for (const text of ['::ffff:10.0.0.7', '[::ffff:a00:7]', '10.0.0.7']) {
    assert.equal((await who(`${text} --at 2026-11-15T10:00:30Z`)).code, 0, text);
  }
});

test('colours only where they are wanted', async () => {
  const words = '10.0.0.7 --at 2026-11-15T10:00:30Z';
  const isColoured = async (more: string, options = {}) =>
    (await who(`${words}${more}`, options)).out.includes('\u001b[32m');
  assert.equal(await isColoured(''), false);
  assert.equal(await isColoured('', { isTTY: true }), true);
  assert.equal(await isColoured('', { isTTY: true, env: { NO_COLOR: '1' } }), false);
  assert.equal(await isColoured(' --color never', { isTTY: true }), false);
  assert.equal(await isColoured(' --color always'), true);
});

for (const text of ['not-an-ip', '10.0.0', '010.0.0.7', '***HIDDEN***']) {
  test(`refused: ${text} is no address`, async () => {
    const { code, err, out } = await who(text);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /is not an IP address/);
  });
}

test('refused: a time that is none says which there are', async () => {
  const { code, err } = await who('10.0.0.7 --at yesterday');
  assert.equal(code, 2);
  assert.match(err, /^podtrail: --at: "yesterday" is not a time that podtrail understands\nhint: use now, an age/);
});
