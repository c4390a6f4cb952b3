// What a real kube-apiserver wrote, read: how the lines were made is in testing/README.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionDocument } from './action-document.ts';
import { actionSchema } from './schemas.ts';
import { actionsIn, inWords, recordedLines } from './testing/an-event.ts';

/** What each case is, in words. */
const EXPECTED: Readonly<Record<string, string>> = {
  'create-in-shop': 'create Pod allowed',
  'create-generated-in-shop': 'create Pod allowed',
  'patch-in-shop': 'patch Pod allowed',
  // Only the body says that it is a dry run, and level Metadata has none.
  'delete-dry-run-in-shop': 'delete Pod allowed',
  'delete-dry-run-in-requests': 'delete Pod dry-run',
  'delete-dry-run-in-bodies': 'delete Pod dry-run',
  'evict-in-shop': 'evict Pod allowed',
  'deletecollection-in-shop': 'delete-collection Pod allowed',
  'create-in-requests': 'create Pod allowed',
  'create-generated-in-requests': 'create Pod allowed',
  'patch-in-requests': 'patch Pod allowed',
  'evict-in-requests': 'evict Pod allowed',
  'deletecollection-in-requests': 'delete-collection Pod allowed',
  'create-in-bodies': 'create Pod allowed',
  'create-generated-in-bodies': 'create Pod allowed',
  'patch-in-bodies': 'patch Pod allowed',
  'evict-in-bodies': 'evict Pod allowed',
  'deletecollection-in-bodies': 'delete-collection Pod allowed',
  'create-dry-run': 'create Pod dry-run',
  'create-web-2': 'create Pod allowed',
  update: 'update Pod allowed',
  'ephemeral-container': 'debug Pod allowed',
  exec: 'exec Pod failed 500',
  delete: 'delete Pod allowed',
  'create-web-3': 'create Pod allowed',
  'delete-by-force': 'delete Pod allowed',
  'create-unbound': 'create Pod allowed',
  bind: 'bind Pod allowed',
  'status-by-hand': 'write-status Pod allowed',
  'as-jane': 'create Pod allowed',
  'webhook-mutates': 'create Pod allowed',
  'webhook-open': 'create Pod allowed',
  'team-label': 'create Pod allowed',
  'reused-audit-id': 'delete Pod allowed',
  'no-token': 'delete Pod refused 401 authentication',
  'rbac-delete': 'delete Pod refused 403 authorization',
  'rbac-list': 'list Pod refused 403 authorization',
  'rbac-evict': 'evict Pod refused 403 authorization',
  'impersonation-refused': 'delete Pod refused 403 authorization',
  'webhook-denies': 'create Pod refused 400 admission webhook images.example.com',
  'webhook-conflicts': 'create Pod refused 409 admission webhook conflicts.example.com',
  'webhook-down': 'create Pod refused 500 admission webhook down.example.com',
  'no-latest': 'create Pod refused 422 admission policy no-latest',
  'no-root': 'create Pod refused 403 admission policy no-root',
  'pod-security': 'create Pod refused 403 admission plugin PodSecurity',
  quota: 'create Pod refused 403 admission quota few',
  'limit-range': 'create Pod refused 403 admission plugin LimitRanger',
  'service-account-missing': 'create Pod refused 403 admission plugin ServiceAccount',
  'priority-class-missing': 'create Pod refused 403 admission plugin Priority',
  'delete-namespace': 'delete Namespace allowed',
  'namespace-terminating': 'create Pod refused 403 admission plugin NamespaceLifecycle',
  'namespace-missing': 'create Pod refused 404 not-found',
  'not-found': 'delete Pod refused 404 not-found',
  'already-exists': 'create Pod refused 409 conflict',
  conflict: 'update Pod refused 409 conflict',
  precondition: 'delete Pod refused 409 conflict',
  gone: 'list Pod refused 410 gone',
  invalid: 'create Pod refused 422 validation',
  'bad-json': 'create Pod refused 400 request',
  'media-type': 'create Pod refused 415 request',
  method: 'evict Pod refused 405 request',
  'too-large': 'create Pod refused 413 request',
  throttled: 'list Pod refused 429 throttling',
  'create-guarded': 'create Pod allowed',
  'disruption-budget': 'evict Pod refused 429 disruption-budget disruption-budget guard',
  'replicaset-creates': 'create Pod allowed',
  'replicaset-scales-down': 'delete Pod allowed',
  'scheduler-binds': 'bind Pod allowed',
  'kubelet-writes-status': 'write-status Pod allowed',
  'kubelet-deletes': 'delete Pod allowed',
  'person-creates-deployment': 'create Deployment allowed',
  'person-scales': 'scale Deployment allowed',
  // At level Metadata a restart is a patch.
  'person-restarts': 'patch Deployment allowed',
  'person-deletes-deployment': 'delete Deployment allowed',
  'drain-cordons': 'cordon Node allowed',
  'drain-evicts': 'evict Pod allowed',
  uncordon: 'uncordon Node allowed',
  taint: 'taint Node allowed',
  'taint-deletes': 'delete Pod allowed',
  'taint-writes-condition': 'write-status Pod allowed',
  'collector-deletes-replicaset': 'delete ReplicaSet allowed',
  'collector-deletes-pod': 'delete Pod allowed',
  'namespace-deletes-pods': 'delete-collection Pod allowed',
  'delete-node': 'delete Node allowed',
};

const lines = recordedLines();
const actionOf = (name: string) => {
  const found = actionsIn(
    lines
      .filter((line) => line.case === name)
      .map(({ event }) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
  assert.equal(found.length, 1, `one action of ${name}`);
  return found[0]!;
};

test('every recorded case is expected, and every expected one is recorded', () => {
  assert.deepEqual([...new Set(lines.map((line) => line.case))].sort(), Object.keys(EXPECTED).sort());
});

for (const [name, words] of Object.entries(EXPECTED)) {
  test(`recorded: ${name} is ${words}`, () => {
    const action = actionOf(name);
    assert.equal(inWords(action), words);
    actionSchema.parse(actionDocument(action));
    if ('hint' in action.outcome) assert.match(action.outcome.hint, /\S/);
  });
}

test('recorded: a name that the server made up is known only from the answer', () => {
  assert.equal(actionOf('create-generated-in-shop').object.name, undefined);
  assert.equal(actionOf('create-generated-in-requests').object.name, undefined);
  assert.equal(actionOf('create-generated-in-requests').details.generateName, 'batch-');
  assert.match(actionOf('create-generated-in-bodies').object.name ?? '', /^batch-.{5}$/);
  assert.match(actionOf('create-generated-in-bodies').object.uid ?? '', /^[0-9a-f-]{36}$/);
});

test('recorded: what a collection was is known from the answer, what it was asked for always', () => {
  assert.deepEqual(actionOf('deletecollection-in-shop').details, { labelSelector: 'app=batch' });
  const { objects = [] } = actionOf('deletecollection-in-bodies').details;
  assert.deepEqual(
    objects.map(({ name }) => name),
    [actionOf('create-generated-in-bodies').object.name],
  );
});

test('recorded: who acts in the name of another is named', () => {
  const { actor } = actionOf('as-jane');
  assert.deepEqual([actor.user, actor.impersonatedBy], ['jane', 'ci']);
  assert.equal(actionOf('no-token').actor.user, undefined);
});

test('recorded: what admission did to what it let pass', () => {
  assert.deepEqual(actionOf('webhook-mutates').admission?.mutatedBy, ['inject.example.com']);
  assert.deepEqual(actionOf('webhook-open').admission?.failedOpen, ['open.example.com']);
  assert.deepEqual(actionOf('team-label').admission?.violated, [
    { policy: 'team-label', binding: 'team-label-everywhere', message: 'a team is missing' },
  ]);
});

test('recorded: taints, and the uid of a pod that was bound', () => {
  assert.deepEqual(actionOf('taint').details.taints, ['broken=yes:NoExecute']);
  assert.match(actionOf('scheduler-binds').object.uid ?? '', /^[0-9a-f-]{36}$/);
  assert.match(actionOf('person-scales').actor.userAgent, /^kubectl\//);
});
