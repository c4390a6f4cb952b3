// Services and nodes are followed on streams of their own: what is claimed while one of them was lost, or is behind.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Writer } from '../engines/ledger-writer.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { epochMillis } from '../model/time.ts';
import { gaps } from '../query/gaps.ts';
import { who } from '../query/who.ts';
import { aNode, aPod, aService } from '../testing/observed-pod.ts';
import { at, CLUSTER, ip } from '../testing/test-ledger.ts';
import type { Observation, Observed } from './observation.ts';
import { Observer } from './observer.ts';

const KINDS = ['Node', 'Service'] as const;
type Listed = Extract<Observation, { kind: 'listed' }>;

/** A recorder of all three kinds; `observe` stores with the checkpoint, as the real one does. */
class Recording {
  readonly engine = new MemoryEngine();
  #observer = new Observer({ collector: 'test', scope: { kind: 'cluster' }, alsoFollows: KINDS });
  #writer: Writer | undefined;
  #podVersion = '1';

  async observe(observation: Observation): Promise<void> {
    this.#writer ??= await this.engine.takeOver(CLUSTER);
    const facts = this.#observer.observe(observation);
    if (observation.kind === 'progress' && observation.resource === 'Pod')
      this.#podVersion = observation.resourceVersion;
    await this.#writer.append({ facts, checkpoint: this.#checkpoint(observation.at) });
  }

  #checkpoint(when: Observation['at']) {
    const { epoch, otherPositions } = this.#observer;
    return { epoch, resourceVersion: this.#podVersion, at: when, others: otherPositions };
  }

  list(second: number, resource: Listed['resource'], version: number, present: Observed[] = [], more = {}) {
    const what = { resource, reason: 'start', resourceVersion: String(version), whole: true, present, goneUids: [] };
    return this.observe({ kind: 'listed', ...what, at: at(second), ...more } as Observation);
  }

  progress(second: number, resource: Listed['resource'], version: number): Promise<void> {
    return this.observe({ kind: 'progress', resource, resourceVersion: String(version), at: at(second) });
  }

  alive(second: number): Promise<void> {
    return this.observe({ kind: 'alive', at: at(second) });
  }

  /** All three are listed at second 0, in step at 100, and 100 is the last word before the recorder dies. */
  static async untilItDies(): Promise<Recording> {
    const recording = new Recording();
    for (const kind of ['Pod', ...KINDS] as const) await recording.list(0, kind, 10);
    await recording.observe({ kind: 'probed', resourceVersion: '20', at: at(100) });
    for (const kind of ['Pod', ...KINDS] as const) await recording.progress(100, kind, 20);
    await recording.alive(100);
    return recording;
  }

  async restart({ forgets = false } = {}): Promise<void> {
    const { state, checkpoint } = await this.engine.resume(CLUSTER.id);
    this.#writer = await this.engine.takeOver(CLUSTER);
    const { others: _, ...onlyPods } = checkpoint!;
    this.#observer = new Observer({
      ...{ collector: 'test', scope: { kind: 'cluster' }, alsoFollows: KINDS, resume: state },
      checkpoint: forgets ? onlyPods : checkpoint,
    });
  }

  async answer(address: string, second: number): Promise<string> {
    const answer = await withSnapshot(this.engine, CLUSTER.id, (snapshot) =>
      who(snapshot, { ip: ip(address), at: at(second) }),
    );
    const { reason, holders } = answer;
    return [answer.answer, reason, ...holders.map((holder) => holder.name)].filter((word) => word).join(' ');
  }
}

function service(name: string, version: number, address: string): Observed {
  return { kind: 'Service', object: aService(name, version, address) };
}

describe('services and nodes', () => {
  test('nothing is claimed before all three kinds have been listed', async () => {
    const recording = new Recording();
    await recording.list(0, 'Pod', 10);
    await recording.list(1, 'Service', 11, [service('dns', 5, '10.96.0.10')]);
    assert.deepEqual(await withSnapshot(recording.engine, CLUSTER.id, (snapshot) => snapshot.coverage()), []);
    await recording.list(2, 'Node', 12, [{ kind: 'Node', object: aNode('n1', 4, '192.168.0.1') }]);
    await recording.alive(10);
    assert.equal(await recording.answer('10.96.0.77', 1), 'unknown before-first-record');
    assert.equal(await recording.answer('10.96.0.77', 5), 'free');
    assert.equal(await recording.answer('10.96.0.10', 5), 'held dns');
  });

  test('an event of one kind claims nothing for the others: only the sign of life does', async () => {
    const recording = new Recording();
    for (const kind of ['Pod', ...KINDS] as const) await recording.list(0, kind, 10);
    const pod: Observed = {
      kind: 'Pod',
      object: aPod('web').withIp('10.0.0.7').createdAt(at(59)).atVersion(11).build(),
    };
    await recording.observe({ kind: 'event', type: 'present', seen: pod, at: at(60) });
    await recording.progress(61, 'Pod', 12);
    assert.equal((await withSnapshot(recording.engine, CLUSTER.id, (snapshot) => snapshot.coverage()))[0]?.to, at(0));
    await recording.alive(62);
    assert.equal((await withSnapshot(recording.engine, CLUSTER.id, (snapshot) => snapshot.coverage()))[0]?.to, at(62));
  });

  test('a service that lived only while no recorder ran is delivered by the catch-up: its address was not free', async () => {
    const recording = await Recording.untilItDies();
    await recording.restart();
    await recording.observe({ kind: 'event', type: 'present', seen: service('short', 30, '10.96.0.77'), at: at(200) });
    await recording.observe({ kind: 'event', type: 'deleted', seen: service('short', 31, '10.96.0.77'), at: at(200) });
    for (const kind of ['Pod', ...KINDS] as const) await recording.progress(200, kind, 40);
    await recording.alive(300);
    assert.equal(await recording.answer('10.96.0.77', 150), 'ambiguous short');
    assert.equal(await recording.answer('10.96.0.78', 150), 'free', 'nothing was lost');
    assert.equal(await recording.answer('10.96.0.77', 250), 'free');
  });

  test('what a stream has delivered is not taken in twice after a restart', async () => {
    const recording = await Recording.untilItDies();
    await recording.restart();
    await recording.observe({ kind: 'event', type: 'present', seen: service('old', 15, '10.96.0.15'), at: at(200) });
    await recording.alive(300);
    assert.equal(await recording.answer('10.96.0.15', 250), 'free');
  });

  for (const forgets of [false, true]) {
    const since = forgets ? 'as long before as a frame may be under way, where nobody noted it' : 'the last proof';
    test(`when the events of a restart are lost, nothing was free since ${since}`, async () => {
      const recording = await Recording.untilItDies();
      await recording.restart({ forgets });
      for (const kind of ['Pod', 'Node'] as const) await recording.progress(200, kind, 40);
      const lost = { reason: 'expired' };
      await recording.list(200, 'Service', 40, [], lost);
      await recording.alive(300);
      assert.equal(await recording.answer('10.96.0.77', 150), 'unknown not-watched');
      assert.equal(await recording.answer('10.96.0.77', 99), forgets ? 'unknown not-watched' : 'free');
      assert.equal(await recording.answer('10.96.0.77', 20), 'free');
      assert.equal(await recording.answer('10.96.0.77', 250), 'free');
      const span = { from: at(0), to: at(300) };
      assert.deepEqual(
        (await withSnapshot(recording.engine, CLUSTER.id, (snapshot) => gaps(snapshot, { span }))).gaps,
        [],
        'pods were never lost',
      );
    });
  }

  test('a stream that is lost under way makes only that time unknown, and a recorder goes on with the rest', async () => {
    const recording = await Recording.untilItDies();
    await recording.alive(150);
    await recording.list(180, 'Node', 50, [], { reason: 'expired', whole: false, since: at(160) });
    await recording.alive(200);
    assert.equal(await recording.answer('10.0.0.9', 90), 'free');
    assert.equal(await recording.answer('10.0.0.9', 130), 'unknown not-watched');
    assert.equal(await recording.answer('10.0.0.9', 190), 'free');
    const { state } = await recording.engine.resume(CLUSTER.id);
    assert.deepEqual([state.coverage?.scope, state.coverage?.from], [{ kind: 'cluster' }, at(0)]);
  });

  test('a pod holds across: only "free" needs the other kinds', async () => {
    const recording = await Recording.untilItDies();
    const pod = aPod('web').withIp('10.0.0.7').createdAt(at(101)).readyAt(at(102)).atVersion(30).build();
    await recording.observe({ kind: 'event', type: 'present', seen: { kind: 'Pod', object: pod }, at: at(103) });
    await recording.list(180, 'Service', 50, [], { reason: 'expired', whole: false, since: at(160) });
    await recording.alive(200);
    assert.equal(await recording.answer('10.0.0.7', 170), 'held web');
  });

  test('what was stored since the last sign of life is part of the present state', async () => {
    const recording = await Recording.untilItDies();
    const pod = aPod('web').withIp('10.0.0.7').createdAt(at(100)).atVersion(30).build();
    await recording.observe({ kind: 'event', type: 'present', seen: { kind: 'Pod', object: pod }, at: at(101) });
    const question = { cluster: CLUSTER.id, ip: ip('10.0.0.7'), at: epochMillis(at(101) + 50) };
    const answer = await withSnapshot(recording.engine, CLUSTER.id, (snapshot) =>
      who(snapshot, { ...question, now: question.at }),
    );
    assert.deepEqual([answer.answer, answer.provisional], ['held', true]);
    assert.equal(
      (await withSnapshot(recording.engine, question.cluster, (snapshot) => who(snapshot, question))).answer,
      'unknown',
      'the asker must say what time it is',
    );
  });
});
