// What is found by node, by subject and in pages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredFact } from '../../../model/fact.ts';
import { conflictsOf } from '../../../query/conflicts.ts';
import type { Page, Paged, Subject } from '../../snapshot.ts';
import { withSnapshot } from '../../with-snapshot.ts';
import {
  aChange,
  aConflict,
  aHolder,
  anAnomaly,
  anomalyFact,
  aPlacement,
  aTenure,
  at,
  changeFact,
  conflictFact,
  ipOf,
  placementFact,
  tenureFact,
} from '../record-builders.ts';
import { ALL, ALWAYS, type ContractStage, PROD, WEEK_S } from './contract-stage.ts';

export function histories(stage: ContractStage): void {
  test("pods on a node's own network are found apart from the others on it", async () => {
    const agent = aHolder('agent', { hostNetwork: true });
    const elsewhere = aHolder('elsewhere', { hostNetwork: true, node: 'node-z' });
    await stage.append(
      placementFact(aPlacement('web-1', 95, 200)),
      placementFact(aPlacement(agent, 95, 200)),
      placementFact(aPlacement(elsewhere, 95, 200)),
    );
    const on = async (from: number, to: number) => {
      const span = { from: at(from), to: at(to) };
      return (
        await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.hostNetworkPodsOn(agent.node, span, ALL))
      ).items.map(({ pod }) => pod.name);
    };
    assert.deepEqual([await on(0, 1000), await on(200, 300)], [['agent'], []]);
  });

  test('a placement that is written again is found once, as it was written last, also beside others that were not', async () => {
    await stage.append(
      placementFact(aPlacement('web-1', 95, 200)),
      placementFact(aPlacement('web-2', 95, 200)),
      placementFact(aPlacement('web-3', 95, 200)),
    );
    await stage.writer.append({ facts: [placementFact(aPlacement('web-2', 95, 150))] });
    const on = async (from: number, to: number) => {
      const span = { from: at(from), to: at(to) };
      const { items } = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
        snapshot.placementsOn('node-a', span, ALL),
      );
      return items.map(({ pod, end }) => [pod.name, end?.at]);
    };
    const others = [
      ['web-1', at(200)],
      ['web-3', at(200)],
    ];
    assert.deepEqual(await on(0, 1000), [others[0], ['web-2', at(150)], others[1]]);
    assert.deepEqual(await on(160, 161), others);
  });

  test('occurrences come newest first where that is asked for, page after page, of all and of one', async () => {
    const changes = [10, 20, 20, 4_000, 8_000, 8_000, 8_000, 20_000].map((seconds, i) =>
      aChange(i % 3 === 0 ? 'web-1' : 'web-2', seconds, { key: `key-${i}` }),
    );
    await stage.append(...changes.map(changeFact));
    for (const subject of [undefined, { by: 'uid', uid: 'uid-web-2' } as const]) {
      for (const limit of [1, 2, 3, 100]) {
        const read = (order: 'oldest' | 'newest', span = ALWAYS) =>
          withSnapshot(stage.engine, PROD.id, async (snapshot) => {
            const keys: string[] = [];
            let cursor: string | undefined;
            do {
              const page = { limit, cursor };
              const found = await snapshot.occurrences({ kind: 'change', subject, span, page, order });
              assert.ok(found.items.length <= limit);
              keys.push(...found.items.map(({ key }) => key));
              cursor = found.cursor;
            } while (cursor !== undefined);
            return keys;
          });
        const oldest = await read('oldest');
        assert.equal(oldest.length, subject === undefined ? 8 : 5);
        assert.deepEqual(await read('newest'), oldest.toReversed(), `${limit} at a time`);
        const some = { from: at(20), to: at(8_001) };
        assert.deepEqual(await read('newest', some), (await read('oldest', some)).reverse(), `${limit} at a time`);
      }
    }
  });

  test('a history is found by UID, by name across lives, and by workload', async () => {
    const again = aHolder('web-1', { uid: 'uid-again', node: 'node-b' });
    const lone = aHolder('lone', { workload: undefined });
    await stage.append(
      tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200)),
      placementFact(aPlacement('web-1', 95, 200)),
      tenureFact(aTenure('10.0.0.8', again, 300, 400)),
      placementFact(aPlacement(again, 295, 400)),
      tenureFact(aTenure('10.0.0.9', lone, 100)),
      tenureFact(aTenure('10.0.0.10', aHolder('web-1', { namespace: 'other', uid: 'uid-other' }), 100, 200)),
    );
    const tenures = async (subject: Subject) =>
      (await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresOf(subject, ALWAYS, ALL))).items.map(
        (tenure) => tenure.ip,
      );
    const placements = async (subject: Subject) =>
      (await withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.placementsOf(subject, ALWAYS, ALL))).items.map(
        (placement) => placement.pod.node,
      );
    const byName = { by: 'name', namespace: 'shop', name: 'web-1' } as const;
    const byWorkload = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
    assert.deepEqual(await tenures({ by: 'uid', uid: 'uid-again' }), ['10.0.0.8']);
    assert.deepEqual(await tenures({ by: 'uid', uid: 'uid-' }), []);
    assert.deepEqual(await tenures(byName), ['10.0.0.7', '10.0.0.8']);
    assert.deepEqual(await tenures(byWorkload), ['10.0.0.7', '10.0.0.8']);
    assert.deepEqual(await tenures({ ...byWorkload, kind: 'Job' }), []);
    assert.deepEqual(await placements(byName), ['node-a', 'node-b']);
    assert.deepEqual(await placements({ by: 'uid', uid: 'uid-web-1' }), ['node-a']);
    assert.deepEqual(await placements(byWorkload), ['node-a', 'node-b']);
  });

  test('a pod that got a second address has both in its history', async () => {
    await stage.append(
      tenureFact(aTenure('10.0.0.7', 'web-1', 100, 200)),
      tenureFact(aTenure('10.0.0.8', 'web-1', 210, 2 * WEEK_S)),
      tenureFact(aTenure('fd00::8', 'web-1', 210, 2 * WEEK_S)),
      placementFact(aPlacement('web-1', 90, 2 * WEEK_S)),
    );
    const { items } = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.tenuresOf({ by: 'uid', uid: 'uid-web-1' }, ALWAYS, ALL),
    );
    assert.deepEqual(
      items.map((tenure) => tenure.ip),
      ['10.0.0.7', '10.0.0.8', 'fd00::8'],
    );
  });

  test('pods on a node are those that may have been there within the span', async () => {
    await stage.append(
      placementFact(aPlacement('a', 100, 200)),
      placementFact(aPlacement('b', 150)),
      placementFact(aPlacement(aHolder('c', { node: 'node-b' }), 100, 200)),
      placementFact(aPlacement('d', -2 * WEEK_S, 120)),
    );
    const on = async (from: number, to: number) => {
      const span = { from: at(from), to: at(to) };
      const { items } = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
        snapshot.placementsOn('node-a', span, ALL),
      );
      return items.map((placement) => placement.pod.name);
    };
    assert.deepEqual(await on(110, 111), ['d', 'a']);
    assert.deepEqual(await on(160, 161), ['a', 'b']);
    assert.deepEqual(await on(5000, 5001), ['b']);
    assert.deepEqual(await on(0, 1000), ['d', 'a', 'b']);
  });

  test('pages come one after the other without a loss or a repeat, also at equal times', async () => {
    const facts: StoredFact[] = [];
    for (let i = 0; i < 25; i++) {
      const end = i % 3 === 0 ? undefined : 100_000 + i * 200_000;
      facts.push(tenureFact(aTenure('10.0.0.7', `pod-${i}`, Math.floor(i / 5), end)));
    }
    await stage.append(...facts);
    const whole = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.tenuresOfIp(ipOf('10.0.0.7'), ALWAYS, ALL),
    );
    assert.equal(whole.items.length, 25);
    for (const limit of [1, 2, 5, 7, 24, 25]) {
      const page = (cursor: string | undefined) =>
        withSnapshot(stage.engine, PROD.id, (snapshot) =>
          snapshot.tenuresOfIp(ipOf('10.0.0.7'), ALWAYS, { limit, cursor }),
        );
      assert.deepEqual(await allPages(page), whole.items, `limit ${limit}`);
      const byWorkload = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
      const other = (cursor: string | undefined) =>
        withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresOf(byWorkload, ALWAYS, { limit, cursor }));
      assert.deepEqual(await allPages(other), whole.items, `workload, limit ${limit}`);
    }
  });

  test('a cursor stays where it was while records are appended before and after it', async () => {
    const tenure = (seconds: number) => tenureFact(aTenure('10.0.0.7', `pod-${seconds}`, seconds, seconds + 5));
    await stage.append(tenure(100), tenure(200), tenure(300));
    const ip = ipOf('10.0.0.7');
    const first = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.tenuresOfIp(ip, ALWAYS, { limit: 2 }),
    );
    await stage.append(tenure(50), tenure(150), tenure(250), tenure(400));
    const rest = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.tenuresOfIp(ip, ALWAYS, { limit: 10, cursor: first.cursor }),
    );
    assert.deepEqual(
      rest.items.map(({ holder }) => holder.name),
      ['pod-250', 'pod-300', 'pod-400'],
    );
  });

  test('what is no cursor and no page is refused with a code', async () => {
    const ask = (page: Page) =>
      withSnapshot(stage.engine, PROD.id, (snapshot) => snapshot.tenuresOfIp(ipOf('10.0.0.7'), ALWAYS, page));
    await assert.rejects(ask({ limit: 5, cursor: 'here' }), { code: 'bad-cursor' });
    await assert.rejects(ask({ limit: 0 }), { code: 'bad-page' });
    await assert.rejects(ask({ limit: 1.5 }), { code: 'bad-page' });
  });

  test('changes, conflicts and anomalies are found by subject and time', async () => {
    const other = aHolder('api-1', { workload: undefined });
    const changes = [aChange('web-1', 100), aChange('web-1', 200), aChange(other, 150)];
    await stage.append(
      ...changes.map(changeFact),
      conflictFact(aConflict('10.0.0.7', 'a', 'b', 100)),
      conflictFact(aConflict('10.0.0.8', 'a', 'b', 100)),
      anomalyFact(anAnomaly('uid-a', 100)),
      anomalyFact(anAnomaly('uid-b', 300)),
    );
    const span = { from: at(50), to: at(200) };
    const byUid = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.occurrences({ kind: 'change', subject: { by: 'uid', uid: 'uid-web-1' }, span, page: ALL }),
    );
    assert.deepEqual(byUid.items, [changes[0]]);
    const byName = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.occurrences({
        kind: 'change',
        subject: { by: 'name', namespace: 'shop', name: 'api-1' },
        span: ALWAYS,
        page: ALL,
      }),
    );
    assert.deepEqual(byName.items, [changes[2]]);
    const workload = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
    const page = (cursor: string | undefined) =>
      withSnapshot(stage.engine, PROD.id, (snapshot) =>
        snapshot.occurrences({ kind: 'change', subject: workload, span: ALWAYS, page: { limit: 1, cursor } }),
      );
    assert.deepEqual(await allPages(page), [changes[0], changes[1]]);
    const conflicts = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      conflictsOf(snapshot, ipOf('10.0.0.7'), span),
    );
    assert.deepEqual(conflicts, [aConflict('10.0.0.7', 'a', 'b', 100)]);
    const anomalies = await withSnapshot(stage.engine, PROD.id, (snapshot) =>
      snapshot.occurrences({ kind: 'anomaly', span, page: ALL }),
    );
    assert.deepEqual(anomalies.items, [anAnomaly('uid-a', 100)]);
  });
}

async function allPages<T>(page: (cursor: string | undefined) => Promise<Paged<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const next: Paged<T> = await page(cursor);
    items.push(...next.items);
    cursor = next.cursor;
  } while (cursor !== undefined);
  return items;
}
