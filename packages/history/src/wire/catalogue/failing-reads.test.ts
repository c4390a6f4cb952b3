// Reads of a question that fail, at any place: the question fails, and no promise is left that nobody waits for, which
// would end the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import type { Snapshot } from '../../engines/snapshot.ts';
import { epochMillis } from '../../model/time.ts';
import { record } from '../../testing/recorded-run.ts';
import { simulateCluster } from '../../testing/simulated-cluster.ts';
import { simulateWatch } from '../../testing/simulated-watch.ts';
import { ALL_VISIBLE } from '../narrowed.ts';
import { askQuestion } from './ask.ts';
import { QUESTIONS, type QuestionName } from './questions.ts';

const CLUSTER = simulateCluster({ seed: 7, pods: 12, seconds: 300 });
const NOW = epochMillis(CLUSTER.to);
const iso = (at: number) => new Date(at).toISOString();
const SPAN = { since: iso(CLUSTER.from), until: iso(CLUSTER.to) };
const AT = { at: iso(CLUSTER.to - 60_000) };

async function aLedger() {
  const engine = new MemoryEngine();
  const { lives } = simulateWatch(CLUSTER, { seed: 3, faults: [], probeMs: 1000, repeatEvery: 0 });
  await record(engine, 'c', lives, { gather: 100_000, causes: true, alsoFollows: ['Node', 'Service'] });
  const chunk = await (await engine.snapshot('c')).records(undefined);
  const pods = chunk.facts.flatMap((fact) => (fact.kind === 'placement' ? [fact.placement.pod] : []));
  assert.ok(pods[0]);
  return { engine, pod: pods[0] };
}

/** Every read from the given one on fails, each in its own time. */
function failingFrom(snapshot: Snapshot, first: number): { readonly snapshot: Snapshot; readonly reads: () => number } {
  let reads = 0;
  const failing = new Proxy(snapshot, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || name === 'close')
        return typeof value === 'function' ? value.bind(target) : value;
      return async (...asked: unknown[]) => {
        const n = reads++;
        if (n < first) return await Reflect.apply(value, target, asked);
        for (let i = 0; i < n % 3; i++) await turn();
        throw new Error('the disk is gone');
      };
    },
  });
  return { snapshot: failing, reads: () => reads };
}

for (const name of Object.keys(QUESTIONS) as QuestionName[]) {
  test(`a read that fails in the middle of ${name} fails it once`, async () => {
    const { engine, pod } = await aLedger();
    const subject = { subject: pod.name, namespace: pod.namespace };
    const asked: { readonly [Name in QuestionName]: Readonly<Record<string, unknown>> } = {
      ...{ who: { ip: CLUSTER.addresses[0], ...AT }, trail: { ...subject, ...SPAN }, moves: SPAN },
      ...{ node: { node: pod.node, ...SPAN }, explain: { ...subject, ...AT }, changes: { ...subject, ...SPAN } },
      ...{ gaps: SPAN, anomalies: SPAN, find: { text: pod.name }, timeline: { by: 'node', ...SPAN } },
      nodes: AT,
    };
    for (let first = 0; ; first++) {
      let reads = () => 0;
      const reader = {
        clusters: () => engine.clusters(),
        snapshot: async (id: string) => {
          const failing = failingFrom(await engine.snapshot(id), first);
          ({ reads } = failing);
          return failing.snapshot;
        },
      };
      const ask = askQuestion(reader, { visibility: ALL_VISIBLE, now: NOW }, name, asked[name]);
      const failed = await ask.then(
        () => false,
        (error: Error) => error.message,
      );
      for (let i = 0; i < 5; i++) await turn();
      if (failed === false && reads() <= first) break;
      assert.match(String(failed), /the disk is gone/);
    }
  });
}
