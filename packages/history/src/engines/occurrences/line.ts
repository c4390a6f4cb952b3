// A record as a line of an export has it. A file may come from anywhere: every field is looked at, and what is not as the
// ledger writes it is refused with the place where it is wrong.
import type { Provenance } from '../../model/boundary.ts';
import { type IpAddress, parseIp } from '../../model/ip-address.ts';
import type { ObjectReference } from '../../model/object-reference.ts';
import type { ChangeValue, Holder } from '../../model/records.ts';
import { type EpochMillis, epochMillis } from '../../model/time.ts';

export class LineProblem extends Error {}

/** Instants before 1970 do not occur, those after 9999 are no instants. */
const LAST_INSTANT = 253_402_300_799_999;

export class Line {
  readonly #fields: Readonly<Record<string, unknown>>;

  /** `name`: for the person who reads what is wrong. */
  constructor(value: unknown, name: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new LineProblem(`${name} is not an object`);
    this.#fields = value as Readonly<Record<string, unknown>>;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  get names(): string[] {
    return Object.keys(this.#fields);
  }

  object(name: string): Line {
    return new Line(this.#fields[name], name);
  }

  list(name: string): Line[] {
    const value = this.#fields[name];
    if (!Array.isArray(value)) throw new LineProblem(`${name} is not a list`);
    return value.map((one) => new Line(one, name));
  }

  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value !== 'string') throw new LineProblem(`${name} is not a text`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#fields[name];
    if (typeof value !== 'boolean') throw new LineProblem(`${name} is neither true nor false`);
    return value;
  }

  /** May be negative: priorities and exit codes are. */
  whole(name: string): number {
    const value = this.#fields[name];
    if (!Number.isSafeInteger(value)) throw new LineProblem(`${name} is not a whole number`);
    return value as number;
  }

  count(name: string): number {
    const value = this.whole(name);
    if (value < 0) throw new LineProblem(`${name} is not a whole number`);
    return value;
  }

  time(name: string): EpochMillis {
    const value = this.count(name);
    if (value > LAST_INSTANT) throw new LineProblem(`${name} is not an instant`);
    return epochMillis(value);
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T {
    const value = this.text(name);
    const found = known.find((one) => one === value);
    if (found === undefined) throw new LineProblem(`${name} is none of ${known.join(', ')}`);
    return found;
  }

  /** A member that may be absent. */
  maybe<K extends string, T>(name: K, read: (name: K) => T): { readonly [P in K]?: T } {
    return this.has(name) ? ({ [name]: read(name) } as { readonly [P in K]: T }) : {};
  }

  ip(name: string): IpAddress {
    const parsed = parseIp(this.text(name));
    if (parsed === undefined) throw new LineProblem(`${name} is not an address`);
    return parsed;
  }

  version(name: string): string {
    const value = this.text(name);
    if (!/^\d{1,40}$/.test(value)) throw new LineProblem(`${name} is not a decimal`);
    return value;
  }

  /** `mayLackVersion`: it is about something that is no object of the API. */
  provenance({ mayLackVersion = false } = {}): Provenance {
    const isLacking = mayLackVersion && this.text('resourceVersion') === '';
    return {
      source: this.oneOf('source', ['watch', 'list', 'audit', 'import', 'inferred'] as const),
      epoch: this.count('epoch'),
      resourceVersion: isLacking ? '' : this.version('resourceVersion'),
      observedAt: this.time('observedAt'),
      collector: this.text('collector'),
    };
  }

  holder(): Holder {
    return {
      kind: this.oneOf('kind', ['Pod', 'Node', 'Service'] as const),
      ...{ namespace: this.text('namespace'), name: this.text('name'), uid: this.text('uid'), node: this.text('node') },
      workload: this.has('workload') ? this.object('workload').#workload() : undefined,
      hostNetwork: this.flag('hostNetwork'),
    };
  }

  #workload(): NonNullable<Holder['workload']> {
    return { kind: this.text('kind'), name: this.text('name'), inferred: this.flag('inferred') };
  }

  reference(): ObjectReference {
    return {
      ...{ kind: this.text('kind'), namespace: this.text('namespace') },
      ...{ name: this.text('name'), uid: this.text('uid') },
    };
  }

  value(): ChangeValue {
    return { text: this.text('text'), sha256: this.has('sha256') ? this.text('sha256') : undefined };
  }
}
