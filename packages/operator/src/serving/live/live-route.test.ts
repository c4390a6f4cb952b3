// News: to who may see them, once, in order, also after a connection was lost; and nobody burdens the others.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { StoredFact } from '@podtrail/history';
import { ledgerOf } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type Visibility } from '@podtrail/history/wire';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger, type AskedReader } from '../api/asked-ledger.ts';
import type { AccessLogEntry } from '../http/access-log.ts';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { changeFact, podFacts } from '../testing/two-tenants.ts';
import { LiveHub } from './live-hub.ts';
import { liveRoute } from './live-route.ts';

const SOON = { timeout: 60_000 };
const NOW = Date.UTC(2026, 10, 15, 12);
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };

function covered(to: number): StoredFact {
  const times = { from: epochMillis(NOW - 3_600_000), to: epochMillis(to), confirmed: epochMillis(to) };
  return {
    kind: 'coverage',
    coverage: { scope: { kind: 'cluster' }, epoch: 1, collector: 'c', ended: false, opened: 'start', ...times },
  };
}

const pod = (namespace: string, name: string, to?: number) => ({
  ...{ namespace, name: `${namespace}-${name}`, ip: '10.1.0.1', from: NOW - 60_000, to },
});

async function live(t: TestContext, times = {}) {
  const engine = await ledgerOf([covered(NOW)]);
  const writer = await engine.takeOver({ id: 'c', name: 'c' });
  let snapshots = 0;
  let broken: Error | undefined;
  const reader: AskedReader = {
    clusters: () => engine.clusters(),
    snapshot: async (cluster) => {
      snapshots++;
      if (broken !== undefined) throw broken;
      return engine.snapshot(cluster);
    },
  };
  const clock = new ManualClock(NOW);
  const ledger = new AskedLedger(reader, clock);
  const rights: Record<string, Visibility> = { jane: ALL_VISIBLE, sam: SHOP };
  const route = liveRoute(ledger, { everyMs: 10, heartbeatMs: 50, longestMs: 60_000, ...times });
  const entries: AccessLogEntry[] = [];
  const log = (entry: AccessLogEntry) => void entries.push(entry);
  const { get, server } = await startedServer(t, [route], { access: accessOf(rights), log });
  return {
    ...{ get, server, rights, clock, entries, snapshots: () => snapshots },
    fail: (error: Error | undefined) => {
      broken = error;
    },
    cover: (to: number) => writer.append({ facts: [covered(to)] }),
    record: (...facts: StoredFact[]) => writer.append({ facts }),
  };
}

/** Reads until it has matched; the rest of the stream is left. */
async function until(response: Response, expected: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (expected.test(text)) return text;
  }
  throw new Error(`the stream ended: ${text}`);
}

test('a client that comes back gets what came meanwhile, and nothing twice', SOON, async (t) => {
  const { get, cover } = await live(t);
  const first = await until(await get('/api/v1/live'), /event: coverage\n.*\n\n/);
  const [, id = ''] = /id: (\S+)\nevent: coverage/.exec(first) ?? [];
  const other = await get('/api/v1/live', { as: 'jane' });
  await cover(NOW + 1_000);
  await until(other, /12:00:01\.000Z/);
  const again = await until(await get('/api/v1/live', { headers: { 'last-event-id': id } }), /event: coverage\n.*\n\n/);
  assert.match(again, /12:00:01\.000Z/);
  assert.doesNotMatch(again, /12:00:00\.000Z/);
});

interface Sent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test reads what it expects
  readonly data: any;
}

function eventsIn(text: string): Sent[] {
  return [...text.matchAll(/id: (\S+)\nevent: (\S+)\ndata: (.*)\n\n/g)].map(([, id = '', event = '', data = '']) => {
    return { id, event, data: JSON.parse(data) };
  });
}

const news = (text: string) =>
  eventsIn(text).flatMap(({ event, data }) => (event === 'coverage' ? [] : [`${event} ${data.name ?? data.reason}`]));

/** Reads until it has this. */
const following = async (
  get: (path: string, init?: object) => Promise<Response>,
  expected: RegExp,
  init: object = {},
) => await until(await get('/api/v1/live', init), expected);

test('moves and changes are events, each once, with the records of their listings', SOON, async (t) => {
  const { get, record } = await live(t);
  const stream = await get('/api/v1/live');
  const reading = until(stream, /event: change\n(?:.|\n)*12:00:09/);
  // What was there before the first look is no news: that has passed when the coverage is there.
  await until(await get('/api/v1/live', { as: 'jane' }), /event: coverage\n/);
  await record(...podFacts(pod('shop', 'goes', NOW - 1_000)));
  await record(changeFact(pod('shop', 'stays'), NOW - 500, 'team', 'blue'));
  await record(covered(NOW + 9_000));
  const events = eventsIn(await reading);
  assert.deepEqual(
    events.flatMap(({ event, data }) => (event === 'coverage' ? [] : [[event, data.namespace, data.name]])),
    [
      ['move', 'shop', 'shop-goes'],
      ['change', 'shop', 'shop-stays'],
    ],
  );
  const [move, change] = events.filter(({ event }) => event !== 'coverage');
  assert.equal(move?.data.cause, 'DeletedOnRequest', JSON.stringify(move));
  assert.deepEqual([change?.data.key, change?.data.after], ['team', { text: 'blue' }]);
});

test('who comes back gets moves and changes of meanwhile, once, also when nobody followed', SOON, async (t) => {
  const { get, record } = await live(t);
  const first = eventsIn(await following(get, /event: coverage\n.*\n\n/)).at(-1);
  await record(...podFacts(pod('shop', 'goes', NOW - 1_000)));
  const again = await following(get, /event: move\n.*\n\n/, { headers: { 'last-event-id': first?.id } });
  assert.deepEqual(news(again), ['move shop-goes']);
  await record(changeFact(pod('shop', 'stays'), NOW - 500, 'team', 'blue'));
  const last = eventsIn(again).at(-1);
  const third = await following(get, /event: change\n.*\n\n/, { headers: { 'last-event-id': last?.id } });
  assert.deepEqual(news(third), ['change shop-stays']);
});

test(
  'who comes back after a pause in which nobody looked is sent reset: something may have been missed',
  SOON,
  async (t) => {
    const { get, clock, record } = await live(t);
    const first = eventsIn(await following(get, /event: coverage\n.*\n\n/)).at(-1);
    await clock.advance(4 * 60_000);
    await record(...podFacts(pod('shop', 'goes', NOW + 1_000)));
    const again = await following(get, /id: /, { headers: { 'last-event-id': first?.id } });
    assert.match(again, /event: reset\n/);
  },
);

test('who follows while the ledger could not answer for long is sent reset', SOON, async (t) => {
  const { get, clock } = await live(t);
  const stream = await get('/api/v1/live');
  const reset = until(stream, /event: reset\n/);
  await until(await get('/api/v1/live'), /event: coverage\n/);
  // No look was answered in all this time.
  await clock.advance(4 * 60_000);
  assert.match(await reset, /nobody looked for a while/);
});

test(
  'who may see one namespace gets the events of that one; ids of others are as unknown as nonsense',
  SOON,
  async (t) => {
    const { get, record, cover } = await live(t);
    const all = await get('/api/v1/live');
    const some = await get('/api/v1/live', { as: 'sam' });
    const [seen, narrow] = [until(all, /12:00:09/), until(some, /12:00:09/)];
    await until(await get('/api/v1/live'), /event: coverage\n/);
    await until(await get('/api/v1/live', { as: 'sam' }), /event: coverage\n/);
    for (const namespace of ['vault', 'shop']) {
      await record(...podFacts(pod(namespace, 'goes', NOW - 1_000)));
      await record(changeFact(pod(namespace, 'stays'), NOW - 500, `${namespace}-key`, namespace));
    }
    await cover(NOW + 9_000);
    const everything = await seen;
    const little = await narrow;
    assert.deepEqual(news(everything).sort(), [
      ...['change shop-stays', 'change vault-stays', 'move shop-goes', 'move vault-goes'],
    ]);
    assert.deepEqual(news(little).sort(), ['change shop-stays', 'move shop-goes']);
    assert.doesNotMatch(little, /vault/);
    const hidden = eventsIn(everything).find(({ data }) => data.namespace === 'vault')?.id;
    const own = eventsIn(little).find(({ event }) => event === 'move')?.id;
    assert.ok(hidden !== own && /^[\w-]{12}$/.test(hidden ?? ''));
    const as = async (id: string | undefined) => {
      const text = await following(get, /id: /, { as: 'sam', headers: { 'last-event-id': id } });
      return text.replaceAll(/id: \S+/g, 'id: ID');
    };
    assert.equal(await as(hidden), await as('nonsense'));
  },
);

test('rights are looked at again while news come without a pause', SOON, async (t) => {
  const { get, rights, cover } = await live(t, { heartbeatMs: 200 });
  const response = await get('/api/v1/live', { as: 'sam' });
  let isOver = false;
  const ended = response.text().finally(() => (isOver = true));
  for (let to = NOW; !isOver; to += 1_000) {
    await cover(to);
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (to === NOW + 5_000) rights['sam'] = { kind: 'namespaces', since: new Map() };
    assert.ok(to < NOW + 3_000_000, 'the stream goes on');
  }
  assert.match(await ended, /event: end\ndata: \{"code":"rights-changed"/);
});

test('a thousand at once are sent to who reads them', SOON, async (t) => {
  const { get, record, cover } = await live(t);
  const reading = until(await get('/api/v1/live'), /12:00:09/);
  await until(await get('/api/v1/live'), /event: coverage\n/);
  const many = Array.from({ length: 900 }, (_, i) => changeFact(pod('shop', `p${i}`), NOW - 500, 'team', 'blue'));
  await record(...many);
  await cover(NOW + 9_000);
  assert.equal(news(await reading).length, 900);
});

test('a hundred clients cost no more questions than one', SOON, async (t) => {
  const { get, snapshots } = await live(t, { everyMs: 100 });
  const clients = await Promise.all(Array.from({ length: 100 }, () => get('/api/v1/live')));
  await Promise.all(clients.slice(0, 50).map((client) => client.body?.cancel()));
  const before = snapshots();
  await until(clients[99] as Response, /(: still here\n\n){3}/);
  assert.ok(snapshots() - before < 20, `${snapshots() - before}`);
  for (const client of clients.slice(50, 99)) await client.body?.cancel();
});

test('one look at a time, however often somebody leaves and comes back', SOON, async () => {
  const engine = await ledgerOf([covered(NOW)]);
  const answers = Promise.withResolvers<void>();
  let looks = 0;
  const reader: AskedReader = {
    clusters: () => engine.clusters(),
    snapshot: async (cluster) => {
      looks++;
      await answers.promise;
      return await engine.snapshot(cluster);
    },
  };
  const hub = new LiveHub(new AskedLedger(reader, new ManualClock(NOW)), { everyMs: 60_000 });
  const soon = () => new Promise((resolve) => setTimeout(resolve, 20));
  for (let times = 0; times < 3; times++) {
    const leave = hub.follow(ALL_VISIBLE, undefined, undefined, () => {});
    while (looks === 0) await soon();
    leave();
  }
  const news = new Promise((resolve) => hub.follow(ALL_VISIBLE, undefined, undefined, resolve));
  await soon();
  assert.equal(looks, 1);
  answers.resolve();
  await news;
});

test('when rights change the stream ends with the reason; a heartbeat is a comment', SOON, async (t) => {
  const { get, rights } = await live(t);
  const reader = (await get('/api/v1/live', { as: 'sam' })).body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += value;
    if (text.includes(': still here')) rights['sam'] = { kind: 'namespaces', since: new Map() };
  }
  assert.match(text, /: still here\n\n(?:.|\n)*event: end\ndata: \{"code":"rights-changed"/);
});

test('a stream ends after its longest time, so that who asks is looked at again', SOON, async (t) => {
  const { get } = await live(t, { longestMs: 100 });
  assert.match(await (await get('/api/v1/live')).text(), /^retry: 2000/);
});

test('live refuses what it does not know, before it streams', SOON, async (t) => {
  const { get } = await live(t);
  assert.equal((await get('/api/v1/live?since=1')).status, 400);
  assert.equal((await get('/api/v1/live?cluster=other')).status, 404);
  assert.equal((await get('/api/v1/live', { as: 'mallory' })).status, 401);
});

test('one caller has 128 streams at most, and others still get theirs', SOON, async (t) => {
  const { get } = await live(t);
  const open = async (as: string) => {
    const response = await get('/api/v1/live', { as });
    t.after(() => response.body?.cancel().catch(() => {}));
    return response.status;
  };
  for (let i = 0; i < 128; i++) assert.equal(await open('jane'), 200);
  assert.equal(await open('jane'), 429);
  assert.equal(await open('sam'), 200);
});

test('as many may follow who see different things as there are streams', SOON, async (t) => {
  const { get, rights } = await live(t, { everyMs: 60_000 });
  for (let i = 0; i < 256; i++) {
    rights[`team-${i}`] = { kind: 'namespaces', since: new Map([[`team-${i}`, epochMillis(0)]]) };
    const response = await get('/api/v1/live', { as: `team-${i}` });
    t.after(() => response.body?.cancel().catch(() => {}));
    assert.equal(response.status, 200, `${i}`);
  }
  rights['one-more'] = { kind: 'namespaces', since: new Map([['one-more', epochMillis(0)]]) };
  assert.equal((await get('/api/v1/live', { as: 'one-more' })).status, 429);
});

test(
  'one look that fails is passed over; when several do the stream ends with reset, and the log has why',
  SOON,
  async (t) => {
    const { get, fail, entries, snapshots } = await live(t);
    const stream = await get('/api/v1/live');
    const text = stream.text();
    await until(await get('/api/v1/live'), /event: coverage\n/);
    const before = snapshots();
    fail(new Error('the disk is gone'));
    while (snapshots() === before) await new Promise((resolve) => setImmediate(resolve));
    assert.match(await text, /event: reset\ndata: .*could not be read.*\n\nevent: end\ndata: \{"code":"unreadable"/);
    assert.ok(snapshots() - before >= 3);
    const entry = entries.find(({ error }) => error !== undefined);
    assert.match(String((entry?.error as Error | undefined)?.cause ?? entry?.error), /disk is gone/);
    fail(undefined);
    await until(await get('/api/v1/live'), /event: coverage\n/);
  },
);

test('when the server ends the stream says so', SOON, async (t) => {
  const { get, server } = await live(t);
  const stream = await get('/api/v1/live');
  const text = stream.text();
  await server.close();
  assert.match(await text, /event: end\ndata: \{"code":"ending"/);
});
