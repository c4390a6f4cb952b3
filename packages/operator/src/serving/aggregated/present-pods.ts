// Lists that name nobody are of the pods that are there now, page by page in the order of their names: as `kubectl get
// pods` is, and as bounded. Whoever asks about another time says about whom.
import { Problem } from '../problem.ts';
import { timesOf } from './asked-of.ts';
import type { HistoryRecord } from './history-object.ts';
import type { FoundRecords, ListQuestion, PresentPod } from './resource.ts';

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
  const isVisible = (pod: PresentPod) => visibility.kind === 'all' || visibility.since.has(pod.namespace);
  const records: HistoryRecord[] = [];
  let last: string | undefined;
  const first = namespace === undefined ? '' : `${namespace}/`;
  for (let i = firstAfter(all, cursor !== undefined && cursor > first ? cursor : first); i < all.length; i++) {
    const pod = all[i] as PresentPod;
    // Those of one namespace follow each other.
    if (namespace !== undefined && pod.namespace !== namespace) break;
    if (!isVisible(pod)) continue;
    const found = await read(pod);
    // Another one follows: only then there is a next page.
    if (records.length > 0 && records.length + found.length > limit) return { records, cursor: last, isPresent: true };
    records.push(...found);
    last = keyOf(pod);
  }
  return { records, cursor: undefined, isPresent: true };
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
