// Recorders that watch more or less than the one before them: what nobody watched in between is not known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import type { Scope } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import { who } from '../query/who.ts';
import { aPod } from '../testing/observed-pod.ts';
import { at, CLUSTER, ip } from '../testing/test-ledger.ts';
import type { Observation, Observed } from './observation.ts';
import { Observer } from './observer.ts';

const web = aPod('web-1').withIp('10.0.0.7').createdAt(at(10)).readyAt(at(12));
const teller = aPod('teller').inNamespace('bank').withIp('10.0.0.8').createdAt(at(10)).readyAt(at(12));

const pod = (builder: typeof web, version: number): Observed => ({
  kind: 'Pod',
  object: builder.atVersion(version).build(),
});

test('a pod that went while only another namespace was watched may have gone as soon as that began', async () => {
  const engine = new MemoryEngine();
  const record = async (scope: Scope, ...observations: Observation[]): Promise<void> => {
    const writer = await engine.takeOver(CLUSTER);
    const { state, checkpoint } = await engine.resume(CLUSTER.id);
    const observer = new Observer({ collector: 'test', scope, resume: state, checkpoint });
    for (const observation of observations) {
      const facts = observer.observe(observation);
      // As the recorder of some namespaces, which goes on from nowhere.
      const position = { epoch: 1, resourceVersion: '30', at: observation.at };
      await writer.append({ facts, checkpoint: scope.kind === 'cluster' ? position : undefined });
    }
  };
  const listing = { kind: 'listed', resource: 'Pod', reason: 'start', whole: true, goneUids: [] } as const;
  await record(
    { kind: 'cluster' },
    { ...listing, resourceVersion: '30', present: [pod(web, 20), pod(teller, 21)], at: at(20) },
    { kind: 'probed', resourceVersion: '30', at: at(100) },
    { kind: 'alive', at: at(100) },
  );
  const shop: Scope = { kind: 'namespaces', namespaces: ['shop'] };
  await record(
    shop,
    { ...listing, namespace: 'shop', resourceVersion: '40', present: [pod(web, 20)], at: at(110) },
    { kind: 'probed', resourceVersion: '40', at: at(500) },
    { kind: 'alive', at: at(500) },
  );
  // The first word of the catch-up is of the namespace that was watched.
  await record(
    { kind: 'cluster' },
    { kind: 'event', type: 'present', seen: pod(web.annotated({ a: 'b' }), 50), at: at(510) },
    { kind: 'event', type: 'deleted', seen: pod(teller, 51), at: at(510) },
  );
  const says = async (address: string, second: number) =>
    (
      await withSnapshot(engine, CLUSTER.id, (snapshot) =>
        who(snapshot, { ip: ip(address), at: epochMillis(at(second)) }),
      )
    ).answer;
  assert.equal(await says('10.0.0.7', 300), 'held');
  assert.equal(await says('10.0.0.8', 300), 'ambiguous');
});

test('a pod that is found without its sandbox after such a time may have had others since it was last seen', async () => {
  const engine = new MemoryEngine();
  const observer = new Observer({ collector: 'test', scope: { kind: 'cluster' } });
  const writer = await engine.takeOver(CLUSTER);
  const listing = { kind: 'listed', resource: 'Pod', reason: 'start', whole: true, goneUids: [] } as const;
  const first = observer.observe({ ...listing, resourceVersion: '30', present: [pod(teller, 21)], at: at(20) });
  await writer.append({ facts: first });
  const { state } = await engine.resume(CLUSTER.id);
  const elsewhere = { ...state, coverage: { ...state.coverage!, scope: { kind: 'namespaces', namespaces: ['shop'] } } };
  const next = new Observer({ collector: 'test', scope: { kind: 'cluster' }, resume: elsewhere as typeof state });
  const lost = teller.lostAt(at(500)).finishedAt(at(500));
  const facts = next.observe({ ...listing, resourceVersion: '60', present: [pod(lost, 55)], at: at(510) });
  await writer.append({ facts });
  const answer = await withSnapshot(engine, CLUSTER.id, (snapshot) =>
    who(snapshot, { ip: ip('10.0.0.8'), at: epochMillis(at(300)) }),
  );
  assert.equal(answer.answer, 'ambiguous');
});
