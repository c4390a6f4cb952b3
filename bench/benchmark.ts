// What a benchmark is to main.ts: a name, its options, and one function that measures. Each stands in a file of its own.
import type { Session } from './session.ts';

export interface Option {
  /** Shown in the help: `--pods N`. */
  readonly placeholder: string;
  readonly help: string;
  readonly fallback?: string;
}

/** What was given on the command line, with the fallbacks in place of what was not. */
export type OptionValues = Readonly<Record<string, string | undefined>>;

export interface Bar {
  readonly what: string;
  readonly value: number;
  readonly bar: number;
  readonly goal?: number;
}

export interface Outcome {
  /** Written to --json FILE as it is. */
  readonly report: Readonly<Record<string, unknown>>;
  readonly table: string;
  readonly bars: readonly Bar[];
}

export interface Benchmark {
  readonly name: string;
  /** One line for the list of benchmarks. */
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  run(values: OptionValues, session: Session): Promise<Outcome>;
}

/** Something a person has to act on: one sentence, without a stack. */
export class BenchError extends Error {}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

export function wholeNumber(values: OptionValues, name: string, least: number): number {
  const text = values[name] ?? '';
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) {
    throw new UsageError(`--${name} takes a whole number of at least ${least}, not '${text}'`);
  }
  return Number(text);
}

export function describeBar({ what, value, bar, goal }: Bar): string {
  const verdict = value <= bar ? (goal !== undefined && value <= goal ? 'met, and the goal too' : 'met') : 'MISSED';
  const aims = goal === undefined ? `bar ${bar.toFixed(2)}` : `bar ${bar.toFixed(2)}, goal ${goal.toFixed(2)}`;
  return `${what}: ${value.toFixed(2)} (${aims}): ${verdict}`;
}
