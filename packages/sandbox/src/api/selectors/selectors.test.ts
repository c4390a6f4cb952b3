import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInResources } from '../built-in-resources.ts';
import type { ResourceType } from '../resource-type.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector, selectorOfObject } from './label-selector.ts';

const LABELS = { app: 'web', tier: '2', 'example.io/x': '' };

for (const [text, matches] of [
  ['', true],
  ['app=web', true],
  ['app==web,tier=2', true],
  ['app!=web', false],
  ['other!=web', true],
  ['app in (api, web)', true],
  ['app notin (api,web)', false],
  ['other notin (a)', true],
  ['app', true],
  ['!app', false],
  ['!other', true],
  ['tier>1', true],
  ['tier<2', false],
  ['example.io/x=', true],
  ['app=', false],
] as const) {
  test(`labels: '${text}' ${matches ? 'matches' : 'does not match'}`, () => {
    assert.equal(parseLabelSelector(text).matches(LABELS), matches);
  });
}

for (const key of ['constructor', 'toString', 'valueOf']) {
  test(`labels: ${key}, which every object inherits, is a label only where it was written`, () => {
    assert.equal(parseLabelSelector(key).matches(LABELS), false);
    assert.equal(parseLabelSelector(`!${key}`).matches(LABELS), true);
    assert.equal(parseLabelSelector(key).matches({ [key]: 'x' }), true);
    const matchExpressions = [{ key, operator: 'Exists' }];
    assert.equal(selectorOfObject({ matchExpressions }).matches(LABELS), false);
    assert.equal(selectorOfObject({ matchExpressions: [{ key: 'app', operator: key }] }).text, '', 'no operator');
    assert.equal(parseFieldSelector(`metadata.name=a`, type('pods')).matches({ metadata: { name: 'a' } }), true);
    assert.throws(() => parseFieldSelector(`${key}=x`, type('pods')), { code: 400 });
  });
}

for (const [text, message] of [
  ['=a', "found '=', expected: !, identifier, or 'end of string'"],
  ['a=b,', "found '', expected: identifier after ','"],
  ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
] as const) {
  test(`labels: '${text}' is refused in the real server's words`, () => {
    assert.throws(() => parseLabelSelector(text), { message, code: 400 });
  });
}

test('labels: the selector of a workload is a query too, and prints as one', () => {
  const matchExpressions = [{ key: 'tier', operator: 'In', values: ['2', '1'] }];
  const selector = selectorOfObject({ matchLabels: { app: 'web' }, matchExpressions });
  assert.equal(selector.matches(LABELS), true);
  assert.equal(selector.matches({ app: 'web', tier: '3' }), false);
  assert.equal(selector.text, 'app=web,tier in (1,2)');
});

const type = (plural: string) => builtInResources().find((one) => one.plural === plural) as ResourceType;
const POD = { metadata: { name: 'a', namespace: 'n' }, spec: { nodeName: 'n1' }, status: { phase: 'Running' } };

for (const [text, matches] of [
  ['spec.nodeName=n1', true],
  ['spec.nodeName==n1,status.phase!=Running', false],
  ['status.podIP=', true],
  ['metadata.name=a,metadata.namespace=n', true],
  ['spec.hostNetwork=false', true],
] as const) {
  test(`fields: '${text}' ${matches ? 'matches' : 'does not match'}`, () => {
    assert.equal(parseFieldSelector(text, type('pods')).matches(POD), matches);
  });
}

for (const [plural, text, message] of [
  ['pods', 'spec.foo=1', 'field label not supported: spec.foo'],
  ['configmaps', 'data.a=b', '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"'],
  ['pods', 'foo', "invalid selector: 'foo'; can't understand 'foo'"],
] as const) {
  test(`fields: '${text}' of ${plural} is refused in the real server's words`, () => {
    assert.throws(() => parseFieldSelector(text, type(plural)), { message, code: 400 });
  });
}
