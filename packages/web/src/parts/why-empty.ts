// Why a listing is empty: which of the possible reasons applies, and what to do. Pure.
import type { WatchingDocument } from '@podtrail/history/wire';
import { gapWhy } from './gap-words.ts';

export interface WhyEmpty {
  readonly title: string;
  readonly text: string;
}

export interface EmptyListing {
  readonly coverage: WatchingDocument | undefined;
  /** Of the time that was asked about; epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly isFiltered: boolean;
  readonly isNarrowed: boolean;
}

export function whyEmpty(listing: EmptyListing): WhyEmpty {
  const { coverage, from, to, isFiltered, isNarrowed } = listing;
  if (coverage === undefined) return noMatch(listing);
  if (coverage.from === null)
    return { title: 'Nothing is recorded yet', text: 'Start a recorder: podtrail record, or the operator.' };
  if (to <= Date.parse(coverage.from))
    return { title: 'Before the first record', text: 'Nobody watched this cluster then. Choose a later time.' };
  const hides = coverage.gaps.find(
    (gap) => Date.parse(gap.from) <= from && (gap.to === null || Date.parse(gap.to) >= to),
  );
  if (hides?.reason === 'removed')
    return { title: 'Not kept any more', text: `${gapWhy('removed')}. Choose a later time.` };
  if (hides?.reason === 'in-the-future') return { title: 'This time has not come', text: 'Choose an earlier time.' };
  if (hides !== undefined && hides.reason !== 'pods-only')
    return { title: 'Nobody was watching', text: `${gapWhy(hides.reason)}.` };
  if (isNarrowed)
    return {
      title: isFiltered ? 'Nothing of yours matches' : 'Nothing of yours',
      text: 'You see some namespaces only: there may be more in others.',
    };
  return noMatch(listing);
}

function noMatch({ from, to, isFiltered }: EmptyListing): WhyEmpty {
  const time = from === to ? 'another time' : 'a longer time';
  return isFiltered
    ? { title: 'Nothing matches', text: `Take away a filter, or choose ${time}.` }
    : { title: from === to ? 'Nothing was there' : 'Nothing happened', text: `Choose ${time}.` };
}
