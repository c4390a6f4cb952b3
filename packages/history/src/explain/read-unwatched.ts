// Which streams of evidence nobody watched when a pod ended: their silence proves nothing.
import type { Snapshot } from '../engines/snapshot.ts';
import type { Evidence } from '../model/evidence.ts';
import type { PodLife } from '../model/pod-life.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { tellingStreams } from './streams.ts';
import { MINUTE_MS } from './traces.ts';

/** What happens is seen or reported so long after it. */
const AROUND_MS = MINUTE_MS;
const LIMIT = 1000;

export async function readUnwatched(snapshot: Snapshot, life: PodLife, endedAt: EpochMillis): Promise<string[]> {
  const unwatched: string[] = [];
  for (const stream of tellingStreams(life)) {
    // Of the whole cluster, and of its namespace: a recorder of some namespaces, or a flood in one.
    const [everywhere, here] = await Promise.all([
      readStream(snapshot, '', stream, endedAt),
      readStream(snapshot, life.pod.namespace, stream, endedAt),
    ]);
    if (isLost(everywhere, endedAt) || isLost(here, endedAt)) unwatched.push(stream);
  }
  return unwatched;
}

async function readStream(
  snapshot: Snapshot,
  namespace: string,
  name: string,
  endedAt: EpochMillis,
): Promise<readonly Evidence[]> {
  const { items } = await snapshot.occurrences({
    ...{ kind: 'evidence', subject: { by: 'name', namespace, name }, page: { limit: LIMIT } },
    span: { from: epochMillis(0), to: epochMillis(endedAt + 60 * MINUTE_MS) },
  });
  return items.filter(({ about }) => about.kind === 'Stream');
}

/** Where nothing is recorded of a stream, its records have expired: whoever watches begins by saying so. */
function isLost(states: readonly Evidence[], endedAt: EpochMillis): boolean {
  const before = states.filter(({ at }) => at <= endedAt).at(-1);
  const soon = states.filter(({ at }) => at > endedAt && at <= endedAt + AROUND_MS);
  if (soon.some(({ what }) => what === 'stream-lost')) return true;
  if (before !== undefined)
    return before.what === 'stream-lost' && !soon.some(({ what }) => what === 'stream-followed');
  const first = states.find(({ at }) => at > endedAt + AROUND_MS);
  return soon.length === 0 && first?.what === 'stream-followed';
}
