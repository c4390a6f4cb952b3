import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumOf, sealed, switchChecks, unsealed, withMember, withoutMember } from './checksum.ts';

const where = (): string => 'here';

test('a flipped bit is refused by its place, and only then', () => {
  const whole = sealed(Buffer.from('a record'));
  assert.equal(unsealed(whole, where).toString(), 'a record');
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    assert.throws(() => unsealed(flipped, where), { code: 'damaged', message: /here/ });
  }
});

test('the harness can switch the checks off, and a flipped bit then goes through', () => {
  const whole = sealed(Buffer.from('a record'));
  whole[0]! ^= 1;
  switchChecks(false);
  try {
    assert.equal(unsealed(whole, where).toString(), '` record');
  } finally {
    switchChecks(true);
  }
  assert.throws(() => unsealed(whole, where), { code: 'damaged' });
});

test('the sum of a set knows its members in any order, and how many there are', () => {
  const members = ['a', 'b', 'c', ''].map((text) => checksumOf(sealed(Buffer.from(text))));
  const sumOf = (checksums: readonly number[]): number => checksums.reduce(withMember, 0);
  assert.equal(sumOf(members), sumOf([...members].reverse()));
  assert.equal(withoutMember(sumOf(members), members[1]!), sumOf([members[0]!, members[2]!, members[3]!]));
  assert.notEqual(sumOf([...members, 0]), sumOf(members));
  assert.equal(members.reduce(withoutMember, sumOf(members)), 0);
});
