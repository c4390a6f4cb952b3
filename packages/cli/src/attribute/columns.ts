// What `attribute` adds to a row: these columns, in this order. A column of the input keeps its name; ours give way.
import type { EpochMillis } from '@podtrail/history';
import { csvField } from '../output/csv.ts';
import { formatJsonLine } from '../output/json.ts';
import { visible } from '../output/visible.ts';
import { toUtcText } from '../times/show-time.ts';

export interface Attributed {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly workload: { readonly kind: string; readonly name: string } | undefined;
  readonly from: EpochMillis;
  readonly to: EpochMillis | undefined;
}

/** One holder when held; several or one when ambiguous; none else. */
export interface Attribution {
  readonly answer: 'held' | 'free' | 'ambiguous' | 'unknown' | 'malformed';
  readonly holders: readonly Attributed[];
  /** The watch has not confirmed that instant yet: it may still change. Only counted, there is no column for it. */
  readonly provisional: boolean;
}

export const MALFORMED: Attribution = { answer: 'malformed', holders: [], provisional: false };

export const OUR_COLUMNS = [
  'answer',
  'kind',
  'namespace',
  'pod',
  'uid',
  'node',
  'workload',
  'from',
  'to',
  'candidates',
] as const;

/** Our names beside those of the input: what collides gets the prefix, as often as it takes. */
export function ourNames(taken: (name: string) => boolean): string[] {
  return OUR_COLUMNS.map((column) => freeName(column, taken));
}

function freeName(name: string, taken: (name: string) => boolean): string {
  return taken(name) ? freeName(`podtrail_${name}`, taken) : name;
}

/** The ten values, ready to stand behind a record of the input: fields of CSV without the comma before them. */
export function csvTail({ answer, holders }: Attribution): string {
  const holder = answer === 'held' ? holders[0] : undefined;
  if (holder !== undefined) {
    const { kind, namespace, name, uid, node, workload, from, to } = holder;
    const texts = [kind, namespace, name, uid, node, workload === undefined ? '' : `${workload.kind}/${workload.name}`];
    return `held,${texts.map(cell).join(',')},${toUtcText(from)},${to === undefined ? '' : toUtcText(to)},`;
  }
  if (holders.length === 0) return `${answer},,,,,,,,,`;
  return `${answer},,,,,,,,,${cell(holders.map(({ namespace, name }) => (namespace === '' ? name : `${namespace}/${name}`)).join(';'))}`;
}

function cell(text: string): string {
  return csvField(visible(text));
}

/** Why a row is malformed, and under which name that is told; JSON only, CSV has no column for it. */
export interface Problem {
  readonly name: string;
  readonly text: string;
}

export function problemOf(text: string | undefined, taken: (name: string) => boolean): Problem | undefined {
  return text === undefined ? undefined : { name: freeName('problem', taken), text };
}

/** The members of a JSON object, without braces. */
export function jsonTail({ answer, holders }: Attribution, names: readonly string[], problem?: Problem): string {
  const holder = answer === 'held' ? holders[0] : undefined;
  const workload = holder?.workload;
  const values: unknown[] = [
    answer,
    holder?.kind ?? '',
    holder?.namespace ?? '',
    holder?.name ?? '',
    holder?.uid ?? '',
    holder?.node ?? '',
    workload === undefined ? '' : `${workload.kind}/${workload.name}`,
    holder === undefined ? '' : toUtcText(holder.from),
    holder?.to === undefined ? '' : toUtcText(holder.to),
    answer === 'ambiguous'
      ? holders.map(({ kind, namespace, name, uid, node }) => ({ kind, namespace, pod: name, uid, node }))
      : [],
  ];
  const members = names.map((name, i) => `${JSON.stringify(name)}:${formatJsonLine(values[i]).trimEnd()}`);
  if (problem !== undefined) members.push(`${JSON.stringify(problem.name)}:${JSON.stringify(problem.text)}`);
  return members.join(',');
}
