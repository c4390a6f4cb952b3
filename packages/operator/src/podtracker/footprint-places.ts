// Where hourly ConfigMaps of a tracker are: where its spec has them written, and where it has left some. Status
// remembers the namespaces, so that what was left expires also under a leader that did not see the spec change. Pure.
import { PLACES_LIMIT, type PodTracker, type PodTrackerSpec } from '../crds/podtracker.ts';

export interface FootprintPlace {
  readonly namespace: string;
  /** As a spec says it. */
  readonly retention: string;
}

/** Where they are written now, which is in `home` for a spec that names no namespace; undefined if they are not. */
export function placeOf(spec: PodTrackerSpec | undefined, home: string): FootprintPlace | undefined {
  const { enabled = false, namespace = home, retention = '168h' } = spec?.footprints?.configMaps ?? {};
  return enabled ? { namespace, retention } : undefined;
}

/** What status remembers besides: with the retention of then. What is kept for ever need not be found again. */
export function leftPlaces({ spec, status }: PodTracker, home: string): FootprintPlace[] {
  const now = placeOf(spec, home)?.namespace;
  const remembered = status?.configMaps ?? [];
  return remembered.filter(({ namespace, retention }) => namespace !== now && retention !== 'never');
}

/** What status should remember. */
export function footprintPlaces(
  tracker: PodTracker,
  home: string,
  isEmptied: (namespace: string) => boolean,
): FootprintPlace[] {
  const now = placeOf(tracker.spec, home);
  const left = leftPlaces(tracker, home).filter(({ namespace }) => !isEmptied(namespace));
  return [...(now === undefined ? [] : [now]), ...left].slice(0, PLACES_LIMIT);
}
