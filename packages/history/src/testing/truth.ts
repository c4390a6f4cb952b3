// Compares answers with the truth of a simulated cluster.
import type { LedgerReader } from '../engines/snapshot.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { parseIp } from '../model/ip-address.ts';
import { epochMillis } from '../model/time.ts';
import type { Answer } from '../query/answer.ts';
import { readTenuresAtMany } from '../query/tenure-reads.ts';
import { answerFrom, readWatchedTime } from '../query/who.ts';
import { SeededNumbers } from './seeded-numbers.ts';
import type { SimulatedCluster, TrueTenure } from './simulated-cluster.ts';

export interface Question {
  readonly ip: string;
  readonly at: number;
  /** Undefined: nobody held it. */
  readonly truth: TrueTenure | undefined;
  /** Chosen because something changed close by. */
  readonly close: boolean;
}

/** What a question's instant must be away from every real change of that address. */
const CERTAIN_BY_MS = 2000;
/** What happens at the very end may not have been delivered yet. */
const LAST_WORDS_MS = 20_000;

/** Questions whose truth is certain: at random, and close to every change. */
export function questionsOf(cluster: SimulatedCluster, seed: number, count: number): Question[] {
  const chance = new SeededNumbers(seed);
  const questions: Question[] = [];
  const ask = (ip: string, at: number, close: boolean): void => {
    if (at < cluster.from || at > cluster.to - LAST_WORDS_MS) return;
    const ofIp = cluster.truth.filter((tenure) => tenure.ip === ip);
    const isNear = (time: number) => Math.abs(time - at) < CERTAIN_BY_MS;
    if (ofIp.some(({ from, to }) => isNear(from) || isNear(to))) return;
    questions.push({ ip, at, close, truth: ofIp.find(({ from, to }) => from <= at && at < to) });
  };
  for (const { ip, from, to } of cluster.truth) {
    for (const time of [from, to]) {
      if (!Number.isFinite(time)) continue;
      ask(ip, time - chance.between(CERTAIN_BY_MS, CERTAIN_BY_MS + 500), true);
      ask(ip, time + chance.between(CERTAIN_BY_MS, CERTAIN_BY_MS + 500), true);
    }
  }
  const addresses = cluster.addresses as readonly [string, ...string[]];
  for (let n = 0; n < count; n++) ask(chance.pick(addresses), chance.between(cluster.from, cluster.to), false);
  return questions;
}

/** Undefined when the answer is not wrong; else why it is. */
export function wrongness({ ip, at, truth }: Question, answer: Answer): string | undefined {
  const time = new Date(at).toISOString().slice(11, 23);
  const really = truth === undefined ? 'nobody' : truth.uid;
  const said = answer.holders.map((holder) => holder.uid).join(',');
  if (answer.answer === 'free' && truth !== undefined) return `${ip} at ${time}: free, really ${really}`;
  if (answer.answer === 'held' && said !== truth?.uid) return `${ip} at ${time}: held by ${said}, really ${really}`;
  return undefined;
}

export async function answerAll(
  reader: LedgerReader,
  cluster: string,
  questions: readonly Question[],
): Promise<Answer[]> {
  const moments = questions.map(({ ip, at }) => ({ ip: parseIp(ip) ?? (ip as never), at: epochMillis(at) }));
  return await withSnapshot(reader, cluster, async (snapshot) => {
    const watched = await readWatchedTime(snapshot);
    const possible = await readTenuresAtMany(snapshot, moments);
    return await Promise.all(moments.map((moment, i) => answerFrom(snapshot, moment, possible[i] ?? [], watched)));
  });
}
