// What `attribute` adds to a row: these columns, in this order, for each address that is asked about. A column of the
// input keeps its name; ours give way.
import { type Attributed, type Attribution, attributionDocument } from '@podtrail/history/wire';
import { csvField } from '../output/csv.ts';
import { formatJsonLine } from '../output/json.ts';
import { visible } from '../output/visible.ts';
import { toUtcText } from '../times/show-time.ts';

export type AnswerText = Exclude<Attribution['answer'], ''>;

const PLAIN_COLUMNS = [
  ...(['answer', 'kind', 'namespace', 'pod', 'uid', 'node', 'workload', 'from', 'to', 'candidates'] as const),
];
const MORE_COLUMNS = ['overlap', 'reason', 'last', 'next'] as const;
/** In JSON, where each is there only if it says something. */
const MEMBERS = ['reason', 'basis', 'last', 'next'] as const;
const OURS = 'podtrail_';

/** How a text stands in delimited text. */
export interface Cells {
  readonly delimiter: string;
  readonly hasQuotes: boolean;
  /** What stands for nothing. */
  readonly empty: string;
}

export const COMMAS: Cells = { delimiter: ',', hasQuotes: true, empty: '' };

/** Nearly every value: nothing in it has to be quoted or made visible, whatever stands between the fields. */
const PLAIN = /^[A-Za-z0-9][\w.:/@-]*$/;
const PLAIN_SAFE = [',', ';', '\t', '|', ' '];

/** Our columns of a run: those of one address, or those of several with a prefix each. */
export class OurColumns {
  /** One for each address that is asked about. */
  readonly prefixes: readonly string[];
  /** With the part of the window, the reason, and who was there before and after. */
  readonly isFull: boolean;
  readonly #columns: readonly string[];

  constructor(prefixes: readonly string[], isFull: boolean) {
    this.prefixes = prefixes;
    this.isFull = isFull;
    this.#columns = isFull ? [...PLAIN_COLUMNS, ...MORE_COLUMNS] : PLAIN_COLUMNS;
  }

  /** Of each end, beside the names of the input; what collides gets `podtrail_` before it. */
  names(taken: readonly string[]): readonly (readonly string[])[] {
    const names = new Set(taken);
    return this.prefixes.map((prefix) =>
      this.#columns.map((column) => (names.has(prefix + column) ? OURS + prefix + column : prefix + column)),
    );
  }

  /** Which of these columns an earlier run has added: they are replaced. `areMembers`: of JSON, which leaves some out. */
  before(names: readonly string[], areMembers = false): ReadonlySet<string> {
    const found = new Set<string>();
    for (const prefix of this.prefixes) {
      for (let i = 0; i + PLAIN_COLUMNS.length <= names.length; i++) {
        const isOurs = PLAIN_COLUMNS.every((column, n) => isNamed(names[i + n], prefix + column));
        if (!isOurs) continue;
        const all = PLAIN_COLUMNS.length + moreFrom(names, i + PLAIN_COLUMNS.length, prefix, areMembers);
        for (const name of names.slice(i, i + all)) found.add(name);
        i += all - 1;
      }
      for (const column of this.#columns) {
        const own = OURS + prefix + column;
        if (names.includes(own)) found.add(own);
      }
    }
    return found;
  }

  /** The values of one end, ready to stand behind a record of the input: fields without the delimiter before them. */
  cells(attribution: Attribution, { delimiter, hasQuotes, empty }: Cells): string {
    const isPlainSafe = PLAIN_SAFE.includes(delimiter);
    const cell = (text: string) => {
      if (text === '') return empty;
      if (isPlainSafe && PLAIN.test(text)) return text;
      if (!hasQuotes) return visible(text).replaceAll(/\s/g, '_').replaceAll(delimiter, '_');
      const field = csvField(visible(text));
      return delimiter !== ',' && field === text && text.includes(delimiter) ? `"${text}"` : field;
    };
    const { answer, holders, reason, basis, last, next } = attribution;
    const holder = answer === 'held' ? holders[0] : undefined;
    const workload = holder?.workload;
    const values = [
      answer,
      holder?.kind ?? '',
      holder?.namespace ?? '',
      holder?.name ?? '',
      holder?.uid ?? '',
      holder?.node ?? '',
      workload === undefined ? '' : `${workload.kind}/${workload.name}`,
      holder === undefined ? '' : toUtcText(holder.from),
      holder?.to === undefined ? '' : toUtcText(holder.to),
      holder === undefined ? holders.map(nameOf).join(';') : '',
    ];
    if (this.isFull) {
      const shares = holders.map(({ overlap }) => overlap?.possible);
      const isPart = shares.some((share) => share !== undefined);
      values.push(
        isPart ? shares.map((share) => shareText(share ?? 1)).join(';') : '',
        reason ?? basis ?? '',
        last === undefined ? '' : `${nameOf(last)}@${last.to === undefined ? '' : toUtcText(last.to)}`,
        next === undefined ? '' : `${nameOf(next)}@${toUtcText(next.from)}`,
      );
    }
    return values.map(cell).join(delimiter);
  }

  /** The members of a JSON object for one end, without braces; `names` are those of the end. */
  members(attribution: Attribution, names: readonly string[], problem?: Problem): string {
    const document: Readonly<Record<string, unknown>> = attributionDocument(attribution);
    const member = (name: string | undefined, value: unknown) =>
      `${JSON.stringify(name)}:${formatJsonLine(value).trimEnd()}`;
    const members = PLAIN_COLUMNS.map((column, i) => member(names[i], document[column]));
    const prefix = (names[0] ?? '').slice(0, -'answer'.length);
    for (const name of MEMBERS) if (document[name] !== undefined) members.push(member(prefix + name, document[name]));
    if (problem !== undefined) members.push(`${JSON.stringify(problem.name)}:${JSON.stringify(problem.text)}`);
    return members.join(',');
  }
}

/** Of one address, in CSV. */
export function csvTail(attribution: Attribution): string {
  return new OurColumns([''], false).cells(attribution, COMMAS);
}

/** Why a row is malformed, and the name of the member that says so; JSON only, CSV has no column for it. */
export interface Problem {
  readonly name: string;
  readonly text: string;
}

export function problemOf(text: string | undefined, taken: readonly string[]): Problem | undefined {
  if (text === undefined) return undefined;
  return { name: taken.includes('problem') ? `${OURS}problem` : 'problem', text };
}

export function nameOf({ namespace, name }: Pick<Attributed, 'namespace' | 'name'>): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function shareText(share: number): string {
  return String(Math.round(share * 1000) / 1000);
}

function isNamed(name: string | undefined, column: string): boolean {
  return name === column || name === OURS + column;
}

/** How many of the columns that only some runs add follow. */
function moreFrom(names: readonly string[], from: number, prefix: string, areMembers: boolean): number {
  if (!areMembers) {
    return MORE_COLUMNS.every((column, n) => isNamed(names[from + n], prefix + column)) ? MORE_COLUMNS.length : 0;
  }
  let count = 0;
  for (const name of [...MEMBERS.map((column) => prefix + column), 'problem']) {
    if (isNamed(names[from + count], name)) count++;
  }
  return count;
}
