import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLabelSelector } from './label-selector.ts';

const LABELS = { app: 'cart', 'app.kubernetes.io/part-of': 'shop', tier: 'web', empty: '', weight: '7' };

for (const [selector, selected] of [
  ['app=cart', true],
  ['app==cart', true],
  ['app=web', false],
  ['app!=web', true],
  ['other!=web', true],
  ['app = cart, tier = web', true],
  ['app=cart,tier=api', false],
  ['tier in (web,api)', true],
  ['tier in (db)', false],
  ['tier notin (db, cache)', true],
  ['other notin (db)', true],
  ['app', true],
  ['!app', false],
  ['!canary', true],
  ['app.kubernetes.io/part-of=shop', true],
  ['empty=', true],
  ['app=', false],
  ['empty in ()', true],
  ['weight>5', true],
  ['weight<5', false],
  ['app>5', false],
  ['constructor', false],
] as const) {
  test(`${selector} ${selected ? 'selects' : 'does not select'} the pod`, () => {
    assert.equal(parseLabelSelector(selector).selects({ labels: LABELS }), selected);
  });
}

for (const selector of [
  '',
  ',',
  'app=cart,',
  'app=cart tier=web',
  'app in web',
  'app in (web',
  '=cart',
  'a b',
  'app>x',
  '-app',
  'app=ca/rt',
  '!',
]) {
  test(`"${selector}" is refused with how to write it`, () => {
    assert.throws(() => parseLabelSelector(selector), { code: 'bad-selector', hint: /as for kubectl/ });
  });
}

test('of a life without labels nothing can be said; of cut ones what is there decides', () => {
  const { selects } = parseLabelSelector('app=cart,!canary');
  assert.equal(selects({}), undefined);
  assert.equal(selects({ labels: {} }), false);
  assert.equal(selects({ labels: { app: 'cart' } }), true);
  assert.equal(selects({ labels: { app: 'cart' }, labelsCut: true }), undefined);
  assert.equal(selects({ labels: { app: 'web' }, labelsCut: true }), false);
  assert.equal(selects({ labels: { app: 'cart', canary: 'yes' }, labelsCut: true }), false);
});
