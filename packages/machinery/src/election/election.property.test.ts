// Three candidates, one Lease, random failures, lost and late answers, stopped processes: never two leaders at once,
// and once the faults end there is one again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Clock, sleep, type Timer } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import { seededRandom } from '../random.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { MemoryResourceClient, refusal } from '../testing/memory-resource-client.ts';
import { LeaderElector } from './leader-elector.ts';
import type { Lease } from './lease.ts';
import { LeaseLock } from './lease-lock.ts';

const seed = Number(process.env['PODTRAIL_SEED'] ?? 20260102);
console.log(`election properties: seed ${seed}`);

/** The clock of one process: while that is stopped, time goes on but none of its timers fires. */
class ProcessClock implements Clock {
  readonly #shared: ManualClock;
  #stopped = false;
  #overdue: (() => void)[] = [];
  constructor(shared: ManualClock) {
    this.#shared = shared;
  }
  now = () => this.#shared.now();
  monotonic = () => this.#shared.monotonic();
  setTimer(ms: number, fire: () => void): Timer {
    let cancelled = false;
    const timer = this.#shared.setTimer(ms, () => {
      if (this.#stopped) this.#overdue.push(() => cancelled || fire());
      else fire();
    });
    const cancel = () => {
      cancelled = true;
      timer.cancel();
    };
    return { cancel };
  }
  stop(): void {
    this.#stopped = true;
  }
  continue(): void {
    this.#stopped = false;
    for (const fire of this.#overdue.splice(0)) fire();
  }
}

const verb = fc.constantFrom('get' as const, 'create' as const, 'update' as const);
const who = fc.integer({ min: 0, max: 2 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4000 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('fail' as const), verb, times: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('conflict' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lose' as const), verb }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('late' as const), verb, ms: fc.integer({ min: 1, max: 20_000 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('stop' as const), who }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('continue' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), who }) },
);

test('whatever fails, at most one candidate leads at a time, and one does again once nothing fails', async () => {
  let elections = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80, size: 'max' }), async (steps) => {
      const clock = new ManualClock();
      const client = new MemoryResourceClient<Lease>();
      const clocks = [0, 1, 2].map(() => new ProcessClock(clock));
      const electors: LeaderElector[] = [];
      const cancels: AbortController[] = [];
      let faulty = true;
      let ended = false;
      const leaders = () => electors.filter((e) => e.isLeader()).map((e) => e.identity);
      const atMostOne = () => assert.ok(leaders().length <= 1, `two leaders: ${leaders()}`);
      const live = async (at: number) => {
        for (let life = 0; !ended; life++) {
          const lock = new LeaseLock({ client, namespace: 'ns', name: 'lock', identity: `${at}-${life}` });
          const elector = new LeaderElector({ lock, clock: clocks[at]!, random: seededRandom(at + 10 * life) });
          electors[at] = elector;
          cancels[at] = new AbortController();
          await elector.run(cancels[at].signal, {
            onStartedLeading: () => {
              elections++;
              atMostOne();
            },
          });
        }
      };
      const lives = [0, 1, 2].map(live);
      for (const s of steps) {
        if (s.kind === 'pass') await clock.advance(s.ms);
        else if (s.kind === 'fail') client.failNext(s.verb, new ConnectionError('reset', 'reset'), s.times);
        else if (s.kind === 'conflict') client.failNext('update', refusal(409, 'Conflict', 'modified'));
        else if (s.kind === 'lose') client.loseReplyOfNext(s.verb);
        else if (s.kind === 'late') client.interceptNext(s.verb, () => (faulty ? sleep(clock, s.ms) : undefined));
        else if (s.kind === 'stop') clocks[s.who]!.stop();
        else if (s.kind === 'continue') clocks[s.who]!.continue();
        else cancels[s.who]!.abort();
        atMostOne();
      }
      faulty = false;
      for (const c of clocks) c.continue();
      for (let waited = 0; leaders().length === 0; waited += 1000) {
        assert.ok(waited < 600_000, 'nobody leads ten minutes after the last fault');
        await clock.advance(1000);
        atMostOne();
      }
      ended = true;
      for (const c of cancels) c.abort();
      await clock.advance(60_000);
      await Promise.all(lives);
    }),
    { seed, numRuns: 150 },
  );
  assert.ok(elections > 200, `only ${elections} elections were won`);
});
