import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLOURS, mixed, PATTERNS, seriesOf } from './series-colours.ts';

test('a name has the same colour and pattern everywhere', () => {
  assert.deepEqual(seriesOf('shop/Deployment/cart'), seriesOf('shop/Deployment/cart'));
  assert.deepEqual(seriesOf('shop/Deployment/cart'), { colour: 4, pattern: 1 });
});

test('names are spread over all colours and patterns', () => {
  const counts = new Map<string, number>();
  for (let n = 0; n < 3_200; n++) {
    const { colour, pattern } = seriesOf(`team-${n % 7}/Deployment/app-${n}`);
    counts.set(`${colour} ${pattern}`, (counts.get(`${colour} ${pattern}`) ?? 0) + 1);
  }
  assert.equal(counts.size, COLOURS * PATTERNS);
  for (const [series, count] of counts) assert.ok(count > 50 && count < 200, `${series}: ${count}`);
});

test('colours are mixed channel by channel', () => {
  assert.equal(mixed('#ff0000', '#0000ff', 0.5), '#800080');
  assert.equal(mixed('#102030', '#ffffff', 1), '#102030');
});
