// `moves` and `explain`, on a ledger in which one pod was drained, one was deleted, and one lives.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { explainSchema, movesSchema } from '@podtrail/history/wire/schemas';
import { aLedgerWith, at, cordoned, departure, followed, life, pod, tenure, watched } from '../testing/moves-story.ts';
import { run } from '../testing/run-in-process.ts';

let engine: Engine;
before(async () => {
  const drained = pod('kafka-0', 'uid-kafka-0-a', 'node-35');
  const returned = pod('kafka-0', 'uid-kafka-0-b', 'node-06');
  const deleted = pod('lonely', 'uid-lonely', 'node-06');
  const disruption = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting', at: at(100) };
  engine = await aLedgerWith([
    watched(0, 400),
    ...['events', 'statefulsets', 'namespaces'].map(followed),
    cordoned('node-35', 90),
    life(drained, 10, { disruption, deletion: { requested: at(100), graceSeconds: 30 }, gone: at(105) }),
    departure(drained, 100),
    life(returned, 106),
    life(deleted, 20, { owner: undefined, deletion: { requested: at(200), graceSeconds: 30 }, gone: at(231) }),
    departure(deleted, 200),
    tenure('10.0.0.9', drained, 20, 90, 30),
    tenure('10.0.0.9', deleted, 20, 90, 30),
    tenure('10.0.0.8', deleted, 20, 90, 30),
  ]);
});

const ask = (words: string) => run(words.split(' '), { engine, now: at(401) });

test('moves lists who ended, where its successor is, why, and for how long nobody was ready', async () => {
  const { code, out } = await ask('moves --since 1h --timezone UTC');
  assert.equal(code, 0);
  const [header = '', first = '', second = ''] = out.split('\n');
  assert.match(header, /^TIME +NAMESPACE +NAME +FROM +TO +CAUSE +CERTAIN +DOWN +WHY/);
  assert.match(
    first,
    /10:01:40Z +shop +kafka-0 +node-35 +node-06 +Evicted +no +11s +was evicted: node-35 was drained\./,
  );
  assert.match(second, /10:03:20Z +shop +lonely +node-06 +<none> +DeletedOnRequest +no/);
});

test('moves without --since is about the last 24 hours, and standard error says so', async () => {
  const none = await run(['moves', '--timezone', 'UTC'], { engine, now: at(2 * 86_400) });
  assert.equal(none.code, 3);
  assert.match(
    none.err,
    /^--since is not given: the 24 hours from 2026-11-16T10:00:00.001Z on; --since 168h shows a week$/m,
  );
  const { code, out, err } = await ask('moves -o name');
  assert.deepEqual([code, out.trim().split('\n').length], [0, 2]);
  assert.match(err, /^--since is not given/m);
  const until = await run(['moves', '-o', 'name', '--until', '2026-11-15T11:00:00Z'], { engine, now: at(2 * 86_400) });
  assert.equal(until.out.trim().split('\n').length, 2, until.err);
  assert.doesNotMatch((await ask('moves --since 1h')).err, /is not given/);
});

test('the help of moves says what is easily taken for something else', async () => {
  const { out } = await ask('moves --help');
  for (const said of [
    /without --since in the 24 hours/,
    /CERTAIN is about the cause: "yes"\s+where what was recorded fits no other/,
    /"\?" behind TO is about the successor/,
  ])
    assert.match(out, said);
  assert.match(out, /Evicted +through the Eviction API[\s\S]*NodePressure/);
  assert.match(out, /DeletedOnRequest +a person or a program/);
  assert.match(out, /Restarted +by kubectl rollout restart/);
});

test('moves as JSON is a document of the wire, with `to: null` where nobody took the place', async () => {
  const { moves } = movesSchema.parse(JSON.parse((await ask('moves --since 1h -o json')).out));
  assert.deepEqual(
    moves.map(({ name, from, to, cause, certainty }) => [name, from, to, cause, certainty]),
    [
      ['kafka-0', 'node-35', 'node-06', 'Evicted', 'inferred'],
      ['lonely', 'node-06', null, 'DeletedOnRequest', 'inferred'],
    ],
  );
});

for (const [words, names] of [
  ['--cause evicted', ['kafka-0']],
  ['--cause DeletedOnRequest --cause Evicted', ['kafka-0', 'lonely']],
  ['--cause deletedonrequest,Evicted', ['kafka-0', 'lonely']],
  ['--cause !evicted', ['lonely']],
  ['--cause !Rollout,!Completed', ['kafka-0', 'lonely']],
  ['--cause Evicted,!Evicted', []],
  ['--from-node node-06', ['lonely']],
  ['--to-node node-06', ['kafka-0']],
  ['-n shop', ['kafka-0', 'lonely']],
  ['-n other', []],
  ['--limit 1', ['kafka-0']],
] as const) {
  test(`moves ${words}`, async () => {
    const { code, out } = await ask(`moves --since 1h -o name ${words}`);
    assert.deepEqual(
      out.split('\n').filter((line) => line !== ''),
      names.map((name) => `pod/shop/${name}`),
    );
    assert.equal(code, names.length === 0 ? 3 : 0);
  });
}

test('all moves are read page by page, each in a snapshot of its own', async () => {
  const pods = Array.from({ length: 1100 }, (_, n) => pod(`p-${n}`, `uid-p-${n}`, 'node-1'));
  const store = await aLedgerWith([
    watched(0, 4000),
    ...pods.flatMap((one, n) => [life(one, 1, { gone: at(100 + n) }), departure(one, 100 + n)]),
  ]);
  let snapshots = 0;
  const counting = new Proxy(store, {
    get(target, name) {
      if (name === 'snapshot') snapshots++;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const { out } = await run('moves --since 2h --limit 0 -o json'.split(' '), { engine: counting, now: at(4001) });
  const { moves, more } = movesSchema.parse(JSON.parse(out));
  assert.deepEqual([moves.map(({ name }) => name), more], [pods.map(({ name }) => name), false]);
  assert.ok(snapshots >= 3, `${snapshots} snapshots`);
});

test('moves goes on where a page ended', async () => {
  const first = movesSchema.parse(JSON.parse((await ask('moves --since 1h -o json --limit 1')).out));
  const second = await ask(`moves --since 1h -o name --cursor ${first.cursor}`);
  assert.equal(second.out, 'pod/shop/lonely\n');
});

/** The names of a table, and what standard error says of the others. */
async function pageOf(words: string) {
  const { code, out, err } = await ask(`moves --since 1h --no-headers ${words}`);
  const names = out.split('\n').flatMap((line) => line.split(/ +/)[2] ?? []);
  return { code, names, more: /^.* shown.*$/m.exec(err)?.[0] ?? '' };
}

test('a table that is limited has the newest moves, and says how to see those before', async () => {
  const { names, more } = await pageOf('--limit 1');
  assert.deepEqual(names, ['lonely']);
  const [, cursor = ''] =
    /^the newest 1 shown; earlier ones: add --order newest --cursor (\S+), or give a larger --limit$/.exec(more) ?? [];
  const earlier = await pageOf(`--limit 1 --order newest --cursor ${cursor}`);
  assert.deepEqual(earlier, { code: 0, names: ['kafka-0'], more: '' });
});

test('a table is in the order of time, whichever moves it has', async () => {
  for (const words of ['-A', '--order newest', '--order oldest', '--limit 0', '--limit 2'])
    assert.deepEqual(await pageOf(words), { code: 0, names: ['kafka-0', 'lonely'], more: '' }, words);
});

test('a table goes on behind a cursor of the oldest as it ever did', async () => {
  const { names, more } = await pageOf('--limit 1 --order oldest');
  assert.deepEqual(names, ['kafka-0']);
  const [, cursor = ''] = /^1 shown; more: add --cursor (\S+)$/.exec(more) ?? [];
  assert.deepEqual((await pageOf(`--limit 1 --cursor ${cursor}`)).names, ['lonely']);
  const json = movesSchema.parse(JSON.parse((await ask('moves --since 1h -o json --limit 1')).out));
  assert.equal(json.cursor, cursor);
});

test('what programs read has the newest first where that is asked for', async () => {
  const { query, moves } = movesSchema.parse(JSON.parse((await ask('moves --since 1h -o json --order newest')).out));
  assert.deepEqual([query.order, moves.map(({ name }) => name)], ['newest', ['lonely', 'kafka-0']]);
});

test('a cause that is none is refused with the list', async () => {
  const { code, err } = await ask('moves --cause Drained');
  assert.equal(code, 2);
  assert.match(err, /--cause Drained is not a cause\nhint: use one of Evicted, Taint/);
  assert.match((await ask('moves --cause Evictd')).err, /--cause Evictd is not a cause; did you mean Evicted\?\n/);
});

test('a cause without a name is shown as none', async () => {
  for (const causes of ['', 'Evicted,']) {
    const { code, err } = await run(['moves', '--cause', causes], { engine });
    assert.equal(code, 2);
    assert.match(err, /--cause "" is not a cause\nhint: use one of Evicted/);
  }
});

test('-q does not say either what is asked where no time is given', async () => {
  assert.match((await ask('moves')).err, /--since is not given/);
  assert.doesNotMatch((await ask('moves -q')).err, /--since is not given/);
});

test('causes are completed, and a node that was never seen gets the nearest name', async () => {
  const { out } = await run(['completion', 'bash']);
  assert.match(out, /--cause\) words='Evicted Taint /);
  for (const flag of ['--from-node', '--to-node']) {
    const { code, err } = await ask(`moves --since 1h ${flag} node-5`);
    assert.deepEqual([code, err.split('\n')[1]], [3, 'no such node has ever been seen: node-5; did you mean node-35?']);
  }
});

test('moves -l selects by the labels that a pod had last, and says of how many it does not know them', async () => {
  const labels = { app: 'kafka', tier: 'data' };
  const cart = { ...pod('cart', 'uid-cart', 'node-06'), workload: undefined };
  const gone = (second: number) => ({ deletion: { requested: at(second), graceSeconds: 30 }, gone: at(second) });
  const labelled = await aLedgerWith([
    watched(0, 400),
    ...[
      life(pod('kafka-0', 'uid-a', 'node-35'), 10, { ...gone(100), labels }),
      departure(pod('kafka-0', 'uid-a', 'node-35'), 100),
    ],
    ...[life(cart, 10, { ...gone(110), owner: undefined, labels: { app: 'cart' } }), departure(cart, 110)],
    ...[life(pod('old', 'uid-old', 'node-35'), 10, gone(120)), departure(pod('old', 'uid-old', 'node-35'), 120)],
  ]);
  const select = (...words: string[]) => run(['moves', '--since', '1h', ...words], { engine: labelled, now: at(401) });
  for (const [selector, names] of [
    ['app=kafka', 'pod/shop/kafka-0\n'],
    ['app in (kafka,cart),!canary', 'pod/shop/kafka-0\npod/shop/cart\n'],
    ['tier!=data', 'pod/shop/cart\n'],
  ] as const) {
    const { code, out, err } = await select('-l', selector, '-o', 'name');
    assert.deepEqual([code, out], [0, names]);
    assert.match(err, /of 1 more pod the labels were not recorded: whether -l .+ selects them is not known/);
  }
  const document = movesSchema.parse(JSON.parse((await select('-l', 'app=kafka', '-o', 'json')).out));
  assert.deepEqual([document.query.selector, document.unjudged, document.moves.length], ['app=kafka', 1, 1]);
  const wrong = await select('-l', 'app in kafka');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /is no label selector: "\(" is missing where "kafka" stands\nhint: write it as for kubectl/);
});

test('moves -o wide has the lifecycle of who ended; -o csv ends with its workload', async () => {
  const [header = '', first = ''] = (await ask('moves --since 1h -o wide --timezone UTC')).out.split('\n');
  assert.match(header, /SUCCESSOR +FROM IPS +TO IPS +LIFECYCLE +QOS +PRIORITY +RESTARTS +CONTAINERS ENDED +WHY$/);
  assert.match(first, /created 2026-11-15T10:00:10Z, scheduled \+1s, .*gone \+5s +Burstable +0 +1 /);
  const csv = (await ask('moves --since 1h -o csv')).out.split('\r\n');
  assert.match(csv[0] ?? '', /,why,workload$/);
  assert.match(csv[1] ?? '', /,StatefulSet\/kafka$/);
});

test('explain says why, with the evidence that it rests on', async () => {
  const { code, out } = await ask('explain kafka-0 -n shop --at 2026-11-15T10:01:40Z --timezone UTC');
  assert.equal(code, 0);
  const lines = out.split('\n');
  const [sentence] = lines;
  const [header = '', row = ''] = lines.slice(lines.findIndex((line) => line.startsWith('TIME ')));
  assert.equal(sentence, 'shop/kafka-0 on node-35 was evicted: node-35 was drained. (Evicted, inferred)');
  assert.match(header, /^TIME +ABOUT +WHAT/);
  assert.match(row, /10:01:30Z +Node\/node-35 +cordoned/);
});

test('explain of a pod that lives says so; -o wide has its lifecycle', async () => {
  const { code, out } = await ask('explain kafka-0 -n shop -o wide --timezone UTC');
  assert.equal(code, 0);
  assert.match(out, /^shop\/kafka-0 on node-06 has not ended\.\n.+\n\n {2}\S+10:01:46Z {2}created\n/);
  assert.match(out, /scheduled, after 1s: on node-06\n/);
  assert.match(out, /QoS class Burstable, priority 0, 1 restart\n/);
});

for (const words of [
  'explain lonely -n shop',
  'explain uid/uid-lonely',
  'explain kafka-0 -n shop',
  'explain nobody -n shop',
]) {
  test(`${words} as JSON is a document of the wire`, async () => {
    const { code, out } = await ask(`${words} -o json`);
    const { pod: found } = explainSchema.parse(JSON.parse(out));
    assert.equal(code, found === null ? 3 : 0);
  });
}

test('explain of a workload is refused with what to ask instead', async () => {
  const { code, err } = await ask('explain sts/kafka -n shop');
  assert.equal(code, 2);
  assert.match(err, /explain is about one pod\nhint: name a pod, .*: podtrail moves -n shop -l LABELS --since 1h\./);
  const node = await ask('explain node/node-06');
  assert.match(
    `${node.code} ${node.err}`,
    /^2 .*node\/node-06 is a node, and neither a pod .*\nhint: podtrail node node-06 --since 1h/s,
  );
});

test('explain of an address asks about its holder; where that is in doubt it names whom to ask about, with exit code 4', async () => {
  const held = await ask('explain 10.0.0.8 --at 2026-11-15T10:01:00Z');
  assert.equal(held.code, 0);
  assert.match(held.out, /^shop\/lonely on node-06 was deleted, and no trace says why or by whom\. /);
  const { code, err } = await ask('explain 10.0.0.9 --at 2026-11-15T10:01:00Z');
  assert.equal(code, 4);
  assert.match(
    err,
    /10\.0\.0\.9 may have been held by any of 2 pods then\nhint: ask about one of them: shop\/\S+ \(uid\/uid-/,
  );
});
