// What there is to report about the annotations of one pod: how it stood at the last report, how it stands now. Pure.
import type { PodView } from '@podtrail/machinery';
import type { KeyFilter } from './key-glob.ts';

export type AnnotationChange =
  | { readonly change: 'added'; readonly key: string; readonly after: string }
  | { readonly change: 'changed'; readonly key: string; readonly before: string; readonly after: string }
  | { readonly change: 'removed'; readonly key: string; readonly before: string };

export interface AnnotationReport {
  readonly event: 'ADDED' | 'UPDATED' | 'DELETED';
  /** As it is now; of a deleted one as it was last seen. */
  readonly pod: PodView;
  /** By key. */
  readonly changes: readonly AnnotationChange[];
  /** All that the filter lets through, by key. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
}

/**
 * None if nothing changed that the filter lets through, two if the name went over to another pod. With `only`, pods
 * that come or go without a matching annotation are not reported.
 */
export function reportsOf(
  before: PodView | undefined,
  after: PodView | undefined,
  filter: KeyFilter,
  only: boolean,
): AnnotationReport[] {
  const isSame = before !== undefined && after !== undefined && before.metadata.uid === after.metadata.uid;
  if (isSame) {
    if (before.metadata.annotations.equals(after.metadata.annotations)) return [];
    const annotations = annotationsOf(after, filter);
    const changes = changesBetween(annotationsOf(before, filter), annotations);
    return changes.length === 0 ? [] : [{ event: 'UPDATED', pod: after, changes, annotations }];
  }
  const reports: AnnotationReport[] = [];
  for (const [event, pod] of [
    ['DELETED', before],
    ['ADDED', after],
  ] as const) {
    if (pod === undefined) continue;
    const annotations = annotationsOf(pod, filter);
    if (only && annotations.length === 0) continue;
    const changes = event === 'ADDED' ? changesBetween([], annotations) : changesBetween(annotations, []);
    reports.push({ event, pod, changes, annotations });
  }
  return reports;
}

type Entries = AnnotationReport['annotations'];

function annotationsOf({ metadata }: PodView, filter: KeyFilter): Entries {
  return [...metadata.annotations].filter(([key]) => filter(key));
}

function changesBetween(before: Entries, after: Entries): AnnotationChange[] {
  const old = new Map(before);
  const changes: AnnotationChange[] = [];
  for (const [key, value] of after) {
    const previous = old.get(key);
    old.delete(key);
    if (previous === undefined) changes.push({ change: 'added', key, after: value });
    else if (previous !== value) changes.push({ change: 'changed', key, before: previous, after: value });
  }
  for (const [key, value] of old) changes.push({ change: 'removed', key, before: value });
  return changes.sort((a, b) => (a.key < b.key ? -1 : 1));
}
