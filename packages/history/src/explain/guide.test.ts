import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hintOf } from './guide.ts';
import { aLife, aPod } from './testing/case-builders.ts';

const life = aLife({ pod: aPod('cart-1', { workload: { kind: 'Deployment', name: 'cart', inferred: false } }) });

for (const [cause, actor, hint] of [
  ['Rollout', undefined, 'kubectl rollout history deployment/cart -n shop shows what changed.'],
  ['OwnerDeleted', undefined, 'see who deleted deployment/cart; an imported audit log names the user.'],
  ['OwnerDeleted', 'jane', 'see who deleted deployment/cart.'],
  ['NodeGone', undefined, 'see who removed worker-2: an autoscaler, the cloud controller, or kubectl delete node.'],
  ['DeletedOnRequest', 'jane', 'see what else jane did then, in the audit log.'],
] as const) {
  test(`what to look at after ${cause}${actor === undefined ? '' : ` by ${actor}`}`, () => {
    assert.equal(hintOf({ cause, actor }, life), hint);
  });
}
