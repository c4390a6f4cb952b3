// Damages stores at random and asks them everything: an answer may become unknown, never wrong; and `verify` must report
// whatever changed a record or an answer. Also lets a recorder go on in damaged stores. The same run with the checks
// switched off must find wrong answers, or it would show nothing.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../engines/engine.ts';
import { switchChecks } from '../../engines/sqlite/format/checksum.ts';
import { InThreadEngine } from '../../engines/sqlite/testing/in-thread-engine.ts';
import { at } from '../../engines/testing/record-builders.ts';
import { HistoryError } from '../../errors.ts';
import { SeededNumbers } from '../seeded-numbers.ts';
import { askAll, claimsOf, type Question, questionsOf } from './asked-answers.ts';
import { mutate } from './mutation.ts';
import {
  CLUSTERS,
  copyStore,
  isObserved,
  makeWholeStores,
  STEP_S,
  STEPS,
  Story,
  WHOLE_STORES,
} from './whole-stores.ts';

export interface BitsOptions {
  readonly directory: string;
  readonly seed: number;
  readonly mutations: number;
  /** False: shows that the questions notice what checks prevent. */
  readonly checks?: boolean;
  /** Every so many mutations a recorder goes on in the damaged store; 0 for never. */
  readonly recordEvery?: number;
  log?(line: string): void;
}

export interface BitsTally {
  mutations: number;
  /** All answers were as before. */
  unchanged: number;
  refusedToOpen: number;
  answers: number;
  unknown: number;
  wrong: number;
  /** Changed an answer or a record, and `verify` had nothing to report. */
  missed: number;
  unexpected: number;
}

export interface BitsResult {
  readonly seed: number;
  readonly byKind: ReadonlyMap<string, BitsTally>;
  readonly total: BitsTally;
  /** What went wrong, as a person may repeat it. */
  readonly details: readonly string[];
}

const MOST_DETAILS = 20;

export async function bitsRun(options: BitsOptions): Promise<BitsResult> {
  const { directory, seed, mutations, checks = true, recordEvery = 4 } = options;
  const story = new Story(seed);
  await makeWholeStores(directory, story);
  const run = new Run(directory, story, questionsOf(story, seed + 1));
  await run.prepare();
  switchChecks(checks);
  try {
    for (let n = 0; n < mutations; n++) {
      await run.one(n, new SeededNumbers(seed * 100_003 + n), recordEvery > 0 && n % recordEvery === 0);
      if ((n + 1) % 200 === 0)
        options.log?.(`${n + 1} mutations, ${run.total.wrong} wrong, ${run.total.missed} missed`);
    }
  } finally {
    switchChecks(true);
    await run.close();
  }
  return { seed, byKind: run.byKind, total: run.total, details: run.details };
}

class Run {
  readonly #directory: string;
  readonly #story: Story;
  readonly #questions: readonly Question[];
  /** What a whole store answers, believed only up to some time. */
  readonly #truths = new Map<string, readonly (string | undefined)[]>();
  readonly byKind = new Map<string, BitsTally>();
  readonly total = emptyTally();
  readonly details: string[] = [];
  #whole: Engine | undefined;

  constructor(directory: string, story: Story, questions: readonly Question[]) {
    this.#directory = directory;
    this.#story = story;
    this.#questions = questions;
  }

  async prepare(): Promise<void> {
    for (const name of WHOLE_STORES) {
      const engine = new InThreadEngine({ path: join(this.#directory, name, 'store.db'), access: 'read' });
      const { damages } = await engine.verify();
      if (damages.length > 0) throw new Error(`the store "${name}" is damaged before anything was done to it`);
      await engine.close();
    }
    const truth = await this.#truthOf(new Map());
    const known = truth.filter((answer) => answer !== undefined).length;
    if (known < truth.length / 2) throw new Error('too little is known of the whole store');
  }

  async close(): Promise<void> {
    await this.#whole?.close();
  }

  async one(n: number, numbers: SeededNumbers, records: boolean): Promise<void> {
    const name = WHOLE_STORES[n % WHOLE_STORES.length]!;
    const folder = join(this.#directory, 'damaged');
    rmSync(folder, { recursive: true, force: true });
    const path = copyStore(join(this.#directory, name, 'store.db'), folder);
    const what = mutate(path, join(this.#directory, 'old-editions'), numbers);
    const tally = this.byKind.get(what) ?? emptyTally();
    this.byKind.set(what, tally);
    const count = (field: keyof BitsTally, times = 1): void => {
      tally[field] += times;
      this.total[field] += times;
    };
    count('mutations');
    const label = `mutation ${n}, ${name}, ${what}`;
    const isChanged = await this.#asked(path, label, count);
    if (isChanged && !(await reports(path))) {
      count('missed');
      this.#detail(`${label}: verify has nothing to report`);
    }
    if (records) await this.#recorded(path, label, count);
  }

  /** Whether anything is not as in the whole store. */
  async #asked(path: string, label: string, count: (field: keyof BitsTally, times?: number) => void): Promise<boolean> {
    let engine: Engine;
    try {
      engine = new InThreadEngine({ path, access: 'read' });
    } catch (error) {
      count('refusedToOpen');
      if (!(error instanceof HistoryError)) count('unexpected');
      return true;
    }
    try {
      const claims = await claimsOf(engine);
      const { answers, unexpected } = await askAll(engine, this.#questions, claims);
      count('unexpected', unexpected.length);
      for (const text of unexpected.slice(0, 1)) this.#detail(`${label}: unexpected: ${text}`);
      const truth = await this.#truthOf(claims);
      const full = await this.#truthOf(new Map());
      this.#compare(answers, truth, label, count);
      const isSame = answers.every((answer, i) => answer === full[i]);
      if (isSame) count('unchanged');
      return !isSame;
    } finally {
      await engine.close();
    }
  }

  #compare(
    answers: readonly (string | undefined)[],
    truth: readonly (string | undefined)[],
    label: string,
    count: (field: keyof BitsTally, times?: number) => void,
  ): void {
    for (const [i, answer] of answers.entries()) {
      count('answers');
      if (answer === undefined) count('unknown');
      else if (answer !== truth[i]) {
        count('wrong');
        this.#detail(`${label}: ${this.#questions[i]!.name}: ${cut(answer)} instead of ${cut(truth[i] ?? 'unknown')}`);
      }
    }
  }

  /** A recorder that starts on the damaged store goes on from the checkpoint that it finds, or refuses. */
  async #recorded(path: string, label: string, count: (field: keyof BitsTally, times?: number) => void): Promise<void> {
    let engine: Engine | undefined;
    try {
      engine = new InThreadEngine({ path, access: 'write', sealAt: 1 });
      for (const cluster of CLUSTERS) {
        const writer = await engine.takeOver(cluster);
        const { checkpoint } = await engine.resume(cluster.id);
        const first = checkpoint === undefined ? 0 : Number(checkpoint.resourceVersion) + 1;
        for (let step = first; step < STEPS; step++)
          if (isObserved(cluster, step)) await this.#story.observe(writer, step);
      }
      await engine.maintain(at(STEPS * STEP_S + 10 * 86_400));
    } catch (error) {
      if (!(error instanceof HistoryError)) {
        count('unexpected');
        this.#detail(`${label}, recording: unexpected: ${String(error)}`);
      }
    } finally {
      await engine?.close();
    }
    await this.#asked(path, `${label}, recorded`, count);
  }

  async #truthOf(untils: ReadonlyMap<string, number>): Promise<readonly (string | undefined)[]> {
    const end = at(STEPS * STEP_S);
    const key = CLUSTERS.map(({ name }) => Math.min(untils.get(name) ?? end, end)).join(' ');
    let truth = this.#truths.get(key);
    if (truth === undefined) {
      this.#whole ??= new InThreadEngine({ path: join(this.#directory, 'closed', 'store.db'), access: 'read' });
      truth = (await askAll(this.#whole, this.#questions, untils)).answers;
      this.#truths.set(key, truth);
    }
    return truth;
  }

  #detail(text: string): void {
    if (this.details.length < MOST_DETAILS) this.details.push(text);
  }
}

async function reports(path: string): Promise<boolean> {
  let engine: Engine;
  try {
    engine = new InThreadEngine({ path, access: 'read' });
  } catch {
    return true;
  }
  try {
    const { damages } = await engine.verify();
    return damages.length > 0;
  } finally {
    await engine.close();
  }
}

function emptyTally(): BitsTally {
  return { mutations: 0, unchanged: 0, refusedToOpen: 0, answers: 0, unknown: 0, wrong: 0, missed: 0, unexpected: 0 };
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
