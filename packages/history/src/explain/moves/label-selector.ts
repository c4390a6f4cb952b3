// A label selector as kubectl writes it: `app=cart,tier in (web,api),!canary`. Judges the labels that a life stores.
import { HistoryError } from '../../errors.ts';
import type { PodLife } from '../../model/pod-life.ts';

/** What is stored of a life; `labels` is absent in lives that an older podtrail recorded. */
type Labelled = Pick<PodLife, 'labels' | 'labelsCut'>;

interface LabelSelector {
  /** Undefined: what is stored does not say. */
  selects(life: Labelled): boolean | undefined;
}

interface Requirement {
  readonly key: string;
  /** `exists` without values; `in` and `notin` stand for = and != too. */
  readonly operator: 'exists' | 'absent' | 'in' | 'notin' | '>' | '<';
  readonly values: readonly string[];
}

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const PREFIX = '[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?';
const KEY = new RegExp(`^(?:${PREFIX}/)?${NAME}$`);
const VALUE = new RegExp(`^(?:${NAME})?$`);
/** Words and signs; whatever is between them is white space. */
const TOKENS = /==|!=|[=!<>(),]|[^\s=!<>(),]+/g;
const SIGNS = new Set(['==', '!=', '=', '!', '<', '>', '(', ')', ',']);

export function parseLabelSelector(text: string): LabelSelector {
  const tokens = new Tokens(text);
  const requirements: Requirement[] = [];
  do requirements.push(requirement(tokens));
  while (tokens.takeIf(','));
  if (!tokens.isAtEnd) throw tokens.fault('a comma or the end');
  return { selects: (life) => all(requirements.map((one) => judge(one, life))) };
}

function requirement(tokens: Tokens): Requirement {
  if (tokens.takeIf('!')) return { key: tokens.key(), operator: 'absent', values: [] };
  const key = tokens.key();
  if (tokens.isAtEnd || tokens.isNext(',')) return { key, operator: 'exists', values: [] };
  if (tokens.takeIf('=') || tokens.takeIf('==')) return { key, operator: 'in', values: [tokens.value()] };
  if (tokens.takeIf('!=')) return { key, operator: 'notin', values: [tokens.value()] };
  for (const operator of ['>', '<'] as const)
    if (tokens.takeIf(operator)) return { key, operator, values: [tokens.number()] };
  for (const operator of ['in', 'notin'] as const)
    if (tokens.takeIf(operator)) return { key, operator, values: tokens.values() };
  throw tokens.fault('=, ==, !=, in, notin, > or <');
}

function judge({ key, operator, values }: Requirement, { labels, labelsCut }: Labelled): boolean | undefined {
  if (labels === undefined) return undefined;
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  // It may be one of those that there was no room for.
  if (value === undefined && labelsCut === true) return undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && values.includes(value);
    // As Kubernetes has it, also of a pod without the label.
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
      return isNumber(value) && Number(value) > Number(values[0]);
    case '<':
      return isNumber(value) && Number(value) < Number(values[0]);
  }
}

function isNumber(value: string | undefined): value is string {
  return value !== undefined && /^-?\d+$/.test(value);
}

/** One that does not hold decides, whatever the others are. */
function all(judged: readonly (boolean | undefined)[]): boolean | undefined {
  if (judged.includes(false)) return false;
  return judged.includes(undefined) ? undefined : true;
}

class Tokens {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(TOKENS) ?? [];
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  isNext(token: string): boolean {
    return this.#tokens[this.#at] === token;
  }

  takeIf(token: string): boolean {
    if (!this.isNext(token)) return false;
    this.#at++;
    return true;
  }

  key(): string {
    return this.#word(KEY, 'the key of a label');
  }

  value(): string {
    // `app=` asks for an empty value.
    return this.isAtEnd || this.isNext(',') ? '' : this.#word(VALUE, 'the value of a label');
  }

  number(): string {
    return this.#word(/^-?\d+$/, 'a whole number');
  }

  values(): string[] {
    if (!this.takeIf('(')) throw this.fault('"("');
    const values: string[] = [];
    do values.push(this.isNext(',') || this.isNext(')') ? '' : this.#word(VALUE, 'the value of a label'));
    while (this.takeIf(','));
    if (!this.takeIf(')')) throw this.fault('a comma or ")"');
    return values;
  }

  #word(pattern: RegExp, what: string): string {
    const token = this.#tokens[this.#at];
    if (token === undefined || SIGNS.has(token) || !pattern.test(token)) throw this.fault(what);
    this.#at++;
    return token;
  }

  fault(expected: string): HistoryError {
    const found = this.#tokens[this.#at];
    const where = found === undefined ? 'at its end' : `where "${found}" stands`;
    return new HistoryError('bad-selector', `"${this.#text}" is no label selector: ${expected} is missing ${where}`, {
      hint: "write it as for kubectl: 'app=cart', 'tier in (web,api)', '!canary', 'env!=test', joined by commas.",
    });
  }
}
