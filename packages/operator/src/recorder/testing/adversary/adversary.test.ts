// The recorder's own parts against a world that was made to catch them out. PODTRAIL_SEED=N begins with another seed,
// PODTRAIL_RUNS=N makes more of them; the first wrong answer is reported with its seed and the story around it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { Chance } from './chance.ts';
import { CLUSTER, Collector, type CollectorOptions, type Fault } from './collector.ts';
import { instantsOf, isWritten, truthOf, wrongness } from './judgement.ts';
import type { Kubelet, World } from './made-shapes.ts';
import { makeWorld } from './world.ts';

const SEED = Number(process.env['PODTRAIL_SEED'] ?? 1);
const RUNS = Number(process.env['PODTRAIL_RUNS'] ?? 60);
const SECONDS = 150;
const LIVE_QUESTIONS = 25;
/** A kubelet that tells later than this of an address, as after a long pull, leaves everybody in the dark until then. */
const LATEST_WORD_MS = 5000;

interface Play {
  readonly faults: readonly Fault[];
  readonly kubelets: readonly Kubelet[];
  /** What is asked about. */
  readonly ips: (world: World) => readonly string[];
  /** Also beside the running recorder: what is not marked provisional must be right by then. */
  readonly live: boolean;
}

/** The recorder reads them on a stream of its own; how far that is, no answer knows. */
const podIps = ({ ips }: World) => ips.filter((ip) => /^(10\.0\.|fd00:)/.test(ip));

const PLAYS: Readonly<Record<string, Play>> = {
  'streams that are late, stall, break and expire, recorders that die, comparisons at any time': {
    faults: ['stall', 'break', 'expire', 'crash', 'compare'],
    kubelets: ['early', 'joint'],
    ips: ({ ips }) => ips,
    live: false,
  },
  'recorders of some namespaces and of all, one after the other': {
    faults: ['rescope', 'rescope', 'crash', 'expire', 'break'],
    kubelets: ['early', 'joint'],
    ips: podIps,
    live: false,
  },
  'asked beside the running recorder': {
    faults: ['stall', 'break', 'expire', 'crash'],
    kubelets: ['early', 'joint'],
    ips: podIps,
    live: true,
  },
};

describe('the adversary: where the truth is certain by two seconds, no answer is wrong', () => {
  for (const [name, play] of Object.entries(PLAYS)) {
    test(name, async (t) => {
      const counts = { asked: 0, answered: 0 };
      for (let seed = SEED; seed < SEED + RUNS; seed++) await judgeRun(seed, play, counts);
      const share = ((100 * counts.answered) / counts.asked).toFixed(1);
      t.diagnostic(`seeds ${SEED} to ${SEED + RUNS - 1}: ${counts.asked} questions, ${share} % held or free`);
      assert.ok(counts.answered > counts.asked / 4, 'it dares to answer');
    });
  }
});

async function judgeRun(seed: number, play: Play, counts: { asked: number; answered: number }): Promise<void> {
  const chance = new Chance(seed * 7 + 3);
  const pods = chance.int(15, 50);
  const world = makeWorld({ seed, seconds: SECONDS, pods, harsh: false, kubelets: play.kubelets });
  const ips = play.ips(world);
  const engine = await openStore('memory:', { access: 'write' });
  const judge = async (ip: string, at: number, now?: number): Promise<void> => {
    const clock = now === undefined ? {} : { now: epochMillis(now) };
    const answer = await withSnapshot(engine, CLUSTER.id, (snapshot) =>
      who(snapshot, { ip: parseIp(ip)!, at: epochMillis(at), ...clock }),
    );
    counts.asked++;
    if (answer.answer === 'held' || answer.answer === 'free') counts.answered++;
    if (now !== undefined && answer.provisional) return;
    const wrong = wrongness(world, answer, ip);
    const hold = truthOf(world, ip, at)?.hold;
    const isLate = now !== undefined && hold !== undefined && !isWritten(world, hold, at + LATEST_WORD_MS);
    if (wrong === undefined || isLate) return;
    assert.fail(`seed ${seed}: ${wrong}${now === undefined ? '' : ', asked live'}\n${storyOf(world, collector)}`);
  };
  const look: Pick<CollectorOptions, 'look'> = {
    look: async (now) => {
      if (now > world.to) return;
      for (let i = 0; i < LIVE_QUESTIONS; i++) {
        const at = now - chance.int(0, chance.is(0.5) ? 10_000 : 60_000);
        if (at > world.from) await judge(chance.one(ips), at, now);
      }
    },
  };
  const { faults, live } = play;
  const collector: Collector = new Collector({
    ...{ world, engine, chance: new Chance(seed + 1_000_000), faults, howMany: chance.int(0, 6) },
    ...(live ? look : {}),
  });
  await collector.run();
  for (const ip of ips) for (const at of instantsOf(world, ip, chance)) await judge(ip, at);
}

function storyOf(world: World, collector: Collector): string {
  return [...world.story, ...collector.story].sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b)).join('\n');
}
