// What real kubelets write, and what was so: the rows that were measured on real nodes, with nodes that are watched.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { who } from '../query/who.ts';
import { aNode, aPod, type PodBuilder } from '../testing/observed-pod.ts';
import { at, CLUSTER, ip, ToldLedger } from '../testing/told-ledger.ts';
import type { Observation, ObservedNode } from './observation.ts';

interface NodeWord {
  readonly version?: string;
  readonly ready?: boolean;
  readonly bootID?: string;
  readonly podCIDRs?: readonly string[];
  readonly heartbeat?: number;
  readonly contents?: number;
}

function node(name: string, rv: number, word: NodeWord = {}): ObservedNode {
  const { version = 'v1.36.3', ready = true, bootID = 'boot-1', podCIDRs = ['10.0.0.0/24'], heartbeat = 0 } = word;
  const condition = { type: 'Ready', status: ready ? 'True' : 'Unknown', lastHeartbeatTime: at(heartbeat) };
  const plain = aNode(name, rv, '192.168.0.1');
  const nodeInfo = { bootID, kubeletVersion: version };
  const contents = word.contents === undefined ? {} : { contents: word.contents };
  const status = { ...plain.status, conditions: [condition], nodeInfo, ...contents };
  return { ...plain, spec: { podCIDRs }, status };
}

/** Read when it was made, or when its node came to be in question. */
function renewal(name: string, second: number, since = 30.5): Observation {
  return { kind: 'renewed', node: name, renewTime: at(second), at: at(Math.max(second, since)) };
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
    await busy(ledger, 31, 55, 201);
    assert.equal(await ledger.says('10.0.0.7', 29.5), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 33), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 36.5), 'free');
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
    assert.equal(await ledger.says('10.0.0.7', 172), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 390), 'free');
  });

  test('is open while the kubelet is silent: it may be cut off, and learn of it only when it writes again', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 25, 29, 100);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.alive(60);
    assert.equal(await ledger.says('10.0.0.7', 50), 'ambiguous web-1');
    await busy(ledger, 61, 90, 201);
    assert.equal(await ledger.says('10.0.0.7', 60), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 67), 'free');
  });

  test('on a node that is ready and says nothing is over after as long as that can be without its kubelet', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.alive(90);
    assert.equal(await ledger.says('10.0.0.7', 80), 'ambiguous web-1');
    await ledger.tell({ kind: 'progress', resource: 'Node', resourceVersion: '300', at: at(110) });
    await ledger.alive(111);
    assert.equal(await ledger.says('10.0.0.7', 90), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 100), 'free');
  });

  test('is over after some seconds where the same kubelet renewed its Lease before and after, every ten seconds', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    for (const second of [28, 38.1]) await ledger.tell(renewal('node-a', second));
    await ledger.alive(50);
    assert.equal(await ledger.says('10.0.0.7', 33), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 36), 'free');
  });

  test('is in doubt for as long as a collection of garbage takes where the Lease was renewed out of step', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    for (const second of [28, 35, 45.1, 55.2]) await ledger.tell(renewal('node-a', second));
    await busy(ledger, 36, 60, 201);
    await ledger.alive(300);
    assert.equal(await ledger.says('10.0.0.7', 220), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 240), 'free');
  });

  test('is in doubt for as long where the node’s status is posted though nothing has changed: its kubelet was started', async () => {
    const ledger = await watching({ contents: 7, heartbeat: -60 });
    await ledger.see(13, web);
    await ledger.alive(13.5);
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    const object = node('node-a', 201, { contents: 7, heartbeat: 33 });
    await ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(33.4) });
    // In step by chance.
    for (const second of [28, 38.1]) await ledger.tell(renewal('node-a', second));
    await busy(ledger, 36, 60, 202);
    await ledger.alive(300);
    assert.equal(await ledger.says('10.0.0.7', 220), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 240), 'free');
  });

  test('takes longer on a node whose pods take longer to start', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    for (const i of [1, 2, 3]) {
      const slow = aPod(`slow-${i}`).createdAt(at(14)).startedAt(at(14)).lostAt(at(14)).withIp();
      await ledger.see(14, slow.atVersion(100 + i));
      await ledger.see(
        18,
        slow
          .readyAt(at(17))
          .withIp(`10.0.0.${30 + i}`)
          .atVersion(110 + i),
      );
    }
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    for (const second of [28, 38.1]) await ledger.tell(renewal('node-a', second));
    await ledger.alive(50);
    assert.equal(await ledger.says('10.0.0.7', 37), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 38.5), 'free');
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
    await busy(ledger, 31, 85, 201);
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
    assert.equal(await ledger.says('10.0.0.7', 38.9), 'held web-1');
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
  test('may be as early as its kubelet began with the pod: the condition is written late by one that is slow', async () => {
    for (const version of ['v1.36.3', 'v1.34.1']) {
      const ledger = await watching({ version });
      await ledger.see(61, web.readyAt(at(60)));
      await ledger.alive(80);
      assert.equal(await ledger.says('10.0.0.7', 10), 'free', version);
      assert.equal(await ledger.says('10.0.0.7', 30), 'ambiguous web-1', version);
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
    const { answer, holders } = await withSnapshot(ledger.engine, question.cluster, (snapshot) =>
      who(snapshot, question),
    );
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
    await busy(ledger, 21, 120, 121);
    assert.equal(await ledger.says('10.0.0.20', 18), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.8', 18), 'held db');
    // A pull that was under way may take a minute more.
    assert.equal(await ledger.says('10.0.0.20', 75), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.20', 100), 'free');
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

test('a pod that showed no address when its node went down may have had one until it has another sandbox', async () => {
  const ledger = await watching();
  await busy(ledger, 5, 12, 100);
  const begun = web.withIp().lostAt(at(11));
  await ledger.see(12.6, begun.atVersion(110));
  const object = node('node-a', 200, { bootID: 'boot-2', heartbeat: 30 });
  await ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(30) });
  await ledger.alive(31);
  assert.equal(await ledger.says('10.0.0.20', 20), 'ambiguous web-1');
  await ledger.see(33, web.startedAt(at(11)).readyAt(at(32)).withIp('10.0.0.9').atVersion(210));
  await ledger.alive(60);
  assert.equal(await ledger.says('10.0.0.20', 20), 'ambiguous web-1');
  assert.equal(await ledger.says('10.0.0.20', 40), 'free');
  assert.equal(await ledger.says('10.0.0.9', 40), 'held web-1');
});

test('a pod that was bound and deleted while its kubelet was away had no address, unless that was about to come back', async () => {
  for (const [back, says] of [
    [90, 'free'],
    [58, 'ambiguous late'],
  ] as const) {
    const ledger = await watching();
    await busy(ledger, 5, 12, 100);
    const bound = aPod('late').createdAt(at(30)).withIp();
    await ledger.see(30, bound.atVersion(120));
    await ledger.deleted(50, bound.deletedAt(at(50), 0).atVersion(121));
    await ledger.alive(55);
    assert.equal(await ledger.says('10.0.0.20', 40), 'ambiguous late');
    await busy(ledger, back, back + 140, 200);
    assert.equal(await ledger.says('10.0.0.20', 51), says, `back at ${back} s`);
  }
});

test('a pod whose network came up late may have had another before, which its kubelet made in vain', async () => {
  for (const [second, says] of [
    [20, 'ambiguous web-1'],
    [13, 'free'],
  ] as const) {
    const ledger = await watching();
    await busy(ledger, 5, 11, 100);
    await ledger.see(11.5, web.withIp().startedAt(at(11)).lostAt(at(11)).atVersion(110));
    await ledger.see(second + 0.5, web.withIp().startedAt(at(11)).readyAt(at(second)).atVersion(111));
    await ledger.see(second + 1, web.startedAt(at(11)).readyAt(at(second)).atVersion(112));
    await ledger.alive(60);
    assert.equal(await ledger.says('10.0.0.20', 12), says, `up at ${second} s`);
    assert.equal(await ledger.says('10.0.0.20', 40), 'free');
  }
});

test('a pod that was to end when its kubelet fell silent may have ended at any time since, whenever that is said', async () => {
  const ledger = await watching();
  await ledger.see(13, web);
  await busy(ledger, 20, 30, 100);
  const ending = web.deletedAt(at(34), 4);
  await ledger.see(30.9, ending.atVersion(190));
  await ledger.alive(80);
  const back = node('node-a', 195, { heartbeat: 90 });
  await ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Node', object: back }, at: at(90.5) });
  await busy(ledger, 91, 93, 200);
  await ledger.see(95, ending.lostAt(at(94)).inPhase('Failed').atVersion(250));
  await ledger.alive(110);
  assert.equal(await ledger.says('10.0.0.7', 29), 'held web-1');
  assert.equal(await ledger.says('10.0.0.7', 60), 'ambiguous web-1');
  assert.equal(await ledger.says('10.0.0.7', 100), 'free');
});

test('a pod that may have had any address had none that another pod held after it was let go of, from then on', async () => {
  const ledger = await watching();
  await ledger.alive(5);
  const begun = web.withIp().lostAt(at(11));
  await ledger.see(12, begun.atVersion(10));
  await ledger.deleted(13, begun.deletedAt(at(13), 0).atVersion(11));
  const job = aPod('job').withIp('10.0.0.20').startedAt(at(29)).readyAt(at(30)).atVersion(20);
  await ledger.see(31, job);
  await ledger.see(41, job.lostAt(at(40)).inPhase('Failed').atVersion(21));
  await ledger.alive(52);
  assert.equal(await ledger.says('10.0.0.20', 25), 'ambiguous web-1');
  assert.equal(await ledger.says('10.0.0.20', 45), 'free');
  assert.equal(await ledger.says('10.0.0.21', 45), 'ambiguous web-1');
});

test('who has shown the address is named before those who may have had any', async () => {
  const ledger = await watching({ version: 'v1.34.1' });
  await ledger.alive(5);
  await ledger.see(12.4, aPod('any').withIp().startedAt(at(11)).lostAt(at(11)).atVersion(9));
  const later = web.startedAt(at(13)).readyAt(at(13));
  await ledger.see(13, later);
  await ledger.alive(29);
  await ledger.deleted(30.2, later.deletedAt(at(30), 0).atVersion(200));
  await ledger.alive(40);
  const { holders } = await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) =>
    who(snapshot, { ip: ip('10.0.0.7'), at: at(32) }),
  );
  assert.deepEqual(
    holders.map(({ name }) => name),
    ['web-1', 'any'],
  );
});

test('a pod that is deleted before it shows the address of its new sandbox may have had any', async () => {
  const ledger = await watching();
  await ledger.see(13, web);
  await ledger.alive(29);
  await ledger.see(30.2, web.lostAt(at(30)).atVersion(20));
  const renewed = web.readyAt(at(31)).atVersion(21);
  await ledger.see(31.4, renewed);
  await ledger.deleted(32.2, renewed.deletedAt(at(32), 0).atVersion(22));
  await ledger.alive(36);
  assert.equal(await ledger.says('10.0.0.20', 32), 'ambiguous web-1');
});

test('a pod whose images are on its node has none to pull: its deletion is over sooner', async () => {
  for (const [images, says] of [
    [7, 'free'],
    [8, 'ambiguous web-1'],
  ] as const) {
    const ledger = await watching();
    const runs = others(5, 50).build();
    const object = { ...runs, status: { ...runs.status, images: 7, runningSince: at(5) } };
    await ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Pod', object }, at: at(6) });
    await ledger.alive(7);
    const begun = web.withIp().lostAt(at(11)).atVersion(110).build();
    const waits = { ...begun, status: { ...begun.status, images, creating: true } };
    await ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Pod', object: waits }, at: at(12) });
    const gone = { ...waits, metadata: { ...waits.metadata, resourceVersion: '111' } };
    await ledger.tell({ kind: 'event', type: 'deleted', seen: { kind: 'Pod', object: gone }, at: at(13) });
    for (const second of [9, 19.1, 29.2]) await ledger.tell(renewal('node-a', second, 13.5));
    await ledger.alive(60);
    assert.equal(await ledger.says('10.0.0.20', 15), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.20', 19), says);
  }
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

describe('a kubelet that was away', () => {
  const posts = (ledger: ToldLedger, second: number, version: number) => {
    const object = node('node-a', version, { heartbeat: second });
    return ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(second + 0.5) });
  };

  test('deletes a mirror pod long after its sandbox went', async () => {
    const ledger = await watching();
    const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
    await ledger.see(13, mirror.atVersion(10));
    await busy(ledger, 50, 60, 100);
    await posts(ledger, 110, 150);
    await busy(ledger, 111, 113, 160);
    await ledger.deleted(114, mirror.atVersion(190));
    await ledger.alive(120);
    assert.equal(await ledger.says('10.0.0.7', 29), 'held web-1');
    // It may have stopped the pod some seconds before it was away, and not yet have deleted the mirror.
    assert.equal(await ledger.says('10.0.0.7', 55), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 70), 'ambiguous web-1');
  });

  test('and whose node is not ready yet was away, also before it posts', async () => {
    const ledger = await watching();
    const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
    await ledger.see(13, mirror.atVersion(10));
    await busy(ledger, 50, 60, 100);
    const object = node('node-a', 150, { ready: false });
    await ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(100) });
    await busy(ledger, 111, 113, 160);
    await ledger.deleted(114, mirror.atVersion(190));
    await ledger.alive(120);
    assert.equal(await ledger.says('10.0.0.7', 55), 'ambiguous web-1');
  });

  test('may have ended a pod as it was asked, before somebody else says that it is over', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 50, 59, 100);
    const asked = web.deletedAt(at(64), 4);
    await ledger.see(60.5, asked.atVersion(150));
    await ledger.alive(109);
    await ledger.see(110, asked.inPhase('Failed').atVersion(160));
    await ledger.alive(112);
    assert.equal(await ledger.says('10.0.0.7', 55), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 80), 'ambiguous web-1');
  });

  test('may have stopped a static pod before somebody else deletes its mirror', async () => {
    const ledger = await watching();
    const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
    await ledger.see(13, mirror.atVersion(10));
    await busy(ledger, 50, 60, 100);
    await ledger.see(60.5, mirror.deletedAt(at(64), 4).atVersion(150));
    await busy(ledger, 61, 109, 200);
    await ledger.deleted(110, mirror.deletedAt(at(64), 4).inPhase('Failed').atVersion(290));
    await ledger.alive(120);
    assert.equal(await ledger.says('10.0.0.7', 25), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 55), 'ambiguous web-1');
  });

  test('is not one that had nothing to write: what it says of an end is exact', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(38);
    await ledger.see(39.5, others(39, 100));
    await ledger.see(40.6, web.lostAt(at(40)).inPhase('Failed').atVersion(200));
    await ledger.alive(50);
    assert.equal(await ledger.says('10.0.0.7', 38.5), 'held web-1');
  });

  for (const [posted, says] of [
    [45, 'ambiguous web-1'],
    [5, 'free'],
  ] as const)
    test(`and posted its node's status at ${posted} s: what went while nobody watched from 14 s is ${says}`, async () => {
      const ledger = await watching();
      await ledger.see(13, web);
      await ledger.alive(14);
      await ledger.restart();
      await ledger.list(60, 'start', others(59, 100));
      const nodes = [node('node-a', 150, { heartbeat: posted }), node('node-b', 151, { heartbeat: posted })];
      const present = nodes.map((object) => ({ kind: 'Node' as const, object }));
      const rest = { reason: 'start', resourceVersion: '152', whole: true, goneUids: [], at: at(60.1) } as const;
      await ledger.tell({ kind: 'listed', resource: 'Node', present, ...rest });
      await busy(ledger, 61, 100, 201);
      assert.equal(await ledger.says('10.0.0.7', 90), says);
    });

  test('may have made a network just before, and ends the pod as if there had been none', async () => {
    const begun = aPod('late-1')
      .createdAt(at(28))
      .startedAt(at(29))
      .withCondition('PodReadyToStartContainers', 'False', at(29))
      .atVersion(190);
    const ledger = await watching();
    await busy(ledger, 20, 28, 100);
    await ledger.see(29.2, begun);
    await ledger.alive(85);
    await posts(ledger, 90, 200);
    await ledger.see(91, begun.inPhase('Failed').atVersion(210));
    await ledger.alive(100);
    assert.equal(await ledger.says('10.0.0.20', 40), 'ambiguous late-1');
    assert.equal(await ledger.says('10.0.0.20', 25), 'free');
  });

  test('may begin with a pod only when that has been deleted, and has been back for a moment', async () => {
    const bound = aPod('late-1').createdAt(at(28)).atVersion(190);
    const ledger = await watching();
    await busy(ledger, 20, 27, 100);
    await ledger.see(28.2, bound);
    await ledger.alive(58);
    await posts(ledger, 60, 200);
    await ledger.deleted(65, bound.atVersion(210));
    await ledger.alive(66);
    assert.equal(await ledger.says('10.0.0.20', 65.5), 'ambiguous late-1');
  });

  test('may have made the network of a mirror pod that never showed it, which is soon made again', async () => {
    const mirror = (uid: string, second: number, version: number) =>
      aPod('static-1')
        .withUid(uid)
        .annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' })
        .createdAt(at(second))
        .atVersion(version);
    const ledger = await watching();
    await busy(ledger, 20, 28, 100);
    await ledger.see(29.2, mirror('first', 29, 150));
    await posts(ledger, 45, 160);
    await ledger.deleted(46, mirror('first', 29, 170));
    await ledger.see(48, mirror('second', 48, 180));
    await ledger.alive(55);
    assert.equal(await ledger.says('10.0.0.20', 40), 'ambiguous static-1');
    assert.equal(await ledger.says('10.0.0.20', 47), 'ambiguous static-1');
  });

  test('and has just been started finds its pods first', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(13.5);
    for (const second of [20, 26]) await ledger.tell(renewal('node-a', second, 0));
    await ledger.deleted(30.2, web.deletedAt(at(30), 0).atVersion(200));
    for (const second of [36.1, 46.2]) await ledger.tell(renewal('node-a', second));
    await ledger.alive(50);
    assert.equal(await ledger.says('10.0.0.7', 40), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 46.5), 'free');
  });
});

test('a node that boots takes with it what its kubelet had done and not written: a static pod may have been stopped', async () => {
  const ledger = await watching();
  const mirror = web.annotated({ 'kubernetes.io/config.mirror': 'abc', 'kubernetes.io/config.hash': 'abc' });
  await ledger.see(13, mirror.atVersion(10));
  await ledger.see(13.5, aPod('plain').withIp('10.0.0.8').createdAt(at(10)).readyAt(at(12)).atVersion(11));
  await busy(ledger, 50, 56, 100);
  const going = aPod('going').withIp('10.0.0.9').createdAt(at(10)).readyAt(at(12));
  await ledger.see(57.1, going.deletedAt(at(87), 30).atVersion(120));
  await busy(ledger, 58, 60, 121);
  const object = node('node-a', 150, { heartbeat: 100, bootID: 'boot-2' });
  await ledger.tell({ kind: 'event', type: 'present', seen: { kind: 'Node', object }, at: at(100) });
  await ledger.alive(101);
  assert.equal(await ledger.says('10.0.0.7', 25), 'held web-1');
  assert.equal(await ledger.says('10.0.0.7', 50), 'ambiguous web-1');
  assert.equal(await ledger.says('10.0.0.8', 50), 'held plain');
  assert.equal(await ledger.says('10.0.0.8', 60), 'held plain');
  assert.equal(await ledger.says('10.0.0.9', 60), 'ambiguous going');
});

describe('a container runtime that could not be asked', () => {
  test('hides when a pod that was to end was ended: at some time since its containers were', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 20, 39, 100);
    const asked = web.deletedAt(at(34), 4);
    await ledger.see(30.1, asked.atVersion(200));
    await ledger.see(40.1, asked.lostAt(at(39)).finishedAt(at(32)).inPhase('Succeeded').atVersion(210));
    await ledger.alive(50);
    assert.equal(await ledger.says('10.0.0.7', 31.5), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 34), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 45), 'free');
  });

  test('hides when a pod that was to end lost its sandbox: at some time since it was to', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await busy(ledger, 20, 39, 100);
    const asked = web.deletedAt(at(34), 4);
    await ledger.see(30.1, asked.atVersion(200));
    await ledger.see(40.1, asked.lostAt(at(39)).atVersion(210));
    await ledger.alive(50);
    assert.equal(await ledger.says('10.0.0.7', 29.5), 'held web-1');
    assert.equal(await ledger.says('10.0.0.7', 34), 'ambiguous web-1');
  });
});

test('a sandbox that is lost was there when a container of it was started again', async () => {
  const ledger = await watching();
  await ledger.see(13, web);
  await ledger.see(101, web.finishedAt(at(100), false).atVersion(20));
  await ledger.alive(190);
  await ledger.see(200.4, web.finishedAt(at(100), false).lostAt(at(200)).atVersion(30));
  await ledger.alive(210);
  assert.equal(await ledger.says('10.0.0.7', 150), 'held web-1');
});

describe('a node', () => {
  const listNodes = (ledger: ToldLedger, second: number, version: number, ...nodes: ObservedNode[]) => {
    const present = nodes.map((object) => ({ kind: 'Node' as const, object }));
    const rest = { reason: 'expired', resourceVersion: String(version), goneUids: [], at: at(second) } as const;
    return ledger.tell({ kind: 'listed', resource: 'Node', present, whole: true, ...rest });
  };

  for (const how of ['a deletion', 'a listing', 'a correction', 'a check'] as const)
    test(`that goes by ${how} leaves its deleted pods in doubt: its machine may run on`, async () => {
      const ledger = await watching();
      await ledger.see(13, web);
      await ledger.alive(20);
      const gone = { kind: 'Node' as const, object: node('node-a', 150) };
      const uids = [node('node-b', 3).metadata.uid];
      if (how === 'a deletion') await ledger.tell({ kind: 'event', type: 'deleted', seen: gone, at: at(21) });
      if (how === 'a listing') await listNodes(ledger, 21, 151, node('node-b', 3));
      if (how === 'a correction') await ledger.tell({ kind: 'corrected', type: 'deleted', seen: gone, at: at(21) });
      if (how === 'a check')
        await ledger.tell({ kind: 'checked', resource: 'Node', resourceVersion: '151', uids, at: at(21) });
      await ledger.deleted(30, web.deletedAt(at(30), 0).atVersion(200));
      await ledger.tell({ kind: 'progress', resource: 'Node', resourceVersion: '300', at: at(390) });
      await ledger.alive(400);
      assert.equal(await ledger.says('10.0.0.7', 300), 'ambiguous web-1');
    });

  test('is not gone by a deletion that was delivered before it was made again', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.tell({ kind: 'progress', resource: 'Node', resourceVersion: '160', at: at(20) });
    await ledger.alive(20);
    const old = { kind: 'Node' as const, object: node('node-a', 150) };
    await ledger.tell({ kind: 'event', type: 'deleted', seen: old, at: at(21) });
    await ledger.deleted(30, web.deletedAt(at(30), 0).atVersion(200));
    await ledger.tell({ kind: 'progress', resource: 'Node', resourceVersion: '300', at: at(390) });
    await ledger.alive(400);
    assert.equal(await ledger.says('10.0.0.7', 300), 'free');
  });

  test('that has booted when it is listed again took its sandboxes with it', async () => {
    const ledger = await watching();
    await ledger.see(13, web);
    await ledger.alive(20);
    await listNodes(ledger, 60, 151, node('node-a', 150, { bootID: 'boot-2' }), node('node-b', 3));
    await ledger.alive(70);
    assert.equal(await ledger.says('10.0.0.7', 40), 'ambiguous web-1');
    assert.equal(await ledger.says('10.0.0.7', 65), 'ambiguous web-1');
  });
});
