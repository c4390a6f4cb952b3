// Provokes causes in a shuffled order, one half alone and one half beside others unless all are to overlap, and asks why each pod ended: of those
// alone as soon as the recorder has stored it, and of all when everything is over. The last answer counts.
import { inspect } from 'node:util';
import type { Cause, Verdict } from '@podtrail/history';
import { until } from '../controlplane/index.ts';
import { Chance } from '../proof/random.ts';
import type { Provocation } from './provocation.ts';
import { type Asked, CauseStage, type Judged } from './stage.ts';

export interface CauseRunOptions {
  readonly provocations: readonly Provocation[];
  readonly seed: number;
  /** Of each. */
  readonly repeat: number;
  /** At a time, of those that overlap. */
  readonly parallel: number;
  /** None runs alone, and no round waits for the one before: real nodes are waited for most of the time. */
  readonly allOverlap?: boolean;
  /** Instead of simulated ones. */
  readonly realNodes?: number | undefined;
  /** Where everything is kept that the API shows of pods, nodes and events. */
  readonly watched?: string | undefined;
  /** Begin nothing more after so long; all unless given. */
  readonly withinMs?: number | undefined;
  /** Judge each pod once more with the audit log of the API server. */
  readonly isAudited?: boolean;
  readonly log: (line: string) => void;
}

/** What a verdict is worth. */
export type Judgement = 'right' | 'wrong' | 'unknown';
/** Of a provocation that was not carried out to its end there is nothing to judge. */
export type Result = Judgement | 'not carried out';

export interface Outcome {
  readonly provocation: Provocation;
  readonly overlapped: boolean;
  readonly result: Result;
  readonly uid: string;
  /** What was asked about, of a pod that goes on. */
  readonly at?: number | undefined;
  readonly said: Cause | 'nothing';
  readonly verdict: Verdict | undefined;
  /** Why it was not carried out; undefined of all that was. */
  readonly error?: string;
  readonly judged?: Judged | undefined;
  /** What was said of the same pod once the audit log had been imported; undefined where there was none. */
  readonly audited?: {
    readonly result: Judgement;
    readonly said: Cause | 'nothing';
    readonly verdict: Verdict | undefined;
    readonly judged?: Judged | undefined;
  };
}

/** A run without rounds says how far it is. */
const SAID_EVERY = 50;

/** Traces may come after the end: Events, and what a controller says when all is over. */
const TRACES_WITHIN_MS = 20_000;
/** A Job reports its end when its pods are gone, and real ones take their time on a busy machine. */
const REAL_TRACES_WITHIN_MS = 60_000;

export async function causeRun(options: CauseRunOptions): Promise<Outcome[]> {
  const { provocations, repeat, parallel, log } = options;
  const chance = new Chance(options.seed);
  log('starting a control plane …');
  await using stage = await CauseStage.start(options);
  const place = { stage, log };
  const pending: Pending[] = [];
  const slow: Promise<unknown>[] = [];
  const last = options.withinMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + options.withinMs;
  const isOver = () => Date.now() > last;
  const rounds = options.allOverlap ? 1 : repeat;
  for (let round = 1; round <= rounds && !isOver(); round++) {
    const all = options.allOverlap
      ? Array.from({ length: repeat }, () => shuffled(provocations, chance)).flat()
      : shuffled(provocations, chance);
    const half = options.allOverlap ? 0 : Math.floor(all.length / 2);
    const overlapped = all.slice(half).filter(({ isSlow }) => !isSlow);
    const alone = all.slice(0, half).filter(({ isSlow }) => !isSlow);
    log(`round ${round}: ${overlapped.length} ${parallel} at a time, ${alone.length} one at a time …`);
    // What waits for a controller's clock begins first, and takes no place of others.
    for (const one of all.filter(({ isSlow }) => isSlow)) {
      slow.push(provoke(place, one, true).then((found) => pending.push(found)));
    }
    const worker = async () => {
      for (let next = overlapped.shift(); next && !isOver(); next = overlapped.shift()) {
        pending.push(await provoke(place, next, true));
        if (pending.length % SAID_EVERY === 0) log(`${pending.length} provoked …`);
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
    for (const one of alone) if (!isOver()) pending.push(await provoke(place, one, false));
  }
  await Promise.all(slow);
  // Nobody has waited for the last of them.
  for (const { provocation, uids, at } of pending.slice(-parallel)) {
    for (const uid of uids) await explained(stage, provocation, uid, at).catch((error: Error) => log(error.message));
  }
  log('judging …');
  const plain = await settle(pending, (asked) => stage.judgeAll(asked));
  if (!options.isAudited) return plain;
  log('judging with the audit log …');
  const audited = await settle(pending, (asked) => stage.judgeAudited(asked));
  return plain.map((outcome, place) => withAudit(outcome, audited[place]));
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
    if (uids.length === 0) throw new Error('It named no pod that ended.');
    // The next one begins when this one is explained, or will not be.
    for (const uid of overlapped && !stage.isReal ? [] : uids) {
      await explained(stage, provocation, uid, at).catch((error: Error) => log(error.message));
    }
    return { provocation, overlapped, uids, at };
  } catch (error) {
    return { provocation, overlapped, uids: [], error: inspect(error) };
  }
}

function explained(stage: CauseStage, provocation: Provocation, uid: string, at: number | undefined): Promise<boolean> {
  return until(
    `${provocation.name} is explained`,
    async () => isRight(provocation, (await stage.judge(uid, at))?.verdict),
    { withinMs: stage.isReal ? REAL_TRACES_WITHIN_MS : TRACES_WITHIN_MS, everyMs: 200 },
  );
}

async function settle(
  pending: readonly Pending[],
  judge: (asked: readonly Asked[]) => Promise<(Judged | undefined)[]>,
): Promise<Outcome[]> {
  const asked = pending.flatMap(({ uids, at }) => uids.map((uid) => ({ uid, at })));
  const judged = (await judge(asked)).values();
  return pending.flatMap(({ provocation, overlapped, uids, at, error }): Outcome[] => {
    if (error !== undefined) {
      const nothing = { uid: '', said: 'nothing', verdict: undefined } as const;
      return [{ provocation, overlapped, result: 'not carried out', ...nothing, error }];
    }
    return uids.map((uid) => {
      const found = judged.next().value;
      const verdict = found?.verdict;
      const said = verdict?.cause ?? 'nothing';
      const result = isRight(provocation, verdict) ? 'right' : unknownOrWrong(said);
      return { provocation, overlapped, result, uid, at, said, verdict, judged: found };
    });
  });
}

/** With the audit log the sentence names a person where it named nobody: the actor counts. */
function withAudit(plain: Outcome, audited: Outcome | undefined): Outcome {
  if (audited === undefined || plain.error !== undefined) return plain;
  const { provocation, verdict, said } = audited;
  const isActor = provocation.actor?.test(verdict?.actor ?? '') ?? true;
  const result = said === provocation.cause && isActor ? 'right' : unknownOrWrong(said);
  return { ...plain, audited: { result, said, verdict, judged: audited.judged } };
}

function unknownOrWrong(said: Cause | 'nothing'): Judgement {
  return said === 'Unknown' ? 'unknown' : 'wrong';
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
