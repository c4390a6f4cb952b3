// What a run of causes found: rows for each provocation, as plain data, and as a table for the terminal.
import { CAUSES, type Cause } from '@podtrail/history';
import type { Provocation, Writer } from './provocation.ts';
import type { Outcome, Result } from './run.ts';

export interface Row {
  readonly cause: Cause;
  /** Of the provocation. */
  readonly name: string;
  readonly evidence: string;
  readonly by: Writer;
  readonly pods: number;
  /** Of them, beside other provocations. */
  readonly overlapped: number;
  readonly plain: Tally;
  /** The same pods, with the audit log; undefined where there was none. */
  readonly audited?: Tally | undefined;
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
  readonly result: Result;
  readonly said: string;
  readonly verdict: Outcome['verdict'];
}

/** One row for each provocation, in the order of the list of causes. */
export function rowsOf(outcomes: readonly Outcome[]): Row[] {
  const rows: Row[] = [];
  for (const [provocation, group] of Map.groupBy(outcomes, (outcome) => outcome.provocation)) {
    const audited = group.flatMap((outcome) => outcome.audited ?? []);
    rows.push({
      ...described(provocation),
      pods: group.length,
      overlapped: group.filter((outcome) => outcome.overlapped).length,
      plain: tallyOf(group),
      ...(audited.length === 0 ? {} : { audited: tallyOf(audited) }),
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

const HEAD = ['cause', 'provoked by', 'pods', 'right', 'wrong', 'unknown'];
const AUDITED = ['with audit log', 'wrong', 'unknown'];

export function textTable(rows: readonly Row[]): string {
  const hasAudit = rows.some(({ audited }) => audited !== undefined);
  const head = hasAudit ? [...HEAD, ...AUDITED] : HEAD;
  const lines = [head, ...rows.map((row) => cells(row, hasAudit)), total(rows, hasAudit)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cells({ cause, name, pods, plain, audited }: Row, hasAudit: boolean): string[] {
  return [cause, name, String(pods), ...counts(plain), ...(hasAudit ? counts(audited) : [])];
}

function counts(tally: Tally | undefined): string[] {
  if (tally === undefined) return ['', '', ''];
  const others = tally.said.length === 0 ? '' : ` (${tally.said.join(', ')})`;
  return [String(tally.right), `${tally.wrong}${others}`, String(tally.unknown)];
}

function total(rows: readonly Row[], hasAudit: boolean): string[] {
  const sum = (of: (row: Row) => number) => String(rows.reduce((all, row) => all + of(row), 0));
  const tallies = (of: (row: Row) => Tally | undefined) =>
    (['right', 'wrong', 'unknown'] as const).map((result) => sum((row) => of(row)?.[result] ?? 0));
  return [
    ...['all', '', sum(({ pods }) => pods)],
    ...tallies(({ plain }) => plain),
    ...(hasAudit ? tallies(({ audited }) => audited) : []),
  ];
}
