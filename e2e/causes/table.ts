// What a run of causes found: rows for each provocation, as plain data, and as a table for the terminal.
import { CAUSES, type Cause } from '@podtrail/history';
import { isCarriedOut } from './not-right.ts';
import type { Provocation, Writer } from './provocation.ts';
import type { Judgement, Outcome } from './run.ts';

export interface Row {
  readonly cause: Cause;
  /** Of the provocation. */
  readonly name: string;
  readonly evidence: string;
  readonly by: Writer;
  /** That were judged. */
  readonly pods: number;
  /** Of them, beside other provocations. */
  readonly overlapped: number;
  readonly plain: Tally;
  /** The same pods, with the audit log; undefined where there was none. */
  readonly audited?: Tally | undefined;
  /** Why, for each time that it was not carried out to its end. */
  readonly notCarriedOut: readonly string[];
}

export interface Tally {
  readonly right: number;
  readonly wrong: number;
  readonly unknown: number;
  /** Of the right ones. */
  readonly certain: number;
  /** What the wrong ones said. */
  readonly said: readonly string[];
}

interface Answer {
  readonly result: Outcome['result'];
  readonly said: string;
  readonly verdict: Outcome['verdict'];
}

/** One row for each provocation, in the order of the list of causes. */
export function rowsOf(outcomes: readonly Outcome[]): Row[] {
  const rows: Row[] = [];
  for (const [provocation, group] of Map.groupBy(outcomes, (outcome) => outcome.provocation)) {
    const judged = group.filter(isCarriedOut);
    const audited = judged.flatMap((outcome) => outcome.audited ?? []);
    rows.push({
      ...described(provocation),
      pods: judged.length,
      overlapped: judged.filter((outcome) => outcome.overlapped).length,
      plain: tallyOf(judged),
      ...(audited.length === 0 ? {} : { audited: tallyOf(audited) }),
      notCarriedOut: group.filter((outcome) => !isCarriedOut(outcome)).map(({ error }) => reasonOf(error)),
    });
  }
  return inOrder(rows);
}

export function inOrder(rows: readonly Row[]): Row[] {
  const place = ({ cause }: Row) => CAUSES.indexOf(cause);
  return [...rows].sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
}

function described({ cause, name, evidence, by }: Provocation) {
  return { cause, name, evidence, by };
}

function tallyOf(answers: readonly Answer[]): Tally {
  const count = (isCounted: (answer: Answer) => boolean) => answers.filter(isCounted).length;
  const wrong = answers.filter(({ result }) => result === 'wrong');
  return {
    right: count(({ result }) => result === 'right'),
    wrong: wrong.length,
    unknown: count(({ result }) => result === 'unknown'),
    certain: count(({ result, verdict }) => result === 'right' && verdict?.certainty === 'certain'),
    said: [...new Set(wrong.map(({ said }) => said))],
  };
}

/** The message, without where in the code. */
function reasonOf(error = ''): string {
  return (error.split('\n')[0] ?? '').replace(/^\w*Error: /, '');
}

/** One line for each reason why a provocation was not carried out, with how often. */
export function reasonsOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ name, notCarriedOut }) =>
    [...Map.groupBy(notCarriedOut, (reason) => reason)].map(
      ([reason, { length }]) => `${name}, ${length} ${length === 1 ? 'time' : 'times'}: ${reason}`,
    ),
  );
}

const JUDGEMENTS: readonly Judgement[] = ['right', 'wrong', 'unknown'];
const HEAD = ['cause', 'provoked by', 'pods', ...JUDGEMENTS, 'not carried out'];
const AUDITED = ['with audit log', 'wrong', 'unknown'];

export function textTable(rows: readonly Row[]): string {
  const hasAudit = rows.some(({ audited }) => audited !== undefined);
  const head = hasAudit ? [...HEAD, ...AUDITED] : HEAD;
  const lines = [head, ...rows.map((row) => cells(row, hasAudit)), total(rows, hasAudit)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const table = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...table, ...reasonsOf(rows).map((reason) => `not carried out: ${reason}`)].join('\n');
}

function cells({ cause, name, pods, plain, audited, notCarriedOut }: Row, hasAudit: boolean): string[] {
  const failed = String(notCarriedOut.length);
  return [cause, name, String(pods), ...counts(plain), failed, ...(hasAudit ? counts(audited) : [])];
}

function counts(tally: Tally | undefined): string[] {
  if (tally === undefined) return ['', '', ''];
  const others = tally.said.length === 0 ? '' : ` (${tally.said.join(', ')})`;
  return [String(tally.right), `${tally.wrong}${others}`, String(tally.unknown)];
}

function total(rows: readonly Row[], hasAudit: boolean): string[] {
  const sum = (of: (row: Row) => number) => String(rows.reduce((all, row) => all + of(row), 0));
  const tallies = (of: (row: Row) => Tally | undefined) =>
    JUDGEMENTS.map((result) => sum((row) => of(row)?.[result] ?? 0));
  return [
    ...['all', '', sum(({ pods }) => pods)],
    ...tallies(({ plain }) => plain),
    sum(({ notCarriedOut }) => notCarriedOut.length),
    ...(hasAudit ? tallies(({ audited }) => audited) : []),
  ];
}
