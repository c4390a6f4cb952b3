// All reads of a snapshot see one state, and so does every question: what is committed between any two of its reads
// changes nothing of its answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryError } from '../../../errors.ts';
import { possibleFact, type StoredFact } from '../../../model/fact.ts';
import { anomalySummary } from '../../../query/anomaly-summary.ts';
import { AnswerWindows } from '../../../query/answer-windows.ts';
import { withDoubts } from '../../../query/doubts.ts';
import { ALL_VISIBLE } from '../../../query/visibility.ts';
import { who } from '../../../query/who.ts';
import { whoDuring } from '../../../query/who-during.ts';
import { snapshotWith } from '../../../testing/reader-with.ts';
import { askChanges } from '../../../wire/changes.ts';
import { askGaps } from '../../../wire/gaps.ts';
import { askNode } from '../../../wire/node-pods.ts';
import { askTrail } from '../../../wire/trail.ts';
import { askWho } from '../../../wire/who.ts';
import type { Snapshot } from '../../snapshot.ts';
import { allRecords, withSnapshot } from '../../with-snapshot.ts';
import {
  aBoundary,
  aChange,
  aConflict,
  aCoverage,
  aHolder,
  aLiveHolder,
  anAnomaly,
  anomalyFact,
  aPlacement,
  aPossibleTenure,
  aTenure,
  at,
  changeFact,
  conflictFact,
  coverageFact,
  ipOf,
  liveFact,
  placementFact,
  tenureFact,
} from '../record-builders.ts';
import { ALL, ALWAYS, type ContractStage, PROD } from './contract-stage.ts';

const SPAN = { from: at(0), to: at(400) };
const LISTED = { span: { ...SPAN, hasSince: true, hasUntil: true }, paging: { limit: 0 }, now: at(400) };
const OURS = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' } as const;
const READS: readonly (keyof Snapshot)[] = [
  ...(['tenuresAt', 'tenuresAtMany', 'tenuresOfIp', 'tenuresOfIps', 'tenuresOf', 'placementsOf'] as const),
  ...(['placementsOn', 'hostNetworkPodsOn', 'staysWithin', 'possibleTenures', 'occurrences'] as const),
  ...(['coverage', 'expired', 'liveStates', 'records'] as const),
];

/** A pod that lives, a node whose address it shares with an agent, and one pod that has not shown its address. */
const BEFORE: readonly StoredFact[] = [
  tenureFact(aTenure('10.0.0.7', 'web-1', 10)),
  placementFact(aPlacement('web-1', 5)),
  tenureFact(aTenure('192.168.0.1', aHolder('node-a', { kind: 'Node', workload: undefined }), 1)),
  placementFact(aPlacement(aHolder('agent', { hostNetwork: true }), 5)),
  tenureFact(aTenure('10.0.0.8', 'web-0', 1, aBoundary(20, { notBefore: at(15) }))),
  possibleFact(aPossibleTenure('web-3', 30, 40, ['10.0.0.9/32'])),
  changeFact(aChange('web-1', 30)),
  anomalyFact(anAnomaly('uid-a', 31)),
  liveFact('uid-web-1', aLiveHolder('web-1', 10)),
  coverageFact(aCoverage(0, 60)),
];

/** They end at 65, others come, and the watch is known to have gone on. */
const COMMITTED: readonly StoredFact[] = [
  tenureFact(aTenure('10.0.0.7', 'web-1', 10, 65)),
  placementFact(aPlacement('web-1', 5, 65)),
  tenureFact(aTenure('10.0.0.7', 'web-2', 50)),
  placementFact(aPlacement('web-2', 45)),
  placementFact(aPlacement(aHolder('agent', { hostNetwork: true }), 5, 65)),
  placementFact(aPlacement(aHolder('late-agent', { hostNetwork: true }), 6)),
  tenureFact(aTenure('10.0.0.8', 'web-4', 17)),
  possibleFact(aPossibleTenure('web-5', 30, 40, ['10.0.0.9/32'])),
  conflictFact(aConflict('10.0.0.7', 'web-1', 'web-2', 50)),
  changeFact(aChange('web-1', 64)),
  anomalyFact(anAnomaly('uid-b', 64)),
  liveFact('uid-web-1', undefined),
  liveFact('uid-web-2', aLiveHolder('web-2', 50)),
  coverageFact(aCoverage(0, 300)),
];

const QUESTIONS: Readonly<Record<string, (snapshot: Snapshot) => Promise<unknown>>> = {
  who: (snapshot) => who(snapshot, { ip: ipOf('10.0.0.7'), at: at(150) }),
  'who, of an address in doubt': async (snapshot) =>
    withDoubts(snapshot, await who(snapshot, { ip: ipOf('10.0.0.8'), at: at(17) })),
  "who, of a node's address": (snapshot) => who(snapshot, { ip: ipOf('192.168.0.1'), at: at(50) }),
  'who, of a free address': (snapshot) => who(snapshot, { ip: ipOf('10.0.0.8'), at: at(35) }),
  'who, of an address outside': (snapshot) => who(snapshot, { ip: ipOf('8.8.8.8'), at: at(35) }),
  'who, of an address that was not shown': (snapshot) => who(snapshot, { ip: ipOf('10.0.0.9'), at: at(35) }),
  whoDuring: (snapshot) => whoDuring(snapshot, { ip: ipOf('10.0.0.7'), from: at(20), to: at(200) }),
  "whoDuring, of a node's address": (snapshot) =>
    whoDuring(snapshot, { ip: ipOf('192.168.0.1'), from: at(20), to: at(200) }),
  'the document of who': (snapshot) => askWho(snapshot, ALL_VISIBLE, PROD, { ip: ipOf('10.0.0.7'), at: at(150) }),
  'trail of a workload': (snapshot) => askTrail(snapshot, ALL_VISIBLE, PROD, { asked: OURS, ...LISTED }),
  'trail of an address': (snapshot) =>
    askTrail(snapshot, ALL_VISIBLE, PROD, { asked: { by: 'ip', ip: ipOf('10.0.0.7') }, ...LISTED }),
  changes: (snapshot) => askChanges(snapshot, ALL_VISIBLE, PROD, { asked: OURS, key: undefined, ...LISTED }),
  // Without a snapshot this said that the pod was certainly there at 150: it had been read before its end was stored,
  // and the coverage after.
  node: (snapshot) =>
    askNode(snapshot, ALL_VISIBLE, PROD, {
      ...{ node: 'node-a', during: { at: at(150) }, namespace: undefined, paging: { limit: 0 }, now: at(150) },
    }),
  gaps: (snapshot) => askGaps(snapshot, ALL_VISIBLE, PROD, LISTED),
  anomalySummary: (snapshot) => anomalySummary(snapshot, SPAN),
  attribute: (snapshot) => attributed(snapshot),
  export: (snapshot) => Array.fromAsync(allRecords({ snapshot: async () => snapshot }, PROD.id)),
};

export function snapshots(stage: ContractStage): void {
  for (const [name, question] of Object.entries(QUESTIONS)) {
    test(`a commit between any two reads of a question changes nothing: ${name}`, async () => {
      await stage.append(...BEFORE);
      const reader = await stage.openReader();
      let reads = 0;
      const counted = await asked(reader, question, () => void reads++);
      assert.deepEqual(await asked(reader, question), counted);
      assert.ok(reads > 0);
      const calm = new Set<string>([JSON.stringify(counted)]);
      // Once before each of its reads but the first, and pruned before the last.
      for (let commitBefore = 2; commitBefore <= reads; commitBefore++) {
        let read = 0;
        const answer = await asked(reader, question, async () => {
          if (++read !== commitBefore) return;
          await stage.writer.append({ facts: COMMITTED });
          if (commitBefore < reads) return;
          await stage.settle();
          await stage.engine.prune(PROD.id, at(100));
        });
        assert.ok(calm.has(JSON.stringify(answer)), `committed before read ${commitBefore} of ${reads}: ${name}`);
        // The next one begins with what was committed.
        calm.clear();
        calm.add(JSON.stringify(await asked(reader, question)));
      }
      if (reader !== stage.engine) await reader.close();
    });
  }

  test('a snapshot shows what was appended before it, and nothing of what came later, whatever that is', async () => {
    await stage.append(...BEFORE);
    const first = await stage.engine.snapshot(PROD.id);
    await stage.append(...COMMITTED);
    const second = await stage.engine.snapshot(PROD.id);
    await stage.engine.prune(PROD.id, at(100));
    await stage.engine.pruneKind(PROD.id, 'change', at(100));
    await stage.settle();
    // Where records lie in files, pruning may have removed one that was not read yet: then the snapshot is refused.
    const seen = (snapshot: Snapshot) =>
      look(snapshot).catch((error: HistoryError) => {
        if (error.code !== 'snapshot-too-old') throw error;
        return 'too old';
      });
    const look = async (snapshot: Snapshot) => [
      (await snapshot.coverage()).map(({ to }) => to),
      (await snapshot.tenuresAt(ipOf('10.0.0.7'), at(55))).map(({ holder }) => holder.name),
      (await snapshot.placementsOn('node-a', SPAN, ALL)).items.length,
      (await snapshot.occurrences({ kind: 'change', subject: OURS, span: ALWAYS, page: ALL })).items.length,
      (await snapshot.liveStates()).map(({ uid }) => uid),
      [...(await snapshot.expired()), ...(await snapshot.expired('change'))].length,
      (await snapshot.records(undefined)).facts.length > 0,
    ];
    const answers = [await seen(first), await seen(second)];
    const expected = [
      [[at(60)], ['web-1'], 2, 1, ['uid-web-1'], 0, true],
      [[at(300)], ['web-1', 'web-2'], 4, 2, ['uid-web-2'], 0, true],
    ];
    for (const [i, answer] of answers.entries()) if (answer !== 'too old') assert.deepEqual(answer, expected[i]);
    const third = await stage.engine.snapshot(PROD.id);
    assert.deepEqual(await seen(third), [[at(300)], ['web-2'], 2, 0, ['uid-web-2'], 2, true]);
    for (const snapshot of [first, second, third]) await snapshot.close();
  });

  test('a closed snapshot refuses its reads, closing it twice changes nothing, and the next one is not disturbed', async () => {
    await stage.append(...BEFORE);
    const snapshot = await stage.engine.snapshot(PROD.id);
    assert.equal((await snapshot.coverage()).length, 1);
    await snapshot.close();
    await snapshot.close();
    await assert.rejects(snapshot.coverage(), { code: 'snapshot-closed' });
    assert.equal(await withSnapshot(stage.engine, PROD.id, async (next) => (await next.coverage()).length), 1);
  });

  test('many snapshots may be open at once: each is answered as soon as there is room for it', async () => {
    await stage.append(...BEFORE);
    const ask = () => withSnapshot(stage.engine, PROD.id, async (snapshot) => (await snapshot.coverage()).length);
    const answers = await Promise.all(Array.from({ length: 40 }, ask));
    assert.deepEqual(new Set(answers), new Set([1]));
  });

  test('a question of a cluster that is not there is refused, and the snapshot is given back', async () => {
    for (let n = 0; n < 20; n++) {
      const asking = withSnapshot(stage.engine, 'nowhere', (snapshot) => snapshot.coverage());
      await assert.rejects(asking, { code: 'unknown-cluster' });
    }
  });
}

/** `before` each read; what it does may take its time. */
function asked(
  reader: Pick<ContractStage['engine'], 'snapshot'>,
  question: (snapshot: Snapshot) => Promise<unknown>,
  before: () => void | Promise<void> = () => undefined,
): Promise<unknown> {
  return withSnapshot(reader, PROD.id, (snapshot) => {
    // Another process's commit comes before the first read of this one, or after its answer.
    const first = Promise.withResolvers<void>();
    let isFirst = true;
    const reads = READS.map((name) => {
      const read = snapshot[name] as (...parameters: unknown[]) => Promise<unknown>;
      return [
        name,
        async (...parameters: unknown[]) => {
          const isAlone = isFirst;
          isFirst = false;
          if (!isAlone) await first.promise;
          await before();
          const found = read.apply(snapshot, parameters);
          if (isAlone) found.finally(() => first.resolve()).catch(() => undefined);
          return await found;
        },
      ];
    });
    return question(snapshotWith(snapshot, () => Object.fromEntries(reads) as Partial<Snapshot>));
  });
}

async function attributed(snapshot: Snapshot): Promise<unknown> {
  const shared = snapshotWith(snapshot, () => ({ close: async () => undefined }));
  const format = (...answer: unknown[]): string => JSON.stringify(answer);
  const options = { cluster: PROD.id, format, aboutFree: true };
  const windows = new AnswerWindows({ snapshot: async () => shared }, options);
  const moments = ['10.0.0.7', '10.0.0.8', '192.168.0.1'].flatMap((ip) =>
    [35, 55, 150].map((second) => ({ ip: ipOf(ip), at: at(second) })),
  );
  for (const moment of moments) windows.want(windows.of(moment.ip), moment.at);
  await windows.read();
  return await windows.askEach(moments);
}
