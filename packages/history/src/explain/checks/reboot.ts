// Its node was booted again, and its containers did not survive. One that restarts them goes on with a new sandbox.
import type { ContainerEnding } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isTerminalFirst } from '../terminal.ts';
import { events, isBetween, MINUTE_MS, ofKind } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** What a runtime says of a container that it lost. One that failed by itself has another exit code. */
const LOST_REASONS = new Set(['ContainerStatusUnknown', 'Unknown']);
const LOST_CODES = new Set([137, 255]);
const AROUND_BOOT_MS = 2 * MINUTE_MS;

export function reboot(known: Case): Verdict | undefined {
  const { life, node } = known;
  if (!isTerminalFirst(known) || life.terminal?.phase !== 'Failed') return undefined;
  const isLost = ({ reason, exitCode }: ContainerEnding) => LOST_REASONS.has(reason) || LOST_CODES.has(exitCode);
  const lost = life.endings.filter(isLost);
  const boot = [...ofKind(node, 'booted'), ...events(node, 'Rebooted')].find(
    (one) =>
      one.at > (life.scheduled ?? life.created) &&
      lost.some(({ at }) => isBetween(one, at - AROUND_BOOT_MS, at + AROUND_BOOT_MS)),
  );
  if (boot === undefined) return undefined;
  const verdict = lost.some(({ reason }) => LOST_REASONS.has(reason)) ? certain : inferred;
  return verdict('Reboot', `ended because ${life.pod.node} was rebooted.`, [boot]);
}
