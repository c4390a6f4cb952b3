// Of two versions of a pod's life, the one to keep, in whichever order they come: the later one, with what was first, and
// with what its object no longer shows.
import type { PodLife, Reason } from './pod-life.ts';

export function newerLife(stored: PodLife | undefined, incoming: PodLife): PodLife {
  if (stored === undefined) return incoming;
  const later = isLater(incoming, stored) ? incoming : stored;
  const other = later === stored ? incoming : stored;
  return {
    ...later,
    scheduled: later.scheduled ?? other.scheduled,
    unschedulable: later.unschedulable ?? other.unschedulable,
    networkUp: later.networkUp ?? other.networkUp,
    ready: least(stored.ready, incoming.ready),
    notReady: later.notReady ?? other.notReady,
    disruption: earlier(stored.disruption, incoming.disruption),
    terminal: ended(later.terminal, other.terminal),
    deletion: first(later.deletion, other.deletion),
    gone: later.gone ?? other.gone,
    restarts: Math.max(stored.restarts, incoming.restarts),
    endings: later.endings.length > 0 ? later.endings : other.endings,
  };
}

function isLater(a: PodLife, b: PodLife): boolean {
  if (a.epoch !== b.epoch) return a.epoch > b.epoch;
  return a.observedAt >= b.observedAt;
}

/** Two that name one transition: the one that was seen first. */
function earlier(stored: Reason | undefined, incoming: Reason | undefined): Reason | undefined {
  if (stored === undefined || incoming === undefined) return stored ?? incoming;
  return incoming.at < stored.at ? incoming : stored;
}

/** The later words, and the earlier time: a second look may not see any more when that was. */
function ended(later: PodLife['terminal'], other: PodLife['terminal']): PodLife['terminal'] {
  if (later === undefined || other === undefined) return later ?? other;
  return other.at < later.at ? { ...later, at: other.at } : later;
}

/** A grace is only shortened, at the latest by the kubelet, which deletes with none: the longest is what was asked for. */
function first(one: PodLife['deletion'], other: PodLife['deletion']): PodLife['deletion'] {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.requested !== other.requested) return one.requested < other.requested ? one : other;
  return one.graceSeconds >= other.graceSeconds ? one : other;
}

function least<T extends number>(a: T | undefined, b: T | undefined): T | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}
