// News: to who may see them, once, in order, also after a connection was lost; and nobody burdens the others.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { StoredFact } from '@podtrail/history';
import { ledgerOf } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type Visibility } from '@podtrail/history/wire';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger, type AskedReader } from '../api/asked-ledger.ts';
import { accessOf, startedServer } from '../testing/started-server.ts';
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

async function live(t: TestContext, times = {}) {
  const engine = await ledgerOf([covered(NOW)]);
  const writer = await engine.takeOver({ id: 'c', name: 'c' });
  let snapshots = 0;
  const reader: AskedReader = {
    clusters: () => engine.clusters(),
    snapshot: (cluster) => {
      snapshots++;
      return engine.snapshot(cluster);
    },
  };
  const ledger = new AskedLedger(reader, new ManualClock(NOW));
  const rights: Record<string, Visibility> = { jane: ALL_VISIBLE, sam: SHOP };
  const route = liveRoute(ledger, { everyMs: 10, heartbeatMs: 50, longestMs: 60_000, ...times });
  const { get } = await startedServer(t, [route], { access: accessOf(rights) });
  return { get, rights, snapshots: () => snapshots, cover: (to: number) => writer.append({ facts: [covered(to)] }) };
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

test('a hundred clients cost no more questions than one', SOON, async (t) => {
  const { get, snapshots } = await live(t, { everyMs: 100 });
  const clients = await Promise.all(Array.from({ length: 100 }, () => get('/api/v1/live')));
  await Promise.all(clients.slice(0, 50).map((client) => client.body?.cancel()));
  const before = snapshots();
  await until(clients[99] as Response, /(: still here\n\n){3}/);
  assert.ok(snapshots() - before < 20, `${snapshots() - before}`);
  for (const client of clients.slice(50, 99)) await client.body?.cancel();
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
