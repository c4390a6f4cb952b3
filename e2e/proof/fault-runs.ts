// Many fault runs, a few at a time: they mostly wait. Sums up, and keeps what was wrong with all that explains it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FaultRunResult, faultRun } from './fault-run.ts';
import type { Answered } from './questions.ts';

export interface FaultRunsOptions {
  readonly seeds: readonly number[];
  readonly seconds: number;
  readonly questions: number;
  readonly parallel: number;
  readonly rewinds: boolean;
  readonly out: string;
  readonly log: (line: string) => void;
}

export interface FaultRunsResult {
  readonly seeds: number;
  readonly lives: number;
  readonly asked: number;
  readonly wrong: number;
  readonly wrongSeeds: readonly number[];
  readonly counts: Readonly<Record<Answered['answer'], number>>;
  readonly struck: Readonly<Record<string, number>>;
  readonly restarts: number;
  readonly gaps: number;
  readonly unasked: number;
  readonly provisional: number;
}

export async function faultRuns(options: FaultRunsOptions): Promise<FaultRunsResult> {
  const waiting = [...options.seeds];
  const counts = { held: 0, free: 0, ambiguous: 0, unknown: 0 };
  const struck: Record<string, number> = {};
  const sums = { seeds: 0, lives: 0, asked: 0, wrong: 0, restarts: 0, gaps: 0, unasked: 0, provisional: 0 };
  const wrongSeeds: number[] = [];
  const take = async (result: FaultRunResult): Promise<void> => {
    const wrong = result.answers.filter((answer) => answer.wrong);
    sums.seeds++;
    sums.lives += result.lives;
    sums.asked += result.answers.length;
    sums.wrong += wrong.length;
    sums.restarts += result.restarts;
    sums.gaps += result.gaps;
    sums.unasked += result.unasked;
    sums.provisional += result.provisional;
    for (const { answer } of result.answers) counts[answer]++;
    for (const [kind, count] of result.struck) struck[kind] = (struck[kind] ?? 0) + count;
    options.log(
      `seed ${result.seed}: ${result.lives} lives, ${result.answers.length} questions, ${wrong.length} wrong`,
    );
    if (wrong.length === 0) return;
    wrongSeeds.push(result.seed);
    const kept = { seed: result.seed, wrong, truth: result.truth.tenures };
    await writeFile(join(options.out, `wrong-${result.seed}.json`), `${JSON.stringify(kept, null, 2)}\n`);
  };
  const worker = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const { seconds, questions, rewinds } = options;
      await take(await faultRun({ seed, seconds, questions, rewinds }));
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, worker));
  return { ...sums, wrongSeeds, counts, struck };
}
