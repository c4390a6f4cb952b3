// What the past of a cluster is worth after etcd forgot it, or was set back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HttpLines, httpRequest, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({ needs: ['own control plane'] });
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

const { skip } = cluster;
test('a watch from an older resourceVersion works, and gets 410 after compaction and an API server restart', {
  skip,
}, async () => {
  const plane = cluster.controlPlane;
  const old = await writeConfigMap('watched', '1');
  await writeConfigMap('watched', '2');
  const from = `${CONFIG_MAPS}?watch=1&resourceVersion=${old}`;

  assert.equal((await firstEvent(from)).object.data.value, '2');
  const compacted = await plane.compact();
  assert.ok(compacted > Number(old));
  const ask = { key: Buffer.from('/registry/').toString('base64'), revision: old };
  const forgotten = await httpRequest(`${plane.etcd.url}/v3/kv/range`, { body: ask });
  assert.match(forgotten.body, /required revision has been compacted/);
  assert.equal((await firstEvent(from)).object.data.value, '2', 'the watch cache should still know');

  await plane.apiserver.restart();
  const gone = await firstEvent(from);
  assert.equal(gone.type, 'ERROR');
  assert.equal(gone.object.code, 410);
  assert.equal(gone.object.reason, 'Expired');
});

test('going back to a snapshot takes back writes and makes resource versions go backwards', { skip }, async () => {
  const plane = cluster.controlPlane;
  await writeConfigMap('kept', 'early');
  const snapshot = await plane.snapshot();
  const revision = await plane.etcd.revision();
  let last = '';
  for (let i = 0; i < 100; i++) last = await writeConfigMap('kept', `late ${i}`);
  await writeConfigMap('lost', 'late');
  await plane.restore(snapshot);

  const kept = (await plane.request(`${CONFIG_MAPS}/kept`)).json();
  assert.equal(kept.data.value, 'early');
  assert.equal((await plane.request(`${CONFIG_MAPS}/lost`)).status, 404);
  // Starting API servers writes a few objects of their own; a hundred writes are more than that.
  const now = Number((await plane.request(CONFIG_MAPS)).json().metadata.resourceVersion);
  assert.ok(now >= revision && now < Number(last), `${revision} at the snapshot, ${last} before, ${now} now`);
});

/** Creates or replaces it, and returns the new resourceVersion. */
async function writeConfigMap(name: string, value: string): Promise<string> {
  const answer = await cluster.controlPlane.request(`${CONFIG_MAPS}/${name}?fieldManager=test&force=true`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/apply-patch+yaml' },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } },
  });
  assert.ok(answer.status === 200 || answer.status === 201, answer.body);
  return answer.json().metadata.resourceVersion;
}

interface WatchEvent {
  type: string;
  object: { data: Record<string, string>; code?: number; reason?: string };
}

async function firstEvent(path: string): Promise<WatchEvent> {
  const watch: HttpLines = await cluster.controlPlane.lines(path);
  try {
    assert.equal(watch.status, 200);
    return JSON.parse((await watch.next()) ?? '{}');
  } finally {
    watch.close();
  }
}
