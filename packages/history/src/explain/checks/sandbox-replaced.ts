// It did not end: it goes on in a new sandbox, with another address. A reboot of its node is one reason for that.
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { endOf, events, isBetween, isSeenToEnd, MINUTE_MS, ofKind } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** A sandbox is made again within so long. */
const REPLACED_MS = 10 * MINUTE_MS;

export function sandboxReplaced(known: Case): Verdict | undefined {
  const { life, endedAt, node, pod } = known;
  const end = endOf(life);
  // Who was found to be gone has ended, whenever that was.
  if (end !== undefined && !isSeenToEnd(life)) return undefined;
  const changes = events(pod, 'SandboxChanged').filter((one) =>
    isBetween(one, endedAt - REPLACED_MS, endedAt + REPLACED_MS),
  );
  const changed = changes[0];
  const distance = (time: number) => Math.abs(time - endedAt);
  const isNearer = (time: number) => changes.some(({ at }) => at < time && distance(at) < distance(time));
  // A pod that ends soon after has ended, unless its sandbox changed nearer to what is asked about.
  if (end !== undefined && end <= endedAt + MINUTE_MS && !isNearer(end)) return undefined;
  const cited = changed === undefined ? [] : [changed];
  const boot = ofKind(node, 'booted').find((one) => isBetween(one, endedAt - REPLACED_MS, endedAt + REPLACED_MS));
  if (boot !== undefined) {
    return certain('Reboot', `has a new sandbox because ${life.pod.node} was rebooted.`, [boot, ...cited]);
  }
  const verdict = changed === undefined ? inferred : certain;
  return verdict('SandboxReplaced', 'goes on in a new sandbox.', cited);
}
