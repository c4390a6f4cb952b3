import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '../engines/engine.ts';
import { aHolder, aPlacement, aTenure, at, placementFact, tenureFact } from '../engines/testing/record-builders.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { epochMillis } from '../model/time.ts';
import { ALL_VISIBLE } from '../query/visibility.ts';
import { CLUSTER, ledgerOf } from '../testing/random-ledger.ts';
import { askFind, type FindAsked } from './find.ts';

const UID = '3f0c7a52-0000-4000-8000-00000000000a';
const cart = { kind: 'Deployment', name: 'cart', inferred: true };
let ledger: Engine;
before(async () => {
  const living = aHolder('cart-7d9-x2k', { workload: cart, uid: UID });
  const gone = aHolder('cart-7d9-old', { workload: cart, node: 'node-b' });
  const db = { kind: 'StatefulSet', name: 'db', inferred: false };
  const node = aHolder('cart-node', { kind: 'Node', namespace: '', workload: undefined });
  ledger = await ledgerOf([
    placementFact(aPlacement(living, 10)),
    placementFact(aPlacement(gone, 10, 20)),
    placementFact(aPlacement(aHolder('db-0', { uid: 'uid-first', workload: db }), 10, 20)),
    placementFact(aPlacement(aHolder('db-0', { uid: 'uid-second', workload: db, node: 'node-b' }), 30)),
    placementFact(aPlacement(aHolder('my-cart', { namespace: 'other', workload: undefined }), 10, 25)),
    tenureFact(aTenure('10.0.0.7', gone, 10, 20)),
    tenureFact(aTenure('10.0.0.7', living, 30)),
    tenureFact(aTenure('10.0.0.70', gone, 30, 40)),
    tenureFact(aTenure('fd00::7', living, 30)),
    tenureFact(aTenure('192.168.0.1', node, 1)),
    tenureFact(aTenure('10.96.0.1', aHolder('cart', { kind: 'Service', node: '', workload: undefined }), 1)),
  ]);
});

async function find(text: string, more: Partial<FindAsked> = {}) {
  return await withSnapshot(ledger, CLUSTER.id, (snapshot) =>
    askFind(snapshot, ALL_VISIBLE, CLUSTER, { text, limit: 20, now: at(100), ...more }),
  );
}

async function names(text: string, more: Partial<FindAsked> = {}): Promise<string[]> {
  const { matches } = await find(text, more);
  return matches.map(({ kind, name, living }) => `${kind} ${name}${living ? '' : ' †'}`);
}

test('exact matches come first, then beginnings, then parts, and of each the living before the gone', async () => {
  assert.deepEqual(await names('cart'), [
    ...['Workload cart', 'Service cart'],
    ...['Pod cart-7d9-x2k', 'Node cart-node', 'Pod cart-7d9-old †'],
    'Pod my-cart †',
  ]);
  assert.deepEqual(await names('CART-7'), ['Pod cart-7d9-x2k', 'Pod cart-7d9-old †']);
});

test('what lives has no last, what is gone has when it ended; a name that came back is one match, the newest', async () => {
  const { matches, complete } = await find('db-0');
  assert.deepEqual(matches, [
    {
      ...{ kind: 'Pod', namespace: 'shop', name: 'db-0', uid: 'uid-second', workloadKind: null, node: 'node-b' },
      ...{ living: true, last: null },
    },
  ]);
  assert.equal(complete, true);
  const [old] = (await find('my-cart')).matches;
  assert.deepEqual([old?.living, old?.last, old?.namespace], [false, new Date(at(25)).toISOString(), 'other']);
});

test('a UID is found whole or by its first eight letters, and by fewer not', async () => {
  assert.deepEqual(await names(UID), ['Pod cart-7d9-x2k']);
  assert.deepEqual(await names(UID.toUpperCase().slice(0, 8)), ['Pod cart-7d9-x2k']);
  assert.deepEqual(await names(`uid/${UID.slice(0, 13)}`), ['Pod cart-7d9-x2k']);
  assert.deepEqual(await names(UID.slice(0, 7)), []);
});

test('addresses are found whole, however they are written, and by their beginning', async () => {
  assert.deepEqual(await names('10.0.0.7'), ['Address 10.0.0.7', 'Address 10.0.0.70 †']);
  assert.deepEqual(await names('FD00:0::7'), ['Address fd00::7']);
  assert.deepEqual(await names('192.168.'), ['Address 192.168.0.1']);
});

test('a namespace or a kind before a slash narrows what is found', async () => {
  assert.deepEqual(await names('other/cart'), ['Pod my-cart †']);
  assert.deepEqual(await names('deploy/cart'), ['Workload cart']);
  assert.deepEqual(await names('svc/car'), ['Service cart']);
  assert.deepEqual(await names('node/cart'), ['Node cart-node']);
  assert.deepEqual(await names('sts/cart'), []);
  assert.deepEqual((await find('deploy/cart')).matches[0]?.workloadKind, 'Deployment');
});

test('who asks for few gets the best, and reads that there are more', async () => {
  const { matches, complete } = await find('cart', { limit: 1 });
  assert.deepEqual([matches.length, matches[0]?.kind, complete], [1, 'Workload', false]);
});

test('a search that has looked at so many records ends with what it has, and says so', async () => {
  const cut = await find('cart', { mostSeen: 5 });
  assert.equal(cut.complete, false);
  assert.deepEqual(new Set(cut.matches.map(({ living }) => living)), new Set([true]), 'what lives is read first');
  let most = 5;
  while (!(await find('cart', { mostSeen: most })).complete) most++;
  assert.ok(most > 10, 'each record counts');
  assert.deepEqual(await find('cart', { mostSeen: most }), await find('cart'));
});

test('records that the asker may not see are not counted: how many there are changes nothing of what is found', async () => {
  const own = [10, 20, 30].map((from) => aPlacement(aHolder(`web-${from}`, { uid: `uid-${from}` }), from, from + 5));
  const others = Array.from({ length: 500 }, (_, i) =>
    aPlacement(aHolder(`web-${i}`, { namespace: 'vault', uid: `uid-vault-${i}` }), i / 10, i / 10 + 1),
  );
  const [bare, full] = await Promise.all([
    ledgerOf(own.map(placementFact)),
    ledgerOf([...others.slice(0, 250), own[0]!, ...others.slice(250), ...own.slice(1)].map(placementFact)),
  ]);
  const visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) } as const;
  const asked = async (engine: Engine, text: string, mostSeen: number) =>
    await withSnapshot(engine, CLUSTER.id, (snapshot) =>
      askFind(snapshot, visibility, CLUSTER, { text, limit: 20, now: at(100), mostSeen }),
    );
  for (const text of ['web', 'web-400', 'vault', 'nothing']) {
    for (const most of [0, 1, 2, 3, 4]) assert.deepEqual(await asked(full, text, most), await asked(bare, text, most));
  }
  assert.deepEqual([(await asked(full, 'web', 2)).complete, (await asked(full, 'web', 3)).complete], [false, true]);
});
