import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyNamespace } from './only-namespace.ts';

const UID = '3f0c7a52-0000-4000-8000-00000000000a';

for (const [sentence, parameters, expected] of [
  ['a question without a namespace is of any', { node: 'node-1' }, undefined],
  ['one that names it is of that one', { node: 'node-1', namespace: 'shop' }, 'shop'],
  ['so is a pod by its name', { subject: 'web-1', namespace: 'shop' }, 'shop'],
  ['and a workload', { subject: 'deploy/web', namespace: 'shop' }, 'shop'],
  ['and a Service', { subject: 'svc/web', namespace: 'shop' }, 'shop'],
  ['and a UID', { subject: UID, namespace: 'shop' }, 'shop'],
  ['an address is where it is', { subject: '10.0.0.7', namespace: 'shop' }, undefined],
  ['what cannot be meant is refused by the question', { subject: 'nodes/x', namespace: 'shop' }, undefined],
  ['as is a namespace that is no text', { namespace: 7 }, undefined],
  ['or empty', { namespace: '' }, undefined],
] as const) {
  test(`the namespace that a question is about: ${sentence}`, async () => {
    assert.equal(await onlyNamespace(parameters), expected);
  });
}
