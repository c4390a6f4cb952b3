// docs/causes.md, made of the results of one or several runs: each is a section.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CAUSES, type Cause } from '@podtrail/history';
import { inOrder, type Row, reasonsOf, type Tally } from './table.ts';

/** What a run leaves behind, as a file of RESULTS. */
export interface RunResult {
  /** The head of its section: on which nodes it ran. */
  readonly title: string;
  /** One or two sentences: what was real, what was simulated. */
  readonly about: string;
  readonly command: string;
  readonly kubernetes: string;
  /** The day that it ran. */
  readonly date: string;
  readonly rows: readonly Row[];
}

/** One file for each run that the page shows, in the order of their names. */
const RESULTS = join(import.meta.dirname, 'results');

export async function readResults(folder = RESULTS): Promise<RunResult[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const names = files.map((file) => file.slice(0, -'.json'.length)).sort();
  return await Promise.all(
    names.map(async (name) => withNotCarriedOut(JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')))),
  );
}

/** Of the time when what was not carried out was one of the wrong ones. */
interface RunResultBefore extends Omit<RunResult, 'rows'> {
  readonly rows: readonly (Omit<Row, 'notCarriedOut'> & Partial<Pick<Row, 'notCarriedOut'>>)[];
}

/**
 * In a run with an audit log, what was not carried out is what was not judged with it. In one without, it may as well be
 * a pod that was never stored: it stays wrong.
 */
function withNotCarriedOut(result: RunResultBefore): RunResult {
  const hasAudit = result.rows.some(({ audited }) => audited !== undefined);
  const rows = result.rows.map(({ notCarriedOut, ...row }): Row => {
    if (notCarriedOut !== undefined) return { ...row, notCarriedOut };
    const { pods, overlapped, plain, audited } = row;
    const judged = hasAudit && plain.said.includes(NOTHING) ? judgedOf(audited) : pods;
    if (judged === pods) return { ...row, notCarriedOut: [] };
    const wrong = plain.wrong - (pods - judged);
    const said = plain.said.filter((one) => one !== NOTHING || audited?.said.includes(one));
    return {
      ...{ ...row, pods: judged, overlapped: Math.min(overlapped, judged), plain: { ...plain, wrong, said } },
      notCarriedOut: Array.from({ length: pods - judged }, () => 'the reason was not kept'),
    };
  });
  return { ...result, rows };
}

const NOTHING = 'nothing';

function judgedOf(audited: Tally | undefined): number {
  return audited === undefined ? 0 : audited.right + audited.wrong + audited.unknown;
}

export async function writeResult(name: string, result: RunResult, folder = RESULTS): Promise<void> {
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

export function causesPage(runs: readonly RunResult[], notProvoked: ReadonlyMap<Cause, string>): string {
  const provoked = new Set(runs.flatMap(({ rows }) => rows.filter(({ pods }) => pods > 0).map(({ cause }) => cause)));
  const missing = CAUSES.filter((cause) => !provoked.has(cause));
  return `# Causes

Why a pod ended: what each cause rests on, how it was provoked, and what \`explain\` said of it. [The design](adr/20261116-causes.md) says how a cause is found.

This page is generated from the results of runs (\`e2e/causes/results\`). In each run the order was shuffled, and half of the provocations or more ran beside others. A verdict is right if it names the cause, and, where one is known, the node, the taint, the revision or the actor; an inferred verdict that is not right is wrong. A provocation that could not be carried out to its end (a controller or a node did not do its part in time) left nothing to judge: it has a column of its own, and its reason stands below the table. Each pod was judged without an audit log, and, where there was one, once more with it. "pods" is how many ends of that kind were provoked and judged: where it is one, one pod is all that the row shows.

- "control plane": Kubernetes itself did it, and wrote all traces.
- "status as kubelets write it": the run wrote the status that a kubelet writes in that case ([recordings](../e2e/recordings/README.md) of real ones; for what was not recorded, the kubelet's source).
- "events and taints as autoscalers write them": the run evicted the pod and wrote the Events and taints of an autoscaler under its name.
- "real kubelet": a real node, whose kubelet and container runtime wrote all of it.

${runs.map(section).join('\n')}
## Not provoked

${missing.map((cause) => `- \`${cause}\`: ${notProvoked.get(cause) ?? 'not yet'}.`).join('\n')}
`;
}

function section({ title, about, command, kubernetes, date, rows }: RunResult): string {
  const hasAudit = rows.some(({ audited }) => audited !== undefined);
  const head = ['cause', 'provoked by', 'rests on', 'where', 'pods', 'beside others', 'right', 'of these certain'];
  const columns = [
    ...head,
    'wrong',
    'unknown',
    'not carried out',
    ...(hasAudit ? ['with audit log: right', 'wrong', 'unknown'] : []),
  ];
  const rule = columns.map((_, column) => (column < 4 ? '---' : '---:'));
  return `## ${title}

${about} Kubernetes ${kubernetes}, ${date}: \`${commandOf(command, rows)}\`

${summary(rows)} ${howOften(command, rows)}

| ${columns.join(' | ')} |
|${rule.join('|')}|
${inOrder(rows)
  .map((row) => `| ${cells(row, hasAudit).join(' | ')} |`)
  .join('\n')}
${reasons(rows)}`;
}

function reasons(rows: readonly Row[]): string {
  const lines = reasonsOf(inOrder(rows)).map((reason) => `- ${reason}\n`);
  return lines.length === 0 ? '' : `\nNot carried out:\n\n${lines.join('')}`;
}

const REPEAT = /--repeat (\d+) /;

/** A run that its time ended did not reach what it was asked for. */
function isReached(command: string, rows: readonly Row[]): boolean {
  const asked = Number(REPEAT.exec(command)?.[1] ?? 0);
  return rows.every(({ pods, notCarriedOut }) => pods + notCarriedOut.length >= asked);
}

/** Without a number of repetitions that not every provocation has had. */
function commandOf(command: string, rows: readonly Row[]): string {
  return isReached(command, rows) ? command : command.replace(REPEAT, '');
}

function howOften(command: string, rows: readonly Row[]): string {
  const groups = [...Map.groupBy(rows, ({ pods }) => pods)].sort(([a], [b]) => a - b);
  const times = groups.map(([pods, some]) => `${some.length} with ${pods} ${pods === 1 ? 'pod' : 'pods'}`).join(', ');
  const cut = isReached(command, rows)
    ? ''
    : ' Its time was up before all repetitions were done: the number that it was given (--repeat) is left out above.';
  return `Of the provocations: ${times}.${cut}`;
}

function cells({ cause, name, evidence, by, pods, overlapped, plain, audited, notCarriedOut }: Row, hasAudit: boolean) {
  const first = [`\`${cause}\``, name, evidence, by, pods, overlapped, plain.right, plain.certain];
  const second = audited === undefined ? ['', '', ''] : [audited.right, audited.wrong, audited.unknown];
  return [...first, plain.wrong, plain.unknown, notCarriedOut.length, ...(hasAudit ? second : [])];
}

function summary(rows: readonly Row[]): string {
  const sum = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0);
  const counted = (of: (row: Row) => Tally | undefined) =>
    (['right', 'wrong', 'unknown'] as const)
      .map((result) => `${sum((row) => of(row)?.[result] ?? 0)} ${result}`)
      .join(', ');
  const causes = new Set(rows.map(({ cause }) => cause)).size;
  const pods = sum((row) => row.pods);
  const named = causes === 1 ? 'cause' : 'causes';
  const failed = sum(({ notCarriedOut }) => notCarriedOut.length);
  const plain = `${rows.length} provocations of ${causes} ${named}, ${pods} pods: ${counted((row) => row.plain)}, ${failed} not carried out.`;
  const hasAudit = rows.some(({ audited }) => audited !== undefined);
  return hasAudit ? `${plain} With the audit log: ${counted((row) => row.audited)}.` : plain;
}
