// A watch that goes on from the version of a list, as informers and kubectl begin it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { StoredFact } from '@podtrail/history';
import { ledgerOf } from '@podtrail/history/testing';
import { epochMillis, type Visibility } from '@podtrail/history/wire';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger } from '../api/asked-ledger.ts';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { coverageFact, NOW, tenantFacts } from '../testing/two-tenants.ts';
import { aggregatedRoutes } from './aggregated-api.ts';
import type { PresentPod } from './resource.ts';
import { statusReply } from './status.ts';

const SOON = { timeout: 20_000 };
const ROOT = '/apis/history.podtrail.dev/v1';
const ALL: Visibility = { kind: 'all' };
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };
const FACTS = tenantFacts(['shop', 'vault']);

const presentPod = (namespace: string, name: string): PresentPod => ({ namespace, name, uid: `uid-${name}` });
const STAYING = [presentPod('shop', 'shop-stays'), presentPod('vault', 'vault-stays')];

/** The open records of a pod, closed. */
function closed(name: string, at: number): StoredFact[] {
  const when = epochMillis(at);
  const seen = { source: 'watch', epoch: 1, resourceVersion: '900', observedAt: when, collector: 'c' } as const;
  const end = { ...seen, at: when, notBefore: when, notAfter: when };
  return FACTS.flatMap((fact): StoredFact[] => {
    if (fact.kind === 'placement' && fact.placement.pod.name === name)
      return [{ ...fact, placement: { ...fact.placement, end } }];
    if (fact.kind === 'tenure' && fact.tenure.holder.name === name)
      return [{ ...fact, tenure: { ...fact.tenure, end } }];
    return [];
  });
}

async function served(t: TestContext, visibility: Visibility) {
  const reader = await ledgerOf(FACTS);
  const [cluster] = await reader.clusters();
  assert.ok(cluster);
  const clock = new ManualClock(NOW);
  let present: readonly PresentPod[] = STAYING;
  const ledger = new AskedLedger(reader, clock);
  const { get } = await startedServer(
    t,
    aggregatedRoutes({ ledger, cluster, clock, replica: 'one', present: () => present }),
    { renderProblem: statusReply, access: accessOf({ jane: visibility }) },
  );
  const recorder = await reader.takeOver(cluster);
  return {
    /** Both pods end, five seconds on. */
    endAll: async () => {
      await clock.advance(10_000);
      const facts = [...closed('shop-stays', NOW + 5_000), ...closed('vault-stays', NOW + 5_000)];
      await recorder.append({ facts: [...facts, coverageFact(NOW + 10_000)] });
      present = [];
    },
    list: async (path: string) => {
      const answer = await get(ROOT + path);
      return (await answer.json()) as {
        metadata: { resourceVersion: string };
        items: { metadata: { name: string } }[];
      };
    },
    events: async (path: string, version: string) => {
      const answer = await get(`${ROOT}${path}?watch=1&timeoutSeconds=1&resourceVersion=${version}`);
      const lines = (await answer.text()).split('\n').filter((line) => line !== '');
      return lines.map((line) => {
        const { type, object } = JSON.parse(line) as { type: string; object: { metadata: { name: string } } };
        return `${type} ${object.metadata.name}`;
      });
    },
  };
}

for (const resource of ['placements', 'tenures']) {
  test(
    `what ended between a list of ${resource} and its watch is DELETED, and not for a later list`,
    SOON,
    async (t) => {
      const { list, events, endAll } = await served(t, ALL);
      const before = await list(`/${resource}`);
      assert.equal(before.items.length, 2);
      assert.deepEqual(await events(`/${resource}`, before.metadata.resourceVersion), []);
      await endAll();
      const names = before.items.map(({ metadata }) => `DELETED ${metadata.name}`);
      const found = await events(`/${resource}`, before.metadata.resourceVersion);
      assert.deepEqual(found.sort(), names.sort());
      const after = await list(`/${resource}`);
      assert.equal(after.items.length, 0);
      assert.deepEqual(await events(`/${resource}`, after.metadata.resourceVersion), []);
    },
  );

  test(
    `what ended between a list of ${resource} and its watch is of the asked and visible namespaces`,
    SOON,
    async (t) => {
      for (const [visibility, path] of [
        [SHOP, `/${resource}`],
        [ALL, `/namespaces/shop/${resource}`],
      ] as const) {
        const { list, events, endAll } = await served(t, visibility);
        const before = await list(path);
        assert.equal(before.items.length, 1);
        await endAll();
        const names = before.items.map(({ metadata }) => `DELETED ${metadata.name}`);
        assert.deepEqual(await events(path, before.metadata.resourceVersion), names);
      }
    },
  );
}
