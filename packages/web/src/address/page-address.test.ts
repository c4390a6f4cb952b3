import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PageAddress, parseAddress, printAddress, withParameters } from './page-address.ts';

const read = (url: string) => {
  const { pathname, search } = new URL(url, 'http://here');
  return parseAddress(pathname, search);
};

test('an address that was printed reads back the same', () => {
  const cases: readonly PageAddress[] = [
    { view: 'ask', parameters: {} },
    { view: 'ask', parameters: { q: '10.1.2.3', at: '2026-11-15T10:05:00.000Z' } },
    { view: 'trail', parameters: { subject: 'deploy/cart', namespace: 'shop', since: '6h' } },
    { view: 'feed', parameters: { cause: 'Evicted,Rollout', q: 'a&b=c #?%+ é <b>' } },
  ];
  for (const address of cases) assert.deepEqual(read(printAddress(address)), address);
});

test('the same state is the same URL, whatever the order', () => {
  assert.equal(
    printAddress({ view: 'nodes', parameters: { b: '2', a: '1' } }),
    printAddress({ view: 'nodes', parameters: { a: '1', b: '2' } }),
  );
});

test('times and subjects stay readable in the URL', () => {
  const url = printAddress({ view: 'trail', parameters: { at: '2026-11-15T10:05:00Z', subject: 'deploy/cart' } });
  assert.equal(url, '/trail?at=2026-11-15T10:05:00Z&subject=deploy/cart');
});

test('a path that is no view is the home', () => {
  assert.equal(read('/constructor').view, 'ask');
  assert.equal(read('/health/').view, 'health');
});

test('a parameter that is set to nothing is not there any more', () => {
  const changed = withParameters(read('/trail?by=ip&subject=a'), { by: undefined, since: '1h' });
  assert.deepEqual(changed, { view: 'trail', parameters: { subject: 'a', since: '1h' } });
});
