// The moves of a workload, for who sees a namespace since it was created again: what its predecessor had is in no cursor,
// and is not read.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ledgerOf } from '@podtrail/history/testing';
import { epochMillis, type Snapshot } from '@podtrail/history/wire';
import { systemClock } from '@podtrail/machinery';
import { AskedLedger } from '../api/asked-ledger.ts';
import type { RenderProblem } from '../http/problem-reply.ts';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { AGAIN, coverageFact, NOW, podFacts } from '../testing/two-tenants.ts';
import { aggregatedRoutes } from './aggregated-api.ts';
import { statusReply } from './status.ts';

const OLD = NOW - 10 * 3_600_000;
const ROOT = '/apis/history.podtrail.dev/v1/namespaces/twice/moves';

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape.
type Body = any;

/** Two pods end in the namespace as it is now, `hidden` of them ended in its predecessor. */
async function served(t: TestContext, hidden: number) {
  const facts = [coverageFact(NOW - 120_000)];
  const add = (name: string, ip: string, from: number, to: number) =>
    facts.push(...podFacts({ namespace: 'twice', name, ip, from, to }));
  for (let i = 0; i < hidden; i++) add(`old-${i}`, `10.9.${i >> 8}.${i & 255}`, OLD, OLD + 60_000 + i * 100);
  for (let i = 0; i < 3; i++) add(`new-${i}`, `10.3.0.${i}`, AGAIN + 60_000, AGAIN + 120_000 + i);
  const engine = await ledgerOf(facts);
  const [cluster] = await engine.clusters();
  assert.ok(cluster);
  let reads = 0;
  const reader = {
    clusters: () => engine.clusters(),
    snapshot: async (id: string) =>
      new Proxy(await engine.snapshot(id), {
        get: (target, key) => {
          const value = target[key as keyof Snapshot] as unknown;
          if (typeof value !== 'function') return value;
          return async (...input: unknown[]) => {
            const found = await value.apply(target, input);
            // Why a visible pod ended is found from evidence of the whole cluster, so much at most for each.
            const [{ kind } = { kind: '' }] = input as [{ readonly kind: string }?];
            if (key === 'occurrences' && kind === 'departure') reads += 1 + (found?.items?.length ?? 0);
            return found;
          };
        },
      }),
  };
  const clock = { ...systemClock, now: () => NOW };
  const ledger = new AskedLedger(reader, clock);
  const since = new Map([['twice', epochMillis(AGAIN)]]);
  const routes = aggregatedRoutes({ ledger, cluster, clock, replica: 'one', present: () => [] });
  const access = accessOf({ jane: { kind: 'namespaces', since } });
  const renderProblem: RenderProblem = (problem, _requestId, path) => statusReply(problem, path);
  const { get } = await startedServer(t, routes, { access, renderProblem });
  return async (query: string) => {
    reads = 0;
    const reply = await get(`${ROOT}?${query}`);
    const body = (await reply.json()) as Body;
    const names = body.items?.map(({ pod }: Body) => pod.name);
    return { status: reply.status, body, names, reads, token: body.metadata?.continue as string | undefined, reply };
  };
}

const OF_WORKLOAD = `fieldSelector=${encodeURIComponent('workload=deploy/twice-app')}`;

test('pages of the moves of a workload name visible pods only, and read as many departures however many are hidden', async (t) => {
  const [few, many] = [await served(t, 1), await served(t, 700)];
  let token: string | undefined = '';
  for (const name of ['new-0', 'new-1', 'new-2']) {
    const page = await many(`${OF_WORKLOAD}&limit=1&continue=${token}`);
    assert.deepEqual([page.status, page.names], [200, [name]]);
    const same = await few(`${OF_WORKLOAD}&limit=1&continue=${token}`);
    assert.deepEqual([same.names, same.token, same.reads], [[name], page.token, page.reads]);
    token = page.token;
    if (token === undefined) continue;
    const [, , cursor] = JSON.parse(Buffer.from(token, 'base64url').toString());
    const place = Buffer.from(cursor.split('.').at(-1), 'base64url').toString();
    assert.match(place, new RegExp(`uid-${name}`));
  }
  assert.equal(token, undefined, 'nothing follows the last one');
});

test('pages of all moves of a namespace that was created again read as many departures however many its predecessor had', async (t) => {
  const [few, many] = [await served(t, 1), await served(t, 700)];
  const [one, other] = [await few('limit=1'), await many('limit=1')];
  assert.deepEqual([one.names, one.token, one.reads], [['new-0'], other.token, other.reads]);
});

test('a continue of the moves of one workload is refused with another', async (t) => {
  const ask = await served(t, 1);
  const { token } = await ask(`${OF_WORKLOAD}&limit=1`);
  const other = await ask(`fieldSelector=${encodeURIComponent('workload=deploy/other')}&limit=1&continue=${token}`);
  assert.equal(other.status, 400);
  assert.match(other.body.message, /^this cursor belongs to another question/);
});

test('the moves of a workload come with a warning where a part of the time was not watched', async (t) => {
  const ask = await served(t, 1);
  const { reply } = await ask(OF_WORKLOAD);
  assert.match(reply.headers.get('warning') ?? '', /nobody was watching/);
});

test('a Service has no moves: the selector is refused, not ignored', async (t) => {
  const ask = await served(t, 1);
  const { status, body } = await ask(`fieldSelector=${encodeURIComponent('workload=svc/twice-service')}`);
  assert.equal(status, 400);
  assert.match(body.message, /^moves are of pods, and a Service is none/);
});
