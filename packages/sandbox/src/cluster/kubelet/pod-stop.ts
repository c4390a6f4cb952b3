// How long the containers of a pod take to stop, and how they end: as the pod says, or drawn. Pure but for chance.
import type { SeededRandom } from '../../clock/random.ts';
import type { PodObject } from '../pod-object.ts';
import { COMPLETED, type Ending, KILLED } from './container-run.ts';
import { exitCodeOf, preStopMs, stopOf } from './pod-plan.ts';
import type { KubeletTimings } from './timings.ts';

export interface PodStop {
  /** Milliseconds until the last of them has ended. */
  readonly wait: number;
  readonly ending: Ending;
}

export function podStop(
  pod: PodObject,
  isAnyUp: boolean,
  graceSeconds: number,
  timings: KubeletTimings,
  random: SeededRandom,
): PodStop {
  const asked = stopOf(pod);
  const drawn = random.between(timings.stop[0], timings.stop[1]);
  const isStubborn = asked === 'never' || (asked === undefined && random.happens(timings.stubborn));
  if (!isAnyUp) return { wait: 0, ending: COMPLETED };
  const wait = preStopMs(pod) + (typeof asked === 'number' ? asked : drawn);
  if (wait >= graceSeconds * 1000 || isStubborn) return { wait: graceSeconds * 1000, ending: KILLED };
  const exitCode = exitCodeOf(pod) ?? (random.happens(timings.obedient) ? 0 : 143);
  return { wait, ending: exitCode === 0 ? COMPLETED : { exitCode, reason: 'Error' } };
}
