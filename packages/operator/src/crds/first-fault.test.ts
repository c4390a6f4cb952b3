import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstFault } from './first-fault.ts';
import { podTracker } from './podtracker.ts';
import type { JsonSchema } from './schema.ts';

const SPEC = podTracker.json.properties?.['spec'] as JsonSchema;

const SOUND: Record<string, unknown> = {
  nothing: {},
  'all of it': {
    namespaces: ['shop', 'bank'],
    namespaceSelector: { matchExpressions: [{ key: 'example.com/team', operator: 'NotIn', values: ['', 'a'] }] },
    podSelector: { matchLabels: { 'app.kubernetes.io/name': 'web', x: '' } },
    namePrefix: 'web-',
    nodeNames: ['n1.example.com'],
    footprints: { log: true, configMaps: { enabled: true, namespace: 'default', retention: '1d12h' } },
    annotations: { enabled: false, keys: ['example.com/*', 'a?'] },
  },
  'an empty prefix': { namePrefix: '' },
  'an hour in parts': { footprints: { configMaps: { retention: '59m60s' } } },
  'no end': { footprints: { configMaps: { retention: 'never' } } },
  'a field of a later version': { later: 5 },
};

for (const [what, spec] of Object.entries(SOUND)) {
  test(`nothing is wrong with ${what}`, () => assert.equal(firstFault(SPEC, spec, 'spec'), undefined));
}

const FAULTY: readonly (readonly [spec: unknown, says: RegExp])[] = [
  [null, /^spec is null: write an object$/],
  [[], /^spec is \[\]: write an object$/],
  [{ namespaces: 'abc' }, /^spec.namespaces is "abc": write a list$/],
  [{ namespaces: [5] }, /^spec.namespaces\[0\] is 5: write a text$/],
  [{ namespaces: [] }, /^spec.namespaces is \[\]: leave namespaces out/],
  [{ namespaces: ['team-*'] }, /name each namespace in full/],
  [{ namespaces: ['x'.repeat(64)] }, /^spec.namespaces\[0\] is too long: write at most 63 characters$/],
  [{ nodeNames: [] }, /leave nodeNames out/],
  [{ namePrefix: ['a'] }, /^spec.namePrefix is \["a"\]: write a text$/],
  [{ namePrefix: 'web-*' }, /it is no pattern/],
  [{ podSelector: { matchExpressions: 5 } }, /^spec.podSelector.matchExpressions is 5: write a list$/],
  [{ podSelector: { matchExpressions: [{ key: 'a' }] } }, /matchExpressions\[0\].operator is missing/],
  [{ podSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }, /write one of In, NotIn, Exists/],
  [{ podSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }, /write at least one of values/],
  [{ podSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['x'] }] } }, /leave values out/],
  [{ podSelector: { matchExpressions: [{ key: '', operator: 'Exists' }] } }, /write the key of a label/],
  [{ podSelector: { matchLabels: { 'no key!': 'x' } } }, /write the key of a label/],
  [{ podSelector: { matchLabels: { app: 'web-*' } } }, /matchLabels.app is "web-\*": write the value of a label/],
  [{ footprints: { log: 'yes' } }, /^spec.footprints.log is "yes": write true or false$/],
  [
    { footprints: { configMaps: { namespace: '../../x' } } },
    /namespace is "..\/..\/x": write the name of one namespace/,
  ],
  [{ footprints: { configMaps: { namespace: 5 } } }, /namespace is 5: write a text/],
  [{ footprints: { configMaps: { retention: '7' } } }, /such as "168h" or "7d"/],
  [{ footprints: { configMaps: { retention: '59m59s' } } }, /at least "1h"/],
  [{ annotations: { enabled: true, keys: [''] } }, /write the key of an annotation/],
  [{ annotations: { keys: ['a'] } }, /beside keys write "enabled: true"/],
];

for (const [spec, says] of FAULTY) {
  test(`wrong is ${JSON.stringify(spec).slice(0, 70)}`, () => assert.match(firstFault(SPEC, spec, 'spec') ?? '', says));
}

test('a long value is cut in the sentence, and a count below zero or in parts is none', () => {
  assert.match(firstFault(SPEC, { namespaces: 'x'.repeat(500) }, 'spec') ?? '', /^.{100,140}$/);
  const STATUS = podTracker.json.properties?.['status'] as JsonSchema;
  for (const pods of [-1, 1.5, '1']) {
    assert.match(firstFault(STATUS, { counts: { pods, nodes: 0, slices: 0 } }, 'status') ?? '', /write a whole number/);
  }
});
