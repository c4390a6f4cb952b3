// Sentences of kube-apiserver 1.36 that name who refused, as recorded or as its source has them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admissionRefuser } from './refuser.ts';

const SENTENCES: Readonly<Record<string, string>> = {
  'admission webhook "a.b.c" denied the request without explanation': 'webhook a.b.c',
  'Internal error occurred: failed calling webhook "a.b.c": context deadline exceeded': 'webhook a.b.c',
  'pods "x" is forbidden: ValidatingAdmissionPolicy \'p\' denied request: no': 'policy p',
  "pods \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no": 'policy p b',
  "pods \"x\" is forbidden: policy 'p' with binding 'b' denied request: no": 'policy p b',
  'pods "x" is forbidden: policy "p" denied request: no': 'policy p',
  'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0': 'quota q',
  'pods "x" is forbidden: failed quota: q: must specify cpu for: main': 'quota q',
  'pods "x" is forbidden: status unknown for quota: q, resources: pods': 'quota q',
  'pods "x" is forbidden: insufficient quota to consume: pods': 'plugin ResourceQuota',
  'pods "x" is forbidden: [maximum cpu usage per Pod is 1, but limit is 2, minimum memory usage per Pod is 1Gi.  No request is specified]':
    'plugin LimitRanger',
  'pods "x" is forbidden: cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000':
    'plugin LimitRanger',
  'pods "x" is forbidden: a mirror pod may not reference secrets': 'plugin ServiceAccount',
  'pods "x" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0':
    'plugin Priority',
  'pods "x" is forbidden: node "a" can only delete pods with spec.nodeName set to itself': 'plugin NodeRestriction',
  'pods "x" is forbidden: node a can only evict pods with spec.nodeName set to itself': 'plugin NodeRestriction',
  'nodes "b" is forbidden: node "a" is not allowed to modify node "b"': 'plugin NodeRestriction',
  'pods "x" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "a" can only create mirror pods':
    'plugin NodeRestriction',
  'pods "x" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource':
    'plugin OwnerReferencesPermissionEnforcement',
  'pods "x" is forbidden: pod node label selector conflicts with its namespace node label selector':
    'plugin PodNodeSelector',
  'pods "x" is forbidden: pod rejected: RuntimeClass "r" not found': 'plugin RuntimeClass',
  'pods "x" is forbidden: something that is not known': '',
};

for (const [sentence, refuser] of Object.entries(SENTENCES)) {
  test(`${refuser || 'not known'}: ${sentence}`, () => {
    const found = admissionRefuser(sentence, true);
    const words = [found?.kind, found?.name, found?.binding].filter((word) => word !== undefined);
    assert.equal(words.join(' '), refuser);
  });
}

test('plugins are looked for only where the annotations say that admission refused', () => {
  assert.equal(admissionRefuser('pods "x" is forbidden: violates PodSecurity "restricted:latest"', false), undefined);
});
