// A sandbox is replaced, and the pod goes before it has shown the address of the new one. Seen on real nodes: kubelets say
// that there is a network again while they still show the address of the one before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aNode, aPod } from '../testing/observed-pod.ts';
import { at, TestLedger } from '../testing/test-ledger.ts';
import type { ObservedNode } from './observation.ts';

function readyNode(name: string, version: number): ObservedNode {
  const plain = aNode(name, version, '192.168.0.1');
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: at(0) }];
  const nodeInfo = { bootID: 'boot-1', kubeletVersion: 'v1.36.3' };
  return { ...plain, spec: { podCIDRs: ['10.0.0.0/24'] }, status: { ...plain.status, conditions, nodeInfo } };
}

test('deleted by force while it shows the address of the sandbox before, a pod may have any address of its node', async () => {
  const ledger = new TestLedger({ kind: 'cluster' }, undefined, undefined, ['Node']);
  await ledger.list(0, 'start');
  const present = [{ kind: 'Node' as const, object: readyNode('node-a', 2) }];
  const rest = { reason: 'start', resourceVersion: '4', whole: true, goneUids: [], at: at(0) } as const;
  await ledger.observe({ kind: 'listed', resource: 'Node', present, ...rest });
  const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(10)).startedAt(at(10)).atVersion(10);
  await ledger.see(12, web.readyAt(at(11)));
  await ledger.see(20.3, web.lostAt(at(20)).atVersion(20));
  const again = web.readyAt(at(22));
  await ledger.see(22.3, again.atVersion(21));
  await ledger.deleted(23, again.deletedAt(at(23), 0).atVersion(22));
  await ledger.alive(24);
  // The new sandbox may have it, as long as nothing says that it is gone.
  assert.equal(await ledger.answer('10.0.0.9', 22.8), 'ambiguous web-1');
  assert.equal(await ledger.answer('10.0.0.9', 23.8), 'ambiguous web-1');
  // Or the old address once more.
  assert.equal(await ledger.answer('10.0.0.7', 22.8), 'ambiguous web-1');
  // Before, it had the one that it showed, and no other.
  assert.equal(await ledger.answer('10.0.0.7', 15), 'held web-1');
  assert.equal(await ledger.answer('10.0.0.9', 15), 'free');
});
