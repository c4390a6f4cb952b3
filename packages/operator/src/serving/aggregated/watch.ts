// A watch of a history: the list is read again and again, and what has come, changed or ended since is reported. So a
// watch sees what a list sees, whoever asks. It looks once a second, less often where a look takes long.
import { createHash } from 'node:crypto';
import { type EpochMillis, epochMillis } from '@podtrail/history/wire';
import { type Clock, sleep } from '@podtrail/machinery';
import { Problem } from '../problem.ts';
import type { HistoryRecord } from './history-object.ts';
import type { SeenVersion } from './resource-versions.ts';

export type WatchEvent =
  /** `at`: its version, by which a watch goes on after it. */
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly record: HistoryRecord; readonly at: EpochMillis }
  | { readonly type: 'BOOKMARK'; readonly at: EpochMillis; readonly isInitialEnd: boolean };

export interface WatchLook {
  readonly records: readonly HistoryRecord[];
  readonly isPresent: boolean;
  /** What the version that the watch goes on from may have had, and what came and went since. */
  readonly ended: readonly HistoryRecord[];
  readonly recordedUntil: EpochMillis;
}

export interface WatchOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Undefined: from what there is now, which is reported first. */
  readonly after: SeenVersion | undefined;
  readonly bookmarks: boolean;
  /** A bookmark says when what there is has been reported. */
  readonly initialEnd: boolean;
  /** How far this replica has recorded: what the version of a list is made of. */
  readonly recordedUntil: () => Promise<EpochMillis>;
  /** Called once the first look has succeeded, before anything is reported. */
  readonly onBegun: () => void;
  /** All records that touch the time from then on, and what has ended since `seen`, where that is given. */
  readonly look: (from: EpochMillis, seen: EpochMillis | undefined) => Promise<WatchLook>;
}

const LOOK_MS = 1_000;
/** A look may cost this part of the time. */
const SHARE = 5;
const BOOKMARK_MS = 30_000;
/** What happened longer ago is not looked at again: a watch that begins there must list. */
const WINDOW_MS = 15 * 60_000;
/** What two replicas have observed by one instant differs by less. */
const OVERLAP_MS = 10_000;
/** Records become known a while after they happened. */
const LATE_MS = 60_000;

export async function* watch(options: WatchOptions): AsyncIterable<WatchEvent> {
  const { clock, signal, after, look } = options;
  const known = new Map<string, { readonly digest: string; readonly record: HistoryRecord }>();
  const now = epochMillis(clock.now());
  if (after !== undefined) checkVersion(after, await options.recordedUntil());
  const seen = after === undefined ? undefined : after.isOwn ? after.at : epochMillis(after.at - OVERLAP_MS);
  const listed = after === undefined || after.isOwn ? (seen ?? now) : after.at + OVERLAP_MS;
  let isFirst = true;
  let bookmarkAt = clock.monotonic() + BOOKMARK_MS;
  let until = after?.at ?? now;
  // Another replica's version of the same millisecond may be the larger number.
  let sent = after === undefined ? epochMillis(0) : after.isOwn ? after.at : epochMillis(after.at + 1);
  while (!signal.aborted) {
    const begun = clock.monotonic();
    const earliest = (seen ?? now) - LATE_MS;
    const from = epochMillis(Math.max(0, earliest, clock.now() - WINDOW_MS));
    const found = await look(from, isFirst ? seen : undefined);
    if (isFirst) options.onBegun();
    until = epochMillis(Math.max(until, found.recordedUntil));
    const news: Unversioned[] = [];
    const names = new Set<string>();
    for (const record of found.records) {
      const key = `${record.namespace ?? ''}/${record.name}`;
      names.add(key);
      const digest = digestOf(record);
      const before = known.get(key);
      if (before?.digest === digest) continue;
      known.set(key, { digest, record });
      if (before !== undefined) news.push({ type: 'MODIFIED', record, changed: record.changed });
      else if (!isFirst || seen === undefined || record.began > seen)
        news.push({ type: 'ADDED', record, changed: record.changed });
      else if (record.changed > seen) news.push({ type: 'MODIFIED', record, changed: record.changed });
    }
    for (const [key, { record }] of known) {
      if (names.has(key)) continue;
      known.delete(key);
      if (found.isPresent) news.push({ type: 'DELETED', record, changed: until });
    }
    // What came and went meanwhile was in no list.
    for (const record of found.ended)
      if (record.began <= listed) news.push({ type: 'DELETED', record, changed: record.changed });
    // Whoever goes on from the version of one of them has had all that come before it.
    for (const { type, record, changed } of news.sort((a, b) => a.changed - b.changed)) {
      sent = epochMillis(Math.max(sent, changed));
      yield { type, record, at: sent };
    }
    if (isFirst && options.initialEnd)
      yield { type: 'BOOKMARK', at: epochMillis(Math.max(sent, until)), isInitialEnd: true };
    else if (options.bookmarks && clock.monotonic() >= bookmarkAt) {
      bookmarkAt = clock.monotonic() + BOOKMARK_MS;
      yield { type: 'BOOKMARK', at: epochMillis(Math.max(sent, until)), isInitialEnd: false };
    }
    isFirst = false;
    const tookMs = clock.monotonic() - begun;
    await sleep(clock, Math.max(LOOK_MS, SHARE * tookMs), signal).catch(() => undefined);
  }
  if (options.bookmarks) yield { type: 'BOOKMARK', at: epochMillis(Math.max(sent, until)), isInitialEnd: false };
}

interface Unversioned {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly record: HistoryRecord;
  readonly changed: EpochMillis;
}

/**
 * By how far was recorded and not by the clock: a list of a replica that records nothing any more comes with an old version,
 * and to refuse that would make its clients list for ever.
 */
function checkVersion({ at }: SeenVersion, recorded: EpochMillis): void {
  const why = at < recorded - WINDOW_MS ? 'old' : at > recorded + LATE_MS ? 'large' : undefined;
  if (why === undefined) return;
  throw new Problem(410, 'expired', `too ${why} resource version`, { hint: 'list again, and watch from its version.' });
}

function digestOf({ fields }: HistoryRecord): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
}
