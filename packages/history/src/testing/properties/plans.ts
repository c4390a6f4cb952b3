// What fast-check makes up: clusters, faults of their watches, and small stories in which anything may happen.
import fc from 'fast-check';
import type { Observation } from '../../observe/observation.ts';
import { type ClusterPlan, simulateCluster } from '../simulated-cluster.ts';
import { type Fault, simulateWatch, type WatchPlan } from '../simulated-watch.ts';
import type { Happening } from '../story.ts';

export interface Plan {
  readonly cluster: ClusterPlan;
  readonly watch: WatchPlan;
}

const KINDS: readonly Fault['kind'][] = ['stall', 'reconnect', 'expire', 'crash', 'crash-expired', 'rewind'];

const clusterPlans = fc.record({ seed: fc.nat(), pods: fc.integer({ min: 1, max: 12 }), seconds: fc.constant(300) });

export function plans(kinds: readonly Fault['kind'][] = KINDS): fc.Arbitrary<Plan> {
  const fault = fc.record({
    kind: fc.constantFrom(...kinds),
    atSecond: fc.integer({ min: 4, max: 120 }),
    // Also longer than a silent watch is put up with (75 s): a recorder that was stopped reads late what waited for it.
    seconds: fc.integer({ min: 1, max: 200 }),
  });
  const watch = fc.record({
    seed: fc.nat(),
    faults: fc.array(fault, { maxLength: 3 }),
    probeMs: fc.constantFrom(0, 1000, 3000),
    repeatEvery: fc.constantFrom(0, 3),
  });
  return fc.record({ cluster: clusterPlans, watch });
}

export const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.record({
    pod: fc.integer({ min: 1, max: 3 }),
    what: fc.constantFrom<Happening['what']>('shows', 'shows', 'blanks', 'completes', 'is deleted', 'changes node'),
    address: fc.integer({ min: 1, max: 2 }),
  }),
  { maxLength: 14 },
);

/** The log of a recorder that is never killed. */
export function logOf({ cluster, watch }: Plan): Observation[] {
  const faults = watch.faults.filter(({ kind }) => kind !== 'crash' && kind !== 'crash-expired');
  const [life] = simulateWatch(simulateCluster(cluster), { ...watch, faults }).lives;
  return life?.appends.flat() ?? [];
}
