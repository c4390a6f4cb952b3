// Which streams of evidence nobody watched when a pod ended: their silence proves nothing.
import type { Snapshot } from '../engines/snapshot.ts';
import type { Evidence } from '../model/evidence.ts';
import type { PodLife } from '../model/pod-life.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { readShared } from './read-evidence.ts';
import { AUDIT_STREAM, RESTATED_EVERY_MS, STILL_FOLLOWED, STILL_LOST, tellingStreams } from './streams.ts';
import { MINUTE_MS } from './traces.ts';

/** What happens is seen or reported so long after it. */
const AROUND_MS = MINUTE_MS;
const PAGE = 1000;
const MOST_PAGES = 20;
const HOUR_MS = 60 * MINUTE_MS;
/** What is recorded again says so of the time before; it may come late. */
const RESTATED_WITHIN_MS = RESTATED_EVERY_MS + HOUR_MS;

export async function readUnwatched(snapshot: Snapshot, life: PodLife, endedAt: EpochMillis): Promise<string[]> {
  const unwatched: string[] = [];
  for (const stream of tellingStreams(life)) {
    // Of the whole cluster, and of its namespace: a recorder of some namespaces, or a flood in one.
    const [everywhere, here] = await Promise.all([
      readStream(snapshot, '', stream, endedAt),
      readStream(snapshot, life.pod.namespace, stream, endedAt),
    ]);
    const isKnown = everywhere.length > 0 || here.length > 0;
    // Whoever watches begins by saying so. Of a stream that has been watched for long, that record has expired; a
    // recorder of some namespaces does not watch namespaces.
    const isSilent = !isKnown && stream !== 'namespaces' && !(await hasStreams(snapshot, endedAt));
    if (isSilent || isLost(everywhere, endedAt) || isLost(here, endedAt)) unwatched.push(stream);
  }
  // Most clusters send none, and nothing is missing then: only a loss counts.
  const audit = await readStream(snapshot, '', AUDIT_STREAM, endedAt);
  if (isFlooded(audit, endedAt)) unwatched.push(AUDIT_STREAM);
  return unwatched;
}

async function readStream(
  snapshot: Snapshot,
  namespace: string,
  name: string,
  endedAt: EpochMillis,
): Promise<readonly Evidence[]> {
  const span = { from: epochMillis(0), to: epochMillis(endedAt + RESTATED_WITHIN_MS) };
  const isNear = (one: Evidence) => one.at < endedAt + HOUR_MS || isRestated(one);
  const isState = (one: Evidence) => one.about.kind === 'Stream' && isNear(one);
  return await readShared(snapshot, { by: 'name', namespace, name }, span, isState);
}

function isLost(states: readonly Evidence[], endedAt: EpochMillis): boolean {
  const before = states.filter(({ at }) => at <= endedAt).at(-1);
  const soon = states.filter(({ at }) => at > endedAt && at <= endedAt + AROUND_MS);
  if (soon.some(({ what }) => what === 'stream-lost')) return true;
  if (before !== undefined)
    return before.what === 'stream-lost' && !soon.some(({ what }) => what === 'stream-followed');
  const first = states.find(({ at }) => at > endedAt + AROUND_MS);
  if (soon.length > 0 || first === undefined) return false;
  // What was recorded before the end has expired. A change says that it was otherwise before, a restatement that it was so.
  return first.what === (isRestated(first) ? 'stream-lost' : 'stream-followed');
}

function isRestated({ reason }: Evidence): boolean {
  return reason === STILL_LOST || reason === STILL_FOLLOWED;
}

/** Nothing brings back what was lost meanwhile; it is sent some seconds late. */
function isFlooded(states: readonly Evidence[], endedAt: EpochMillis): boolean {
  const before = states.filter(({ at }) => at <= endedAt).at(-1);
  const soon = states.filter(({ at }) => at > endedAt && at <= endedAt + AROUND_MS);
  return [before, ...soon].some((state) => state?.what === 'stream-lost');
}

/** By snapshot and hour: many pods end within one. */
const known = new WeakMap<Snapshot, Map<number, Promise<boolean>>>();

/** Some stream of evidence was watched then: something of one is stored that is not about nodes, which are claims. */
function hasStreams(snapshot: Snapshot, endedAt: EpochMillis): Promise<boolean> {
  const hours = known.get(snapshot) ?? new Map<number, Promise<boolean>>();
  known.set(snapshot, hours);
  const hour = Math.floor(endedAt / HOUR_MS);
  const found = hours.get(hour) ?? readAnyEvidence(snapshot, hour * HOUR_MS);
  hours.set(hour, found);
  return found;
}

async function readAnyEvidence(snapshot: Snapshot, hour: number): Promise<boolean> {
  const span = { from: epochMillis(hour - 24 * HOUR_MS), to: epochMillis(hour + 2 * HOUR_MS) };
  let cursor: string | undefined;
  // In a large cluster, nodes have thousands of records in a day.
  for (let page = 0; page < MOST_PAGES; page++) {
    const read = await snapshot.occurrences({ kind: 'evidence', span, page: { limit: PAGE, cursor } });
    if (read.items.some(isOfStream)) return true;
    cursor = read.cursor;
    if (cursor === undefined) return false;
  }
  return false;
}

function isOfStream({ about, what, source }: Evidence): boolean {
  return source !== 'audit' && (what === 'event' || about.kind !== 'Node');
}
