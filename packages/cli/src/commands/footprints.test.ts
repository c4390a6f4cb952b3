// The footprints command on an API server that a script plays: flags, filters, what it asks, how it ends.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client } from '@podtrail/machinery';
import { aPod, ManualClock, type ScriptedCall, ScriptedServer } from '@podtrail/machinery/testing';
import { run } from '../testing/run-in-process.ts';

async function started(t: TestContext, words: readonly string[]) {
  const server = await ScriptedServer.start();
  t.after(() => server.stop());
  const stop = new AbortController();
  const ran = run(['footprints', ...words], {
    loadConfig: async () => server.config(),
    connect: (config) => Client.connect(config),
    signal: stop.signal,
  });
  return { server, stop, ran };
}

function answer(call: ScriptedCall, ...pods: object[]): void {
  const stream = call.stream();
  for (const pod of pods) stream.event('ADDED', pod);
  stream.bookmark('Pod', '90', true);
}

test('--oneshot asks once, prints a line for each pod that matches, and ends', async (t) => {
  const { server, ran } = await started(t, [
    ...'--oneshot --namespace shop --name web- --label app=web -l tier=a'.split(' '),
  ]);
  const call = await server.next();
  assert.equal(call.path, '/api/v1/namespaces/shop/pods');
  assert.equal(call.query.get('labelSelector'), 'app=web,tier=a');
  answer(call, aPod('web-1').onNode('n1').withIp('10.0.0.1').build(), aPod('db-1').build());
  const { code, out, err } = await ran;
  assert.deepEqual([code, err], [0, '']);
  assert.equal(
    out,
    '{"namespace":"default","pod_name":"web-1","node_name":"n1","pod_ip":"10.0.0.1","phase":"Running",' +
      '"timestamp":"2026-11-15T12:00:00.000Z","conditions":[],"pod_ips":["10.0.0.1"],"uid":"uid-web-1","workload":null}\n',
  );
  assert.equal(server.requests, 1);
});

test('without --namespace all namespaces are watched; that no pod matches is said beside the output', async (t) => {
  const { server, ran } = await started(t, ['--oneshot']);
  const call = await server.next();
  assert.equal(call.path, '/api/v1/pods');
  answer(call);
  const { code, out, err } = await ran;
  assert.deepEqual([code, out], [0, '']);
  assert.match(err, /no pod matches; nothing was printed/);
});

test('--store-in-cm creates the ConfigMap of the hour, with one request after looking for it', async (t) => {
  const { server, ran } = await started(t, [
    ...'--oneshot --store-in-cm --cm-namespace audit --cm-retention 7d'.split(' '),
  ]);
  answer(await server.next(), aPod('web-1').onNode('n1').build());
  const look = await server.next();
  assert.equal(
    look.target,
    '/api/v1/namespaces/audit/configmaps?labelSelector=app%3Dpod-ashiato%2Ctype%3Dpod-node-mapping&limit=500&includeObject=None',
  );
  look.json({ kind: 'Table', metadata: {}, columnDefinitions: [{ name: 'Name' }], rows: [] });
  const create = await server.next();
  assert.deepEqual([create.method, create.path], ['POST', '/api/v1/namespaces/audit/configmaps']);
  const sent = JSON.parse(create.body.toString());
  assert.equal(sent.metadata.name, 'pod-ashiato-2026111512');
  assert.deepEqual(sent.data, { 'default_web-1': 'n1' });
  create.json({ ...sent, metadata: { ...sent.metadata, resourceVersion: '91' } }, 201);
  assert.equal((await ran).code, 0);
  assert.equal(server.requests, 3);
});

test('ConfigMaps that may not be written: the lines are there, and a sentence with exit code 6', async (t) => {
  const { server, ran } = await started(t, [...'--oneshot --store-in-cm'.split(' ')]);
  answer(await server.next(), aPod('web-1').onNode('n1').build());
  (await server.next()).refuse(403, 'Forbidden', 'configmaps is forbidden');
  const { code, out, err } = await ran;
  assert.equal(code, 6);
  assert.match(out, /"pod_name":"web-1"/);
  assert.match(
    err,
    /^podtrail: the ConfigMaps in default could not be written: configmaps is forbidden\nhint: grant get/,
  );
});

test('fault 29: whatever stands in a status, a line is one line of plain JSON', async (t) => {
  const { server, ran } = await started(t, ['--oneshot']);
  answer(await server.next(), aPod('web-1').inPhase('\u001b[31m\n\u202e\u009b').build());
  const { out } = await ran;
  assert.doesNotMatch(out.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u202e]/);
  assert.equal(JSON.parse(out).phase, '\u001b[31m\n\u202e\u009b');
});

test('asked to stop before the first listing: a running one ends with 0, a one-shot was interrupted', async (t) => {
  for (const [words, expected] of [
    [[], 0],
    [['--oneshot'], 130],
  ] as const) {
    const { server, stop, ran } = await started(t, words);
    await server.next();
    stop.abort();
    assert.equal((await ran).code, expected);
  }
});

test('--oneshot waits for a cluster that does not answer, says so, and gives up after 20 seconds with the reason', async () => {
  const clock = new ManualClock();
  const server = await ScriptedServer.start();
  const config = server.config();
  await server.stop();
  const ran = run(['footprints', '--oneshot'], {
    clock,
    loadConfig: async () => config,
    connect: (found) => Client.connect(found, { clock }),
  });
  let over = false;
  void ran.then(() => (over = true));
  const started = clock.monotonic();
  while (!over) {
    await clock.advance(100);
    // The connection is refused by the real network, in its own time.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { code, out, err } = await ran;
  assert.ok(clock.monotonic() - started >= 20_000);
  assert.deepEqual([code, out], [1, '']);
  const lines = err.trimEnd().split('\n');
  assert.match(lines[0] ?? '', /"msg":"the cluster cannot be watched; trying again","problem":"connect ECONNREFUSED/);
  assert.match(lines.at(-2) ?? '', /^podtrail: the pods could not be listed within 20 s: connect ECONNREFUSED 127/);
  assert.match(lines.at(-1) ?? '', /^hint: is the API server running/);
  assert.ok(lines.length < 12, 'every try is reported');
});

test('a selector that the server refuses is a usage error with its reason', async (t) => {
  const { server, ran } = await started(t, ['--label', 'a==b==c']);
  // The stream is refused, then the listing by pages: only then is it certain that it was not the stream's fault.
  for (let i = 0; i < 2; i++) (await server.next()).refuse(400, 'BadRequest', 'unable to parse requirement');
  const { code, err } = await ran;
  assert.equal(code, 2);
  assert.match(err, /^podtrail: the label selector a==b==c is refused: unable to parse requirement\nhint: selectors/);
});

test('usage errors are sentences, and the help shows defaults as they are written', async () => {
  for (const [words, says] of [
    ['--interval 0s', /--interval 0s is not a time between rounds\nhint: write it as 30s/],
    ['--interval soon', /--interval soon is not/],
    ['--cm-retention 5m', /--cm-retention 5m is too short\nhint: an hour is the least/],
    ['--cm-retention 1x', /--cm-retention 1x is not a duration\nhint: write 30d or 720h/],
    ['-n a/b', /--namespace a\/b is not a namespace\nhint: use lower case/],
    ['--cm-namespace Shop', /--cm-namespace Shop is not a namespace/],
    ['--store x', /footprints does not take --store/],
  ] as const) {
    const { code, err } = await run(['footprints', ...words.split(' ')]);
    assert.equal(code, 2, words);
    assert.match(err, says);
  }
  const { out } = await run(['footprints', '--help']);
  assert.match(out, /time between rounds, as 30s or 1m\s+\(default:\s+30s\)/);
  assert.match(out, /\(default:\s+168h\)/);
  assert.doesNotMatch(out, /30000|604800000/);
});
