import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAUSE_FAMILIES, familyOf } from '../../parts/cause.ts';
import { aChange, aMove, NOW } from '../../testing/records.ts';
import { feedFilter, feedQuestions, isFiltered, isWanted, toggleCause, toggleFamily } from './feed-filter.ts';
import { changeItem, moveItem } from './feed-item.ts';

const wanted = (parameters: Record<string, string>) => {
  const filter = feedFilter(parameters);
  const items = [
    moveItem(aMove('web-1', NOW, { cause: 'Evicted', from: 'node-a', to: 'node-b' })),
    moveItem(aMove('cart-1', NOW, { cause: 'Rollout', from: 'node-b', namespace: 'pay' })),
    changeItem(aChange('web-2', NOW)),
    changeItem(aChange('cart-2', NOW, { namespace: 'pay', after: { text: 'RED' } })),
  ];
  return items.flatMap((item) =>
    isWanted(item, filter) ? [item.kind === 'move' ? item.move.name : item.change.name] : [],
  );
};

test('each filter leaves what it is for', () => {
  const cases: readonly [Record<string, string>, readonly string[]][] = [
    [{}, ['web-1', 'cart-1', 'web-2', 'cart-2']],
    [{ kind: 'moves' }, ['web-1', 'cart-1']],
    [{ kind: 'changes' }, ['web-2', 'cart-2']],
    [{ namespace: 'pay' }, ['cart-1', 'cart-2']],
    [{ node: 'node-b' }, ['web-1', 'cart-1']],
    [{ node: 'node-a' }, ['web-1']],
    [{ cause: 'Evicted' }, ['web-1']],
    [{ cause: 'Evicted,Rollout' }, ['web-1', 'cart-1']],
    [{ q: 'red' }, ['cart-2']],
    [{ q: ' Web ' }, ['web-1', 'web-2']],
    [{ kind: 'changes', cause: 'Evicted' }, []],
  ];
  for (const [parameters, names] of cases) assert.deepEqual(wanted(parameters), names, JSON.stringify(parameters));
});

test('what the page does not know in a URL is no filter', () => {
  assert.equal(isFiltered(feedFilter({ kind: 'toString', cause: 'Nonsense,constructor' })), false);
  assert.deepEqual(feedFilter({ cause: 'Nonsense,Taint' }).causes, ['Taint']);
});

test('the server is asked for no more than is wanted', () => {
  const asked = (parameters: Record<string, string>) => feedQuestions(feedFilter(parameters), 'prod');
  const shared = { cluster: 'prod', namespace: undefined };
  assert.deepEqual(asked({}), [
    { name: 'moves', parameters: { ...shared, cause: undefined } },
    { name: 'changes', parameters: shared },
  ]);
  assert.deepEqual(
    asked({ kind: 'changes', namespace: 'shop' }).map(({ name }) => name),
    ['changes'],
  );
  assert.deepEqual(
    asked({ cause: 'Taint,Evicted' }).map(({ parameters }) => parameters['cause']),
    ['Evicted,Taint'],
  );
  assert.deepEqual(
    asked({ node: 'n' }).map(({ parameters: { fromNode, toNode } }) => [fromNode, toNode]),
    [
      ['n', undefined],
      [undefined, 'n'],
    ],
  );
});

test('a chip adds its family, and takes it away again', () => {
  const family = familyOf('Completed');
  assert.equal(toggleFamily([], family), 'Completed,JobCompleted');
  assert.equal(toggleFamily(['Taint'], family), 'Taint,Completed,JobCompleted');
  assert.equal(toggleFamily(['Completed', 'Taint'], family), 'Taint');
  assert.equal(toggleFamily(['Completed'], family), undefined);
});

test('all families together are no filter', () => {
  let causes: readonly string[] = [];
  for (const family of CAUSE_FAMILIES) causes = toggleFamily(causes, family)?.split(',') ?? [];
  assert.deepEqual(causes, []);
});

test('a single cause is added and taken away', () => {
  assert.equal(toggleCause(['Rollout'], 'Evicted'), 'Evicted,Rollout');
  assert.equal(toggleCause(['Evicted'], 'Evicted'), undefined);
});
