// Who may speak to the control plane, what is written about it, and the front proxy before an extension API server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { FRONT_PROXY_NAME, until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({
  needs: ['own control plane'],
  users: [{ name: 'token-jane', groups: ['readers'] }],
});

const { skip } = cluster;
const plane = () => cluster.controlPlane;
const whoAmI = async (kubeconfig: string) =>
  JSON.parse(await plane().kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfig })).status.userInfo;

test('the audit log shows a request with its user, verb, object and answer', { skip }, async () => {
  const kubeconfig = await plane().kubeconfig({ user: 'auditee', groups: ['system:masters'] });
  await plane().kubectl(['create', 'configmap', 'audited'], { kubeconfig });
  const event = await until('the request is in the audit log', async () =>
    (await plane().auditLog()).find((event) => event.user.username === 'auditee' && event.verb === 'create'),
  );
  assert.equal(event.objectRef?.resource, 'configmaps');
  assert.equal(event.objectRef?.name, 'audited');
  assert.equal(event.responseStatus?.code, 201);
  assert.ok(!(await plane().auditLog()).some((event) => event.requestURI.startsWith('/readyz')));
});

test('a user comes with a certificate or a token, with groups, and RBAC refuses what was not granted', {
  skip,
}, async () => {
  const byCertificate = await plane().kubeconfig({ user: 'jane', groups: ['dev', 'ops'] });
  assert.deepEqual(await whoAmI(byCertificate).then(({ username, groups }) => [username, groups]), [
    'jane',
    ['dev', 'ops', 'system:authenticated'],
  ]);
  const byToken = await plane().kubeconfig({ user: 'token-jane', via: 'token' });
  assert.deepEqual(await whoAmI(byToken).then(({ username, groups }) => [username, groups]), [
    'token-jane',
    ['readers', 'system:authenticated'],
  ]);
  await assert.rejects(plane().kubectl(['get', 'pods'], { kubeconfig: byCertificate }), /forbidden.*"jane"/i);
  await plane().kubectl(['create', 'clusterrole', 'see-pods', '--verb=get,list', '--resource=pods']);
  await plane().kubectl(['create', 'clusterrolebinding', 'dev-see-pods', '--clusterrole=see-pods', '--group=dev']);
  await until('the grant works', () =>
    plane()
      .kubectl(['get', 'pods', '-o', 'name'], { kubeconfig: byCertificate })
      .then(() => true),
  );
  await assert.rejects(plane().kubectl(['get', 'pods'], { kubeconfig: byToken }), /forbidden/i);
  await assert.rejects(plane().kubeconfig({ user: 'nobody', via: 'token' }), /nobody has no static token/);
});

test('a ServiceAccount comes with a token of the TokenRequest API, also as files', { skip }, async () => {
  await plane().kubectl(['create', 'serviceaccount', 'robot']);
  const serviceAccount = { namespace: 'default', name: 'robot' };
  for (const asFiles of [false, true]) {
    const kubeconfig = await plane().kubeconfig({ serviceAccount, asFiles });
    assert.equal((await whoAmI(kubeconfig)).username, 'system:serviceaccount:default:robot');
    assert.equal((await readFile(kubeconfig, 'utf8')).includes('tokenFile:'), asFiles);
  }
  await assert.rejects(plane().kubeconfig({ serviceAccount: { namespace: 'default', name: 'none' } }), /not found/);
});

test('apiserver_request_body_size_bytes grows by what was sent', { skip }, async () => {
  const before = await plane().requestBodyBytes({ resource: 'secrets' });
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'big' }, stringData: { x: 'x'.repeat(50_000) } };
  assert.equal((await plane().request('/api/v1/namespaces/default/secrets', { body })).status, 201);
  const after = await plane().requestBodyBytes({ resource: 'secrets' });
  assert.equal(after.requests, before.requests + 1);
  assert.equal(after.bytes, before.bytes + JSON.stringify(body).length);
});

test('the aggregator hands a request on with the front-proxy certificate and the name of the user', {
  skip,
}, async (t) => {
  const { pki } = plane();
  const names = ['extension.default.svc'];
  const serving = pki.cluster.issue({ subject: { commonName: 'extension' }, usage: 'server', names });
  const seen: { path?: string | undefined; user?: unknown; peer?: unknown }[] = [];
  const options = { key: serving.key, cert: serving.certificate, ca: pki.frontProxy.certificate, requestCert: true };
  const extension = createServer(options, (request, response) => {
    const peer = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
    seen.push({ path: request.url, user: request.headers['x-remote-user'], peer });
    const resources = {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'e2e.podtrail.dev/v1',
      resources: [],
    };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(resources));
  });
  extension.listen(0, '127.0.0.1');
  await once(extension, 'listening');
  t.after(() => extension.close());
  await plane().kubectl(['apply', '-f', '-'], {
    input: JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'extension', namespace: 'default' },
          spec: { type: 'ExternalName', externalName: 'localhost' },
        },
        {
          apiVersion: 'apiregistration.k8s.io/v1',
          kind: 'APIService',
          metadata: { name: 'v1.e2e.podtrail.dev' },
          spec: {
            group: 'e2e.podtrail.dev',
            version: 'v1',
            groupPriorityMinimum: 1000,
            versionPriority: 10,
            caBundle: Buffer.from(pki.cluster.certificate).toString('base64'),
            service: { namespace: 'default', name: 'extension', port: (extension.address() as AddressInfo).port },
          },
        },
      ],
    }),
  });
  const path = '/apis/e2e.podtrail.dev/v1/things';
  await until('the aggregator reaches the extension', async () => (await plane().request(path)).status === 200);
  assert.deepEqual(
    seen.find((request) => request.path === path),
    { path, user: 'admin', peer: FRONT_PROXY_NAME },
  );
});

test('a new authority and serving certificate take effect without a restart, and old clients stay welcome', {
  skip,
}, async () => {
  const { pki, apiserver } = plane();
  const trustsOld = await plane().kubeconfig();
  await pki.rotateCluster();
  await pki.serving(apiserver.name);
  const subject = { commonName: 'newcomer', organizations: ['system:masters'] };
  const newcomer = { ca: pki.cluster.certificate, ...pki.cluster.issue({ subject, usage: 'client' }) };
  await until('the new authority alone will do', async () => {
    return (await apiserver.request('/api/v1/namespaces', newcomer)).status === 200;
  });
  // The administrator's certificate is of the old authority and still good; the server's is not of it any more.
  assert.equal((await plane().request('/api/v1/namespaces')).status, 200);
  await assert.rejects(plane().kubectl(['get', 'namespaces'], { kubeconfig: trustsOld }), /unknown authority/);
});
