// Lists that name nobody are of the pods that are there now, page by page in the order of their names: as `kubectl get
// pods` is, and as bounded. Whoever asks about another time says about whom.
import { Problem } from '../problem.ts';
import { timesOf } from './asked-of.ts';
import type { ListQuestion, PresentPod } from './resource.ts';

/** Rejects a time: a list of everything that ever was has no end. */
export function namelessTime({ selector }: Pick<ListQuestion, 'selector'>): void {
  const { at, since, until } = timesOf(selector);
  if (at === undefined && since === undefined && until === undefined) return;
  throw new Problem(400, 'say-whose', 'a list of another time than now needs to know whose it is', {
    hint: 'add ip=, uid=, pod=, workload= or node= to the field selector.',
  });
}

/** A cursor is the key of the last pod that was given. */
export function pageOfPresent(
  question: Pick<ListQuestion, 'present' | 'namespace' | 'visibility' | 'limit' | 'cursor'>,
): {
  readonly pods: readonly PresentPod[];
  readonly cursor: string | undefined;
} {
  const { present, namespace, visibility, limit, cursor } = question;
  const all = present();
  if (all === undefined) {
    throw new Problem(503, 'not-yet', 'the pods of the cluster are not known yet', {
      hint: 'ask again in a moment, or name an address.',
      headers: { 'retry-after': '1' },
    });
  }
  const isVisible = (pod: PresentPod) =>
    (namespace === undefined || pod.namespace === namespace) &&
    (visibility.kind === 'all' || visibility.since.has(pod.namespace));
  const pods = all.filter((pod) => isVisible(pod) && (cursor === undefined || keyOf(pod) > cursor));
  const given = pods.slice(0, limit);
  const last = given.at(-1);
  return { pods: given, cursor: pods.length > limit && last !== undefined ? keyOf(last) : undefined };
}

export function keyOf({ namespace, name, uid }: PresentPod): string {
  return `${namespace}/${name}/${uid}`;
}
