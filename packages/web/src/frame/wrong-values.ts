// Values in the URL that are none of the few that there are, each as a sentence: what is shown instead must not be taken
// for what was asked. Times are not among them. Pure.
import type { PageAddress } from '../address/page-address.ts';
import { ALL_CAUSES } from '../parts/cause.ts';

/** The same name is never another thing in another view. */
const VALUES: Readonly<Record<string, RegExp>> = {
  by: /^(?:node|workload|pod|ip)$/,
  colour: /^(?:pods|workload|cause)$/,
  kind: /^(?:moves|changes)$/,
  cause: new RegExp(`^(?:(?:${ALL_CAUSES.join('|')})(?:,|$))+$`),
};

export function wrongValues({ parameters }: PageAddress): readonly string[] {
  return Object.entries(VALUES).flatMap(([name, known]) => {
    const text = parameters[name];
    return text === undefined || known.test(text) ? [] : [`“${text}” is not known (${name}): it is left out.`];
  });
}
