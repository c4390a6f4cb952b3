import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressPool } from './address-pool.ts';
import { addressAt, contains, formatCidr, parseCidr, partOf } from './cidr.ts';
import { TruthJournal } from './truth-journal.ts';

const holder = (uid: string) => ({ namespace: 'shop', name: uid, uid });

test('a range is cut into parts, in both families', () => {
  const pods = parseCidr('10.244.0.0/16');
  assert.equal(formatCidr(partOf(pods, 25, 3)!), '10.244.1.128/25');
  assert.equal(partOf(pods, 25, 512), undefined);
  const six = parseCidr('fd00:10:244::/48');
  assert.equal(formatCidr(partOf(six, 64, 18)!), 'fd00:10:244:12::/64');
  assert.equal(addressAt(six, 65_537), 'fd00:10:244::1:1');
  assert.ok(contains(parseCidr('10.244.1.128/25'), '10.244.1.255'));
  assert.ok(!contains(parseCidr('10.244.1.128/25'), '10.244.1.127'));
  assert.ok(!contains(six, '10.244.1.1'));
  for (const text of ['10.0.0.0', '10.0.0/8', '10.0.0.0/33', 'fd00::/129', 'x']) {
    assert.throws(() => parseCidr(text), RangeError, text);
  }
});

test('addresses are handed out in turn like host-local, each once, until none is left', () => {
  const journal = new TruthJournal();
  const pool = new AddressPool({ node: 'n', cidrs: [parseCidr('10.0.0.0/29'), parseCidr('fd00::/64')], journal });
  const leases = [1, 2, 3, 4, 5].map((at) => pool.take(holder(`p${at}`), at)!);
  assert.deepEqual(leases[0]!.addresses, ['10.0.0.2', 'fd00::2']);
  assert.deepEqual(
    leases.map(({ addresses }) => addresses[0]),
    ['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6'],
  );
  assert.equal(pool.take(holder('p6'), 6), undefined, 'the last one is for broadcasts');
  pool.give(leases[1]!, 7);
  pool.give(leases[0]!, 8);
  assert.deepEqual(pool.take(holder('p7'), 9)!.addresses[0], '10.0.0.2', 'after the last comes the first free one');
  assert.deepEqual(
    journal.heldAt('10.0.0.2', 8.5).map(({ uid }) => uid),
    [],
  );
  assert.deepEqual(
    journal.heldAt('10.0.0.2', 9).map(({ uid }) => uid),
    ['p7'],
  );
  assert.deepEqual(
    journal.heldAt('10.0.0.2', 7.9).map(({ uid }) => uid),
    ['p1'],
  );
});

test('in the order of the lowest, a freed address is the next', () => {
  const journal = new TruthJournal();
  const pool = new AddressPool({ node: 'n', cidrs: [parseCidr('10.0.0.0/28')], journal, order: 'lowest' });
  const first = pool.take(holder('a'), 1)!;
  pool.take(holder('b'), 2);
  pool.give(first, 3);
  assert.deepEqual(pool.take(holder('c'), 4)!.addresses, first.addresses);
});

test('a journal with a bound forgets closed tenures, the oldest first, and never open ones', () => {
  const journal = new TruthJournal({ keep: 10 });
  const tenure = (n: number) => ({ ip: `ip-${n}`, ...holder(`u${n}`), node: 'n', hostNetwork: false, from: n });
  journal.open(tenure(-1));
  for (let n = 0; n < 2000; n++) journal.close(journal.open(tenure(n)), n + 0.5);
  assert.ok(journal.tenures.length < 1100);
  assert.equal(journal.tenures[0]?.uid, 'u-1');
  assert.equal(journal.tenures.at(-1)?.uid, 'u1999');
  assert.equal(journal.forgotten + journal.tenures.length, 2001);
});
