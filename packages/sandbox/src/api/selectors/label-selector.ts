// Label selectors, in the text form of queries and in the object form of workloads. Errors carry the real texts.
import { ownField } from '../../store/own-field.ts';
import { badRequest } from '../api-status-error.ts';
import { arrayAt, isObject, objectAt, textAt } from '../json-object.ts';

export type Labels = Readonly<Record<string, string>>;

export interface LabelSelector {
  matches(labels: Labels | undefined): boolean;
  /** As the server prints it, for example in a scale. */
  readonly text: string;
}

interface Requirement {
  readonly key: string;
  readonly operator: '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';
  readonly values: readonly string[];
}

export function parseLabelSelector(text: string): LabelSelector {
  return fromRequirements(new SelectorParser(text).parse());
}

/** matchLabels and matchExpressions; an empty one matches everything. */
export function selectorOfObject(selector: unknown): LabelSelector {
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(objectAt(selector, 'matchLabels') ?? {})) {
    requirements.push({ key, operator: '=', values: [String(value)] });
  }
  for (const expression of arrayAt(selector, 'matchExpressions')) {
    if (!isObject(expression)) continue;
    const operator = OPERATORS.get(textAt(expression, 'operator'));
    if (operator === undefined) continue;
    requirements.push({ key: textAt(expression, 'key'), operator, values: arrayAt(expression, 'values').map(String) });
  }
  return fromRequirements(requirements);
}

const OPERATORS: ReadonlyMap<string, Requirement['operator']> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

function fromRequirements(requirements: readonly Requirement[]): LabelSelector {
  return {
    matches: (labels) =>
      requirements.every((requirement) => holds(requirement, ownField(labels, requirement.key) as string | undefined)),
    get text() {
      return [...requirements]
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map(print)
        .join(',');
    },
  };
}

function holds({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '>':
      return value !== undefined && Number(value) > Number(values[0]);
    case '<':
      return value !== undefined && Number(value) < Number(values[0]);
  }
}

function print({ key, operator, values }: Requirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${[...values].sort().join(',')})`;
  return `${key}${operator}${values[0]}`;
}

const SYMBOLS = ['==', '!=', '=', '!', '>', '<', '(', ')', ','];

/** Recursive descent over words and symbols; white space only separates. */
class SelectorParser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokens(text);
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#tokens.length === 0) return requirements;
    const first = this.#peek();
    if (first !== '!' && !isWord(first)) {
      throw badRequest(`found '${first}', expected: !, identifier, or 'end of string'`);
    }
    for (;;) {
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next === '') return requirements;
      if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after !== '!' && !isWord(after)) throw badRequest(`found '${after}', expected: identifier after ','`);
    }
  }

  #requirement(): Requirement {
    if (this.#peek() === '!') {
      this.#take();
      return { key: this.#key(), operator: '!', values: [] };
    }
    const key = this.#key();
    const operator = this.#peek();
    if (operator === '' || operator === ',') return { key, operator: 'exists', values: [] };
    this.#take();
    switch (operator) {
      case 'in':
      case 'notin':
        return { key, operator, values: this.#values() };
      case '=':
      case '==':
      case '!=':
        return { key, operator, values: [checkedValue(key, this.#exactValue())] };
      case '>':
      case '<': {
        const value = this.#exactValue();
        if (!/^-?\d+$/.test(value)) {
          const why = "for 'Gt', 'Lt' operators, the value must be an integer";
          throw unparsable(`values[0]: Invalid value: ${JSON.stringify(value)}: ${why}`);
        }
        return { key, operator, values: [value] };
      }
      default:
        throw unparsable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #key(): string {
    const key = this.#take();
    if (!isWord(key)) throw unparsable(`found '${key}', expected: identifier`);
    const fault = labelKeyFault(key);
    if (fault !== undefined) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${fault}`);
    return key;
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next === '' || next === ',') return '';
    if (!isWord(next)) throw unparsable(`found '${next}', expected: identifier`);
    return this.#take();
  }

  #values(): string[] {
    const open = this.#take();
    if (open !== '(') throw unparsable(`found '${open}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      const next = this.#take();
      if (next === ')') return values.length === 0 ? [''] : values;
      if (next === ',') {
        values.push('');
        continue;
      }
      if (!isWord(next)) throw unparsable(`found '${next}', expected: ',', ')' or identifier`);
      values.push(next);
      const after = this.#take();
      if (after === ')') return values;
      if (after !== ',') throw unparsable(`found '${after}', expected: ',' or ')'`);
    }
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(): string {
    return this.#tokens[this.#at++] ?? '';
  }
}

const NAME_PART = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_KEY = new RegExp(`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?${NAME_PART}$`);
const LABEL_VALUE = new RegExp(`^(${NAME_PART})?$`);
const KEY_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Undefined for a key that labels, annotations and selectors may have. */
export function labelKeyFault(key: string): string | undefined {
  const [name = '', prefix] = key.split('/').reverse();
  if (!LABEL_KEY.test(key)) return KEY_RULE;
  if (name.length > 63) return 'name part must be no more than 63 bytes';
  return prefix !== undefined && prefix.length > 253 ? 'prefix part must be no more than 253 bytes' : undefined;
}

export function labelValueFault(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 bytes';
  return LABEL_VALUE.test(value) ? undefined : VALUE_RULE;
}

function checkedValue(key: string, value: string): string {
  const fault = labelValueFault(value);
  if (fault === undefined) return value;
  throw unparsable(`values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${fault}`);
}

function isWord(token: string): boolean {
  return token !== '' && !SYMBOLS.includes(token);
}

function tokens(text: string): string[] {
  return text.match(/==|!=|[=!><(),]|[^\s=!><(),]+/g) ?? [];
}

function unparsable(what: string): Error {
  return badRequest(`unable to parse requirement: ${what}`);
}
