// Two replicas behind one Service: a list that one began goes on at the other, and so does a watch; or it is 410, and
// says what to do.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { StoredFact } from '@podtrail/history';
import { ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type JoinedReader, withSnapshot } from '@podtrail/history/wire';
import { systemClock } from '@podtrail/machinery';
import { apiRoutes } from '../api/api-routes.ts';
import { AskedLedger } from '../api/asked-ledger.ts';
import { startedServer } from '../testing/started-server.ts';
import { aggregatedRoutes } from './aggregated-api.ts';
import { statusReply } from './status.ts';

const ROOT = '/apis/history.podtrail.dev/v1';
/** The ledger's day is the first of 1970. */
const DAY_MS = 86_400_000;
const NOW = 19 * DAY_MS;

// biome-ignore lint/suspicious/noExplicitAny: the test reads what it knows to be there.
type Body = any;

/** What another recorder of the same cluster has: the same records, with another epoch and collector. */
function asRecordedBy(collector: string, epoch: number, facts: readonly StoredFact[]): StoredFact[] {
  return JSON.parse(JSON.stringify(facts), (key, value) =>
    key === 'collector' ? collector : key === 'epoch' ? epoch : value,
  );
}

async function replica(t: TestContext, name: string, epoch: number, now = NOW, recordedUntil?: number) {
  const facts = asRecordedBy(name, epoch, ledgerFacts(new SeededNumbers(11), ['shop', 'vault']));
  if (recordedUntil !== undefined) facts.push(recordedFact(name, epoch, recordedUntil));
  const reader = await ledgerOf(facts);
  const [cluster] = await reader.clusters();
  assert.ok(cluster);
  const clock = { ...systemClock, now: () => now, monotonic: () => performance.now() } as typeof systemClock;
  const ledger = new AskedLedger(reader, clock);
  const routes = [
    ...aggregatedRoutes({ ledger, cluster, clock, replica: name, present: () => [] }),
    ...apiRoutes({ ledger, version: '0', status: () => reader.status() }),
  ];
  const { get } = await startedServer(t, routes, {
    renderProblem: statusReply,
    access: { identify: async () => ({ name: 'jane', groups: [] }), visibility: async () => ALL_VISIBLE },
  });
  return async (path: string) => {
    const answer = await get(path);
    return { status: answer.status, body: (await answer.json()) as Body };
  };
}

function recordedFact(collector: string, epoch: number, to: number): StoredFact {
  const until = epochMillis(to);
  const times = { from: epochMillis(to - 1_000), to: until, confirmed: until };
  return {
    kind: 'coverage',
    coverage: { scope: { kind: 'cluster' }, epoch, collector, ended: false, opened: 'start', ...times },
  };
}

const LIST = `${ROOT}/placements?fieldSelector=node%3Dnode-a`;
const uids = (items: readonly Body[]) => items.map(({ spec, status, uid }) => uid ?? spec?.uid ?? status?.uid);

for (const [one, two] of [
  [1, 2],
  [2, 1],
] as const) {
  test(`a list of pages goes on at another replica: nothing is lost or twice (epochs ${one}, ${two})`, async (t) => {
    const replicas = [await replica(t, 'one', one), await replica(t, 'two', two)] as const;
    const whole = (await replicas[0](LIST)).body.items;
    assert.ok(whole.length > 7, `${whole.length}`);
    for (const limit of [1, 3, 7]) {
      const found: Body[] = [];
      let token = '';
      for (let page = 0; page === 0 || token !== ''; page++) {
        const ask = replicas[page % 2] as (typeof replicas)[0];
        const { status, body } = await ask(`${LIST}&limit=${limit}&continue=${token}`);
        assert.equal(status, 200, JSON.stringify(body));
        found.push(...body.items);
        token = body.metadata.continue ?? '';
      }
      assert.deepEqual(
        found.map(({ metadata }) => metadata.name),
        whole.map(({ metadata }: Body) => metadata.name),
      );
    }
  });

  test(`a cursor goes on at another replica: nothing is lost or twice (epochs ${one}, ${two})`, async (t) => {
    const replicas = [await replica(t, 'one', one), await replica(t, 'two', two)] as const;
    const path = '/api/v1/trail?subject=10.0.0.3&since=1970-01-01T00:00:00Z&until=1970-01-02T00:00:00Z';
    const whole = (await replicas[0](path)).body.stays;
    assert.ok(whole.length > 3, `${whole.length}`);
    const found: Body[] = [];
    let cursor = '';
    for (let page = 0; page === 0 || cursor !== ''; page++) {
      const ask = replicas[page % 2] as (typeof replicas)[0];
      const { status, body } = await ask(`${path}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      assert.equal(status, 200, JSON.stringify(body));
      found.push(...body.stays);
      cursor = body.cursor ?? '';
    }
    assert.deepEqual(uids(found), uids(whole));
  });
}

test('a token of another replica that is too old is 410, with what to do', async (t) => {
  const first = await replica(t, 'one', 1);
  const later = await replica(t, 'two', 1, NOW + 16 * 60_000);
  const token = (await first(`${LIST}&limit=1`)).body.metadata.continue;
  const { status, body } = await later(`${LIST}&limit=1&continue=${token}`);
  assert.deepEqual([status, body.reason], [410, 'Expired']);
  assert.match(body.message, /too old to go on with a list.*begin the list again/s);
});

test('a watch from the version of another replica that is too old is 410, with what to do', async (t) => {
  const first = await replica(t, 'one', 1);
  const later = await replica(t, 'two', 1, NOW, NOW);
  const { resourceVersion } = (await first(LIST)).body.metadata;
  const { status, body } = await later(`${LIST}&watch=1&resourceVersion=${resourceVersion}`);
  assert.deepEqual([status, body.reason], [410, 'Expired']);
  assert.match(body.message, /too old resource version.*list again/s);
});

/** A list of a replica whose own ledger is `own`, with peers whose ledgers are as `whole` if they answer. */
async function withPeers(t: TestContext, own: readonly StoredFact[], whole: readonly StoredFact[], answered: boolean) {
  const [reader, other] = [await ledgerOf(own), await ledgerOf(whole)];
  const [cluster] = await reader.clusters();
  assert.ok(cluster);
  let asked = 0;
  const peers = [answered ? { collector: 'two', answered } : { collector: 'two', answered, why: 'cannot be reached' }];
  const joined: NonNullable<JoinedReader['joined']> = async (id, ask) => {
    asked++;
    return { value: answered ? await withSnapshot(other, id, ask) : undefined, peers };
  };
  const clock = { ...systemClock, now: () => NOW } as typeof systemClock;
  const source = { clusters: () => reader.clusters(), snapshot: (id: string) => reader.snapshot(id), joined };
  const ledger = new AskedLedger(source, clock);
  const routes = aggregatedRoutes({ ledger, cluster, clock, replica: 'one', present: () => [] });
  const { get } = await startedServer(t, routes, {
    renderProblem: statusReply,
    access: { identify: async () => ({ name: 'jane', groups: [] }), visibility: async () => ALL_VISIBLE },
  });
  return async (path: string) => {
    const answer = await get(path);
    const names = ((await answer.json()) as Body).items.map(({ metadata }: Body) => metadata.name);
    return { names, warning: answer.headers.get('warning') ?? '', asked };
  };
}

test('a list with a time that this replica did not watch is that of all replicas; else no other one is asked', async (t) => {
  const whole = ledgerFacts(new SeededNumbers(11), ['shop', 'vault']);
  const [first] = whole.flatMap((fact) =>
    fact.kind === 'placement' && fact.placement.pod.node === 'node-a' ? [fact] : [],
  );
  const own = whole.filter((fact) => fact !== first);
  const list = await withPeers(t, own, whole, true);
  const name = `uid-${first?.placement.pod.name}`;
  const { names, asked: times } = await list(LIST);
  assert.ok(names.includes(name), `${names}`);
  assert.equal(times, 1);
  const watched = 'since=1970-01-01T01:00:00Z,until=1970-01-01T02:00:00Z';
  const { asked } = await list(`${ROOT}/placements?fieldSelector=${encodeURIComponent(`node=node-a,${watched}`)}`);
  assert.equal(asked, 1, 'nobody was asked again');
});

test('a list whose peers did not answer is of the own ledger, and says who did not', async (t) => {
  const whole = ledgerFacts(new SeededNumbers(11), ['shop', 'vault']);
  const { names, warning } = await (await withPeers(t, whole, whole, false))(LIST);
  assert.ok(names.length > 7);
  assert.match(warning, /the replica two cannot be reached/);
});
