// It did not end: it goes on in a new sandbox, with another address. A reboot of its node is one reason for that.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { endOf, events, isBetween, isSeenToEnd, MINUTE_MS, ofKind, SECOND_MS } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** A sandbox is made again within so long. */
const REPLACED_MS = 10 * MINUTE_MS;
/** A kubelet that starts reports the boot and makes the sandboxes at once; the one may be seen some seconds after the other. */
const STARTS_MS = 15 * SECOND_MS;
/** It tries again for as long as the network of its node is not there. */
const AROUND_BOOT_MS = 2 * MINUTE_MS;

export function sandboxReplaced(known: Case): Verdict | undefined {
  const { life, endedAt, node, pod } = known;
  const end = endOf(life);
  // Who was found to be gone has ended, whenever that was.
  if (end !== undefined && !isSeenToEnd(life)) return undefined;
  const changes = events(pod, 'SandboxChanged').filter((one) =>
    isBetween(one, endedAt - REPLACED_MS, endedAt + REPLACED_MS),
  );
  const distance = (time: number) => Math.abs(time - endedAt);
  const changed = changes.reduce<Evidence | undefined>(
    (near, one) => (near === undefined || distance(one.at) < distance(near.at) ? one : near),
    undefined,
  );
  // A pod that ends soon after has ended, unless its sandbox changed nearer to what is asked about.
  const isNearer = (time: number) => changes.some(({ at }) => at < time && distance(at) < distance(time));
  if (end !== undefined && end <= endedAt + MINUTE_MS && !isNearer(end)) return undefined;
  const cited = changed === undefined ? [] : [changed];
  const made = changed?.at ?? endedAt;
  // Who came after a reboot has no sandbox from before it.
  const boot = ofKind(node, 'booted').findLast(
    (one) => one.at > (life.scheduled ?? life.created) && isBetween(one, made - REPLACED_MS, made + STARTS_MS),
  );
  if (boot !== undefined) {
    const isSoon = boot.at >= made - AROUND_BOOT_MS;
    // No sandbox survives a boot: the first one after it is made because of it, however long that takes.
    const isFirst = !changes.some(({ at }) => at >= boot.at - STARTS_MS && at < made);
    const isSure = changed === undefined ? isSoon : isFirst;
    if (isSure) return certain('Reboot', `has a new sandbox because ${life.pod.node} was rebooted.`, [boot, ...cited]);
    if (isSoon || changed === undefined) {
      return inferred('Reboot', `has a new sandbox, it seems because ${life.pod.node} was rebooted.`, [boot, ...cited]);
    }
  }
  const verdict = changed === undefined ? inferred : certain;
  return verdict('SandboxReplaced', 'goes on in a new sandbox.', cited);
}
