// What is stored of a pod that waits for its address: withdrawn when it shows one, ended when it never will. One function
// for each way on. Pure; holder-life.ts calls it with each observation of a pod.
import { type Fact, type LiveHolder, possibleFact, possibleKey } from '../model/fact.ts';
import type { PossibleTenure } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import { neverShown } from './awaited-address.ts';
import { boundary, terminalEnd } from './boundaries.ts';
import { RESOLUTION_MS } from './evidence.ts';
import type { Scene, Transition } from './pod-life.ts';
import { isOpen } from './tenure-ends.ts';

/** What stays stored; `live` is the pod after this observation. */
export function possibleAfter(scene: Scene, transition: Transition, live: LiveHolder): PossibleTenure | undefined {
  const { before } = scene;
  // One that was over when it was first seen is nobody's concern.
  if (before === undefined || before.terminal) return undefined;
  if (transition === 'ended') {
    endOfWaiting(scene, before, live);
    return undefined;
  }
  const waited = before.more?.possible;
  if (waited === undefined) return undefined;
  return before.more?.rebooted === true
    ? waitAfterReboot(scene, before, waited, live)
    : waitOn(scene, before, waited, live);
}

export function withdraw(possible: PossibleTenure | undefined, facts: Fact[]): void {
  if (possible !== undefined) facts.push({ kind: 'possible', key: possibleKey(possible), possible: undefined });
}

/** Its kubelet has ended it: it has shown its address, or never will. */
function endOfWaiting({ pod, context, facts }: Scene, before: LiveHolder, live: LiveHolder): void {
  const hasShown = facts.some((fact) => fact.kind === 'tenure') || before.tenures.some(isOpen);
  if (hasShown && before.more?.rebooted !== true) {
    withdraw(before.more?.possible, facts);
    return;
  }
  // As it was before this write: at the end the condition says that there is no network.
  const { networkReadyAt: up, networkLostAt: lost, more } = before;
  const last: LiveHolder = {
    ...live,
    networkReadyAt: up,
    networkLostAt: lost,
    ...(more === undefined ? {} : { more }),
  };
  const wasUntouched = up === undefined && lost !== undefined && live.networkLostAt === lost;
  const never = neverShown(last, pod, terminalEnd(pod, context, before), context, wasUntouched);
  if (never !== undefined) facts.push(possibleFact(never));
}

/** What it had when its node went down is gone once it has another sandbox. */
function waitAfterReboot(
  { context, facts }: Scene,
  before: LiveHolder,
  waited: PossibleTenure,
  live: LiveHolder,
): PossibleTenure | undefined {
  const ready = live.networkReadyAt;
  if (ready === before.networkReadyAt && !live.tenures.some(isOpen)) return waited;
  const gone = ready === undefined ? context.at : epochMillis(ready + RESOLUTION_MS);
  facts.push(possibleFact({ ...waited, end: boundary(context, waited.start.notBefore, gone) }));
  return undefined;
}

function waitOn(
  { context, facts }: Scene,
  before: LiveHolder,
  waited: PossibleTenure,
  live: LiveHolder,
): PossibleTenure | undefined {
  if (live.tenures.some(isOpen)) {
    withdraw(waited, facts);
    return undefined;
  }
  if (before.networkReadyAt === live.networkReadyAt && before.networkLostAt === live.networkLostAt) return waited;
  // Another sandbox, and the address of this one was never shown.
  facts.push(possibleFact({ ...waited, end: boundary(context, waited.start.notBefore, context.at) }));
  return undefined;
}
