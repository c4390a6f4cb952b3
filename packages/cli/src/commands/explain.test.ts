// `explain` in all that a person may ask it: a pod that ended, one that lives, several of one name, addresses, what is no
// pod; and the hints that lead to it.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine, Holder, StoredFact } from '@podtrail/history';
import { CAUSE_GUIDE, CAUSES } from '@podtrail/history/wire';
import { explainSchema } from '@podtrail/history/wire/schemas';
import { aLedgerWith, at, CAUSES_OF_PLACES, cordoned, PLACES, tenure, uncordoned } from '../testing/moves-story.ts';
import { run } from '../testing/run-in-process.ts';

const SERVICE: Holder = {
  ...{ kind: 'Service', namespace: 'shop', name: 'cart', uid: 'uid-cart' },
  ...{ node: '', workload: undefined, hostNetwork: false },
};
const NODE: Holder = { ...SERVICE, kind: 'Node', namespace: '', name: 'node-06', uid: 'uid-node-06', node: 'node-06' };

let engine: Engine;
let bare: Engine;
before(async () => {
  const others = [tenure('10.96.0.10', SERVICE, 1), tenure('192.168.0.6', NODE, 1)];
  engine = await aLedgerWith([...PLACES, ...CAUSES_OF_PLACES, ...others]);
  bare = await aLedgerWith(PLACES);
});

const ask = (words: string, more = {}) =>
  run([...words.split(' '), '--timezone', 'UTC'], { engine, now: at(401), ...more });
const said = (err: string) => err.split('\n').filter((line) => line !== '' && !line.startsWith('--'));

test('a pod that ended: why, who took its place, for how long neither was ready, and what to look at next', async () => {
  const { code, out } = await ask('explain kafka-0 -n shop --at 2026-11-15T10:01:40Z');
  assert.equal(code, 0);
  assert.deepEqual(out.split('\n').slice(0, 4), [
    'shop/kafka-0 on node-35 was evicted: node-35 was drained. (Evicted, inferred)',
    'It began to end at 2026-11-15T10:01:40Z; shop/kafka-0 on node-06 took its place; neither was ready for 11s.',
    'Next: look who cordoned or scales node-35: kubectl describe node node-35, if it still exists; an imported audit log names the user.',
    '',
  ]);
  assert.match(
    out,
    /\n {2}2026-11-15T10:01:40Z {2}disrupted, after 85s: EvictionByEvictionAPI: Eviction API: evicting\n/,
  );
  // How containers ended stands in the order of time, among the milestones.
  assert.match(out, /Z {2}container broker ended: Completed, exit code 0\n {2}\S+ {2}gone, after /);
  assert.match(out, /Z +Node\/node-35 +cordoned/);
});

test('the table has what the cause rests on; -o wide has the rest too, and says which was used', async () => {
  const words = 'explain kafka-0 -n shop --at 2026-11-15T10:01:40Z';
  const rowsOf = (out: string) => {
    const lines = out.trimEnd().split('\n');
    return lines.slice(lines.findIndex((line) => line.startsWith('TIME ')) + 1);
  };
  const more = { engine: await aLedgerWith([...PLACES, ...CAUSES_OF_PLACES, uncordoned('node-35', 130)]) };
  const short = await ask(words, more);
  const wide = rowsOf((await ask(`${words} -o wide`, more)).out);
  const unused = wide.filter((line) => / no +\S+\/\S+ /.test(line));
  assert.ok(unused.length > 0, 'the story has evidence that is not used');
  assert.equal(rowsOf(short.out).length, wide.length - unused.length);
  assert.match(short.out, new RegExp(`\nIt rests on this; -o wide lists ${unused.length} more records?:\n`));
  const around = { engine: await aLedgerWith([...PLACES, ...CAUSES_OF_PLACES, uncordoned('node-06', 130)]) };
  const nothingUsed = await ask('explain lonely -n shop', around);
  assert.match(
    nothingUsed.out,
    /\nIt rests on none of these records; they say what else happened within 15 minutes of its end:\n\nTIME /,
  );
  assert.equal(
    rowsOf(nothingUsed.out).length,
    rowsOf((await ask('explain lonely -n shop -o wide', around)).out).length,
  );
});

test('where the cause rests on no record, those of long before and after are for -o wide', async () => {
  const day = [cordoned('node-06', -3600), uncordoned('node-06', -1800)];
  const explained = async (more: readonly StoredFact[]) => {
    const store = await aLedgerWith([...PLACES, ...CAUSES_OF_PLACES, ...more]);
    const { out } = await ask('explain lonely -n shop', { engine: store });
    return { out, records: out.split('\n').filter((line) => / +Node\/node-06 +/.test(line)) };
  };
  const near = await explained([...day, uncordoned('node-06', 130)]);
  assert.match(
    near.out,
    /\nIt rests on none of these records; .* within 15 minutes of its end; -o wide lists 2 more records:\n\nTIME /,
  );
  assert.deepEqual(
    near.records.map((line) => line.slice(0, 20)),
    ['2026-11-15T10:02:10Z'],
  );
  const far = await explained(day);
  assert.match(
    far.out,
    /\nThere is no record of what happened within 15 minutes of its end; -o wide lists 2 other records\.\n$/,
  );
  assert.deepEqual(far.records, []);
});

test('a pod that lives: whose place it took, why that was free, and how it came to be ready', async () => {
  const { code, out } = await ask('explain kafka-0 -n shop');
  assert.equal(code, 0);
  const lines = out.split('\n');
  assert.equal(lines[0], 'shop/kafka-0 on node-06 has not ended.');
  assert.match(
    lines[1] ?? '',
    /^It took the place of shop\/kafka-0 on node-35, which was evicted: .* \(Evicted, inferred\)$/,
  );
  assert.match(out, / ready, after 3s\n {2}QoS class Burstable, priority 0, 1 restart\n/);
});

test('several pods of one name: the last one is meant, and the others are named', async () => {
  const { err } = await ask('explain kafka-0 -n shop');
  assert.deepEqual(said(err), [
    '1 other pod had that name: uid/uid-kafka-0-a (created 2026-11-15T10:00:10Z); this is about uid/uid-kafka-0-b, created 2026-11-15T10:01:46Z',
  ]);
  const { otherLives, predecessor } = explainSchema.parse(
    JSON.parse((await ask('explain kafka-0 -n shop -o json')).out),
  );
  assert.deepEqual([otherLives.length, predecessor?.node, predecessor?.cause], [1, 'node-35', 'Evicted']);
});

for (const [words, code, sentence] of [
  ['explain nobody -n shop', 3, /^no such pod has ever been seen: shop\/nobody$/],
  ['explain kafka0 -n shop', 3, /did you mean kafka-0\?$/],
  [
    'explain node-06 -n shop',
    3,
    /^node-06 is a node, and no pod: podtrail node node-06 --since 1h says who came and left/,
  ],
  [
    'explain uid/uid-kafka-0-a -n elsewhere',
    3,
    /^there is no record of the life of pod with UID uid-kafka-0-a in namespace elsewhere$/,
  ],
  ['explain uid/nothing', 3, /^there is no record of the life of pod with UID nothing$/],
  ['explain 10.96.0.10', 2, /^podtrail: 10\.96\.0\.10 was the cluster IP of Service shop\/cart: it does not move$/],
  ['explain 192.168.0.6', 2, /^podtrail: 192\.168\.0\.6 was the address of node node-06, and not of one pod$/],
  ['explain 10.0.0.99', 3, /^Nobody held 10\.0\.0\.99 at /],
  [
    'explain 10.0.0.7 --at 2026-11-15T09:00:00Z',
    5,
    /^It is unknown who held 10\.0\.0\.7 at .*: nobody was watching before/,
  ],
  [
    'explain 10.0.0.7 --at 2026-11-15T10:06:00Z',
    0,
    /^nobody held 10\.0\.0\.7 at .*: this is about who had it last before$/,
  ],
] as const) {
  test(`${words}: a sentence that helps, exit code ${code}`, async () => {
    const ran = await ask(words);
    assert.equal(ran.code, code);
    assert.ok(
      said(ran.err).some((line) => sentence.test(line)),
      ran.err,
    );
  });
}

test('a pod whose life was not recorded is not said to be deleted on request', async () => {
  for (const words of ['explain lonely -n shop', 'explain 10.0.0.7 --at 2026-11-15T10:02:00Z']) {
    const { code, out, err } = await ask(words, { engine: bare });
    assert.deepEqual([code, out], [3, '']);
    assert.match(err, /was not recorded, or has expired: why it ended is not known/);
  }
});

test('the verdict is coloured on a terminal only', async () => {
  assert.match(
    (await ask('explain lonely -n shop', { isTTY: true })).out,
    /^\u001b\[33mshop\/lonely on node-06 .*\u001b\[39m\n/,
  );
  assert.doesNotMatch((await ask('explain lonely -n shop')).out, /\u001b/);
  assert.doesNotMatch((await ask('explain lonely -n shop --color never', { isTTY: true })).out, /\u001b/);
});

test('who -o wide and trail of an address lead to explain where there is something to explain', async () => {
  const who = await ask('who 10.0.0.7 --at 2026-11-15T10:01:00Z -o wide');
  assert.deepEqual(said(who.err), ['why it ended: podtrail explain uid/uid-kafka-0-a']);
  assert.deepEqual(said((await ask('who 10.0.0.7 --at 2026-11-15T10:01:00Z')).err), []);
  assert.deepEqual(said((await ask('trail 10.0.0.7')).err), ['why it changed hands: podtrail explain uid/uid-lonely']);
  assert.deepEqual(said((await ask('trail 10.0.0.7 -o json')).err), []);
  assert.deepEqual(said((await ask('trail 10.0.0.7', { engine: bare })).err), []);
});

test('every cause has a meaning and what to look at next, each a sentence', () => {
  for (const cause of CAUSES) {
    const { means, next } = CAUSE_GUIDE[cause];
    assert.match(means, /^[A-Z].*\.$/, cause);
    assert.match(next, /^[a-z].*\.$/, cause);
  }
});
