// Two reasons for one pod within one delivery of the watch: every time is the same, and only versions say which was first.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { aPod, type PodBuilder } from '../testing/observed-pod.ts';
import { TestCauses } from '../testing/test-causes.ts';
import { at, CLUSTER } from '../testing/test-ledger.ts';
import { explain } from './explain.ts';
import { readCase } from './read-case.ts';

const running = aPod('web-1')
  .createdAt(at(0))
  .onNode('node-a')
  .withIp('10.0.0.1')
  .withCondition('PodScheduled', 'True', at(1))
  .withCondition('Ready', 'True', at(4));

type Step = (pod: PodBuilder) => PodBuilder;
const condition =
  (reason: string): Step =>
  (pod) =>
    pod.withCondition('DisruptionTarget', 'True', at(20), { reason, message: '' });
const evicted = condition('EvictionByEvictionAPI');
const tainted = condition('DeletionByTaintManager');
const preempted = condition('PreemptionByScheduler');
const deleted: Step = (pod) => pod.deletedAt(at(20), 30);
const done: Step = (pod) => pod.inPhase('Succeeded').finishedAt(at(20));
const collected: Step = (pod) => condition('DeletionByPodGC')(pod).inPhase('Failed');
const rejected: Step = (pod) => pod.inPhase('Failed', 'OutOfcpu', 'Pod was rejected: Node did not have enough cpu');

/** Each step is a version of the pod; the first one that ends it, or is to, is the cause. */
const FIRSTS: Readonly<Record<string, readonly [readonly Step[], cause: string]>> = {
  'a deletion, then an eviction': [[deleted, evicted], 'DeletedOnRequest'],
  'an eviction, as the API server does it': [[evicted, deleted], 'Evicted'],
  'a deletion, then a taint': [[deleted, tainted], 'DeletedOnRequest'],
  'a taint, then its deletion': [[tainted, deleted], 'Taint'],
  'a deletion, then a preemption': [[deleted, preempted], 'DeletedOnRequest'],
  'a preemption, then its deletion': [[preempted, deleted], 'Preempted'],
  'a deletion, then the collection of pods of a lost node': [[deleted, collected], 'DeletedOnRequest'],
  'the collection of pods of a lost node, then its deletion': [[collected, deleted], 'NodeGone'],
  'an eviction, then a taint before the deletion of either': [[evicted, tainted, deleted], 'Evicted'],
  'a taint, then an eviction before the deletion of either': [[tainted, evicted, deleted], 'Taint'],
  'an eviction, then a taint when it is being deleted': [[evicted, deleted, tainted], 'Evicted'],
  'a taint, then an eviction when it is being deleted': [[tainted, deleted, evicted], 'Taint'],
  'an eviction, then a preemption': [[evicted, preempted, deleted], 'Evicted'],
  'a deletion, then an eviction, then a taint': [[deleted, evicted, tainted], 'DeletedOnRequest'],
  'its own end, then a deletion': [[done, deleted], 'Completed'],
  'a deletion, then the end of its containers': [[deleted, done], 'DeletedOnRequest'],
  'its own end, then an eviction': [[done, evicted, deleted], 'Completed'],
  'an eviction, then the end of its containers': [[evicted, deleted, done], 'Evicted'],
  'a deletion, then a kubelet that does not admit it': [[deleted, rejected], 'DeletedOnRequest'],
  'a kubelet that does not admit it, then a deletion': [[rejected, deleted], 'Rejected'],
};

async function verdictOf(ledger: TestCauses) {
  const known = await withSnapshot(ledger.engine, CLUSTER.id, (snapshot) => readCase(snapshot, 'uid-web-1'));
  return explain(known ?? assert.fail('there is no case'));
}

/** `restartAfter`: after so many steps another recorder goes on. */
async function judged(steps: readonly Step[], restartAfter?: number) {
  const ledger = new TestCauses();
  await ledger.see(4.5, running);
  let pod = running;
  for (const [index, step] of steps.entries()) {
    pod = step(pod);
    await ledger.see(20.2, pod);
    if (index + 1 === restartAfter) await ledger.restart();
  }
  await ledger.deleted(20.2, pod);
  return await verdictOf(ledger);
}

suite('within one millisecond and one second, the first reason is', () => {
  for (const [name, [steps, cause]] of Object.entries(FIRSTS)) {
    test(name, async () => {
      assert.deepEqual(await judged(steps).then((verdict) => verdict.cause), cause);
    });
    test(`${name}, wherever another recorder goes on`, async () => {
      const { certainty } = await judged(steps);
      for (let after = 1; after <= steps.length; after++) {
        const said = await judged(steps, after);
        assert.deepEqual([said.cause, said.certainty], [cause, certainty], `after ${after}`);
      }
    });
  }
});

suite('what only a listing showed', () => {
  const listed = async (...steps: readonly Step[]) => {
    const ledger = new TestCauses();
    await ledger.see(4.5, running);
    await ledger.list(
      25,
      'expired',
      steps.reduce((pod, step) => step(pod), running),
    );
    return await verdictOf(ledger);
  };

  test('a condition and a deletion at once: that the condition was first is inferred', async () => {
    for (const [step, cause] of [
      [evicted, 'Evicted'],
      [tainted, 'Taint'],
      [preempted, 'Preempted'],
    ] as const) {
      const { cause: said, certainty } = await listed(step, deleted);
      assert.deepEqual([said, certainty], [cause, 'inferred']);
    }
  });

  test('a condition before any deletion is certain when that comes', async () => {
    const ledger = new TestCauses();
    await ledger.list(25, 'start', evicted(running));
    await ledger.see(25, deleted(evicted(running)));
    const { cause, certainty } = await verdictOf(ledger);
    assert.deepEqual([cause, certainty], ['Evicted', 'certain']);
  });

  test('nothing of the end: a condition right before nobody watched is inferred to be its cause', async () => {
    for (const [step, cause] of [
      [evicted, 'Evicted'],
      [tainted, 'Taint'],
      [preempted, 'Preempted'],
      [(pod: PodBuilder) => pod, 'Unknown'],
    ] as const) {
      for (const isRestarted of [false, true]) {
        const ledger = new TestCauses();
        await ledger.see(4.5, running);
        await ledger.see(20.2, step(running));
        if (isRestarted) await ledger.restart();
        await ledger.list(300, 'expired');
        const { cause: said, certainty } = await verdictOf(ledger);
        assert.deepEqual([said, certainty], [cause, 'inferred'], `restarted: ${isRestarted}`);
      }
    }
  });

  test('nothing of the end: a condition that had stood for long, or was reset, is none of its reasons', async () => {
    const stale = new TestCauses();
    await stale.see(20.2, evicted(running));
    await stale.see(200, evicted(running).annotated({ note: '1' }));
    const reset = new TestCauses();
    await reset.see(20.2, evicted(running));
    await reset.see(30, running.withCondition('DisruptionTarget', 'False', at(30)));
    for (const ledger of [stale, reset]) {
      await ledger.restart();
      await ledger.list(300, 'expired');
      assert.equal((await verdictOf(ledger)).cause, 'Unknown');
    }
  });

  test('a condition that was reset while nobody watched is no cause, and what was written after that is', async () => {
    const again =
      (reason: string, seconds: number): Step =>
      (pod) =>
        pod.withCondition('DisruptionTarget', 'True', at(seconds), { reason, message: '' }).deletedAt(at(seconds), 30);
    const reset: Step = (pod) => pod.withCondition('DisruptionTarget', 'False', at(141)).deletedAt(at(142), 30);
    for (const [sentence, step, cause, certainty] of [
      ['a taint right after the reset', again('DeletionByTaintManager', 142), 'Taint', 'inferred'],
      ['a preemption long after it', again('PreemptionByScheduler', 900), 'Preempted', 'inferred'],
      ['the same reason again', again('EvictionByEvictionAPI', 200), 'Evicted', 'inferred'],
      ['nothing but a deletion', reset, 'DeletedOnRequest', 'inferred'],
    ] as const) {
      for (const isRestarted of [false, true]) {
        const ledger = new TestCauses();
        await ledger.see(4.5, running);
        await ledger.see(20.2, evicted(running));
        if (isRestarted) await ledger.restart();
        await ledger.list(1_000, 'expired', step(running));
        const said = await verdictOf(ledger);
        assert.deepEqual([said.cause, said.certainty], [cause, certainty], `${sentence}, restarted: ${isRestarted}`);
      }
    }
  });

  test('a second reason that keeps the time of the first was written before any reset', async () => {
    const ledger = new TestCauses();
    await ledger.see(20.2, evicted(running));
    await ledger.list(25, 'expired', deleted(tainted(running)));
    assert.equal((await verdictOf(ledger)).cause, 'Evicted');
  });

  test('a deletion alone is before every condition that comes', async () => {
    const ledger = new TestCauses();
    await ledger.list(25, 'start', deleted(running));
    await ledger.see(25, evicted(deleted(running)));
    assert.equal((await verdictOf(ledger)).cause, 'DeletedOnRequest');
  });
});
