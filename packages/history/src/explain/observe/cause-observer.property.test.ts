// The traces of causes are a function of what was observed: wherever a recorder is restarted, whatever is repeated. And
// the ledger is the same with them and without.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { isOccurrence } from '../../engines/occurrences/registry.ts';
import { allRecords } from '../../engines/with-snapshot.ts';
import type { StoredFact } from '../../model/fact.ts';
import type { Observation, Observed, ObservedNode, ObservedPod } from '../../observe/observation.ts';
import { Observer } from '../../observe/observer.ts';
import { logOf, plans } from '../../testing/properties/plans.ts';
import { record } from '../../testing/recorded-run.ts';
import { CauseObserver } from './cause-observer.ts';
import { digestOf } from './digest.ts';

const SEED = Number(process.env['PODTRAIL_SEED'] ?? 20_261_116);
const RUNS = 300;
const OF_CAUSES: readonly StoredFact['kind'][] = ['life', 'departure', 'evidence'];

test('the same log, cut by restarts anywhere and with repetitions, gives the same records', async (t) => {
  const seen = { lives: 0, departures: 0, disruptions: 0, evidence: 0, restarts: 0 };
  await fc.assert(
    fc.asyncProperty(
      plans(['stall', 'reconnect', 'expire', 'rewind']),
      fc.array(fc.nat(), { maxLength: 4 }),
      fc.nat(),
      async (plan, cuts, twice) => {
        const log = logOf(plan).flatMap(enriched);
        const whole = await tracesOf([log]);
        const again = log[twice % log.length] as Observation;
        const isRewound = log.some((one) => one.kind === 'listed' && one.reason === 'rewound');
        if (!isRewound) assert.deepEqual(await tracesOf([[...log, again]]), whole, 'a repetition');
        const pieces = cutAt(log, cuts);
        const restarted = await tracesOf(pieces);
        // One that is restarted between the rewinds of two streams counts lives of etcd in its own way: ids have them.
        assert.deepEqual({ ...restarted, ...(isRewound ? { evidence: whole.evidence } : {}) }, whole, 'restarts');
        seen.lives += whole.lives.length;
        seen.departures += whole.departures.length;
        seen.evidence += whole.evidence.length;
        seen.disruptions += whole.lives.filter((life) => life.includes('"disruption":{')).length;
        seen.restarts += pieces.length - 1;
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
  t.diagnostic(`seed ${SEED}, ${RUNS} runs: ${JSON.stringify(seen)}; PODTRAIL_SEED repeats it`);
  for (const [what, count] of Object.entries(seen)) assert.ok(count > RUNS / 3, `only ${count} ${what}`);
});

test('the facts of the ledger are the same with causes and without, whatever happens to the watch', async () => {
  await fc.assert(
    fc.asyncProperty(plans(), async (plan) => {
      const log = logOf(plan).flatMap(enriched);
      const [plain, withCauses] = [observed(log, false), observed(log, true)];
      assert.deepEqual(
        withCauses.filter(({ kind }) => !OF_CAUSES.includes(kind)),
        plain,
      );
      assert.ok(withCauses.length > plain.length);
    }),
    { numRuns: RUNS, seed: SEED },
  );
});

test('nothing that an object says makes it throw, and no time that it gives lies in the future', () => {
  const time = fc.oneof(fc.constant(undefined), fc.constantFrom(0, -1, Number.NaN, 8.64e15, 9e99, 1e12), fc.nat());
  const word = fc.oneof(
    fc.constantFrom('', 'True', 'False', 'Ready', 'DisruptionTarget', 'Failed', 'Running'),
    fc.string(),
  );
  const conditions = fc.array(
    fc.record({
      type: word,
      status: word,
      lastTransitionTime: time,
      lastHeartbeatTime: time,
      reason: word,
      message: word,
    }),
    { maxLength: 4 },
  );
  const terminations = fc.array(
    fc.record({
      current: fc.boolean(),
      finishedAt: time,
      container: word,
      exitCode: fc.integer(),
      restartCount: fc.integer(),
    }),
    { maxLength: 12 },
  );
  const metadata = fc.record({
    ...{ name: word, namespace: word, uid: fc.constantFrom('', 'a', 'b'), resourceVersion: fc.nat().map(String) },
    ...{ creationTimestamp: time, deletionTimestamp: time, deletionGracePeriodSeconds: time },
    ...{ labels: fc.constant(new Map()), annotations: fc.constant(new Map()), ownerReferences: fc.constant([]) },
  });
  const pod = fc.record({
    metadata,
    spec: fc.record({ nodeName: word, hostNetwork: fc.boolean() }),
    status: fc.record({
      ...{
        phase: word,
        podIP: fc.constant(''),
        podIPs: fc.constant([]),
        startTime: time,
        message: fc.string({ maxLength: 2000 }),
      },
      ...{ conditions, terminations },
    }),
  });
  const taints = fc.array(fc.record({ key: word, value: word, effect: word, timeAdded: time }), { maxLength: 3 });
  const node = fc.record({
    metadata,
    spec: fc.record({ podCIDRs: fc.constant([]), unschedulable: fc.boolean(), taints }),
    status: fc.record({ addresses: fc.constant([]), conditions }),
  });
  const someone = fc.oneof(
    pod.map((object): Observed => ({ kind: 'Pod', object: object as unknown as ObservedPod })),
    node.map((object): Observed => ({ kind: 'Node', object: object as unknown as ObservedNode })),
  );
  const now = Date.UTC(2026, 10, 16);
  const type = fc.constantFrom('present' as const, 'deleted' as const);
  fc.assert(
    fc.property(fc.array(fc.tuple(type, someone, fc.boolean()), { maxLength: 12 }), (events) => {
      const ledger = new Observer({ collector: 'test', scope: { kind: 'cluster' }, alsoFollows: ['Node'] });
      const causes = new CauseObserver({ collector: 'test', ledger });
      for (const [index, [how, seen, isCorrected]] of events.entries()) {
        const at = (now + index * 1000) as Observation['at'];
        const kind = isCorrected ? 'corrected' : 'event';
        const facts = causes.observe({ kind, type: how, seen, at });
        for (const time of facts.flatMap(timesOf)) assert.ok(time >= 0 && time <= at + 2000, JSON.stringify(facts));
        for (const fact of facts) assert.ok(JSON.stringify(fact).length < 8000);
        try {
          ledger.observe({ kind, type: how, seen, at });
        } catch {
          // What the ledger makes of such objects is not asked here.
        }
      }
    }),
    { numRuns: 2000, seed: SEED },
  );
});

/** Where the records are placed, and what a life says. */
function timesOf(fact: StoredFact): number[] {
  if (fact.kind === 'departure') return [fact.departure.at];
  if (fact.kind === 'evidence') return [fact.evidence.at];
  if (fact.kind !== 'life') return [];
  const { created, scheduled, ready, networkUp, terminal, deletion, endings } = fact.life;
  const known = [
    created,
    scheduled,
    ready,
    networkUp,
    terminal?.at,
    deletion?.requested,
    ...endings.map(({ at }) => at),
  ];
  return known.filter((time) => time !== undefined);
}

/** Simulated pods are only deleted or done: some of them by an eviction, whose reason is overwritten at the end. */
function enriched(observation: Observation): Observation[] {
  switch (observation.kind) {
    case 'event':
    case 'corrected': {
      const { seen, at } = observation;
      const event = { ...observation, seen: disrupted(seen) };
      return seen.kind === 'Pod' && chance(seen.object.metadata.uid, 4) ? [event, eventOf(seen.object, at)] : [event];
    }
    case 'listed':
      return [{ ...observation, present: observation.present.map(disrupted) }];
    default:
      return [observation];
  }
}

function disrupted(seen: Observed): Observed {
  if (seen.kind === 'Node') {
    const unschedulable = chance(seen.object.metadata.resourceVersion, 2);
    return { kind: 'Node', object: { ...seen.object, spec: { podCIDRs: [], ...seen.object.spec, unschedulable } } };
  }
  if (seen.kind !== 'Pod') return seen;
  const { metadata, status } = seen.object;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, uid } = metadata;
  const isOver = status.phase === 'Failed' || status.phase === 'Succeeded';
  // Some are marked while they live, by one and then by another, or are not ended after all.
  const isMarked = deletionTimestamp === undefined && !isOver && chance(`marked ${metadata.resourceVersion}`, 2);
  if (!chance(uid, 2) || (deletionTimestamp === undefined && !isMarked)) return seen;
  const early = chance(`early ${metadata.resourceVersion}`, 2) ? 'PreemptionByScheduler' : 'DeletionByTaintManager';
  const ended = isOver ? 'DeletionByPodGC' : 'EvictionByEvictionAPI';
  const condition = {
    ...{ type: 'DisruptionTarget', status: 'True', reason: isMarked ? early : ended },
    lastTransitionTime: deletionTimestamp && deletionTimestamp - deletionGracePeriodSeconds * 1000,
  };
  const conditions = [...status.conditions, condition];
  return { kind: 'Pod', object: { ...seen.object, status: { ...status, conditions } } };
}

function eventOf({ metadata }: ObservedPod, at: Observation['at']): Observation {
  const { uid, name, namespace, resourceVersion } = metadata;
  const words = { reason: 'Killing', message: 'Stopping container main', by: 'kubelet' };
  const about = { kind: 'Pod', namespace, name, uid };
  const when = (metadata.creationTimestamp ?? 0) as Observation['at'];
  const known = { source: 'watch', resourceVersion, count: 1 } as const;
  return { kind: 'evidence', evidence: { id: `event-${uid}`, about, what: 'event', at: when, ...words, ...known }, at };
}

function chance(text: string, oneIn: number): boolean {
  return digestOf(text) % oneIn === 0;
}

function cutAt(log: readonly Observation[], cuts: readonly number[]): Observation[][] {
  const places = [...new Set(cuts.map((cut) => 1 + (cut % log.length)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => log.slice(from, places[index])).filter((piece) => piece.length > 0);
}

interface Traces {
  /** Each as one text, without its provenance: after a restart a record may be written once more, with the same words. */
  readonly lives: readonly string[];
  /** Of those that nobody saw, when nobody watched is known to each recorder in its own way. */
  readonly departures: readonly string[];
  readonly evidence: readonly string[];
}

async function tracesOf(pieces: readonly (readonly Observation[])[]): Promise<Traces> {
  const engine = new MemoryEngine();
  const lives = pieces.map((piece) => ({ appends: piece.map((observation) => [observation]), lost: 0 }));
  await record(engine, 'cluster', lives, { gather: 100_000, causes: true });
  const facts = await Array.fromAsync(allRecords(engine, 'cluster'));
  const texts = (kind: StoredFact['kind'], text: (fact: never) => unknown): string[] =>
    facts.flatMap((fact) => (fact.kind === kind ? [JSON.stringify(text(fact as never), withoutSeen)] : [])).sort();
  return {
    lives: texts('life', ({ life }: Extract<StoredFact, { kind: 'life' }>) => withoutProvenance(life)),
    departures: texts('departure', ({ departure }: Extract<StoredFact, { kind: 'departure' }>) => {
      const { pod, source, at } = departure;
      return [pod.uid, source === 'inferred' ? source : at];
    }),
    evidence: texts('evidence', ({ evidence }: Extract<StoredFact, { kind: 'evidence' }>) =>
      withoutProvenance(evidence),
    ),
  };
}

/** When a reason was seen, and in which version, is provenance, too. */
function withoutSeen(key: string, value: unknown): unknown {
  return key === 'seenAt' || key === 'seenIn' ? undefined : value;
}

function withoutProvenance(record: object): object {
  const {
    source: _s,
    epoch: _e,
    resourceVersion: _r,
    observedAt: _o,
    collector: _c,
    ...rest
  } = record as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function observed(log: readonly Observation[], withCauses: boolean): StoredFact[] {
  const ledger = new Observer({ collector: 'test', scope: { kind: 'cluster' }, alsoFollows: ['Node', 'Service'] });
  const causes = withCauses ? new CauseObserver({ collector: 'test', ledger }) : undefined;
  return log.flatMap((observation) => {
    const traces = causes?.observe(observation) ?? [];
    assert.ok(traces.every((fact) => isOccurrence(fact) && OF_CAUSES.includes(fact.kind)));
    return [...traces, ...ledger.observe(observation)];
  });
}
