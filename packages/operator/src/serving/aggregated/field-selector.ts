// Field selectors: `ip=10.1.2.3,since=2026-11-15T10:00:00Z`. Only equality, and only fields that the resource has: what
// would be ignored is refused.
import { Problem } from '../problem.ts';

export const FIELDS = {
  ip: 'an address',
  node: 'the name of a node',
  pod: 'the name of a pod of the namespace',
  uid: 'the UID of a pod',
  workload: 'a workload of the namespace: deploy/cart',
  cause: 'a cause of a move; several with |',
  at: 'an instant: 2026-11-15T10:05:00Z, or epoch seconds or milliseconds',
  since: 'the beginning of a time',
  until: 'the end of a time',
  'metadata.name': 'the name of one object',
  'metadata.namespace': 'a namespace',
} as const;

export type FieldName = keyof typeof FIELDS;
export type FieldSelector = ReadonlyMap<FieldName, string>;

const LONGEST = 4096;

export function parseFieldSelector(text: string, known: readonly FieldName[], plural: string): FieldSelector {
  const selector = new Map<FieldName, string>();
  if (text.length > LONGEST) throw refused(`a field selector may have ${LONGEST} characters`, known);
  for (const term of splitTerms(text)) {
    const [, field = '', operator = '', value = ''] = /^\s*([\w.]+)\s*(==|!=|=)(.*)$/s.exec(term) ?? [];
    if (operator === '') throw refused(`the field selector "${term}" is not FIELD=VALUE`, known);
    if (operator === '!=') throw refused(`${plural} are selected by what they are, not by what they are not`, known);
    if (!known.includes(field as FieldName)) throw refused(`${plural} have no field ${field} to select by`, known);
    const before = selector.get(field as FieldName);
    const given = unescaped(value.trim());
    if (before !== undefined && before !== given) throw refused(`${field} is given twice, and differs`, known);
    selector.set(field as FieldName, given);
  }
  checkTogether(selector, known);
  return selector;
}

/** Each of them says whose records are listed; another one beside it would be passed over. */
const WHOSE: readonly FieldName[] = ['metadata.name', 'ip', 'uid', 'pod', 'workload'];

function checkTogether(selector: FieldSelector, known: readonly FieldName[]): void {
  const [first, second, ...more] = WHOSE.filter((field) => selector.has(field));
  // Of who had an address, those of one pod.
  if (second === undefined || (first === 'ip' && second === 'uid' && more.length === 0)) return;
  throw refused(`${first} and ${second} cannot be given together: one of them says whose records are meant`, known);
}

/** A comma, an equals sign or a backslash in a value is written behind a backslash. */
function splitTerms(text: string): string[] {
  return (text.match(/(?:\\.|[^,\\])+/gs) ?? []).filter((term) => term.trim() !== '');
}

function unescaped(value: string): string {
  return value.replaceAll(/\\([,=\\])/g, '$1');
}

function refused(message: string, known: readonly FieldName[]): Problem {
  const all = known.map((field) => `${field} (${FIELDS[field]})`).join(', ');
  return new Problem(400, 'bad-selector', message, { hint: `there are ${all}.` });
}
