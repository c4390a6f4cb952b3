// What the recorded lines do not have: what could not be provoked, and lines that lack something.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionIn, anEvent, type EventFields, inWords, refused } from './testing/an-event.ts';

const bare = { annotations: {} };
const eviction = {
  objectRef: { resource: 'pods', subresource: 'eviction', namespace: 'shop', name: 'web-1' },
  verb: 'create',
};

const CASES: Readonly<Record<string, readonly [event: EventFields, words: string]>> = {
  'a request without an answer is unfinished': [
    anEvent({ stage: 'RequestReceived', responseStatus: undefined }),
    'delete Pod unfinished',
  ],
  'a request that panicked failed': [
    anEvent({ stage: 'Panic', responseStatus: { code: 500, status: 'Failure', message: "APIServer panic'd: boom" } }),
    'delete Pod failed 500',
  ],
  'a request that panicked without a code failed': [
    anEvent({ stage: 'Panic', responseStatus: undefined }),
    'delete Pod failed',
  ],
  'a failure without a code failed': [
    anEvent({ responseStatus: { status: 'Failure', message: 'no' } }),
    'delete Pod failed',
  ],
  'a code that is none is no answer': [anEvent({ responseStatus: { code: 'no' } }), 'delete Pod unfinished'],
  '403 of authorization is known by its sentence where the annotations were cut': [
    refused(
      403,
      'pods "x" is forbidden: User "bob" cannot delete resource "pods" in API group "" in the namespace "shop"',
      bare,
    ),
    'delete Pod refused 403 authorization',
  ],
  '403 without annotations and with another sentence is one of the two': [
    refused(403, 'pods "x" is forbidden: who knows', bare),
    'delete Pod refused 403 forbidden',
  ],
  '403 of an admission plugin that is not known is admission': [
    refused(403, 'pods "x" is forbidden: my plugin says no'),
    'delete Pod refused 403 admission',
  ],
  'authorization that forbids is not taken for a webhook, whatever the name of the user': [
    refused(403, 'admission webhook "fake" denied the request', {
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    }),
    'delete Pod refused 403 authorization',
  ],
  'a sentence of a policy inside what another one says is not taken for a policy': [
    refused(
      422,
      'Pod "x" is invalid: metadata.name: Invalid value: "ValidatingAdmissionPolicy \'a\' with binding \'b\' denied request"',
    ),
    'delete Pod refused 422 validation',
  ],
  'the sentence of a webhook inside what another one says is not taken for a webhook': [
    refused(422, 'Pod "x" is invalid: metadata.labels: Invalid value: "admission webhook "a" denied the request"'),
    'delete Pod refused 422 validation',
  ],
  'a node that writes what is not its own is refused by NodeRestriction': [
    refused(403, 'pods "x" is forbidden: node "a" can only delete pods with spec.nodeName set to itself'),
    'delete Pod refused 403 admission plugin NodeRestriction',
  ],
  '429 without a sentence on an eviction is throttling': [
    anEvent({ ...eviction, responseStatus: { code: 429 } }),
    'evict Pod refused 429 throttling',
  ],
  '429 of a budget that is not named is still one': [
    refused(429, "Cannot evict pod as it would violate the pod's disruption budget.", eviction),
    'evict Pod refused 429 disruption-budget',
  ],
  'a timeout may have been done': [refused(504, 'Timeout: request did not complete'), 'delete Pod failed 504'],
  'a server that is not ready may have done it': [refused(503, 'etcd is down'), 'delete Pod failed 503'],
  'an unusual refusal is one': [refused(418, 'teapot'), 'delete Pod refused 418 other'],
  'a dry run that was refused was refused': [
    refused(404, 'pods "x" not found', { requestURI: '/api/v1/namespaces/shop/pods/x?dryRun=All' }),
    'delete Pod refused 404 not-found',
  ],
  'a dry run is one, wherever it stands in the query': [
    anEvent({ requestURI: '/api/v1/namespaces/shop/pods/x?fieldManager=a&dryRun=All' }),
    'delete Pod dry-run',
  ],
};

for (const [sentence, [event, words]] of Object.entries(CASES)) {
  test(sentence, () => {
    const action = actionIn(event);
    assert.ok(action !== undefined);
    assert.equal(inWords(action), words);
  });
}

test('hints are commands that can be pasted: names are quoted', () => {
  const action = actionIn(
    refused(403, 'pods is forbidden: User "o\'neil $(rm)" cannot create resource "pods"', {
      verb: 'create',
      user: { username: "o'neil $(rm)" },
      objectRef: { resource: 'pods', subresource: 'eviction', namespace: 'shop', name: 'web-1' },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    }),
  );
  assert.equal(
    action?.outcome.kind === 'refused' && action.outcome.hint,
    `no role grants it: kubectl auth can-i create pods/web-1 --subresource eviction --as 'o'\\''neil $(rm)' -n shop`,
  );
});
