// What a list says beside its records, in the Warning headers that kubectl prints: silence in a gap is not absence.
import type { PeerReport } from '@podtrail/history';
import type { GapDocument, WatchingDocument } from '@podtrail/history/wire';
import type { FoundRecords } from './resource.ts';

const MOST = 3;

/** What of a list follows from what was watched. */
export function watchedPart(coverage: WatchingDocument): Pick<FoundRecords, 'warnings' | 'hasGaps'> {
  return { warnings: gapWarnings(coverage), hasGaps: coverage.gaps.length > 0 || coverage.from === null };
}

/** Of a peer that could not be asked about them. */
export function peerWarnings(peers: readonly PeerReport[]): readonly string[] {
  return peers.flatMap(({ collector, answered, why = 'failed' }) =>
    answered ? [] : [`the replica ${collector} ${why}; what it watched then is not among these`],
  );
}

function gapWarnings({ gaps }: WatchingDocument): readonly string[] {
  const said = gaps.slice(0, MOST).map(sentence);
  return gaps.length > MOST ? [...said, `there are more times that nobody was watching: kubectl get gaps`] : said;
}

function sentence({ from, to, reason }: GapDocument): string {
  return `nobody was watching from ${from} to ${to ?? 'now'} (${reason}); what happened then may be missing`;
}
