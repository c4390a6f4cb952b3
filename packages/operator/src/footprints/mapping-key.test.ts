import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mappingKey } from './mapping-key.ts';

test('a key is namespace_podname', () => {
  assert.equal(mappingKey('shop', 'cart-7d9-x2k'), 'shop_cart-7d9-x2k');
  assert.equal(mappingKey('n'.repeat(63), 'p'.repeat(189)).length, 253);
  assert.equal(mappingKey('n'.repeat(63), 'p'.repeat(189)), `${'n'.repeat(63)}_${'p'.repeat(189)}`);
});

test('a key that would be too long is cut and closed with a hash, the same each time, one for each pod', () => {
  const long = (last: string) => mappingKey('n'.repeat(63), 'p'.repeat(252) + last);
  assert.equal(long('a').length, 253);
  assert.match(long('a'), /^n{63}_p{172}_[0-9a-f]{16}$/);
  assert.equal(long('a'), long('a'));
  assert.notEqual(long('a'), long('b'));
  // One character beyond the limit, and none.
  assert.equal(mappingKey('n'.repeat(63), 'p'.repeat(190)).split('_').length, 3);
});

test('what no API server would let through still becomes a valid key', () => {
  for (const [namespace, name] of [
    ['..', 'x'],
    ['a', 'b/c'],
    ['a', 'ü'],
    ['a', '\u001b[31m'],
  ] as const) {
    assert.match(mappingKey(namespace, name), /^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/);
  }
});
