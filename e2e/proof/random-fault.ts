// One fault by chance, of those that the switchboard can play, mostly on pods.
import type { Fault } from '@podtrail/sandbox';
import type { Chance } from './random.ts';

type Draw = (chance: Chance) => Fault;

const times = (chance: Chance): number => 1 + Math.floor(chance.next() * 3);
const resource = (chance: Chance): string => chance.pick(['pods', 'pods', 'pods', 'nodes', 'services']);
const onWatch = (chance: Chance) => ({ verb: 'watch', resource: resource(chance) });
const onAny = (chance: Chance) => ({ verb: chance.pick(['watch', 'list']), resource: resource(chance) });
const frames = (chance: Chance) => ({ on: { resource: resource(chance) }, after: Math.floor(chance.next() * 4) });

const DRAWS: readonly Draw[] = [
  (c) => ({ kind: 'refuse', code: c.pick([429, 503]), retryAfterSeconds: 1, on: onAny(c), times: times(c) }),
  (c) => ({ kind: 'refuse', code: c.pick([500, 401]), on: onAny(c), times: times(c) }),
  (c) => ({ kind: 'expire', on: onWatch(c) }),
  (c) => ({ kind: 'wrong-body', on: onWatch(c) }),
  (c) => ({ kind: 'close-at-once', on: onWatch(c), times: times(c) }),
  (c) => ({ kind: 'delay', ms: c.between(50, 1_500), on: onAny(c), times: times(c) }),
  (c) => ({ kind: 'break', on: onAny(c), times: times(c) }),
  (c) => ({ kind: 'drop', ...frames(c) }),
  (c) => ({ kind: 'repeat', ...frames(c), times: times(c) }),
  (c) => ({ kind: 'swap', ...frames(c) }),
  (c) => ({ kind: 'older', ...frames(c) }),
  (c) => ({ kind: 'stall', ms: c.between(300, 6_000), ...frames(c) }),
  (c) => ({ kind: 'slow', ms: c.between(10, 120), ...frames(c) }),
  (c) => ({ kind: 'truncate', ...frames(c) }),
  (c) => ({ kind: 'garbage', ...frames(c) }),
  (c) => ({ kind: 'shred', ...frames(c), times: times(c) }),
  (c) => ({ kind: 'cut', ...frames(c) }),
  (c) => ({ kind: 'end', ...frames(c) }),
  (c) => ({ kind: 'expire-inside', ...frames(c) }),
];
/** Rarely: a dead connection is only noticed after its deadline, and until then little is known. */
const HALF_OPEN = 0.02;

export function randomFault(chance: Chance): Fault {
  if (chance.next() < HALF_OPEN) return { kind: 'half-open', ...frames(chance) };
  return chance.pick(DRAWS)(chance);
}
