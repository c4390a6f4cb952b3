// Lives and departures as they are stored, from the shapes that real kubelets and controllers write.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredFact } from '../../model/fact.ts';
import { aPod } from '../../testing/observed-pod.ts';
import { TestCauses } from '../../testing/test-causes.ts';
import { at, CLUSTER } from '../../testing/test-ledger.ts';

const pod = aPod('web-1')
  .createdAt(at(0))
  .onNode('')
  .inPhase('Pending')
  .ownedBy('ReplicaSet', 'web-7f9')
  .labelled({ 'pod-template-hash': '7f9' })
  .ofClass('Burstable', 100);
const scheduled = pod.onNode('node-a').withCondition('PodScheduled', 'True', at(1)).startedAt(at(1));
const unready = scheduled.readyAt(at(2)).withCondition('Ready', 'False', at(1)).withIp('10.0.0.1');
const running = unready.inPhase('Running').withCondition('Ready', 'True', at(4));
const eviction = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
const evicted = running.withCondition('DisruptionTarget', 'True', at(20), eviction);

const kinds = (facts: readonly StoredFact[]): string => facts.map(({ kind }) => kind).join(' ');

describe('a life', () => {
  test('of a pod that lived for weeks is kept for as long after its end as that of any other', async () => {
    const ledger = new TestCauses();
    const day = 86_400;
    await ledger.see(4.5, running);
    await ledger.see(20 * day, running.deletedAt(at(20 * day), 30));
    await ledger.deleted(20 * day + 5, running.deletedAt(at(20 * day), 0));
    await ledger.engine.pruneKind(CLUSTER.id, 'life', at(19 * day));
    const life = await ledger.life('web-1');
    assert.deepEqual([life.created, life.deletion?.requested], [at(0), at(20 * day)]);
    assert.equal((await ledger.records('life')).length, 1, 'it is stored once');
    await ledger.engine.pruneKind(CLUSTER.id, 'life', at(21 * day));
    assert.deepEqual(await ledger.records('life'), []);
  });

  test('has what its pod showed, from its creation to its end, though no state of the object shows it all', async () => {
    const ledger = new TestCauses();
    await ledger.see(0.1, pod);
    await ledger.see(1.2, scheduled);
    await ledger.see(2.5, unready);
    await ledger.see(4.5, running);
    await ledger.see(20.1, evicted);
    await ledger.see(20.2, evicted.deletedAt(at(20), 30));
    const ended = evicted
      .deletedAt(at(20), 30)
      .withCondition('Ready', 'False', at(21))
      .lostAt(at(22))
      .inPhase('Failed')
      .terminated(at(22), { container: 'main', reason: 'Error', exitCode: 143, signal: 0 });
    await ledger.see(22.5, ended);
    await ledger.deleted(23, ended.deletedAt(at(20), 0));
    const { pod: holder, source, resourceVersion, ...life } = await ledger.life('web-1');
    assert.equal(holder.node, 'node-a');
    assert.deepEqual(life, {
      epoch: 1,
      observedAt: at(23),
      collector: 'test',
      owner: { kind: 'ReplicaSet', namespace: 'shop', name: 'web-7f9', uid: 'uid-web-7f9' },
      revision: '7f9',
      labels: { 'pod-template-hash': '7f9' },
      isMirror: false,
      qosClass: 'Burstable',
      priority: 100,
      created: at(0),
      scheduled: at(1),
      networkUp: at(2),
      ready: at(4),
      notReady: at(21),
      disruption: { ...eviction, at: at(20), seenAt: at(20.1), seenIn: { epoch: 1, resourceVersion: '6' } },
      terminal: {
        ...{ phase: 'Failed', reason: '', message: '', at: at(22), seenAt: at(23) },
        seenIn: { epoch: 1, resourceVersion: '8' },
      },
      deletion: { requested: at(20), graceSeconds: 30, seenAt: at(20.2), seenIn: { epoch: 1, resourceVersion: '7' } },
      gone: at(23),
      restarts: 0,
      endings: [{ container: 'main', reason: 'Error', exitCode: 143, signal: 0, at: at(22) }],
    });
    const departures = await ledger.records('departure');
    assert.deepEqual(
      departures.map(({ pod: { uid }, at: when, source: by }) => [uid, when, by]),
      [['uid-web-1', at(20), 'watch']],
    );
  });

  test('was unready since its node was lost, though its kubelet comes back and ends it once more', async () => {
    const ledger = new TestCauses();
    await ledger.see(4.5, running);
    const lost = running.withCondition('Ready', 'False', at(300));
    await ledger.see(300.5, lost);
    await ledger.see(600.1, lost.deletedAt(at(600), 30));
    await ledger.see(900.1, running.withCondition('Ready', 'True', at(900)).deletedAt(at(600), 30));
    await ledger.see(901.1, running.withCondition('Ready', 'False', at(901)).deletedAt(at(600), 30).inPhase('Failed'));
    assert.equal((await ledger.life('web-1')).notReady, at(300));
  });

  test('is written for milestones, not for every status: readiness that comes and goes is none', async () => {
    const ledger = new TestCauses();
    assert.equal(kinds(await ledger.see(0.1, pod)), 'life');
    assert.equal(kinds(await ledger.see(0.2, pod.annotated({ note: '1' }))), '');
    assert.equal(kinds(await ledger.see(4.5, running)), 'life');
    assert.equal(kinds(await ledger.see(5.5, running.withCondition('Ready', 'False', at(5)))), '');
    assert.equal(kinds(await ledger.see(6.5, running.withCondition('Ready', 'True', at(6)))), '');
    assert.equal((await ledger.life('web-1')).ready, at(4));
    const crashed = { container: 'main', reason: 'OOMKilled', exitCode: 137, restartCount: 1, current: false };
    assert.equal(kinds(await ledger.see(8, running.terminated(at(7), crashed))), 'life');
    assert.equal((await ledger.life('web-1')).restarts, 1);
  });

  test('has the labels that its pod showed last before its end; a change of them alone writes nothing', async () => {
    const ledger = new TestCauses();
    await ledger.see(4.5, running.labelled({ app: 'web', tier: 'web' }));
    const relabelled = running.labelled({ app: 'web', tier: 'api' });
    assert.equal(kinds(await ledger.see(5, relabelled)), '');
    assert.equal((await ledger.life('web-1')).labels?.['tier'], 'web');
    await ledger.see(20.2, relabelled.deletedAt(at(20), 30));
    assert.deepEqual((await ledger.life('web-1')).labels, { app: 'web', tier: 'api' });
    assert.equal((await ledger.life('web-1')).labelsCut, undefined);
  });

  test('has 2048 characters of labels at most, whole ones, and says that there were more', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key-${10 + i}`, 'v'.repeat(63)]));
    const ledger = new TestCauses();
    await ledger.see(4.5, running.labelled(many));
    const { labels = {}, labelsCut } = await ledger.life('web-1');
    const characters = Object.entries(labels).flat().join('').length;
    assert.deepEqual([labelsCut, Object.keys(labels).length, characters], [true, 29, 29 * 69]);
    assert.ok(characters <= 2048 && characters + 69 > 2048);
  });

  test('keeps why the scheduler found no node, also when it has one', async () => {
    const ledger = new TestCauses();
    const words = { reason: 'Unschedulable', message: `0/3 nodes are available: ${'x'.repeat(1000)}` };
    await ledger.see(0.1, pod.withCondition('PodScheduled', 'False', at(0), words));
    await ledger.see(60, running.withCondition('PodScheduled', 'True', at(59)));
    const { unschedulable, scheduled: when } = await ledger.life('web-1');
    assert.equal(unschedulable?.reason, 'Unschedulable');
    assert.equal(unschedulable?.message.length, 512);
    assert.equal(when, at(59));
  });

  test('knows a static pod, and when a rollout was restarted', async () => {
    const ledger = new TestCauses();
    const mirror = { 'kubernetes.io/config.mirror': 'a', 'kubernetes.io/config.hash': 'a' };
    await ledger.see(1, running.annotated({ ...mirror, 'kubectl.kubernetes.io/restartedAt': '2026-11-15T10:00:00Z' }));
    const { isMirror, restartedAt } = await ledger.life('web-1');
    assert.deepEqual([isMirror, restartedAt], [true, '2026-11-15T10:00:00Z']);
  });

  test('has the last endings of containers, oldest first, without the init containers that were done', async () => {
    const ledger = new TestCauses();
    let crashing = running.terminated(at(3), { kind: 'init', container: 'setup', reason: 'Completed', exitCode: 0 });
    for (let i = 9; i >= 0; i--) crashing = crashing.terminated(at(10 + i), { container: `c${i}`, reason: 'Error' });
    await ledger.see(30, crashing);
    assert.deepEqual(
      (await ledger.life('web-1')).endings.map(({ container }) => container),
      ['c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9'],
    );
  });

  test('says of an ending that its container was started again, and has none of who debugged', async () => {
    const ledger = new TestCauses();
    const killed = { container: 'sidecar', reason: 'OOMKilled', exitCode: 137, restartCount: 1 };
    await ledger.see(6, running.terminated(at(5), { ...killed, restartCount: 0 }));
    await ledger.see(8, running.terminated(at(5), { ...killed, current: false }));
    assert.deepEqual(
      (await ledger.life('web-1')).endings.map(({ restarted }) => restarted),
      [true],
    );
    await ledger.see(
      30,
      running
        .inPhase('Failed')
        .terminated(at(5), { ...killed, current: false })
        .terminated(at(20), { container: 'debug', kind: 'ephemeral', exitCode: 130 })
        .terminated(at(29), { container: 'main', exitCode: 1 }),
    );
    assert.deepEqual(
      (await ledger.life('web-1')).endings.map(({ container, restarted }) => [container, restarted]),
      [
        ['sidecar', true],
        ['main', undefined],
      ],
    );
  });
});

describe('the first disruption', () => {
  test('wins over the reason that a controller writes into the same condition later', async () => {
    const ledger = new TestCauses();
    await ledger.see(4.5, running);
    await ledger.see(20.1, evicted);
    const gc = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
    const collected = running.withCondition('DisruptionTarget', 'True', at(20), gc).deletedAt(at(20), 30);
    await ledger.see(40, collected.inPhase('Failed'));
    await ledger.deleted(41, collected.inPhase('Failed'));
    assert.equal((await ledger.life('web-1')).disruption?.reason, 'EvictionByEvictionAPI');
  });

  test('survives a restart of the recorder once the pod has begun to end', async () => {
    const ledger = new TestCauses();
    await ledger.see(20.1, evicted.deletedAt(at(20), 30));
    await ledger.restart();
    const gc = { reason: 'DeletionByPodGC', message: '' };
    await ledger.deleted(41, running.withCondition('DisruptionTarget', 'True', at(20), gc).deletedAt(at(20), 30));
    assert.equal((await ledger.life('web-1')).disruption?.reason, 'EvictionByEvictionAPI');
    assert.equal((await ledger.records('departure')).length, 1);
  });

  test('survives a restart of the recorder before the pod has begun to end, with the version that showed it', async () => {
    const ledger = new TestCauses();
    await ledger.see(4.5, running);
    await ledger.see(20.1, evicted.atVersion(7));
    await ledger.restart();
    await ledger.see(20.2, evicted.annotated({ note: '1' }));
    await ledger.restart();
    const taint = { reason: 'DeletionByTaintManager', message: '' };
    const both = running.withCondition('DisruptionTarget', 'True', at(20), taint);
    await ledger.see(20.3, both);
    await ledger.see(20.4, both.deletedAt(at(20), 30));
    const { disruption } = await ledger.life('web-1');
    assert.deepEqual([disruption?.reason, disruption?.seenIn], [eviction.reason, { epoch: 1, resourceVersion: '7' }]);
  });

  test('does not count when it was reset, or another one was written after that, while nobody watched', async () => {
    const ledger = new TestCauses();
    await ledger.see(20.1, evicted);
    await ledger.restart();
    await ledger.see(150, running.withCondition('DisruptionTarget', 'False', at(149)));
    await ledger.restart();
    await ledger.see(200, running.deletedAt(at(200), 30));
    assert.equal((await ledger.life('web-1')).disruption, undefined);
  });

  test('of a pod that a listing lacks is in its departure: its life has no end', async () => {
    for (const isRestarted of [false, true]) {
      const ledger = new TestCauses();
      await ledger.see(4.5, running);
      await ledger.see(20.1, evicted.atVersion(7));
      if (isRestarted) await ledger.restart();
      await ledger.list(90, 'expired');
      assert.deepEqual(
        (await ledger.records('departure')).map(({ disruption }) => disruption),
        [{ ...eviction, at: at(20), seenAt: at(20.1), seenIn: { epoch: 1, resourceVersion: '7' } }],
      );
      assert.equal((await ledger.life('web-1')).disruption, undefined);
    }
  });

  test('does not count when it is reset without an end: the one of the end does', async () => {
    const ledger = new TestCauses();
    const preempted = { reason: 'PreemptionByScheduler', message: '' };
    await ledger.see(4.5, running.withCondition('DisruptionTarget', 'True', at(5), preempted));
    await ledger.see(130, running.withCondition('DisruptionTarget', 'False', at(129)));
    assert.equal((await ledger.life('web-1')).disruption, undefined);
    await ledger.see(200, running.withCondition('DisruptionTarget', 'True', at(200), eviction).deletedAt(at(200), 30));
    const { disruption } = await ledger.life('web-1');
    assert.deepEqual([disruption?.reason, disruption?.at, disruption?.seenAt], [eviction.reason, at(200), at(200)]);
  });
});

describe('a departure', () => {
  const departures = async (ledger: TestCauses) =>
    (await ledger.records('departure')).map(({ at: when, source }) => [when, source]);

  test('is when a deletion was requested, though its timestamp is the end of the grace', async () => {
    const ledger = new TestCauses();
    await ledger.see(4.5, running);
    await ledger.see(10.1, running.deletedAt(at(10), 30));
    await ledger.deleted(41, running.deletedAt(at(10), 0).inPhase('Failed').finishedAt(at(40)));
    assert.deepEqual(await departures(ledger), [[at(10), 'watch']]);
  });

  test('is when a pod that nobody deletes becomes terminal, and its deletion later is none', async () => {
    const ledger = new TestCauses();
    const done = running.inPhase('Succeeded').terminated(at(9), { container: 'main', reason: 'Completed' });
    await ledger.see(10, done);
    await ledger.restart();
    await ledger.see(99, done.deletedAt(at(99), 30));
    await ledger.deleted(100, done.deletedAt(at(99), 0));
    assert.deepEqual(await departures(ledger), [[at(9), 'watch']]);
  });

  test('of a pod that is evicted for its storage, whose container has no end, is its last change', async () => {
    const ledger = new TestCauses();
    const words = ['Evicted', 'Usage of EmptyDir volume "data" exceeds the limit "1Mi".'] as const;
    await ledger.see(12.2, running.inPhase('Failed', ...words).lostAt(at(12)));
    assert.deepEqual(await departures(ledger), [[at(12), 'watch']]);
    const { terminal } = await ledger.life('web-1');
    assert.deepEqual([terminal?.reason, terminal?.message, terminal?.at], [...words, at(12)]);
  });

  test('of a pod that the garbage collector ended on a lost node is not when its node became unreachable', async () => {
    const ledger = new TestCauses();
    await ledger.see(4.5, running);
    const unreachable = running.withCondition('Ready', 'False', at(50));
    await ledger.see(50.2, unreachable);
    const collected = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
    const ended = unreachable.inPhase('Failed').withCondition('DisruptionTarget', 'True', at(400), collected);
    await ledger.see(400.3, ended);
    await ledger.deleted(400.4, ended.deletedAt(at(400), 0));
    assert.deepEqual(await departures(ledger), [[at(400), 'watch']]);
    const { terminal, notReady } = await ledger.life('web-1');
    assert.deepEqual([terminal?.at, notReady], [at(400), at(50)]);
  });

  test('of a pod that a listing lacks is inferred, and lies before whatever took its place', async () => {
    const ledger = new TestCauses();
    await ledger.list(1, 'start', running);
    await ledger.observe({ kind: 'probed', resourceVersion: '3', at: at(30) });
    await ledger.list(90, 'expired');
    assert.deepEqual(await departures(ledger), [[at(30), 'inferred']]);
    assert.equal((await ledger.life('web-1')).gone, undefined);
  });

  test('of one that was to be deleted before the gap is not inferred once more', async () => {
    const ledger = new TestCauses();
    await ledger.list(1, 'start', running);
    await ledger.see(5, running.deletedAt(at(5), 30));
    await ledger.restart();
    await ledger.list(90, 'expired');
    assert.deepEqual(await departures(ledger), [[at(5), 'watch']]);
  });

  test('of a pod that was never seen before its DELETED has its life, too', async () => {
    const ledger = new TestCauses();
    await ledger.list(1, 'start');
    await ledger.deleted(5, running.deletedAt(at(4), 0));
    assert.deepEqual(await departures(ledger), [[at(4), 'watch']]);
    assert.equal((await ledger.life('web-1')).gone, at(5));
  });
});

describe('after a restart', () => {
  test('nothing is written of pods that are as they were, nor of those whose last milestone is old', async () => {
    const ledger = new TestCauses();
    const touched = aPod('web-2').createdAt(at(0)).startedAt(at(1)).readyAt(at(2)).withIp('10.0.0.2');
    await ledger.list(1, 'start', running.atVersion(5), touched.atVersion(6));
    await ledger.see(300, touched.annotated({ note: '1' }).atVersion(10));
    await ledger.restart();
    const later = touched.annotated({ note: '2' }).atVersion(20);
    assert.equal(kinds(await ledger.list(600, 'expired', running.atVersion(5), later)), '');
    // What is known again is the comparison for what comes.
    assert.equal(kinds(await ledger.see(601, running.annotated({ note: '3' }))), '');
    assert.equal(kinds(await ledger.see(602, running.deletedAt(at(602), 30))), 'life departure');
  });

  test('what happened meanwhile is written', async () => {
    const ledger = new TestCauses();
    await ledger.list(1, 'start', unready.atVersion(5));
    await ledger.restart();
    assert.equal(kinds(await ledger.list(9, 'expired', running.atVersion(8))), 'life');
    assert.equal((await ledger.life('web-1')).ready, at(4));
  });
});

describe('odd objects', () => {
  test('without times, or with times that cannot be, are stored with times that can', async () => {
    const ledger = new TestCauses();
    const never = 8.64e15 + 1;
    const odd = aPod('odd')
      .createdAt(never)
      .startedAt(never)
      .readyAt(never)
      .withCondition('Ready', 'False', Number.NaN)
      .withCondition('DisruptionTarget', 'True', undefined)
      .terminated(never, {})
      .terminated(undefined, {})
      .deletedAt(never, 30)
      .inPhase('Failed');
    await ledger.see(1, odd);
    await ledger.see(2, odd.inPhase('Succeeded'));
    await ledger.deleted(3, aPod('bare'));
    const life = await ledger.life('odd');
    assert.deepEqual(
      [life.created, life.deletion?.requested, life.networkUp, life.ready],
      [at(1), at(1), undefined, undefined],
    );
    assert.ok(life.endings.every((ending) => ending.at === at(1)));
    assert.equal((await ledger.life('bare')).created, at(3));
    assert.deepEqual(
      (await ledger.records('departure')).map(({ at: when }) => when),
      [at(1), at(3)],
    );
  });
});
