// What the property tests of the ledger share: many small made-up runs in few stores, one store after the other, so that
// runs do not slow each other down. The seed is printed, and PODTRAIL_SEED repeats a run.
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../../engines/engine.ts';
import type { Observation } from '../../observe/observation.ts';
import { record } from '../recorded-run.ts';
import { type SimulatedCluster, simulateCluster } from '../simulated-cluster.ts';
import { type SimulatedWatch, simulateWatch } from '../simulated-watch.ts';
import type { Plan } from './plans.ts';

const SEED = Number(process.env['PODTRAIL_SEED'] ?? 20_261_115);
const RUNS = 1000;
/** Whoever only wants to know whether something fails need not wait for the smallest case. */
const SHRINKS = process.env['PODTRAIL_SHRINK'] !== 'never';
const RUNS_IN_ONE_STORE = 6;
/** Every so many runs are settled. */
const SETTLED = 10;
/** Enough for every life of a simulated recorder: engines with dear transactions get one for each. */
const ALL_IN_ONE = 100_000;

export interface PropertySubject {
  readonly name: string;
  open(): Promise<Engine>;
  /** In some runs, between writing and asking: the same answers must come from wherever old records are kept. */
  settle?(engine: Engine): Promise<void>;
  /** How many runs share a store, where opening one is dear. */
  readonly runsInOneStore?: number;
}

export interface Run {
  readonly id: string;
  readonly cluster: SimulatedCluster;
  readonly watch: SimulatedWatch;
}

export class PropertySuite {
  readonly #subject: PropertySubject;
  #engine: Engine | undefined;
  #runs = 0;

  constructor(subject: PropertySubject) {
    this.#subject = subject;
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new TypeError('no store is open');
    return this.#engine;
  }

  async renew(): Promise<void> {
    await this.close();
    this.#engine = await this.#subject.open();
  }

  async close(): Promise<void> {
    await this.#engine?.close();
    this.#engine = undefined;
  }

  /** A simulated recorder with all its lives, as cluster `id` of an engine. */
  async play(plan: Plan, into: Engine = this.engine): Promise<Run> {
    const cluster = simulateCluster(plan.cluster);
    const watch = simulateWatch(cluster, plan.watch);
    const id = this.nextId();
    await record(into, id, watch.lives, { gather: ALL_IN_ONE });
    if (into === this.engine) await this.settle(plan.watch.seed);
    return { id, cluster, watch };
  }

  /** A log of one recorder, in one append. */
  async store(log: readonly Observation[]): Promise<string> {
    const id = this.nextId();
    await record(this.engine, id, [{ appends: [log], lost: 0 }]);
    await this.settle(log.length);
    return id;
  }

  nextId(): string {
    return `run-${++this.#runs}`;
  }

  async settle(chance: number): Promise<void> {
    if (chance % SETTLED === 0) await this.#subject.settle?.(this.engine);
  }

  /**
   * `body` returns how many cases of each kind it saw: a property that never met its case proves nothing. `wanted` are
   * those that must come, where a single run does not know them all.
   */
  check<T>(
    title: string,
    arbitrary: fc.Arbitrary<T>,
    body: (value: T) => Promise<Cases>,
    { wanted = [], runs = RUNS }: { readonly wanted?: readonly string[]; readonly runs?: number } = {},
  ): void {
    test(title, async (t: TestContext) => {
      const cases = new Map(wanted.map((what) => [what, 0]));
      let rest = 0;
      const counting = async (value: T): Promise<void> => {
        for (const [what, count] of Object.entries(await body(value))) {
          cases.set(what, (cases.get(what) ?? 0) + count);
        }
      };
      const property = fc.asyncProperty(arbitrary, counting).beforeEach(async () => {
        if (rest-- > 0) return;
        rest = this.#subject.runsInOneStore ?? RUNS_IN_ONE_STORE;
        await this.renew();
      });
      await fc.assert(property, { numRuns: runs, seed: SEED, endOnFailure: !SHRINKS });
      const seen = Array.from(cases, ([what, count]) => `${count} ${what}`).join(', ');
      t.diagnostic(`seed ${SEED}, ${runs} runs: ${seen}; PODTRAIL_SEED repeats it`);
      for (const [what, count] of cases) assert.ok(count > runs / 100, `only ${count} ${what} in ${runs} runs`);
    });
  }
}

export type Cases = Readonly<Record<string, number>>;

/** One group of properties on one engine. */
export function propertySuite(subject: PropertySubject, define: (suite: PropertySuite) => void): void {
  describe(`the ledger on ${subject.name}`, () => {
    const suite = new PropertySuite(subject);
    before(() => suite.renew());
    after(() => suite.close());
    define(suite);
  });
}
