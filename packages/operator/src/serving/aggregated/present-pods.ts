// Lists that name nobody are of the pods that are there now, page by page in the order of their names: as `kubectl get
// pods` is, and as bounded. Whoever asks about another time says about whom.
import { endedPods, epochMillis, type Span } from '@podtrail/history/wire';
import { Problem } from '../problem.ts';
import { timesOf, within } from './asked-of.ts';
import type { HistoryRecord } from './history-object.ts';
import type { FoundRecords, ListQuestion, PresentPod } from './resource.ts';
import { AT_ONCE, sideBySide } from './side-by-side.ts';

/** Rejects a time: a list of everything that ever was has no end. */
export function namelessTime({ selector }: Pick<ListQuestion, 'selector'>): void {
  const { at, since, until } = timesOf(selector);
  if (at === undefined && since === undefined && until === undefined) return;
  throw new Problem(400, 'say-whose', 'a list of another time than now needs to know whose it is', {
    hint: 'add ip=, uid=, pod=, workload= or node= to the field selector.',
  });
}

/** Pod after pod until the page is full. A cursor is the key of the last pod that was looked at. */
export async function recordsOfPresent(
  question: Pick<ListQuestion, 'present' | 'namespace' | 'visibility' | 'limit' | 'cursor'>,
  read: (pod: PresentPod) => Promise<readonly HistoryRecord[]>,
): Promise<FoundRecords> {
  const { present, namespace, visibility, limit, cursor } = question;
  const all = present();
  if (all === undefined) {
    throw new Problem(503, 'not-yet', 'the pods of the cluster are not known yet', {
      hint: 'ask again in a moment, or name an address.',
      headers: { 'retry-after': '1' },
    });
  }
  const records: HistoryRecord[] = [];
  let last: string | undefined;
  const pods = visibleAfter(all, cursor, { namespace, visibility });
  const reads = sideBySide(pods, async (pod) => ({ pod, found: await read(pod) }), Math.min(AT_ONCE, limit + 1));
  for await (const { pod, found } of reads) {
    // Another one follows: only then there is a next page.
    if (records.length > 0 && records.length + found.length > limit) return { records, cursor: last, isPresent: true };
    records.push(...found);
    last = keyOf(pod);
  }
  return { records, cursor: undefined, isPresent: true };
}

/** Records become known a while after they happened. */
const LATE_MS = 60_000;
/** Whoever missed more begins again with a list. */
const MOST_ENDED = 5_000;

/**
 * What the list had at that version, and has not any more: nothing else tells a watch that goes on from there. `read`: the
 * records of one pod within a span.
 */
export async function endedSince(
  { snapshot, visibility, namespace, now, cursor, endedSince: since }: ListQuestion,
  kind: 'placement' | 'tenure',
  read: (uid: string, span: Span) => Promise<readonly HistoryRecord[]>,
): Promise<readonly HistoryRecord[] | undefined> {
  if (since === undefined || cursor !== undefined) return undefined;
  const span = { from: epochMillis(since - LATE_MS), to: epochMillis(now + 1) };
  const uids = await endedPods(snapshot, within(visibility, namespace), kind, span);
  if (uids.size > MOST_ENDED) {
    throw new Problem(410, 'expired', 'too much has ended since this resource version', {
      hint: 'list again, and watch from its version.',
    });
  }
  const ended: HistoryRecord[] = [];
  for await (const records of sideBySide(uids, (uid) => read(uid, span)))
    ended.push(...records.filter(({ fields, changed }) => fields['end'] !== null && changed > since));
  return ended;
}

function* visibleAfter(
  all: readonly PresentPod[],
  cursor: string | undefined,
  { namespace, visibility }: Pick<ListQuestion, 'namespace' | 'visibility'>,
): Generator<PresentPod> {
  const first = namespace === undefined ? '' : `${namespace}/`;
  for (let i = firstAfter(all, cursor !== undefined && cursor > first ? cursor : first); i < all.length; i++) {
    const pod = all[i] as PresentPod;
    // Those of one namespace follow each other.
    if (namespace !== undefined && pod.namespace !== namespace) return;
    if (visibility.kind === 'all' || visibility.since.has(pod.namespace)) yield pod;
  }
}

/** By halves: where keys are behind this one. */
function firstAfter(sorted: readonly PresentPod[], key: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(sorted[middle] as PresentPod) <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function keyOf({ namespace, name, uid }: PresentPod): string {
  return `${namespace}/${name}/${uid}`;
}
