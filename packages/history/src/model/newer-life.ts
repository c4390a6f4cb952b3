// Of two versions of a pod's life, the one to keep, in whichever order they come: the later one, with what was first.
import type { PodLife, Reason } from './pod-life.ts';

export function newerLife(stored: PodLife | undefined, incoming: PodLife): PodLife {
  if (stored === undefined) return incoming;
  const later = isLater(incoming, stored) ? incoming : stored;
  const other = later === stored ? incoming : stored;
  const disruption = earlier(stored.disruption, incoming.disruption);
  return {
    ...later,
    ready: least(stored.ready, incoming.ready),
    disruption,
    terminal: later.terminal ?? other.terminal,
    deletion: later.deletion ?? other.deletion,
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

function least<T extends number>(a: T | undefined, b: T | undefined): T | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}
