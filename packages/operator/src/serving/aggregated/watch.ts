// A watch of a history: the list is read again and again, and what has come, changed or ended since is reported. So a
// watch sees what a list sees, whoever asks. It looks once a second, less often where a look takes long.
import { createHash } from 'node:crypto';
import { type EpochMillis, epochMillis } from '@podtrail/history/wire';
import { type Clock, sleep } from '@podtrail/machinery';
import { Problem } from '../problem.ts';
import type { HistoryRecord } from './history-object.ts';
import type { SeenVersion } from './resource-versions.ts';

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly record: HistoryRecord }
  | { readonly type: 'BOOKMARK'; readonly at: EpochMillis; readonly isInitialEnd: boolean };

export interface WatchLook {
  readonly records: readonly HistoryRecord[];
  readonly isPresent: boolean;
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
  /** Called once the first look has succeeded, before anything is reported. */
  readonly onBegun: () => void;
  /** All records that touch the time from then on. */
  readonly look: (from: EpochMillis) => Promise<WatchLook>;
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
  if (after !== undefined && after.at < now - WINDOW_MS) {
    throw new Problem(410, 'expired', 'too old resource version', { hint: 'list again, and watch from its version.' });
  }
  const seen = after === undefined ? undefined : after.isOwn ? after.at : epochMillis(after.at - OVERLAP_MS);
  let isFirst = true;
  let bookmarkAt = clock.monotonic() + BOOKMARK_MS;
  let until = after?.at ?? now;
  while (!signal.aborted) {
    const begun = clock.monotonic();
    const earliest = (seen ?? now) - LATE_MS;
    const found = await look(epochMillis(Math.max(0, earliest, clock.now() - WINDOW_MS)));
    if (isFirst) options.onBegun();
    const names = new Set<string>();
    for (const record of found.records) {
      const key = `${record.namespace ?? ''}/${record.name}`;
      names.add(key);
      const digest = digestOf(record);
      const before = known.get(key);
      if (before?.digest === digest) continue;
      known.set(key, { digest, record });
      if (before !== undefined) yield { type: 'MODIFIED', record };
      else if (!isFirst || seen === undefined || record.began > seen) yield { type: 'ADDED', record };
      else if (record.changed > seen) yield { type: 'MODIFIED', record };
    }
    for (const [key, { record }] of known) {
      if (names.has(key)) continue;
      known.delete(key);
      if (found.isPresent) yield { type: 'DELETED', record };
    }
    until = epochMillis(Math.max(until, found.recordedUntil));
    if (isFirst && options.initialEnd) yield { type: 'BOOKMARK', at: until, isInitialEnd: true };
    else if (options.bookmarks && clock.monotonic() >= bookmarkAt) {
      bookmarkAt = clock.monotonic() + BOOKMARK_MS;
      yield { type: 'BOOKMARK', at: until, isInitialEnd: false };
    }
    isFirst = false;
    const tookMs = clock.monotonic() - begun;
    await sleep(clock, Math.max(LOOK_MS, SHARE * tookMs), signal).catch(() => undefined);
  }
  if (options.bookmarks) yield { type: 'BOOKMARK', at: until, isInitialEnd: false };
}

function digestOf({ fields }: HistoryRecord): string {
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
}
