// Times in the URL that cannot be shown as they are, each as a sentence: what is shown instead must not be taken for what
// was asked. Pure.
import type { PageAddress } from '../address/page-address.ts';
import { INSTANT_FORMS } from './read-instant.ts';
import { parseInstant } from './span.ts';

/** Which parameters of a view are times. */
const TIMES: Readonly<Record<PageAddress['view'], readonly string[]>> = {
  // What Ask cannot read the server refuses, with words of its own.
  ...{
    ask: [],
    nodes: ['at', 'against'],
    trail: ['since', 'until'],
    feed: ['since', 'until'],
    health: ['since', 'until'],
  },
};

export function wrongTimes({ view, parameters }: PageAddress, now: number): readonly string[] {
  const said: string[] = [];
  for (const name of TIMES[view]) {
    const text = parameters[name];
    if (text !== undefined && parseInstant(text, now) === undefined)
      said.push(`“${text}” is no time (${name}): it is left out. Write ${INSTANT_FORMS}.`);
  }
  const [since, until] = [parameters['since'], parameters['until'] ?? 'now'].map((text) =>
    parseInstant(text ?? '', now),
  );
  if (said.length === 0 && TIMES[view].includes('since') && since! >= until!)
    said.push('The time ends before it begins: another one is shown.');
  if (view === 'nodes' && parseInstant(parameters['at'] ?? '', now)! > now)
    said.push('That time has not come: now is shown.');
  return said;
}
