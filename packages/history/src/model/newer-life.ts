// Two versions of one record of a pod's life made one. Invariant: in whichever order versions come, and however often,
// the record in the end is the same: the last version, with what was first of that which happens once.

import { compareFirstSeen, firstSeenIn } from './first-seen.ts';
import type { Departure, FirstSeen, PodLife, Reason } from './pod-life.ts';
import type { EpochMillis } from './time.ts';
import { compareVersions } from './version-order.ts';

export function newerLife(stored: PodLife | undefined, incoming: PodLife): PodLife {
  if (stored === undefined) return incoming;
  const later = compareSeen(stored, incoming) > 0 ? stored : incoming;
  const both = [stored, incoming] as const;
  return withoutAbsent({
    ...later,
    filedAt: first(both.map(({ filedAt }) => filedAt)),
    scheduled: first(both.map(({ scheduled }) => scheduled)),
    networkUp: first(both.map(({ networkUp }) => networkUp)),
    ready: first(both.map(({ ready }) => ready)),
    // A kubelet that comes back reports the pod as ready once more, and then its end.
    notReady: first(both.map(({ notReady }) => notReady)),
    unschedulable: chosen(
      both.map(({ unschedulable }) => unschedulable),
      (a, b) => b.at - a.at,
    ),
    // What replaces its reason keeps the time of its transition: the one that was seen first counts.
    disruption: chosen(
      both.map((life) => seen(life.disruption, life)),
      (a, b) => a.at - b.at || compareSeenIn(a.seenIn, b.seenIn) || a.seenAt - b.seenAt,
    ),
    terminal: ended(both.map((life) => seen(life.terminal, life))),
    deletion: requested(both.map((life) => seen(life.deletion, life))),
    gone: first(both.map(({ gone }) => gone)),
    restarts: Math.max(stored.restarts, incoming.restarts),
    endings:
      chosen(
        both.map(({ endings }) => endings),
        (a, b) => lastEnd(b) - lastEnd(a) || b.length - a.length || restartedOf(b) - restartedOf(a),
      ) ?? [],
  });
}

/** Of two departures of one pod, the one that began first. */
export function earlierDeparture(stored: Departure | undefined, incoming: Departure): Departure {
  return chosen([stored, incoming], (a, b) => a.at - b.at) ?? incoming;
}

type Seen<T> = T & { readonly seenAt: EpochMillis; readonly seenIn: FirstSeen };
type Reported = Pick<Reason, 'seenAt' | 'seenIn'>;

/** With when and in which version it was first seen: the record may be of a later observation. */
function seen<T extends Reported>(reason: T | undefined, life: PodLife): Seen<T> | undefined {
  if (reason === undefined) return undefined;
  return { ...reason, seenAt: reason.seenAt ?? life.observedAt, seenIn: firstSeenIn(reason.seenIn, life) };
}

/** The later words, and the earlier time: a second look may not see any more when that was. */
function ended(terminals: readonly (Seen<NonNullable<PodLife['terminal']>> | undefined)[]): PodLife['terminal'] {
  const words = chosen(terminals, (a, b) => b.seenAt - a.seenAt);
  const at = first(terminals.map((terminal) => terminal?.at));
  return words === undefined || at === undefined ? words : { ...words, at, seenIn: earliestSeen(terminals) };
}

/** A grace is only shortened, at the latest by the kubelet, which deletes with none: the longest is what was asked for. */
function requested(deletions: readonly (Seen<NonNullable<PodLife['deletion']>> | undefined)[]): PodLife['deletion'] {
  const asked = chosen(deletions, (a, b) => a.requested - b.requested || b.graceSeconds - a.graceSeconds);
  const seenAt = first(deletions.map((deletion) => deletion?.seenAt));
  return asked && { ...asked, seenAt, seenIn: earliestSeen(deletions) };
}

function earliestSeen(reasons: readonly ({ readonly seenIn: FirstSeen } | undefined)[]): FirstSeen | undefined {
  return chosen(
    reasons.map((reason) => reason?.seenIn),
    compareSeenIn,
  );
}

/** Of one and the same version, that of a watch knows more than that of a listing. */
function compareSeenIn(a: FirstSeen, b: FirstSeen): number {
  return compareFirstSeen(a, b) || Number(a.listed ?? false) - Number(b.listed ?? false);
}

/** Negative: `a` was seen before `b`. */
function compareSeen(a: PodLife, b: PodLife): number {
  return (
    a.epoch - b.epoch ||
    a.observedAt - b.observedAt ||
    compareVersions(a.resourceVersion, b.resourceVersion) ||
    compareText(a, b)
  );
}

/** The one that comes first by the order; of equals one and the same, whoever came first. */
function chosen<T>(values: readonly (T | undefined)[], compare: (a: T, b: T) => number): T | undefined {
  let best: T | undefined;
  for (const value of values) {
    if (value === undefined) continue;
    if (best === undefined || (compare(value, best) || compareText(value, best)) < 0) best = value;
  }
  return best;
}

function first<T extends number>(times: readonly (T | undefined)[]): T | undefined {
  return chosen(times, (a, b) => a - b);
}

function lastEnd(endings: PodLife['endings']): number {
  return endings.at(-1)?.at ?? 0;
}

/** Of the same endings, those after which containers were started again are of the later sighting. */
function restartedOf(endings: PodLife['endings']): number {
  return endings.filter(({ restarted }) => restarted).length;
}

function compareText(a: unknown, b: unknown): number {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** As it comes back from a store: what is undefined is absent. */
function withoutAbsent<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
