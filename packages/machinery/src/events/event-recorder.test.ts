import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, ConnectionError } from '../errors.ts';
import { seededRandom } from '../random.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { MemoryResourceClient, refusal } from '../testing/memory-resource-client.ts';
import { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
import type { EventInput, KubeEvent } from './kube-event.ts';

const MINUTE = 60_000;
const refused = () => new ConnectionError('refused', 'nobody listens');

class World {
  readonly clock = new ManualClock();
  readonly namespaces = new Map<string, MemoryResourceClient<KubeEvent>>();
  readonly errors: unknown[] = [];
  readonly recorder: EventRecorder;

  constructor(options: Partial<EventRecorderOptions> = {}) {
    this.recorder = new EventRecorder({
      events: (namespace) => this.events(namespace),
      clock: this.clock,
      random: () => 0,
      reportingController: 'podtrail.dev/operator',
      reportingInstance: 'operator-0',
      onError: (error) => this.errors.push(error),
      ...options,
    });
  }

  events(namespace = 'shop'): MemoryResourceClient<KubeEvent> {
    let client = this.namespaces.get(namespace);
    if (client === undefined)
      this.namespaces.set(namespace, (client = new MemoryResourceClient<KubeEvent>({ namespace })));
    return client;
  }

  async stored(namespace = 'shop'): Promise<KubeEvent[]> {
    return (await this.events(namespace).list()).items;
  }

  verbs(namespace = 'shop'): string[] {
    return this.events(namespace)
      .calls.map((c) => c.verb)
      .filter((verb) => verb !== 'list');
  }
}

const about = (name = 'cart', fields: Partial<EventInput> = {}): EventInput => ({
  regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name, uid: `uid-${name}` },
  type: 'Normal',
  reason: 'Moved',
  action: 'Observe',
  note: 'moved to node-b',
  ...fields,
});

describe('event recorder', () => {
  test('an event is written with everything the server asks for', async () => {
    const world = new World();
    const related = { kind: 'Node', name: 'node-b', apiVersion: 'v1' };
    world.recorder.record(about('cart', { related }));
    await world.recorder.flush();
    const [event] = await world.stored();
    assert.ok(event);
    const { metadata, ...rest } = event;
    assert.equal(metadata.name, `cart.${(BigInt(world.clock.now()) * 1_000_000n).toString(16)}`);
    assert.equal(metadata.namespace, 'shop');
    assert.deepEqual(rest, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'podtrail.dev/operator',
      reportingInstance: 'operator-0',
      action: 'Observe',
      reason: 'Moved',
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'cart', uid: 'uid-cart' },
      related,
      note: 'moved to node-b',
      type: 'Normal',
    });
    assert.equal(world.recorder.counts.written, 1);
  });

  test('an event about a cluster-scoped object is written to the default namespace', async () => {
    const world = new World();
    world.recorder.record(about('', { regarding: { kind: 'Node', name: 'node-a' } }));
    world.recorder.record(about('', { regarding: { kind: 'Node', name: 'node-b', namespace: '' } }));
    await world.recorder.flush();
    assert.equal((await world.stored('default')).length, 2);
  });

  test('recording returns before anything is sent', async () => {
    const world = new World();
    world.recorder.record(about());
    assert.deepEqual(world.verbs(), []);
    await world.recorder.flush();
    assert.deepEqual(world.verbs(), ['create']);
  });

  test('long texts are cut to what the server takes, between characters', async () => {
    const world = new World();
    world.recorder.record(about('cart', { note: '€'.repeat(1000), reason: 'R'.repeat(200), action: 'ä'.repeat(200) }));
    await world.recorder.flush();
    const [event] = await world.stored();
    assert.equal(event?.note, `${'€'.repeat(340)}…`);
    assert.equal(Buffer.byteLength(event?.note ?? ''), 1023);
    assert.equal(event?.reason, `${'R'.repeat(125)}…`);
    assert.ok(Buffer.byteLength(event?.action ?? '') <= 128);
  });

  test('without an action the reason stands in, for the server refuses an empty one', async () => {
    const world = new World();
    const { regarding, type, reason, note } = about();
    world.recorder.record({ regarding, type, reason, note });
    await world.recorder.flush();
    assert.equal((await world.stored())[0]?.action, 'Moved');
  });

  test('what is not an event is counted and disturbs nobody', async () => {
    const world = new World();
    world.recorder.record(about('cart', { type: 'Alarm' as 'Warning' }));
    world.recorder.record(undefined as unknown as EventInput);
    await world.recorder.flush();
    assert.equal(world.recorder.counts.invalid, 2);
    assert.deepEqual(world.verbs(), []);
  });

  describe('series', () => {
    test('the second sighting makes a series, further ones only count', async () => {
      const world = new World();
      world.recorder.record(about());
      await world.recorder.flush();
      await world.clock.advance(MINUTE);
      for (let i = 0; i < 10; i++) {
        world.recorder.record(about('cart', { note: `try ${i}` }));
        await world.recorder.flush();
      }
      assert.deepEqual(world.verbs(), ['create', 'patch']);
      const [event, ...others] = await world.stored();
      assert.deepEqual(others, []);
      assert.deepEqual(event?.series, { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' });
      assert.equal(world.recorder.counts.repeated, 10);
    });

    test('events that differ in reason, action, type, object or related object are different events', async () => {
      const world = new World();
      const inputs = [
        about(),
        about('cart', { reason: 'Restarted' }),
        about('cart', { action: 'Other' }),
        about('cart', { type: 'Warning' }),
        about('checkout'),
        about('cart', { related: { kind: 'Node', name: 'node-b' } }),
        about('cart', { regarding: { ...about().regarding, fieldPath: 'spec.containers{web}' } }),
      ];
      for (const input of inputs) world.recorder.record(input);
      await world.recorder.flush();
      assert.equal((await world.stored()).length, inputs.length);
      assert.equal(world.recorder.counts.repeated, 0);
    });

    test('an object that changed between two events is still the same object', async () => {
      const world = new World();
      for (const resourceVersion of ['1', '2']) {
        world.recorder.record(about('cart', { regarding: { ...about().regarding, resourceVersion } }));
      }
      await world.recorder.flush();
      assert.equal(world.recorder.counts.repeated, 1);
    });

    test('two sightings before the first write become one write with a series', async () => {
      const world = new World();
      world.recorder.record(about());
      world.recorder.record(about());
      await world.recorder.flush();
      assert.deepEqual(world.verbs(), ['create']);
      assert.equal((await world.stored())[0]?.series?.count, 2);
    });

    test('a sighting while the event is being created patches it afterwards', async () => {
      const world = new World();
      const { promise: slow, resolve: answer } = Promise.withResolvers<void>();
      world.events().interceptNext('create', () => slow);
      world.recorder.record(about());
      await settle();
      world.recorder.record(about());
      answer();
      await world.recorder.flush();
      assert.deepEqual(world.verbs(), ['create', 'patch']);
      assert.equal((await world.stored())[0]?.series?.count, 2);
    });

    test('a series that ended gets its final count and time', async () => {
      const world = new World();
      for (let i = 0; i < 5; i++) {
        world.recorder.record(about());
        await world.clock.advance(10_000);
      }
      world.recorder.record(about('other'));
      assert.equal((await world.stored())[0]?.series?.count, 2);
      await world.clock.advance(12 * MINUTE);
      assert.deepEqual((await world.stored())[0]?.series, {
        count: 5,
        lastObservedTime: '2026-01-01T00:00:40.000000Z',
      });
      assert.deepEqual(world.verbs(), ['create', 'patch', 'create', 'patch']);
      assert.equal(world.clock.pending, 0, 'nothing is left to sweep');
    });

    test('after six quiet minutes the same event is a new one', async () => {
      const world = new World();
      world.recorder.record(about('early'));
      await world.clock.advance(MINUTE);
      world.recorder.record(about());
      await world.clock.advance(6 * MINUTE - 1);
      world.recorder.record(about());
      await world.recorder.flush();
      assert.equal((await world.stored()).length, 2);
      await world.clock.advance(6 * MINUTE);
      world.recorder.record(about());
      await world.recorder.flush();
      assert.equal((await world.stored()).length, 3);
    });

    test('a series whose count is known is not written again when it ends', async () => {
      const world = new World();
      for (let i = 0; i < 2; i++) {
        world.recorder.record(about());
        await world.recorder.flush();
      }
      await world.clock.advance(12 * MINUTE);
      assert.deepEqual(world.verbs(), ['create', 'patch']);
    });

    test('a series that is replaced by a new event gets its final count too', async () => {
      const world = new World();
      for (let i = 0; i < 6; i++) {
        world.recorder.record(about());
        await world.clock.advance(MINUTE);
      }
      await world.clock.advance(5.5 * MINUTE);
      world.recorder.record(about());
      await world.recorder.flush();
      assert.deepEqual(
        (await world.stored()).map((e) => e.series?.count),
        [6, undefined],
      );
    });

    test('a series that may not be patched is not created again', async () => {
      const world = new World();
      world.recorder.record(about());
      await world.recorder.flush();
      world.events().failNext('patch', refusal(403, 'Forbidden', 'no'));
      world.recorder.record(about());
      await world.recorder.flush();
      assert.deepEqual(world.verbs(), ['create', 'patch']);
      assert.equal(world.recorder.counts.forbidden, 1);
    });

    test('a series that goes on is written again every half hour, so that it does not expire', async () => {
      const world = new World();
      for (let i = 0; i < 70; i++) {
        world.recorder.record(about());
        await world.clock.advance(MINUTE);
      }
      const counts = world
        .events()
        .calls.filter((c) => c.verb === 'patch')
        .map((c) => (c.body as { body: KubeEvent }).body.series?.count);
      assert.deepEqual(counts, [2, 30, 60]);
    });

    test('a series whose event the server has expired is created again with its count', async () => {
      const world = new World();
      world.recorder.record(about());
      await world.recorder.flush();
      const [event] = await world.stored();
      await world.events().delete(event?.metadata.name ?? '');
      world.recorder.record(about());
      await world.recorder.flush();
      assert.deepEqual(world.verbs(), ['create', 'delete', 'patch', 'create']);
      const [again] = await world.stored();
      assert.equal(again?.metadata.name, event?.metadata.name);
      assert.equal(again?.series?.count, 2);
    });

    test('an expired event that is there again after all is patched, not doubled', async () => {
      const world = new World();
      world.recorder.record(about());
      await world.recorder.flush();
      world.events().failNext('patch', refusal(404, 'NotFound', 'not found'));
      world.recorder.record(about());
      await world.clock.advance(500);
      assert.deepEqual(world.verbs(), ['create', 'patch', 'create', 'patch']);
      assert.equal((await world.stored()).length, 1);
    });

    test('only so many series are kept open; the oldest is finished first', async () => {
      const world = new World({ queueLimit: 10_000 });
      world.recorder.record(about('first'));
      for (let i = 0; i < 2; i++) await world.recorder.flush();
      for (let i = 0; i < 3; i++) world.recorder.record(about('first'));
      await world.recorder.flush();
      for (let i = 0; i < 4096; i++) world.recorder.record(about(`pod-${i}`));
      await world.recorder.flush();
      const first = (await world.stored()).find((event) => event.regarding.name === 'first');
      assert.equal(first?.series?.count, 4);
      world.recorder.record(about('first'));
      await world.recorder.flush();
      assert.equal((await world.stored()).length, 4098);
    });
  });

  describe('limits', () => {
    test('one source writes 25 events about an object for one reason, then one in five minutes', async () => {
      const world = new World();
      const related = (name: string) => ({ related: { kind: 'Pod', name } });
      for (let i = 0; i < 30; i++) world.recorder.record(about('cart', related(`pod-${i}`)));
      world.recorder.record(about('checkout'));
      await world.recorder.flush();
      assert.equal((await world.stored()).length, 26);
      assert.equal(world.recorder.counts.spam, 5);
      await world.clock.advance(5 * MINUTE);
      world.recorder.record(about('cart', related('later')));
      world.recorder.record(about('cart', related('too-soon')));
      await world.recorder.flush();
      assert.equal((await world.stored()).length, 27);
      assert.equal(world.recorder.counts.spam, 6);
    });

    test('a reason that comes too often does not keep another one of the object from being recorded', async () => {
      const world = new World();
      for (let i = 0; i < 30; i++) world.recorder.record(about('cart', { related: { kind: 'Pod', name: `pod-${i}` } }));
      world.recorder.record(about('cart', { reason: 'Degraded' }));
      await world.recorder.flush();
      assert.equal((await world.stored()).filter(({ reason }) => reason === 'Degraded').length, 1);
    });

    test('a series over the limit goes on counting and writes its count at the end', async () => {
      const world = new World({ spamLimit: { burst: 1, perSecond: 0 } });
      world.recorder.record(about());
      await world.recorder.flush();
      for (let i = 1; i < 100; i++) world.recorder.record(about());
      await world.recorder.flush();
      assert.deepEqual(world.verbs(), ['create']);
      assert.equal(world.recorder.counts.spam, 0);
      await world.clock.advance(12 * MINUTE);
      assert.equal((await world.stored())[0]?.series?.count, 100);
    });

    test('a full queue drops and counts, and does not remember what it dropped', async () => {
      const world = new World({ queueLimit: 2 });
      world.events().interceptNext('create', () => new Promise(() => {}));
      world.recorder.record(about('in-flight'));
      await settle();
      for (const name of ['a', 'b', 'c']) world.recorder.record(about(name));
      assert.equal(world.recorder.pending, 2);
      assert.equal(world.recorder.counts.queueFull, 1);
      await world.clock.advance(11_000);
      world.recorder.record(about('c'));
      await world.recorder.flush();
      assert.deepEqual((await world.stored()).map((e) => e.regarding.name).toSorted(), ['a', 'b', 'c', 'in-flight']);
    });

    test('an event recorded just when the writer runs dry is written', async () => {
      const world = new World();
      for (let ticks = 0; ticks < 12; ticks++) {
        world.recorder.record(about(`first-${ticks}`));
        for (let i = 0; i < ticks; i++) await Promise.resolve();
        world.recorder.record(about(`second-${ticks}`));
        await settle();
        assert.equal(world.recorder.pending, 0);
      }
      assert.equal(world.recorder.counts.written, 24);
    });
  });

  describe('failures', () => {
    test('while the server is away an event is tried again with growing delays', async () => {
      const world = new World();
      world.events().failNext('create', refused(), 7);
      world.recorder.record(about());
      const delays: number[] = [];
      await settle();
      for (let i = 0; i < 7; i++) {
        const [next = 0] = world.clock.delays;
        delays.push(next);
        await world.clock.advance(next);
      }
      await world.recorder.flush();
      assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
      assert.equal((await world.stored()).length, 1);
      assert.deepEqual(world.errors, []);
    });

    test('delays are jittered by up to a quarter', async () => {
      const world = new World({ random: seededRandom(5) });
      world.events().failNext('create', refused());
      world.recorder.record(about());
      await settle();
      const [delay = 0] = world.clock.delays;
      assert.ok(delay > 500 && delay < 625, `${delay}`);
    });

    test('after twelve tries an event is given up and counted', async () => {
      const world = new World();
      const error = refused();
      world.events().failNext('create', error, 12);
      world.recorder.record(about());
      world.recorder.record(about('next'));
      await world.clock.advance(10 * MINUTE);
      assert.equal(world.recorder.counts.gaveUp, 1);
      assert.deepEqual(world.errors, [error]);
      assert.deepEqual(
        (await world.stored()).map((e) => e.regarding.name),
        ['next'],
      );
    });

    test('Retry-After is honoured', async () => {
      const world = new World();
      world.events().failNext('create', new ApiError(429, { reason: 'TooManyRequests' }, 3000));
      world.recorder.record(about());
      await settle();
      assert.ok(world.clock.delays.includes(3000));
      await world.clock.advance(3000);
      assert.equal(world.recorder.counts.written, 1);
    });

    test('a server that fails is tried again, a refusal is not, and each kind is counted', async () => {
      const terminating = new ApiError(
        403,
        { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } },
        undefined,
      );
      const world = new World();
      world.events().failNext('create', refusal(500, 'InternalError', 'etcd'));
      for (const error of [
        refusal(403, 'Forbidden', 'no'),
        terminating,
        refusal(422, 'Invalid', 'no'),
        refusal(404, 'NotFound', 'no'),
      ]) {
        world.events().failNext('create', error);
      }
      for (const name of ['a', 'b', 'c', 'd']) world.recorder.record(about(name));
      await world.clock.advance(500);
      const { forbidden, namespaceTerminating, rejected, written } = world.recorder.counts;
      assert.deepEqual(
        { forbidden, namespaceTerminating, rejected, written },
        { forbidden: 1, namespaceTerminating: 1, rejected: 2, written: 0 },
      );
      assert.equal(world.verbs().length, 5);
    });

    test('an event that fails in one namespace holds back no other namespace, and its own keep their order', async () => {
      const world = new World();
      const inBilling = (name: string) => about(name, { regarding: { kind: 'Pod', namespace: 'billing', name } });
      world.events('shop').failNext('create', refusal(500, 'InternalError', 'failed calling webhook'), 3);
      for (const name of ['a', 'b']) world.recorder.record(about(name));
      for (const name of ['c', 'd']) world.recorder.record(inBilling(name));
      await settle();
      const names = async (namespace: string) => (await world.stored(namespace)).map((e) => e.regarding.name);
      assert.deepEqual([await names('shop'), await names('billing')], [[], ['c', 'd']]);
      assert.equal(world.recorder.pending, 2);
      world.recorder.record(inBilling('e'));
      await settle();
      assert.deepEqual(await names('billing'), ['c', 'd', 'e']);
      await world.clock.advance(3500);
      await world.recorder.flush();
      assert.deepEqual(await names('shop'), ['a', 'b']);
      assert.equal(world.recorder.pending, 0);
    });

    test('a namespace whose calls hang holds back no other', async () => {
      const world = new World();
      for (let i = 0; i < 3; i++) world.events('shop').interceptNext('create', () => new Promise(() => {}));
      for (let i = 0; i < 10; i++) {
        world.recorder.record(about(`a-${i}`));
        world.recorder.record(about(`b-${i}`, { regarding: { kind: 'Node', name: `b-${i}` } }));
      }
      await settle();
      assert.equal((await world.stored('default')).length, 10);
      await world.clock.advance(MINUTE);
      assert.equal((await world.stored('shop')).length, 10);
    });

    test('events that wait for another try count towards the limit of the queue', async () => {
      const world = new World({ queueLimit: 3 });
      for (let i = 0; i < 5; i++) {
        const namespace = `team-${i}`;
        world.events(namespace).failNext('create', refusal(500, 'InternalError', 'failed calling webhook'));
        world.recorder.record(about('a', { regarding: { kind: 'Pod', namespace, name: 'a' } }));
        await settle();
      }
      assert.deepEqual([world.recorder.pending, world.recorder.counts.queueFull], [3, 2]);
      await world.clock.advance(500);
      assert.deepEqual([world.recorder.pending, world.recorder.counts.written], [0, 3]);
    });

    test('a server that is away is asked for four namespaces at once, and no more', async () => {
      const world = new World();
      const namespaces = Array.from({ length: 10 }, (_, i) => `team-${i}`);
      for (const namespace of namespaces) {
        world.events(namespace).failNext('create', refused());
        world.recorder.record(about('a', { regarding: { kind: 'Pod', namespace, name: 'a' } }));
      }
      await settle();
      assert.equal(namespaces.flatMap((namespace) => world.verbs(namespace)).length, 4);
      await world.clock.advance(5000);
      await world.recorder.flush();
      assert.equal(world.recorder.counts.written, 10);
    });

    test('a call that hangs is given up and tried again', async () => {
      const world = new World();
      world.events().interceptNext('create', () => new Promise(() => {}));
      world.recorder.record(about());
      await world.clock.advance(10_500);
      assert.equal(world.recorder.counts.written, 1);
    });

    test('a create whose answer was lost is not written twice', async () => {
      const world = new World();
      world.events().loseReplyOfNext('create');
      world.recorder.record(about());
      await world.clock.advance(500);
      assert.equal((await world.stored()).length, 1);
      assert.equal(world.recorder.counts.written, 1);
    });

    test('a create whose answer was lost is patched if it became a series meanwhile', async () => {
      const world = new World();
      world.events().loseReplyOfNext('create');
      world.recorder.record(about());
      await settle();
      world.recorder.record(about());
      await world.clock.advance(2000);
      const events = await world.stored();
      assert.deepEqual(
        events.map((e) => e.series?.count),
        [2],
      );
    });

    test('an event whose name is taken gets another one', async () => {
      const world = new World();
      const taken = `cart.${(BigInt(world.clock.now()) * 1_000_000n).toString(16)}`;
      await world.events().create({ metadata: { name: taken } } as KubeEvent);
      world.recorder.record(about());
      await world.clock.advance(500);
      assert.equal((await world.stored()).length, 2);
      assert.equal(world.recorder.counts.written, 1);
    });

    test('a log that throws does not stop the writer', async () => {
      const world = new World({
        onError: () => {
          throw new Error('log full');
        },
      });
      world.events().failNext('create', refusal(422, 'Invalid', 'no'));
      world.recorder.record(about('a'));
      world.recorder.record(about('b'));
      await world.recorder.flush();
      assert.equal(world.recorder.counts.written, 1);
    });
  });

  describe('shutdown', () => {
    test('what is queued and the final counts are written before the end', async () => {
      const world = new World();
      for (let i = 0; i < 4; i++) {
        world.recorder.record(about());
        await world.recorder.flush();
      }
      world.recorder.record(about('other'));
      assert.deepEqual(await world.recorder.shutDown(5000), { unwritten: 0 });
      const counts = (await world.stored()).map((e) => [e.regarding.name, e.series?.count]);
      assert.deepEqual(counts, [
        ['cart', 4],
        ['other', undefined],
      ]);
      assert.equal(world.clock.pending, 0);
    });

    test('after the deadline the rest is counted as too late', async () => {
      const world = new World();
      world.events().interceptNext('create', () => new Promise(() => {}));
      for (const name of ['a', 'b', 'c']) world.recorder.record(about(name));
      const down = world.recorder.shutDown(5000);
      await world.clock.advance(5000);
      assert.deepEqual(await down, { unwritten: 3 });
      world.recorder.record(about('d'));
      assert.equal(world.recorder.counts.tooLate, 4);
      assert.equal(world.clock.pending, 0);
    });

    test('after the deadline no namespace is written to any more', async () => {
      const world = new World();
      for (let i = 0; i < 8; i++) {
        const namespace = `team-${i}`;
        const clients = world.events(namespace);
        if (i % 2 === 0) clients.interceptNext('create', () => new Promise(() => {}));
        else clients.failNext('create', refusal(500, 'InternalError', 'failed calling webhook'), 100);
        for (const name of ['a', 'b'])
          world.recorder.record(about(name, { regarding: { kind: 'Pod', namespace, name } }));
      }
      const down = world.recorder.shutDown(5000);
      await world.clock.advance(5000);
      assert.deepEqual(await down, { unwritten: 16 });
      assert.deepEqual([world.recorder.counts.tooLate, world.recorder.pending, world.clock.pending], [16, 0, 0]);
    });

    test('a wait between two tries ends with the deadline', async () => {
      const world = new World();
      world.events().failNext('create', refused(), 100);
      world.recorder.record(about());
      const down = world.recorder.shutDown(2000);
      await world.clock.advance(2000);
      assert.deepEqual(await down, { unwritten: 1 });
      assert.equal(world.clock.pending, 0);
    });
  });
});
