// `npm run proof -- causes`: every cause so many times, on a real control plane, and the page that says how it went.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOT_PROVOKED, PROVOCATIONS } from '../causes/provocations/index.ts';
import { causeRun } from '../causes/run.ts';
import { causesPage, rowsOf, textTable } from '../causes/table.ts';
import { kubernetesVersion } from '../controlplane/index.ts';

export interface CausesOptions {
  readonly seed: number;
  readonly repeat: number;
  readonly parallel: number;
  /** Parts of names of provocations; all unless given. */
  readonly only: readonly string[] | undefined;
  /** Where docs/causes.md is written, if it is to be. */
  readonly page: string | undefined;
  readonly out: string;
  readonly log: (line: string) => void;
}

export interface CausesProof {
  readonly pods: number;
  /** Neither right nor unknown, and what could not be provoked. */
  readonly wrong: number;
  readonly unknown: number;
}

export async function proveCauses(options: CausesOptions, print: (text: string) => void): Promise<CausesProof> {
  const { seed, repeat, parallel, only, page, out, log } = options;
  const provocations = PROVOCATIONS.filter(
    ({ name, cause }) => only?.some((part) => `${cause} ${name}`.includes(part)) ?? true,
  );
  if (provocations.length === 0)
    throw new Error(`--only ${only?.join(',')} names no provocation; e2e/causes/provocations has them`);
  const outcomes = await causeRun({ provocations, seed, repeat, parallel, log });
  const rows = rowsOf(outcomes);
  print(`${textTable(rows)}\n`);
  const stories = outcomes
    .filter(({ result }) => result !== 'right')
    .map(({ provocation, ...story }) =>
      JSON.stringify({ expected: provocation.cause, name: provocation.name, ...story }),
    );
  await writeFile(join(out, 'not-right.jsonl'), stories.map((story) => `${story}\n`).join(''));
  if (stories.length > 0) log(`every one that was not right with its case: ${join(out, 'not-right.jsonl')}`);
  if (page !== undefined) {
    const command = `npm run proof -- causes --repeat ${repeat} --seed ${seed} --page docs/causes.md`;
    await writeFile(page, causesPage(rows, { command, kubernetes: kubernetesVersion, notProvoked: NOT_PROVOKED }));
  }
  const count = (result: string) => outcomes.filter((outcome) => outcome.result === result).length;
  return { pods: outcomes.length, wrong: count('wrong'), unknown: count('unknown') };
}
