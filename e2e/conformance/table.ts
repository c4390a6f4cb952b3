// The results of the suite as one Markdown table, and what is wrong with them in sentences.
import type { AcceptedDifference } from './accepted-differences.ts';
import type { CaseResult } from './run.ts';

export interface ServerResults {
  readonly server: string;
  readonly results: readonly CaseResult[];
}

/** area | cases | assertions | one column for each server. */
export function renderTable(runs: readonly ServerResults[], accepted: readonly AcceptedDifference[]): string {
  const areas = [...new Set(runs.flatMap(({ results }) => results.map(({ area }) => area)))];
  const row = (area: string, belongs: (result: CaseResult) => boolean) => {
    const of = ({ results }: ServerResults) => results.filter(belongs);
    const first = runs[0] ? of(runs[0]) : [];
    const cells = runs.map((run) => verdict(run.server, of(run), accepted));
    return `| ${[area, first.length, sumAssertions(first), ...cells].join(' | ')} |`;
  };
  return [
    `| area | cases | assertions | ${runs.map(({ server }) => server).join(' | ')} |`,
    `|---|---:|---:|${runs.map(() => '---|').join('')}`,
    ...areas.map((area) => row(area, (result) => result.area === area)),
    row('**all**', () => true),
  ].join('\n');
}

export function sumAssertions(results: readonly CaseResult[]): number {
  return results.reduce((sum, { assertions }) => sum + assertions, 0);
}

/** Failures that nobody accepted, and accepted differences that are none (any more). Empty when all is well. */
export function complaints(
  { server, results }: ServerResults,
  accepted: readonly AcceptedDifference[],
): { readonly area: string; readonly text: string }[] {
  const known = new Map(accepted.map((difference) => [difference.case, difference]));
  return results.flatMap(({ area, name, failures }) => {
    const expected = server === 'sandbox' && known.has(name);
    if (expected)
      return failures.length > 0 ? [] : [{ area, text: `${name}: it no longer differs; accept it no more` }];
    return failures.map((failure) => ({ area, text: `${name}: ${failure}` }));
  });
}

function verdict(server: string, results: readonly CaseResult[], accepted: readonly AcceptedDifference[]): string {
  const known = new Set(server === 'sandbox' ? accepted.map((difference) => difference.case) : []);
  const failed = results.filter(({ failures }) => failures.length > 0);
  const wrong = failed.filter(({ name }) => !known.has(name)).length;
  const differing = failed.length - wrong;
  const passed = results.length - failed.length;
  if (failed.length === 0) return 'all pass';
  return [
    `${passed} pass`,
    ...(differing > 0 ? [`${differing} accepted`] : []),
    ...(wrong > 0 ? [`**${wrong} fail**`] : []),
  ].join(', ');
}
