import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { withSnapshot } from '@podtrail/history/wire';
import { ManualClock } from '@podtrail/machinery/testing';
import type { AccessLogEntry } from '../http/access-log.ts';
import type { HttpRequest } from '../http/http-request.ts';
import { Problem } from '../problem.ts';
import { startedServer } from '../testing/started-server.ts';
import { AskedLedger } from './asked-ledger.ts';
import { questionRoutes } from './question-routes.ts';

test('a question about an instant does not wait behind listings, and is bounded by itself', async () => {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7)));
  const ledger = new AskedLedger(engine, new ManualClock(0), { atOnce: 1, mostWaiting: 0 });
  const listing = Promise.withResolvers<string>();
  const point = Promise.withResolvers<string>();
  const listed = ledger.ask(() => listing.promise);
  await assert.rejects(
    ledger.ask(async () => 'another listing'),
    isBusy,
  );
  const asked = ledger.ask(() => point.promise, true);
  await assert.rejects(
    ledger.ask(async () => 'another instant', true),
    isBusy,
  );
  point.resolve('held');
  assert.equal(await asked, 'held');
  assert.equal(await ledger.ask(async () => 'free', true), 'free');
  listing.resolve('stays');
  assert.equal(await listed, 'stays');
});

function isBusy(error: unknown): boolean {
  return error instanceof Problem && error.status === 503 && error.code === 'busy';
}

test('a question whose client has gone ends at its next read and gives its place back', async () => {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7)));
  const ledger = new AskedLedger(engine, new ManualClock(0), { atOnce: 1, mostWaiting: 0 });
  const [cluster] = await ledger.clusters();
  const client = new AbortController();
  const request = { gone: client.signal };
  const between = Promise.withResolvers<void>();
  const asked = ledger.ask(
    () =>
      withSnapshot(ledger.readerFor(request), cluster?.id ?? '', async (snapshot) => {
        await snapshot.coverage();
        await between.promise;
        return await snapshot.liveStates();
      }),
    false,
    request,
  );
  const gone = new Problem(499, 'client-gone', 'gone');
  client.abort(gone);
  between.resolve();
  await assert.rejects(asked, gone);
  assert.equal(ledger.asking, 0);
  assert.equal(await ledger.ask(async () => 'the next'), 'the next');
});

test('a listing whose client hung up reads nothing more, and the log says that nobody received it', async (t) => {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7)));
  const reading = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const begun: PropertyKey[] = [];
  const slow = {
    clusters: () => engine.clusters(),
    snapshot: async (cluster: string) =>
      new Proxy(await engine.snapshot(cluster), {
        get: (target, name) => {
          const read: unknown = Reflect.get(target, name);
          if (typeof read !== 'function') return read;
          return async (...asked: unknown[]) => {
            if (name !== 'close') begun.push(name);
            reading.resolve();
            await release.promise;
            return await Reflect.apply(read, target, asked);
          };
        },
      }),
  };
  const ledger = new AskedLedger(slow, new ManualClock(Date.UTC(1973, 0, 3)));
  const logged = Promise.withResolvers<AccessLogEntry>();
  const routes = questionRoutes(ledger).map((route) => ({
    ...route,
    handle: (request: HttpRequest) => {
      request.signal.addEventListener('abort', () => release.resolve(), { once: true });
      return route.handle(request);
    },
  }));
  const { get } = await startedServer(t, routes, { log: logged.resolve });
  const client = new AbortController();
  const asked = get('/api/v1/moves?since=1970-01-01T00:00:00Z&until=1970-01-02T00:00:00Z', { signal: client.signal });
  await reading.promise;
  const before = begun.length;
  client.abort();
  await assert.rejects(asked);
  assert.equal((await logged.promise).status, 499);
  assert.equal(begun.length, before);
});
