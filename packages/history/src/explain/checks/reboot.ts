// Its node was booted again, and its containers did not survive. One that restarts them goes on with a new sandbox.
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { events, isTerminalFirst, MINUTE_MS, ofKind } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** What a runtime says of a container that it lost. */
const LOST = new Set(['ContainerStatusUnknown', 'Unknown']);
const AROUND_BOOT_MS = 2 * MINUTE_MS;

export function reboot(known: Case): Verdict | undefined {
  const { life, endedAt, node } = known;
  if (!isTerminalFirst(known) || life.terminal?.phase !== 'Failed') return undefined;
  const boot = [...ofKind(node, 'booted'), ...events(node, 'Rebooted')].find(
    ({ at }) => at > (life.scheduled ?? life.created) && at <= endedAt + MINUTE_MS && at >= endedAt - 10 * MINUTE_MS,
  );
  if (boot === undefined) return undefined;
  const sentence = `ended because ${life.pod.node} was rebooted.`;
  if (life.endings.some(({ reason }) => LOST.has(reason))) return certain('Reboot', sentence, [boot]);
  const isThen = life.endings.some(({ at, exitCode }) => exitCode !== 0 && Math.abs(at - boot.at) <= AROUND_BOOT_MS);
  return isThen || life.endings.length === 0 ? inferred('Reboot', sentence, [boot]) : undefined;
}
