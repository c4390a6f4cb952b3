// `npm run proof -- causes`: every cause so many times, on a real control plane, and the page that says how it went.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCarriedOut, neverCarriedOut } from '../causes/not-right.ts';
import { causesPage, type RunResult, readResults, writeResult } from '../causes/page.ts';
import { NOT_PROVOKED, PROVOCATIONS } from '../causes/provocations/index.ts';
import { REAL_PROVOCATIONS } from '../causes/real/index.ts';
import { causeRun } from '../causes/run.ts';
import { type Row, rowsOf, textTable } from '../causes/table.ts';
import { kubernetesVersion } from '../controlplane/index.ts';

export interface CausesOptions {
  readonly seed: number;
  readonly repeat: number;
  readonly parallel: number;
  /** None runs alone. */
  readonly allOverlap: boolean;
  /** On so many real nodes instead of simulated ones. */
  readonly realNodes: number | undefined;
  /** Begin nothing more after so long. */
  readonly minutes: number | undefined;
  /** Judge once more with the audit log. */
  readonly audit: boolean;
  /** Parts of names of provocations; all unless given. */
  readonly only: readonly string[] | undefined;
  /** Where docs/causes.md is written, if it is to be: with the results of other runs that are kept. */
  readonly page: string | undefined;
  readonly out: string;
  readonly log: (line: string) => void;
}

export interface CausesProof {
  /** That were judged. */
  readonly pods: number;
  /** Neither right nor unknown. */
  readonly wrong: number;
  readonly unknown: number;
  /** So many times a provocation was begun and had no end to judge. */
  readonly notCarriedOut: number;
  /** Provocations of which not one pod was judged: of their causes the run shows nothing, and it fails. */
  readonly neverCarriedOut: readonly string[];
}

export async function proveCauses(options: CausesOptions, print: (text: string) => void): Promise<CausesProof> {
  const { seed, repeat, parallel, allOverlap, realNodes, minutes, audit, only, page, out, log } = options;
  const provocations = (realNodes === undefined ? PROVOCATIONS : REAL_PROVOCATIONS).filter(
    ({ name, cause }) => only?.some((part) => `${cause} ${name}`.includes(part)) ?? true,
  );
  if (provocations.length === 0)
    throw new Error(`--only ${only?.join(',')} names no provocation; e2e/causes/provocations has them`);
  const outcomes = await causeRun({
    provocations,
    seed,
    repeat,
    parallel,
    allOverlap,
    realNodes,
    watched: join(out, 'watch.jsonl.gz'),
    isAudited: audit,
    withinMs: minutes && minutes * 60_000,
    log,
  });
  const rows = rowsOf(outcomes);
  print(`${textTable(rows)}\n`);
  const stories = outcomes
    .filter(({ result, audited }) => result !== 'right' || (audited !== undefined && audited.result !== 'right'))
    .map(({ provocation, ...story }) =>
      JSON.stringify({ expected: provocation.cause, name: provocation.name, ...story }),
    );
  await writeFile(join(out, 'not-right.jsonl'), stories.map((story) => `${story}\n`).join(''));
  const all = outcomes.map(({ provocation: { name, cause }, uid, at, result, verdict }) =>
    JSON.stringify({ name, cause, uid, at, result, verdict }),
  );
  await writeFile(join(out, 'outcomes.jsonl'), all.map((one) => `${one}\n`).join(''));
  if (stories.length > 0) log(`every one that was not right with its case: ${join(out, 'not-right.jsonl')}`);
  if (page !== undefined) {
    await writeResult(resultName(options), resultOf(options, rows));
    await writePage(page);
  }
  const count = (result: string) =>
    outcomes.filter((outcome) => outcome.result === result || outcome.audited?.result === result).length;
  const pods = outcomes.filter(isCarriedOut).length;
  const proof: CausesProof = {
    ...{ pods, wrong: count('wrong'), unknown: count('unknown'), notCarriedOut: outcomes.length - pods },
    neverCarriedOut: neverCarriedOut(provocations, outcomes),
  };
  print(summaryOf(proof));
  return proof;
}

function summaryOf({ pods, wrong, unknown, notCarriedOut, neverCarriedOut }: CausesProof): string {
  const counts = `${pods} pods judged: ${wrong} wrong, ${unknown} unknown; ${notCarriedOut} not carried out\n`;
  return neverCarriedOut.length === 0 ? counts : `${counts}never carried out: ${neverCarriedOut.join(', ')}\n`;
}

/** A run of some provocations does not replace that of all. */
function resultName({ realNodes, only }: CausesOptions): string {
  const words = only?.map((word) => `-${word.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`) ?? [];
  return `${realNodes === undefined ? 'simulated' : 'real'}-nodes${words.join('')}`;
}

/** docs/causes.md, from the results that are kept. */
export async function writePage(file: string): Promise<void> {
  await writeFile(file, causesPage(await readResults(), NOT_PROVOKED));
}

const ABOUT = {
  simulated: {
    title: 'On simulated nodes',
    about:
      'The real API server, controller manager and scheduler; nodes by kwok, or by this run where a kubelet must not be as fast as kwok; `podtrail record` beside them.',
  },
  real: {
    title: 'On real nodes',
    about:
      'The real API server, controller manager and scheduler; nodes with kubelet, containerd and CNI, whose pods run; `podtrail record` beside them. One node is shared by all, the others belong to one provocation at a time.',
  },
};

function resultOf(options: CausesOptions, rows: readonly Row[]): RunResult {
  const { seed, repeat, parallel, allOverlap, realNodes, minutes, audit, only } = options;
  const flags = [
    `--repeat ${repeat} --seed ${seed} --parallel ${parallel}`,
    ...(allOverlap ? ['--all-overlap'] : []),
    ...(minutes === undefined ? [] : [`--within ${minutes}`]),
    ...(audit ? [] : ['--no-audit']),
    ...(only === undefined ? [] : [`--only "${only.join(',')}"`]),
  ].join(' ');
  const real = realNodes === undefined ? '' : `--real-nodes ${realNodes} `;
  const { title, about } = ABOUT[realNodes === undefined ? 'simulated' : 'real'];
  return {
    title: only === undefined ? title : `${title}, only ${only.join(', ')}`,
    about,
    command: `npm run proof -- causes ${real}${flags} --page docs/causes.md`,
    kubernetes: kubernetesVersion,
    date: new Date().toISOString().slice(0, 10),
    rows,
  };
}
