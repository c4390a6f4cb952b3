// What real kubelets write, and what was so: the rows that were measured on real nodes, with nodes that are watched.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { who } from '../query/who.ts';
import { aNode, aPod, type PodBuilder } from '../testing/observed-pod.ts';
import { at, CLUSTER, ip, ToldLedger } from '../testing/told-ledger.ts';
import type { ObservedNode } from './observation.ts';

interface NodeWord {
  readonly version?: string;
  readonly ready?: boolean;
  readonly bootID?: string;
  readonly podCIDRs?: readonly string[];
  readonly heartbeat?: number;
}

function node(name: string, rv: number, word: NodeWord = {}): ObservedNode {
  const { version = 'v1.36.3', ready = true, bootID = 'boot-1', podCIDRs = ['10.0.0.0/24'], heartbeat = 0 } = word;
  const condition = { type: 'Ready', status: ready ? 'True' : 'Unknown', lastHeartbeatTime: at(heartbeat) };
  const plain = aNode(name, rv, '192.168.0.1');
  const status = { ...plain.status, conditions: [condition], nodeInfo: { bootID, kubeletVersion: version } };
  return { ...plain, spec: { podCIDRs }, status };
}

/** Pods and nodes are watched from second 0; node-a and node-b are there. */
async function watching(word: NodeWord = {}): Promise<ToldLedger> {
  const ledger = new ToldLedger({ kind: 'cluster' }, undefined, undefined, ['Node']);
  await ledger.list(0, 'start');
  const other = { ...word, podCIDRs: ['10.0.1.0/24'] };
  const present = [node('node-a', 2, word), node('node-b', 3, other)].map((object) => ({
    kind: 'Node' as const,
    object,
  }));
  const rest = { reason: 'start', resourceVersion: '4', whole: true, goneUids: [], at: at(0) } as const;
  await ledger.tell({ kind: 'listed', resource: 'Node', present, ...rest });
  return ledger;
}

const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(10)).startedAt(at(11)).readyAt(at(12)).atVersion(10);
const others = (second: number, version: number): PodBuilder =>
  aPod(`busy-${version}`)
    .withIp(`10.0.0.${100 + (version % 100)}`)
    .createdAt(at(second))
    .readyAt(at(second))
    .atVersion(version);

/** The kubelet of node-a writes something every second. */
async function busy(ledger: ToldLedger, from: number, to: number, version: number): Promise<void> {
  for (let second = from; second <= to; second++)
    await ledger.see(second + 0.5, others(second, version + second - from));
  await ledger.alive(to + 1);
}

describe('a deletion by force', () => {
  test('begins an end: in doubt for some seconds while the kubelet goes on writing, then free', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 25, 29, 100);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.alive(30.4);
    assert.equal(await ledger.says('10.0.0.7', 30.3), 'ambiguous web-1');
    await busy(ledger, 31, 40, 201);
    assert.equal(await ledger.says('10.0.0.7', 29.5), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 33), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 36), 'free');
  });

  test('that a wrong clock dated an hour ahead ends when it was, and its limits count from when that is known', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 95, 99, 100);
    // The kubelet's clock is right all the time.
    await ledger.see(3749, others(148, 150));
    await ledger.deleted(3750, web.deletedAt(at(150), 0).atVersion(200));
    await ledger.see(3752, others(151, 201));
    await ledger.tell({ kind: 'clock', since: at(100), at: at(170) });
    await ledger.alive(171);
    await busy(ledger, 175, 180, 400);
    await ledger.alive(400);
    assert.equal(await ledger.says('10.0.0.7', 60), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 160), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 200), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 390), 'free');
  });

  test('is open while the kubelet is silent, and for as long as a collection of garbage takes once it is back', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 25, 29, 100);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.alive(90);
    assert.equal(await ledger.says('10.0.0.7', 80), 'ambiguous web-1');
    await busy(ledger, 91, 100, 201);
    await ledger.alive(260);
    assert.equal(await ledger.says('10.0.0.7', 200), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 250), 'free');
  });

  test('lasts no longer than another pod’s proven beginning', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.see(50, aPod('job').withIp('10.0.0.7').startedAt(at(47)).readyAt(at(49)).atVersion(201));
    await ledger.see(
      60,
      aPod('job').withIp('10.0.0.7').startedAt(at(47)).lostAt(at(59)).inPhase('Failed').atVersion(202),
    );
    await ledger.alive(70);
    assert.equal(await ledger.says('10.0.0.7', 40), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 55), 'held job');
    assert.equal(await ledger.says('10.0.0.7', 65), 'free');
  });

  test('cannot shorten the grace that was asked for first', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 25, 29, 100);
    await ledger.see(29.9, web.deletedAt(at(29), 30).atVersion(190));
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await busy(ledger, 31, 70, 201);
    assert.equal(await ledger.says('10.0.0.7', 55), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 66), 'free');
  });

  test('survives a restart of the recorder: what was open is settled by the next one', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.restart();
    await ledger.see(50, aPod('job').withIp('10.0.0.7').startedAt(at(48)).readyAt(at(49)).atVersion(201));
    await ledger.alive(70);
    assert.equal((await ledger.tenures('10.0.0.7'))[0]?.end?.notAfter, at(50));
  });
});

describe('the end of a pod', () => {
  test('by its kubelet is known to the second, and free after it', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 25, 39, 100);
    await ledger.see(40.6, web.lostAt(at(40)).inPhase('Failed').atVersion(200));
    await ledger.alive(50);
    assert.equal(await ledger.says('10.0.0.7', 39.6), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 40.1), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 41.6), 'free');
  });

  test('that somebody else writes while its network stands is no end', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(39);
    await ledger.see(40, web.inPhase('Failed').atVersion(200));
    await ledger.deleted(40.1, web.inPhase('Failed').atVersion(201));
    await ledger.alive(60);
    assert.equal(await ledger.says('10.0.0.7', 38), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 55), 'ambiguous web-1');
  });

  test('a network that is lost beside containers that are called ready is lost', async () => {
    const ledger = await watching();
    const ready = web.withCondition('ContainersReady', 'True', at(13));
    await ledger.see(13, ready.atVersion(10));
    await ledger.see(30.2, ready.lostAt(at(30)).atVersion(20));
    await ledger.see(30.6, ready.readyAt(at(30)).withIp('10.0.0.9').atVersion(21));
    await ledger.alive(60);
    assert.equal(await ledger.says('10.0.0.7', 40), 'free');
    assert.equal(await ledger.says('10.0.0.9', 40), 'held web-1');
  });
});

describe('the beginning of an address', () => {
  test('is that of the network where 1.36 says it, and may be that of the pod where an older kubelet does', async () => {
    for (const [version, says] of [
      ['v1.36.3', 'free'],
      ['v1.34.1', 'ambiguous web-1'],
    ] as const) {
      const ledger = await watching({ version });
      await ledger.see(61, web.readyAt(at(60)));
      await ledger.alive(80);
      assert.equal(await ledger.says('10.0.0.7', 30), says, version);
      assert.equal(await ledger.says('10.0.0.7', 62), 'held web-1', version);
    }
  });

  test('that is shown late is that of the condition, where that was seen', async () => {
    const ledger = await watching();
    await ledger.see(12.4, web.withIp().atVersion(10));
    await ledger.alive(60);
    await ledger.see(70, web.atVersion(20));
    await ledger.alive(80);
    assert.equal(await ledger.says('10.0.0.7', 40), 'held web-1');
  });
});

describe('a pod that has not shown its address', () => {
  test('makes its node’s addresses doubtful while it waits, and no others; then only its own is held', async () => {
    const ledger = await watching();
    await ledger.see(12.4, web.withIp().atVersion(10));
    await ledger.alive(60);
    assert.equal(await ledger.says('10.0.0.20', 40), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.1.20', 40), 'free');
    await ledger.see(70, web.atVersion(20));
    await ledger.alive(80);
    assert.equal(await ledger.says('10.0.0.20', 40), 'free');
  });

  test('is not made the holder by traffic: a node’s bridge, which is nobody’s, sends from such an address too', async () => {
    const ledger = await watching();
    await ledger.see(12.4, web.withIp().atVersion(10));
    await ledger.alive(60);
    const question = { cluster: CLUSTER.id, ip: ip('10.0.0.1'), at: at(40), seen: true };
    const { answer, holders } = await who(ledger.engine, question);
    assert.deepEqual([answer, holders.map(({ name }) => name)], ['ambiguous', ['web-1']]);
  });

  test('on a node that was seen to use more blocks than are kept may have had any of the cluster’s', async () => {
    const ledger = await watching({ podCIDRs: [] });
    for (let i = 0; i < 70; i++) {
      const address = `10.0.${100 + i}.8`;
      await ledger.see(
        5,
        aPod(`db-${i}`)
          .withIp(address)
          .startedAt(at(3))
          .readyAt(at(4))
          .atVersion(8 + i),
      );
    }
    await ledger.see(12.4, web.withIp().atVersion(100));
    await ledger.alive(60);
    assert.equal(await ledger.says('10.0.169.9', 40), 'ambiguous web-1');
  });

  test('and goes without: it may have had any that nobody else held meanwhile', async () => {
    const ledger = await watching();
    await ledger.see(5, aPod('db').withIp('10.0.0.8').startedAt(at(3)).readyAt(at(4)).atVersion(8));
    await busy(ledger, 9, 11, 100);
    await ledger.see(12.4, web.withIp().atVersion(110));
    await busy(ledger, 13, 19, 111);
    await ledger.deleted(20.2, web.withIp().deletedAt(at(20), 0).atVersion(120));
    await busy(ledger, 21, 40, 121);
    assert.equal(await ledger.says('10.0.0.20', 18), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.8', 18), 'held db');
    assert.equal(await ledger.says('10.0.0.20', 35), 'free');
  });

  test('without podCIDRs, what its node was seen to hand out is in doubt, and nothing of other nodes', async () => {
    const ledger = await watching({ podCIDRs: [] });
    await ledger.see(5, aPod('db').withIp('10.0.0.8').startedAt(at(3)).readyAt(at(4)).atVersion(8));
    await ledger.see(6, aPod('far').onNode('node-b').withIp('10.0.1.8').readyAt(at(5)).atVersion(9));
    await ledger.see(12.4, web.withIp().atVersion(10));
    await ledger.alive(60);
    assert.equal(await ledger.says('10.0.0.20', 40), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.1.20', 40), 'free');
    assert.equal(await ledger.says('8.8.8.8', 40), 'free outside');
  });
});

test('a node that has booted again took its sandboxes with it, at some time since its kubelet last wrote', async () => {
  const ledger = await watching();
  await ledger.see(13, web);
  await busy(ledger, 14, 20, 100);
  const object = node('node-a', 200, { bootID: 'boot-2', heartbeat: 50 });
  await ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(50) });
  await ledger.alive(60);
  assert.equal(await ledger.says('10.0.0.7', 19), 'held web-1');
  assert.equal(await ledger.says('10.0.0.7', 40), 'ambiguous web-1');
  await ledger.see(61, web.annotated({ written: 'by another' }).atVersion(201));
  await ledger.alive(62);
  assert.equal(await ledger.says('10.0.0.7', 61.5), 'ambiguous web-1');
});

test('a mirror pod that is deleted and made again under another UID has held its address throughout', async () => {
  const ledger = await watching();
  const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
  await ledger.see(13, mirror.atVersion(10));
  await ledger.alive(29);
  await ledger.deleted(30, mirror.atVersion(20));
  await ledger.see(31, mirror.withUid('uid-again').atVersion(21));
  await ledger.alive(60);
  for (const second of [20, 29.9, 30.5, 40])
    assert.equal(await ledger.says('10.0.0.7', second), 'held web-1', `${second}`);
});
