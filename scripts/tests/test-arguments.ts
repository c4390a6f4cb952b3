// The command line of scripts/run-tests.ts: `SUITE [PATH_PART…] [--test-name-pattern=RE] [--file-timeout=SECONDS]`.
import { SUITES, type TestSuite } from './test-suites.ts';

export interface TestArguments {
  readonly suiteName: string;
  readonly suite: TestSuite;
  readonly filters: readonly string[];
  readonly namePattern: string | undefined;
}

/** Throws a sentence for anything it does not know. */
export function parseTestArguments(args: readonly string[]): TestArguments {
  const [suiteName = '', ...rest] = args;
  const known = Object.hasOwn(SUITES, suiteName) ? SUITES[suiteName] : undefined;
  if (known === undefined) {
    throw new Error(`The first argument names a suite, ${Object.keys(SUITES).join(', ')}; it was "${suiteName}".`);
  }
  let suite = known;
  let namePattern: string | undefined;
  const filters: string[] = [];
  for (let index = 0; index < rest.length; index++) {
    const [flag, inline] = split(rest[index] ?? '');
    if (!flag.startsWith('-')) {
      filters.push(flag);
      continue;
    }
    const value = inline ?? rest[++index];
    if (value === undefined) throw new Error(`${flag} needs a value.`);
    if (flag === '--test-name-pattern') namePattern = value;
    else if (flag === '--file-timeout' && Number(value) > 0) suite = { ...suite, fileLimitMs: Number(value) * 1000 };
    else throw new Error(`${flag} ${value} is not understood; known are --test-name-pattern and --file-timeout.`);
  }
  return { suiteName, suite, filters, namePattern };
}

function split(arg: string): [string, string | undefined] {
  const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return equals < 0 ? [arg, undefined] : [arg.slice(0, equals), arg.slice(equals + 1)];
}
