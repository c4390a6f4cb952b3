import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectionPath, LEASES, objectPath, PODS } from './group-version-resource.ts';

test('the core group lives under /api, every other under /apis', () => {
  assert.equal(collectionPath(PODS), '/api/v1/pods');
  assert.equal(collectionPath(PODS, 'shop'), '/api/v1/namespaces/shop/pods');
  assert.equal(collectionPath(LEASES, 'kube-system'), '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases');
});

test('an object and its subresource', () => {
  assert.equal(objectPath(PODS, 'web-1', { namespace: 'shop' }), '/api/v1/namespaces/shop/pods/web-1');
  const status = objectPath(PODS, 'web-1', { namespace: 'shop', subresource: 'status' });
  assert.equal(status, '/api/v1/namespaces/shop/pods/web-1/status');
});

test('fault 30: a name stays one segment of the path, whatever is in it', () => {
  for (const name of ['..%2f..%2fsecrets', 'a/b', 'a?watch=true', 'a#b', 'a b', 'ü']) {
    const path = objectPath(PODS, name, { namespace: 'shop' });
    const segments = path.split('/');
    assert.equal(segments.length, 7, path);
    assert.equal(decodeURIComponent(segments[6]!), name);
    assert.equal(/[?# ]/.test(path), false, path);
  }
});
