import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWholeName } from './whole-name.ts';

test('of a whole name of a pod, or a UID, no more can be written', () => {
  const whole = ['cart-7cbb44f847-8t7hh', 'shop/cart-7cbb44f847-8t7hh', 'db-0', '1b4e28ba-2fa1-41d2-883f-0016d3cca427'];
  for (const text of whole) assert.ok(isWholeName(text), text);
  for (const text of ['cart', 'deploy/cart', 'cart-7cbb44f847', 'cart-7cbb44f847-8t7', 'node-'])
    assert.ok(!isWholeName(text), text);
});
