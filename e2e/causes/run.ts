// Provokes causes in a shuffled order, one half alone and one half beside others, and asks why each pod ended: once as
// soon as the recorder has stored it, and once more when everything is over. The last answer counts.
import type { Cause, Verdict } from '@podtrail/history';
import { until } from '../controlplane/index.ts';
import { Chance } from '../proof/random.ts';
import type { Provocation } from './provocation.ts';
import { CauseStage, type Judged } from './stage.ts';

export interface CauseRunOptions {
  readonly provocations: readonly Provocation[];
  readonly seed: number;
  /** Of each. */
  readonly repeat: number;
  /** At a time, of the half that overlaps. */
  readonly parallel: number;
  /** Instead of simulated ones. */
  readonly realNodes?: number | undefined;
  /** Where everything is kept that the API shows of pods, nodes and events. */
  readonly watched?: string | undefined;
  readonly log: (line: string) => void;
}

export type Result = 'right' | 'wrong' | 'unknown';

export interface Outcome {
  readonly provocation: Provocation;
  readonly overlapped: boolean;
  readonly result: Result;
  readonly uid: string;
  /** What was asked about, of a pod that goes on. */
  readonly at?: number | undefined;
  readonly said: Cause | 'nothing';
  readonly verdict: Verdict | undefined;
  /** Why it could not even be provoked, or was never stored. */
  readonly error?: string;
  readonly judged?: Judged | undefined;
  /** What was said of the same pod once the audit log had been imported; undefined where there was none. */
  readonly audited?: {
    readonly result: Result;
    readonly said: Cause | 'nothing';
    readonly verdict: Verdict | undefined;
  };
}

/** Traces may come after the end: Events, and what a controller says when all is over. */
const TRACES_WITHIN_MS = 20_000;

export async function causeRun(options: CauseRunOptions): Promise<Outcome[]> {
  const { provocations, repeat, parallel, log } = options;
  const chance = new Chance(options.seed);
  const all = shuffled(
    provocations.flatMap((provocation) =>
      Array.from({ length: Math.min(repeat, provocation.atMost ?? repeat) }, () => provocation),
    ),
    chance,
  );
  const half = Math.floor(all.length / 2);
  const overlapped = [...all.slice(half), ...all.slice(0, half).filter(({ isSlow }) => isSlow)];
  const alone = all.slice(0, half).filter(({ isSlow }) => !isSlow);
  log('starting a control plane …');
  await using stage = await CauseStage.start(options);
  const place = { stage, log };
  const pending: Pending[] = [];
  log(`${overlapped.length} provocations, ${parallel} at a time …`);
  // What waits for a controller's clock begins first, and takes no place of others.
  const slow = overlapped
    .filter(({ isSlow }) => isSlow)
    .map(async (one) => void pending.push(await provoke(place, one, true)));
  const waiting = overlapped.filter(({ isSlow }) => !isSlow);
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) pending.push(await provoke(place, next, true));
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  log(`${alone.length} provocations, one at a time …`);
  for (const provocation of alone) pending.push(await provoke(place, provocation, false));
  await Promise.all(slow);
  const outcomes: Outcome[] = [];
  for (const one of pending) outcomes.push(...(await settle(stage, one)));
  return outcomes;
}

interface Place {
  readonly stage: CauseStage;
  readonly log: (line: string) => void;
}

interface Pending {
  readonly provocation: Provocation;
  readonly overlapped: boolean;
  readonly uids: readonly string[];
  readonly at?: number | undefined;
  readonly error?: string;
}

async function provoke({ stage, log }: Place, provocation: Provocation, overlapped: boolean): Promise<Pending> {
  try {
    await using scene = await stage.scene();
    const { uids, at } = await provocation.provoke(scene);
    // The next one begins when this one is explained, or will not be.
    for (const uid of uids) {
      await explained(stage, provocation, uid, at).catch((error: Error) => log(error.message));
    }
    return { provocation, overlapped, uids, at };
  } catch (error) {
    const { message, stack } = error as Error;
    return { provocation, overlapped, uids: [], error: stack ?? message };
  }
}

function explained(stage: CauseStage, provocation: Provocation, uid: string, at: number | undefined): Promise<boolean> {
  return until(
    `${provocation.name} is explained`,
    async () => isRight(provocation, (await stage.judge(uid, at))?.verdict),
    { withinMs: TRACES_WITHIN_MS, everyMs: 200 },
  );
}

async function settle(stage: CauseStage, { provocation, overlapped, uids, at, error }: Pending): Promise<Outcome[]> {
  if (error !== undefined) {
    return [{ provocation, overlapped, result: 'wrong', uid: '', said: 'nothing', verdict: undefined, error }];
  }
  return await Promise.all(
    uids.map(async (uid) => {
      const judged = await stage.judge(uid, at);
      const verdict = judged?.verdict;
      const said = verdict?.cause ?? 'nothing';
      const result = isRight(provocation, verdict) ? 'right' : said === 'Unknown' ? 'unknown' : 'wrong';
      return { provocation, overlapped, result, uid, at, said, verdict, judged } as const;
    }),
  );
}

function isRight({ cause, sentence }: Provocation, verdict: Verdict | undefined): boolean {
  return verdict?.cause === cause && (sentence === undefined || sentence.test(verdict.sentence));
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const left = [...items];
  for (let at = left.length - 1; at > 0; at--) {
    const other = Math.floor(chance.next() * (at + 1));
    [left[at], left[other]] = [left[other] as T, left[at] as T];
  }
  return left;
}
