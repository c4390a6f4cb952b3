// What every engine must do, run for each by its own test file. An engine that cannot do something yet skips nothing:
// it is not an engine.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { HistoryError } from '../errors.ts';
import type { Fact } from '../model/fact.ts';
import type { Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { canonicalLine } from './canonical.ts';
import type { Engine, IpSpan, Moment, Page, Paged, Span, Writer } from './engine.ts';
import {
  anomalyFact,
  at,
  changeFact,
  conflictFact,
  coverageFact,
  ipOf,
  liveFact,
  madeAnomaly,
  madeBoundary,
  madeChange,
  madeConflict,
  madeCoverage,
  madeHolder,
  madeLive,
  madePlacement,
  madeTenure,
  placementFact,
  tenureFact,
} from './made-records.ts';
import { MemoryEngine } from './memory/memory-engine.ts';

export const PROD = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };
const TEST = { id: 'b7c0b3a4-0000-4000-8000-000000000002', name: 'test' };
const ALWAYS: Span = { from: 0 as EpochMillis, to: Number.MAX_SAFE_INTEGER as EpochMillis };
const ALL: Page = { limit: 1000 };
const WEEK_S = 7 * 86_400;

export interface Subject {
  readonly name: string;
  /** A fresh, empty store that the suite closes. */
  open(): Promise<Engine>;
  /** Another process's view of the store that was opened last, where there can be one; the suite closes it. */
  openReader?(): Promise<Engine>;
  /** Done after every append, so that the same answers must come from wherever the engine keeps old records. */
  settle?(engine: Engine): Promise<void>;
}

export function engineContract({ name, open, openReader, settle = async () => {} }: Subject): void {
  suite(`the engine contract, ${name}`, () => {
    let engine: Engine;
    let writer: Writer;
    const append = async (...facts: Fact[]): Promise<void> => {
      await writer.append({ facts });
      await settle(engine);
    };
    const who = async (ip: string, seconds: number): Promise<string[]> => {
      const found = await engine.tenuresAt(PROD.id, ipOf(ip), at(seconds));
      return found.map((tenure) => tenure.holder.name);
    };

    beforeEach(async () => {
      engine = await open();
      writer = await engine.takeOver(PROD);
    });
    afterEach(() => engine.close());

    test('a tenure is given back as it was stored', async () => {
      const stored = madeTenure(
        '10.0.0.7',
        'web-1',
        100,
        madeBoundary(200, { notBefore: at(190), source: 'inferred' }),
      );
      await append(tenureFact(stored));
      assert.deepEqual(await engine.tenuresAt(PROD.id, ipOf('10.0.0.7'), at(150)), [stored]);
    });

    test('storing a batch twice changes nothing', async () => {
      const facts = everyKind();
      await append(...facts);
      const once = await exported(engine);
      await append(...facts);
      assert.equal(await exported(engine), once);
    });

    test('an open tenure is replaced by its closed version', async () => {
      await append(tenureFact(madeTenure('10.0.0.7', 'web-1', 100)));
      assert.deepEqual(await who('10.0.0.7', 10_000), ['web-1']);
      await append(tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 200)));
      assert.deepEqual(await who('10.0.0.7', 10_000), []);
      assert.deepEqual(await who('10.0.0.7', 150), ['web-1']);
    });

    test('what has ended is not reopened by its own earlier version', async () => {
      await append(
        tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 200)),
        placementFact(madePlacement('web-1', 90, 200)),
      );
      await append(tenureFact(madeTenure('10.0.0.7', 'web-1', 100)), placementFact(madePlacement('web-1', 90)));
      assert.deepEqual(await who('10.0.0.7', 250), []);
      const { items } = await engine.placementsOn(PROD.id, 'node-a', ALWAYS, ALL);
      assert.deepEqual(items, [madePlacement('web-1', 90, 200)]);
    });

    test('an end that is told again, otherwise, replaces the one before', async () => {
      await append(tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 200)));
      await append(tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 150)));
      assert.deepEqual(await who('10.0.0.7', 120), ['web-1']);
      assert.deepEqual(await who('10.0.0.7', 180), []);
    });

    test('the bounds of a boundary count as possible, and the end itself does not', async () => {
      const start = madeBoundary(100, { notBefore: at(95), notAfter: at(105) });
      const end = madeBoundary(200, { notBefore: at(190), notAfter: at(210) });
      await append(tenureFact(madeTenure('10.0.0.7', 'web-1', start, end)));
      const answers: Record<number, string[]> = {};
      for (const second of [94, 95, 150, 209, 210]) answers[second] = await who('10.0.0.7', second);
      assert.deepEqual(answers, { 94: [], 95: ['web-1'], 150: ['web-1'], 209: ['web-1'], 210: [] });
    });

    test('an address that was never held has no tenure, and no row is not an open one', async () => {
      await append(tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 200)));
      assert.deepEqual(await who('10.0.0.8', 150), []);
      assert.deepEqual(await who('10.0.0.7', 300), []);
    });

    test('overlapping tenures are all given, also when a short one began later', async () => {
      await append(
        tenureFact(madeTenure('10.0.0.7', 'long', 100, 900_000)),
        tenureFact(madeTenure('10.0.0.7', 'short', 200, 300)),
        tenureFact(madeTenure('10.0.0.7', 'later', 400, 500)),
      );
      assert.deepEqual(await who('10.0.0.7', 250), ['long', 'short']);
      assert.deepEqual(await who('10.0.0.7', 350), ['long']);
      assert.deepEqual(await who('10.0.0.7', 899_999), ['long']);
    });

    test('a tenure that lasted for weeks is found in each of them', async () => {
      await append(tenureFact(madeTenure('10.0.0.7', 'old', -3 * WEEK_S, 2 * WEEK_S)));
      for (const week of [-3, -2, -1, 0, 1]) assert.deepEqual(await who('10.0.0.7', (week + 0.5) * WEEK_S), ['old']);
      assert.deepEqual(await who('10.0.0.7', 2.5 * WEEK_S), []);
    });

    test('clusters with the same addresses do not mix', async () => {
      const other = await engine.takeOver(TEST);
      await append(tenureFact(madeTenure('10.0.0.7', 'ours', 100, 200)));
      await other.append({ facts: [tenureFact(madeTenure('10.0.0.7', 'theirs', 100, 200))] });
      await settle(engine);
      assert.deepEqual(await who('10.0.0.7', 150), ['ours']);
      const [theirs] = await engine.tenuresAt(TEST.id, ipOf('10.0.0.7'), at(150));
      assert.equal(theirs?.holder.name, 'theirs');
      assert.deepEqual(await engine.clusters(), [PROD, TEST]);
    });

    test('IPv4, its mapped form and IPv6 are found by any spelling', async () => {
      await append(
        tenureFact(madeTenure('::ffff:10.0.0.7', 'four', 100, 200)),
        tenureFact(madeTenure('2001:DB8:0:0::1', 'six', 100, 200)),
        tenureFact(madeTenure('fd00::ffff', 'local', 100, 200)),
      );
      assert.deepEqual(await who('10.0.0.7', 150), ['four']);
      assert.deepEqual(await who('2001:db8::1', 150), ['six']);
      assert.deepEqual(await who('fd00:0:0:0:0:0:0:FFFF', 150), ['local']);
      assert.deepEqual(await who('255.255.255.255', 150), []);
    });

    test('many moments are answered in the order of the questions', async () => {
      await append(
        tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 200)),
        tenureFact(madeTenure('10.0.0.8', 'web-2', 100, 200)),
      );
      const moments = [
        { ip: ipOf('10.0.0.8'), at: at(150) },
        { ip: ipOf('10.0.0.9'), at: at(150) },
        { ip: ipOf('10.0.0.7'), at: at(199) },
        { ip: ipOf('10.0.0.7'), at: at(200) },
        { ip: ipOf('10.0.0.8'), at: at(150) },
      ];
      const answers = await engine.tenuresAtMany(PROD.id, moments);
      const names = answers.map((tenures) => tenures.map((tenure) => tenure.holder.name));
      assert.deepEqual(names, [['web-2'], [], ['web-1'], [], ['web-2']]);
      assert.deepEqual(await engine.tenuresAtMany(PROD.id, []), []);
    });

    test('tenures of an address come oldest first and only where they touch the span', async () => {
      for (const [i, holder] of ['a', 'b', 'c', 'd'].entries()) {
        await append(tenureFact(madeTenure('10.0.0.7', holder, i * 100, i * 100 + 50)));
      }
      const span = { from: at(120), to: at(300) };
      const { items, cursor } = await engine.tenuresOfIp(PROD.id, ipOf('10.0.0.7'), span, ALL);
      assert.deepEqual([items.map((tenure) => tenure.holder.name), cursor], [['b', 'c'], undefined]);
    });

    test('tenures of many addresses come in the order of the questions, and not of those that have too many', async () => {
      for (const [i, holder] of ['a', 'b', 'c', 'd'].entries()) {
        await append(tenureFact(madeTenure(i === 3 ? '10.0.0.8' : '10.0.0.7', holder, i * 100, i * 100 + 50)));
      }
      const asked = (ip: string, from: number, to: number) => ({ ip: ipOf(ip), from: at(from), to: at(to) });
      const spans = [
        asked('10.0.0.8', 0, 1000),
        asked('10.0.0.9', 0, 1000),
        asked('10.0.0.7', 120, 300),
        asked('10.0.0.7', 0, 1000),
      ];
      const answers = await engine.tenuresOfIps(PROD.id, spans, 2);
      const names = answers.map((tenures) => tenures?.map((tenure) => tenure.holder.name));
      assert.deepEqual(names, [['d'], [], ['b', 'c'], undefined]);
    });

    test("pods on a node's own network are told from the others on it", async () => {
      const agent = madeHolder('agent', { hostNetwork: true });
      const elsewhere = madeHolder('elsewhere', { hostNetwork: true, node: 'node-z' });
      await append(
        placementFact(madePlacement('web-1', 95, 200)),
        placementFact(madePlacement(agent, 95, 200)),
        placementFact(madePlacement(elsewhere, 95, 200)),
      );
      const on = async (from: number, to: number) => {
        const span = { from: at(from), to: at(to) };
        return (await engine.hostNetworkPodsOn(PROD.id, agent.node, span, ALL)).items.map(({ pod }) => pod.name);
      };
      assert.deepEqual([await on(0, 1000), await on(200, 300)], [['agent'], []]);
    });

    test('a history is found by UID, by name across lives, and by workload', async () => {
      const again = madeHolder('web-1', { uid: 'uid-again', node: 'node-b' });
      const lone = madeHolder('lone', { workload: undefined });
      await append(
        tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 200)),
        placementFact(madePlacement('web-1', 95, 200)),
        tenureFact(madeTenure('10.0.0.8', again, 300, 400)),
        placementFact(madePlacement(again, 295, 400)),
        tenureFact(madeTenure('10.0.0.9', lone, 100)),
        tenureFact(madeTenure('10.0.0.10', madeHolder('web-1', { namespace: 'other', uid: 'uid-other' }), 100, 200)),
      );
      const tenures = async (subject: Parameters<Engine['tenuresOf']>[1]) =>
        (await engine.tenuresOf(PROD.id, subject, ALWAYS, ALL)).items.map((tenure) => tenure.ip);
      const placements = async (subject: Parameters<Engine['tenuresOf']>[1]) =>
        (await engine.placementsOf(PROD.id, subject, ALWAYS, ALL)).items.map((placement) => placement.pod.node);
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
      await append(
        tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 200)),
        tenureFact(madeTenure('10.0.0.8', 'web-1', 210, 2 * WEEK_S)),
        tenureFact(madeTenure('fd00::8', 'web-1', 210, 2 * WEEK_S)),
        placementFact(madePlacement('web-1', 90, 2 * WEEK_S)),
      );
      const { items } = await engine.tenuresOf(PROD.id, { by: 'uid', uid: 'uid-web-1' }, ALWAYS, ALL);
      assert.deepEqual(
        items.map((tenure) => tenure.ip),
        ['10.0.0.7', '10.0.0.8', 'fd00::8'],
      );
    });

    test('pods on a node are those that may have been there within the span', async () => {
      await append(
        placementFact(madePlacement('a', 100, 200)),
        placementFact(madePlacement('b', 150)),
        placementFact(madePlacement(madeHolder('c', { node: 'node-b' }), 100, 200)),
        placementFact(madePlacement('d', -2 * WEEK_S, 120)),
      );
      const on = async (from: number, to: number) => {
        const span = { from: at(from), to: at(to) };
        const { items } = await engine.placementsOn(PROD.id, 'node-a', span, ALL);
        return items.map((placement) => placement.pod.name);
      };
      assert.deepEqual(await on(110, 111), ['d', 'a']);
      assert.deepEqual(await on(160, 161), ['a', 'b']);
      assert.deepEqual(await on(5000, 5001), ['b']);
      assert.deepEqual(await on(0, 1000), ['d', 'a', 'b']);
    });

    test('pages come one after the other without a loss or a repeat, also at equal times', async () => {
      const facts: Fact[] = [];
      for (let i = 0; i < 25; i++) {
        const end = i % 3 === 0 ? undefined : 100_000 + i * 200_000;
        facts.push(tenureFact(madeTenure('10.0.0.7', `pod-${i}`, Math.floor(i / 5), end)));
      }
      await append(...facts);
      const whole = await engine.tenuresOfIp(PROD.id, ipOf('10.0.0.7'), ALWAYS, ALL);
      assert.equal(whole.items.length, 25);
      for (const limit of [1, 2, 5, 7, 24, 25]) {
        const page = (cursor: string | undefined) =>
          engine.tenuresOfIp(PROD.id, ipOf('10.0.0.7'), ALWAYS, { limit, cursor });
        assert.deepEqual(await allPages(page), whole.items, `limit ${limit}`);
        const byWorkload = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
        const other = (cursor: string | undefined) => engine.tenuresOf(PROD.id, byWorkload, ALWAYS, { limit, cursor });
        assert.deepEqual(await allPages(other), whole.items, `workload, limit ${limit}`);
      }
    });

    test('a cursor stays where it was while records are appended before and after it', async () => {
      const tenure = (seconds: number) => tenureFact(madeTenure('10.0.0.7', `pod-${seconds}`, seconds, seconds + 5));
      await append(tenure(100), tenure(200), tenure(300));
      const ip = ipOf('10.0.0.7');
      const first = await engine.tenuresOfIp(PROD.id, ip, ALWAYS, { limit: 2 });
      await append(tenure(50), tenure(150), tenure(250), tenure(400));
      const rest = await engine.tenuresOfIp(PROD.id, ip, ALWAYS, { limit: 10, cursor: first.cursor });
      assert.deepEqual(
        rest.items.map(({ holder }) => holder.name),
        ['pod-250', 'pod-300', 'pod-400'],
      );
    });

    test('what is no cursor and no page is refused with a code', async () => {
      const ask = (page: Page) => engine.tenuresOfIp(PROD.id, ipOf('10.0.0.7'), ALWAYS, page);
      await assert.rejects(ask({ limit: 5, cursor: 'here' }), { code: 'bad-cursor' });
      await assert.rejects(ask({ limit: 0 }), { code: 'bad-page' });
      await assert.rejects(ask({ limit: 1.5 }), { code: 'bad-page' });
    });

    test('changes, conflicts and anomalies are found by subject and time', async () => {
      const other = madeHolder('api-1', { workload: undefined });
      const changes = [madeChange('web-1', 100), madeChange('web-1', 200), madeChange(other, 150)];
      await append(
        ...changes.map(changeFact),
        conflictFact(madeConflict('10.0.0.7', 'a', 'b', 100)),
        conflictFact(madeConflict('10.0.0.8', 'a', 'b', 100)),
        anomalyFact(madeAnomaly('uid-a', 100)),
        anomalyFact(madeAnomaly('uid-b', 300)),
      );
      const span = { from: at(50), to: at(200) };
      const byUid = await engine.changesOf(PROD.id, { by: 'uid', uid: 'uid-web-1' }, span, ALL);
      assert.deepEqual(byUid.items, [changes[0]]);
      const byName = await engine.changesOf(PROD.id, { by: 'name', namespace: 'shop', name: 'api-1' }, ALWAYS, ALL);
      assert.deepEqual(byName.items, [changes[2]]);
      const workload = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
      const page = (cursor: string | undefined) => engine.changesOf(PROD.id, workload, ALWAYS, { limit: 1, cursor });
      assert.deepEqual(await allPages(page), [changes[0], changes[1]]);
      const conflicts = await engine.conflicts(PROD.id, ipOf('10.0.0.7'), span);
      assert.deepEqual(conflicts, [madeConflict('10.0.0.7', 'a', 'b', 100)]);
      const anomalies = await engine.anomalies(PROD.id, span, ALL);
      assert.deepEqual(anomalies.items, [madeAnomaly('uid-a', 100)]);
    });

    test('coverage grows, does not shrink, and comes by its beginning', async () => {
      await append(coverageFact(madeCoverage(500, 600, { opened: 'expired' })), coverageFact(madeCoverage(100, 200)));
      await append(coverageFact(madeCoverage(100, 300)));
      await append(coverageFact(madeCoverage(100, 250)));
      const scope = { kind: 'namespaces', namespaces: ['a', 'b'] } as const;
      await append(coverageFact(madeCoverage(50, 60, { scope, collector: 'recorder-2' })));
      assert.deepEqual(await engine.coverage(PROD.id), [
        madeCoverage(50, 60, { scope, collector: 'recorder-2' }),
        madeCoverage(100, 300),
        madeCoverage(500, 600, { opened: 'expired' }),
      ]);
    });

    test('reads of one turn see one state, whatever is appended meanwhile', async () => {
      const BATCHES = 200;
      const reader = (await openReader?.()) ?? engine;
      let isWriting = true;
      const writing = (async () => {
        for (let i = 1; i <= BATCHES; i++) {
          const facts = [
            tenureFact(madeTenure('10.0.0.7', `web-${i}`, i, madeBoundary(i))),
            coverageFact(madeCoverage(0, i)),
          ];
          await writer.append({ facts });
        }
        isWriting = false;
      })();
      const seen = new Set<number>();
      do {
        const [{ items }, [coverage]] = await Promise.all([
          reader.tenuresOfIp(PROD.id, ipOf('10.0.0.7'), ALWAYS, ALL),
          reader.coverage(PROD.id),
        ]);
        assert.equal(coverage?.to ?? at(0), at(items.length));
        seen.add(items.length);
      } while (isWriting);
      await writing;
      if (reader !== engine) await reader.close();
      assert.ok(seen.size > 1, 'it was asked while something was appended');
    });

    test('a recorder goes on with what was appended: live holders, coverage, epoch and checkpoint', async () => {
      const checkpoint = { epoch: 3, resourceVersion: '99999999999999999999', at: at(500) };
      const open = madeLive('b', 200, { terminal: true, placement: undefined, tenures: [], blankSince: at(210) });
      const facts = [
        liveFact('uid-a', madeLive('a', 100)),
        liveFact('uid-b', madeLive('b', 150)),
        liveFact('uid-c', madeLive('c', 100)),
        coverageFact(madeCoverage(100, 400)),
      ];
      await writer.append({ facts, checkpoint: { ...checkpoint, resourceVersion: '5' } });
      await writer.append({ facts: [liveFact('uid-b', open), liveFact('uid-c', undefined)], checkpoint });
      await settle(engine);
      assert.deepEqual(await engine.resumption(PROD.id), {
        state: { epoch: 3, live: [madeLive('a', 100), open], coverage: madeCoverage(100, 400) },
        checkpoint,
      });
    });

    test('a checkpoint has the places of services and nodes, and what lies over coverage is not gone on with', async () => {
      const others = [
        { kind: 'Service', resourceVersion: '99999999999999999999', settled: at(390) },
        { kind: 'Node', resourceVersion: '7', settled: at(380) },
      ] as const;
      const checkpoint = { epoch: 1, resourceVersion: '8', at: at(400), others };
      const partial = madeCoverage(150, 200, { scope: { kind: 'pods' }, confirmed: at(150), ended: true });
      await writer.append({ facts: [coverageFact(madeCoverage(100, 400)), coverageFact(partial)], checkpoint });
      const resumption = await engine.resumption(PROD.id);
      assert.deepEqual(resumption, { state: { epoch: 1, live: [], coverage: madeCoverage(100, 400) }, checkpoint });
      assert.deepEqual(
        (await engine.coverage(PROD.id)).map(({ scope }) => scope.kind),
        ['cluster', 'pods'],
      );
    });

    test('a fresh ledger resumes with nothing', async () => {
      const nothing = { state: { epoch: 1, live: [], coverage: undefined }, checkpoint: undefined };
      assert.deepEqual(await engine.resumption(PROD.id), nothing);
    });

    test('a stale writer is refused, and nothing of its batch is stored', async () => {
      const next = await engine.takeOver(PROD);
      assert.equal(next.fence, writer.fence + 1);
      const checkpoint = { epoch: 1, resourceVersion: '7', at: at(1) };
      const facts = [tenureFact(madeTenure('10.0.0.7', 'late', 100))];
      await assert.rejects(writer.append({ facts, checkpoint }), { code: 'stale-writer' });
      assert.deepEqual(await who('10.0.0.7', 150), []);
      assert.equal((await engine.resumption(PROD.id)).checkpoint, undefined);
      await next.append({ facts, checkpoint });
      assert.deepEqual(await who('10.0.0.7', 150), ['late']);
    });

    test('a stale writer among others that append at once is the only one refused', async () => {
      const next = await engine.takeOver(PROD);
      const outcomes = await Promise.allSettled([
        next.append({ facts: [tenureFact(madeTenure('10.0.0.1', 'one', 100))] }),
        writer.append({ facts: [tenureFact(madeTenure('10.0.0.2', 'stale', 100))] }),
        next.append({ facts: [tenureFact(madeTenure('10.0.0.3', 'three', 100))] }),
      ]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual([await who('10.0.0.1', 150), await who('10.0.0.2', 150)], [['one'], []]);
      assert.deepEqual(await who('10.0.0.3', 150), ['three']);
    });

    test('appends are stored in the order of the calls', async () => {
      const appends = Array.from({ length: 50 }, (_, i) =>
        writer.append({ facts: [], checkpoint: { epoch: 1, resourceVersion: String(i), at: at(i) } }),
      );
      await Promise.all(appends);
      assert.equal((await engine.resumption(PROD.id)).checkpoint?.resourceVersion, '49');
    });

    test('a cluster that is not there, and a name that is taken, are refused with a code', async () => {
      await assert.rejects(engine.tenuresAt('nowhere', ipOf('10.0.0.7'), at(1)), { code: 'unknown-cluster' });
      await assert.rejects(engine.takeOver({ id: 'another', name: 'prod' }), { code: 'cluster-name-taken' });
      await engine.takeOver({ id: PROD.id, name: 'renamed' });
      assert.deepEqual(await engine.clusters(), [{ id: PROD.id, name: 'renamed' }]);
    });

    test('retention removes only closed, expired records and leaves a range', async () => {
      await append(
        coverageFact(madeCoverage(0, 5 * WEEK_S)),
        tenureFact(madeTenure('10.0.0.1', 'gone', 100, 200)),
        tenureFact(madeTenure('10.0.0.2', 'at-the-edge', 100, madeBoundary(WEEK_S + 1000))),
        tenureFact(madeTenure('10.0.0.3', 'stays', 100, WEEK_S + 2000)),
        tenureFact(madeTenure('10.0.0.4', 'open', 100)),
        placementFact(madePlacement('gone', 100, 200)),
        placementFact(madePlacement('open', 100)),
        changeFact(madeChange('open', 150)),
        changeFact(madeChange('open', WEEK_S + 1500)),
        anomalyFact(madeAnomaly('uid-a', 150)),
        conflictFact(madeConflict('10.0.0.1', 'a', 'b', 150)),
      );
      assert.deepEqual(await engine.expired(PROD.id), []);
      await engine.retain(PROD.id, at(WEEK_S + 1000));
      await settle(engine);
      assert.deepEqual(await engine.expired(PROD.id), [{ from: at(0), to: at(WEEK_S + 1000) }]);
      const answers = [await who('10.0.0.1', 150), await who('10.0.0.2', 150), await who('10.0.0.3', 150)];
      assert.deepEqual(answers, [[], ['at-the-edge'], ['stays']]);
      assert.deepEqual(await who('10.0.0.4', 150), ['open']);
      const placements = await engine.placementsOn(PROD.id, 'node-a', ALWAYS, ALL);
      assert.deepEqual(
        placements.items.map(({ pod }) => pod.name),
        ['open'],
      );
      const changes = await engine.changesOf(PROD.id, { by: 'uid', uid: 'uid-open' }, ALWAYS, ALL);
      assert.deepEqual(changes.items, [madeChange('open', WEEK_S + 1500)]);
      assert.deepEqual((await engine.anomalies(PROD.id, ALWAYS, ALL)).items, []);
      assert.deepEqual(await engine.conflicts(PROD.id, ipOf('10.0.0.1'), ALWAYS), []);
      const kept = await exported(engine);
      assert.equal(kept.includes('gone'), false);
    });

    test('what expired before it came stays hidden', async () => {
      await append(coverageFact(madeCoverage(0, 1000)), tenureFact(madeTenure('10.0.0.1', 'ends-late', 100)));
      await engine.retain(PROD.id, at(500));
      await append(
        tenureFact(madeTenure('10.0.0.1', 'ends-late', 100, 200)),
        tenureFact(madeTenure('10.0.0.2', 'comes-late', 100, 200)),
        placementFact(madePlacement('comes-late', 100, 200)),
        changeFact(madeChange('comes-late', 150)),
        changeFact(madeChange('comes-late', 500)),
        anomalyFact(madeAnomaly('uid-a', 150)),
        conflictFact(madeConflict('10.0.0.1', 'a', 'b', 150)),
      );
      await settle(engine);
      assert.deepEqual([await who('10.0.0.1', 150), await who('10.0.0.2', 150)], [[], []]);
      assert.deepEqual((await engine.placementsOn(PROD.id, 'node-a', ALWAYS, ALL)).items, []);
      const changes = await engine.changesOf(PROD.id, { by: 'uid', uid: 'uid-comes-late' }, ALWAYS, ALL);
      assert.deepEqual(changes.items, [madeChange('comes-late', 500)]);
      assert.deepEqual((await engine.anomalies(PROD.id, ALWAYS, ALL)).items, []);
      assert.deepEqual(await engine.conflicts(PROD.id, ipOf('10.0.0.1'), ALWAYS), []);
      assert.equal((await exported(engine)).includes('200'), false);
    });

    test('retention that is asked for again, or for less, keeps the range as it is', async () => {
      await append(coverageFact(madeCoverage(0, 1000)), tenureFact(madeTenure('10.0.0.1', 'gone', 100, 200)));
      await engine.retain(PROD.id, at(500));
      await engine.retain(PROD.id, at(300));
      assert.deepEqual(await engine.expired(PROD.id), [{ from: at(0), to: at(500) }]);
      await engine.retain(PROD.id, at(600));
      assert.deepEqual(await engine.expired(PROD.id), [{ from: at(0), to: at(600) }]);
    });

    test('names with every kind of character, long values and prototype keys come back as they were', async () => {
      const strange = [
        'a\0b',
        '\x1b[31mred\x1b[0m',
        '😀 emoji',
        '=cmd()',
        '__proto__',
        'constructor',
        '',
        'ünïcödé\u2028',
      ];
      const facts = strange.flatMap((text, i): Fact[] => {
        const workload = { kind: text, name: text, inferred: false };
        const holder = madeHolder(text, { uid: `uid-${i}`, namespace: text, node: text, workload });
        const value = { text: text.repeat(100), sha256: i % 2 === 0 ? undefined : 'f'.repeat(64) };
        const before = i % 3 === 0 ? undefined : { text: '', sha256: undefined };
        return [
          tenureFact(madeTenure(`10.0.1.${i}`, holder, 100, 200)),
          placementFact(madePlacement(holder, 100, 200)),
          changeFact(madeChange(holder, 100, { key: text, before, after: value, collector: text })),
          liveFact(`uid-${i}`, madeLive('x', 100, { holder, annotations: [[text, value]] })),
        ];
      });
      await append(...facts);
      for (const [i, text] of strange.entries()) {
        const wanted = facts.slice(i * 4, i * 4 + 4);
        const [tenure] = await engine.tenuresAt(PROD.id, ipOf(`10.0.1.${i}`), at(150));
        assert.deepEqual({ kind: 'tenure', tenure }, wanted[0]);
        const byName = await engine.placementsOf(PROD.id, { by: 'name', namespace: text, name: text }, ALWAYS, ALL);
        assert.deepEqual({ kind: 'placement', placement: byName.items[0] }, wanted[1]);
        const onNode = await engine.placementsOn(PROD.id, text, ALWAYS, ALL);
        assert.deepEqual(onNode.items, byName.items);
        const changes = await engine.changesOf(PROD.id, { by: 'uid', uid: `uid-${i}` }, ALWAYS, ALL);
        assert.deepEqual({ kind: 'change', change: changes.items[0] }, wanted[2]);
      }
      const { state } = await engine.resumption(PROD.id);
      assert.deepEqual(
        state.live.map((live) => live),
        facts.filter((fact) => fact.kind === 'live').map((fact) => fact.live),
      );
    });

    test('a value of 256 KiB comes back whole', async () => {
      const value = { text: 'x'.repeat(256 * 1024), sha256: undefined };
      await append(changeFact(madeChange('web-1', 100, { after: value })));
      const { items } = await engine.changesOf(PROD.id, { by: 'uid', uid: 'uid-web-1' }, ALWAYS, ALL);
      assert.equal(items[0]?.after?.text, value.text);
    });

    test('resourceVersions of any length, and such that are no numbers, are kept to the last digit', async () => {
      const versions = ['0', '', '9007199254740993', '18446744073709551616', '007', 'abc', '999999999999999', '1e5'];
      const tenures = versions.map((resourceVersion, i) =>
        madeTenure(
          `10.0.2.${i}`,
          `pod-${i}`,
          madeBoundary(100, { resourceVersion }),
          madeBoundary(200, { resourceVersion }),
        ),
      );
      await append(...tenures.map(tenureFact));
      for (const tenure of tenures) assert.deepEqual(await engine.tenuresAt(PROD.id, tenure.ip, at(150)), [tenure]);
    });

    test('two tenures that differ only in the version of their start are two', async () => {
      const big = '9007199254740993';
      const start = (resourceVersion: string) => madeBoundary(100, { resourceVersion });
      const one = madeTenure('10.0.0.7', 'web-1', start(big), 200);
      const other = madeTenure('10.0.0.7', 'web-1', start('9007199254740992'), 200);
      await append(tenureFact(one), tenureFact(other));
      assert.equal((await engine.tenuresAt(PROD.id, ipOf('10.0.0.7'), at(150))).length, 2);
    });

    test('times before 1970, far ahead and with wide bounds come back as they were', async () => {
      const start = madeBoundary(0, { notBefore: epochMillis(-5000), at: epochMillis(0), observedAt: at(0) });
      const end = madeBoundary(0, { notAfter: epochMillis(8_640_000_000_000), observedAt: epochMillis(-1) });
      const tenure = madeTenure('10.0.0.7', 'web-1', start, end);
      await append(tenureFact(tenure));
      assert.deepEqual(await engine.tenuresAt(PROD.id, ipOf('10.0.0.7'), epochMillis(-5000)), [tenure]);
      assert.deepEqual(await engine.tenuresAt(PROD.id, ipOf('10.0.0.7'), at(9_999_999)), [tenure]);
    });

    test('the canonical export is byte for byte that of the memory engine for the same facts', async () => {
      const facts = [...everyKind(), ...manyLives()];
      const reference = new MemoryEngine();
      await (await reference.takeOver(PROD)).append({ facts: [...facts].reverse() });
      for (let from = 0; from < facts.length; from += 300) await append(...facts.slice(from, from + 300));
      assert.equal(await exported(engine), await exported(reference));
    });

    test('random questions are answered as the memory engine answers them', async () => {
      const facts = manyLives();
      const reference = new MemoryEngine();
      await (await reference.takeOver(PROD)).append({ facts });
      for (let from = 0; from < facts.length; from += 500) await append(...facts.slice(from, from + 500));
      let seed = 7;
      const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
      const moments: Moment[] = [];
      const spans: IpSpan[] = [];
      for (let i = 0; i < 300; i++) {
        const ip = ipOf(`10.0.9.${next(8)}`);
        const time = at(next(6 * WEEK_S) - WEEK_S);
        assert.deepEqual(
          await engine.tenuresAt(PROD.id, ip, time),
          await reference.tenuresAt(PROD.id, ip, time),
          `${ip} at ${time}`,
        );
        moments.push({ ip, at: time });
        const span = { from: time, to: epochMillis(time + next(WEEK_S) * 500) };
        spans.push({ ip, ...span });
        const page = { limit: 1 + next(20) };
        const node = `node-${next(4)}`;
        assert.deepEqual(
          await engine.placementsOn(PROD.id, node, span, page),
          await reference.placementsOn(PROD.id, node, span, page),
        );
        const subject = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: `app-${next(5)}` } as const;
        assert.deepEqual(
          await engine.tenuresOf(PROD.id, subject, span, page),
          await reference.tenuresOf(PROD.id, subject, span, page),
        );
      }
      for (const most of [1, 3, 100]) {
        const found = await engine.tenuresOfIps(PROD.id, spans, most);
        assert.deepEqual(found, await reference.tenuresOfIps(PROD.id, spans, most));
      }
      const bulk = [...moments, ...moments, ...moments];
      assert.deepEqual(await engine.tenuresAtMany(PROD.id, bulk), await reference.tenuresAtMany(PROD.id, bulk));
    });

    test('a whole store verifies and tells how much it holds', async () => {
      await append(...everyKind());
      const { damages, records } = await engine.verify();
      assert.deepEqual(damages, []);
      assert.ok(records > 0);
      const { clusters, version } = await engine.status();
      assert.equal(version, 1);
      const [{ tenures, placements, changes, live } = { tenures: 0, placements: 0, changes: 0, live: 0 }] = clusters;
      assert.deepEqual({ tenures, placements, changes, live }, { tenures: 2, placements: 1, changes: 1, live: 1 });
    });

    test('a closed engine refuses everything with a code', async () => {
      await engine.close();
      await assert.rejects(engine.tenuresAt(PROD.id, ipOf('10.0.0.7'), at(1)), { code: 'store-closed' });
      await assert.rejects(writer.append({ facts: [] }), HistoryError);
    });
  });
}

async function exported(engine: Engine): Promise<string> {
  let text = '';
  for await (const fact of engine.records(PROD.id)) text += `${canonicalLine(fact)}\n`;
  return text;
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

function everyKind(): Fact[] {
  return [
    tenureFact(madeTenure('10.0.0.7', 'web-1', 100, 200)),
    tenureFact(madeTenure('10.0.0.7', 'web-2', 210)),
    placementFact(madePlacement('web-1', 95, 200)),
    changeFact(madeChange('web-1', 120)),
    coverageFact(madeCoverage(90, 300)),
    conflictFact(madeConflict('10.0.0.7', 'web-1', 'web-2', 205)),
    anomalyFact(madeAnomaly('uid-web-1', 130)),
    liveFact('uid-web-2', madeLive('web-2', 210)),
  ];
}

/** Lives over five weeks with addresses that come again, overlaps, holders that grow, and open ends. Seeded. */
function manyLives(): Fact[] {
  let seed = 42;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const facts: Fact[] = [];
  for (let i = 0; i < 600; i++) {
    const start = next(5 * WEEK_S) - WEEK_S;
    const lasts = next(10) === 0 ? next(3 * WEEK_S) : next(4000);
    const end = next(20) === 0 ? undefined : start + lasts + 1;
    const workload = next(6) === 0 ? undefined : { kind: 'Deployment', name: `app-${next(5)}`, inferred: true };
    const uid = `${(i * 2_654_435_761) % 4_294_967_296}`.padStart(10, '0');
    const placed = madeHolder(`pod-${i}`, { uid, node: `node-${next(4)}`, workload });
    const holder = next(15) === 0 ? { ...placed, workload: undefined } : placed;
    const tenure = (ip: string): Tenure => madeTenure(ip, holder, start + 1, end);
    facts.push(tenureFact(tenure(`10.0.9.${next(8)}`)), placementFact(madePlacement(placed, start, end)));
    if (next(4) === 0) facts.push(tenureFact(tenure(`fd00::${next(8)}`)));
  }
  return facts;
}
