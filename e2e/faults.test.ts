// The hands of the harness on a running control plane: two API servers, stopped and killed programs, broken networks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Apiserver, httpLines, until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({
  needs: ['own control plane'],
  apiservers: [{}, { behindEtcdProxy: true }],
});
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const { skip } = cluster;
const plane = () => cluster.controlPlane;
const both = () => plane().apiservers as unknown as readonly [Apiserver, Apiserver];

test('each API server sees what was written through the other, also in a watch', { skip }, async () => {
  const [first, second] = both();
  const { resourceVersion } = (await second.request(CONFIG_MAPS)).json().metadata;
  const watch = await second.lines(`${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion}`);
  await create(first, 'from-first');
  assert.equal(JSON.parse((await watch.next()) ?? '').object.metadata.name, 'from-first');
  watch.close();
  await create(second, 'from-second');
  assert.equal((await first.request(`${CONFIG_MAPS}/from-second`)).status, 200);
});

test('an API server behind a black hole to etcd still answers from its cache, and what it serves is old', {
  skip,
}, async () => {
  const [first, second] = both();
  const fromCache = `${CONFIG_MAPS}?resourceVersion=0`;
  second.etcdProxy?.blackHole();
  await create(first, 'unseen');
  const names = (await second.request(fromCache)).json().items.map((item: Named) => item.metadata.name);
  assert.ok(names.includes('from-first') && !names.includes('unseen'), names.join());
  await second.etcdProxy?.resume();
  await until('the second API server has caught up', async () =>
    (await second.request(fromCache)).json().items.some((item: Named) => item.metadata.name === 'unseen'),
  );
});

test('a paused API server keeps connections open and answers nothing until it goes on', { skip }, async () => {
  const [first, second] = both();
  await second.pause();
  await assert.rejects(second.request('/readyz', { timeoutMs: 500 }), { name: 'AbortError' });
  assert.equal((await first.request('/readyz')).status, 200);
  await second.resume();
  assert.equal((await second.request('/readyz')).status, 200);
});

test('a killed API server refuses connections and comes back on the same port with its data', { skip }, async () => {
  const [first, second] = both();
  await second.kill();
  assert.equal(second.isRunning, false);
  await assert.rejects(second.request('/readyz'), { code: 'ECONNREFUSED' });
  await create(first, 'meanwhile');
  await second.start();
  assert.equal((await second.request(`${CONFIG_MAPS}/meanwhile`)).status, 200);
});

test('kubectl works through a proxy that counts its bytes, and fails while the proxy refuses', { skip }, async () => {
  const proxy = await plane().proxyTo(plane().apiserver);
  const kubeconfig = await plane().kubeconfig({ server: proxy.url });
  await plane().kubectl(['get', 'namespaces'], { kubeconfig });
  const { up, down } = proxy.bytes;
  assert.ok(up > 500 && down > up, JSON.stringify(proxy.bytes));
  assert.ok(proxy.accepted >= 1);
  await proxy.refuse();
  await assert.rejects(plane().kubectl(['get', 'namespaces'], { kubeconfig }), /refused/);
  await proxy.resume();
  await plane().kubectl(['get', 'namespaces'], { kubeconfig });
});

test('a watch through a black hole gets nothing, unnoticed, and gets the events when it ends', {
  skip,
}, async () => {
  const proxy = await plane().proxyTo(plane().apiserver);
  const { resourceVersion } = (await plane().request(CONFIG_MAPS)).json().metadata;
  const path = `${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion}`;
  const watch = await httpLines(proxy.url + path, adminIdentity());
  proxy.blackHole();
  await create(plane().apiserver, 'in-the-dark');
  const event = watch.next();
  const silence = new Promise((resolve) => setTimeout(resolve, 300, 'silence'));
  assert.equal(await Promise.race([event, silence]), 'silence');
  await proxy.resume();
  assert.equal(JSON.parse((await event) ?? '').object.metadata.name, 'in-the-dark');
  proxy.cut();
  await assert.rejects(watch.next(), { code: 'ECONNRESET' });
});

interface Named {
  metadata: { name: string };
}

function adminIdentity() {
  const { cluster: authority } = cluster.controlPlane.pki;
  const subject = { commonName: 'admin', organizations: ['system:masters'] };
  return { ca: authority.certificate, ...authority.issue({ subject, usage: 'client' }) };
}

async function create(apiserver: Apiserver, name: string): Promise<void> {
  const answer = await apiserver.request(CONFIG_MAPS, {
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
  });
  assert.equal(answer.status, 201, answer.body);
}
