// What a list says beside its records, in the Warning headers that kubectl prints: silence in a gap is not absence.
import type { GapDocument, WatchingDocument } from '@podtrail/history/wire';

const MOST = 3;

export function gapWarnings({ gaps }: WatchingDocument): readonly string[] {
  const said = gaps.slice(0, MOST).map(sentence);
  return gaps.length > MOST ? [...said, `there are more times that nobody was watching: kubectl get gaps`] : said;
}

function sentence({ from, to, reason }: GapDocument): string {
  return `nobody was watching from ${from} to ${to ?? 'now'} (${reason}); what happened then may be missing`;
}
