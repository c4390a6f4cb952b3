import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { conflictsOf } from '../query/conflicts.ts';
import { aNode, aPod, aService } from '../testing/observed-pod.ts';
import { at, CLUSTER, ip, TestLedger } from '../testing/test-ledger.ts';
import type { Observed } from './observation.ts';

const NODE_IP = '192.168.1.5';

async function watching(): Promise<TestLedger> {
  const ledger = new TestLedger();
  await ledger.list(0, 'start');
  return ledger;
}

function see(ledger: TestLedger, second: number, seen: Observed, type: 'present' | 'deleted' = 'present') {
  return ledger.observe({ kind: 'event', type, seen, at: at(second) });
}

async function anomalies(ledger: TestLedger): Promise<string[]> {
  const span = { from: at(-1e6), to: at(1e6) };
  const { items } = await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
    snapshot.occurrences({ kind: 'anomaly', span, page: { limit: 100 } }),
  );
  return items.map(({ what, detail }) => `${what}: ${detail}`);
}

describe('services', () => {
  test('of a server before 1.20, which has no clusterIPs, hold their clusterIP', async () => {
    const ledger = await watching();
    const object = { ...aService('cart', 5), spec: { clusterIP: '10.96.0.7', clusterIPs: [] } };
    await see(ledger, 10, { kind: 'Service', object });
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.96.0.7', 30), 'held cart');
  });

  test('without a cluster IP hold nothing, and that is no anomaly', async () => {
    const ledger = await watching();
    for (const [version, clusterIP] of ['None', ''].entries()) {
      const object = { ...aService(`s${version}`, version + 5), spec: { clusterIP, clusterIPs: [] } };
      await see(ledger, 10, { kind: 'Service', object });
    }
    assert.deepEqual(await anomalies(ledger), []);
  });
});

describe('pods on the host network', () => {
  const agent = aPod('agent').onHostNetwork().withIp(NODE_IP).readyAt(at(12)).atVersion(10);
  const proxy = aPod('proxy').onHostNetwork().withIp(NODE_IP).readyAt(at(14)).atVersion(12);

  test('show an address that their Node does not list: it is not free, and any of them may be meant', async () => {
    const ledger = await watching();
    await see(ledger, 10, { kind: 'Node', object: aNode('node-a', 5) });
    await ledger.see(13, agent);
    await ledger.see(15, proxy);
    await ledger.alive(60);
    assert.equal(await ledger.answer(NODE_IP, 30), 'ambiguous agent,proxy');
    assert.deepEqual(
      await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
        conflictsOf(snapshot, ip(NODE_IP), { from: at(0), to: at(99) }),
      ),
      [],
    );
  });

  test('show it also after their Node was deleted, until they are gone themselves', async () => {
    const ledger = await watching();
    const node = { kind: 'Node', object: aNode('node-a', 5, NODE_IP) } as const;
    await see(ledger, 10, node);
    await ledger.see(13, agent);
    await ledger.alive(29);
    await see(ledger, 30, { kind: 'Node', object: aNode('node-a', 20, NODE_IP) }, 'deleted');
    await ledger.alive(50);
    await ledger.deleted(60, agent.atVersion(30));
    await ledger.alive(99);
    assert.equal(await ledger.answer(NODE_IP, 20), 'ambiguous node-a,agent');
    assert.equal(await ledger.answer(NODE_IP, 45), 'ambiguous agent');
    assert.equal(await ledger.answer(NODE_IP, 80), 'free');
  });

  test('are listed once beside their Node', async () => {
    const ledger = await watching();
    await see(ledger, 10, { kind: 'Node', object: aNode('node-a', 5, NODE_IP) });
    await ledger.see(13, agent);
    await ledger.see(15, proxy);
    await ledger.alive(60);
    assert.equal(await ledger.answer(NODE_IP, 30), 'ambiguous node-a,agent,proxy');
  });

  test('do not take an address from a pod that has it', async () => {
    const ledger = await watching();
    await ledger.see(13, aPod('web').withIp('10.0.0.7').readyAt(at(12)).atVersion(5));
    await ledger.see(20, aPod('agent').onHostNetwork().withIp('10.0.0.7').atVersion(6));
    await ledger.alive(60);
    assert.equal(await ledger.answer('10.0.0.7', 40), 'ambiguous agent,web');
  });
});

describe('what stands where an address belongs and is none', () => {
  test('is an anomaly that names the object, its node and the field, recorded once as long as it stays', async () => {
    const ledger = await watching();
    const hidden = aPod('web-1').withIp('10.0.0.7', '***HIDDEN***').readyAt(at(12));
    await ledger.see(13, hidden);
    await ledger.see(14, hidden.annotated({ a: '1' }));
    await see(ledger, 15, { kind: 'Node', object: aNode('node-a', 50, '10.0.0') });
    await see(ledger, 16, { kind: 'Service', object: aService('cart', 51, '10.96.0.7/24') });
    await ledger.alive(60);
    assert.deepEqual(await anomalies(ledger), [
      'unparsable-address: pod shop/web-1 on node node-a: status.podIPs[1] "***HIDDEN***" is not an address',
      'unparsable-address: node node-a: status.addresses[0] "10.0.0" is not an address',
      'unparsable-address: service shop/cart: spec.clusterIPs[0] "10.96.0.7/24" is not an address',
    ]);
    assert.equal(await ledger.answer('10.0.0.7', 30), 'held web-1');
  });

  test('is recorded again when it is another text, and is cut when it is long', async () => {
    const ledger = await watching();
    await ledger.see(13, aPod('web-1').withIp('x'));
    await ledger.see(14, aPod('web-1').withIp('y'.repeat(5000)));
    const [, second] = await anomalies(ledger);
    assert.equal(
      second,
      `unparsable-address: pod shop/web-1 on node node-a: status.podIPs[0] "${'y'.repeat(60)}" is not an address`,
    );
  });
});
