// Its node was booted again, and its containers did not survive. One that restarts them goes on with a new sandbox.
import type { Evidence } from '../../model/evidence.ts';
import type { ContainerEnding } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isTerminalFirst } from '../terminal.ts';
import { CLOCK_SLACK_MS, events, isBetween, MINUTE_MS, ofKind } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** What a runtime says of a container that it lost, and a kubelet of one that it does not find. The exit code is made up. */
export const LOST_REASONS = new Set(['ContainerStatusUnknown', 'Unknown']);
/** Of one that was killed, was lost, or obeyed when it was asked to end. One that failed by itself mostly has another. */
const LOST_CODES = new Set([137, 143, 255]);
/** Its exit code is that of whoever is killed. */
const OUT_OF_MEMORY = 'OOMKilled';
/** A runtime that starts gives its own time to what it lost. */
const LOST_AFTER_BOOT_MS = 2 * MINUTE_MS;
/** Servers take minutes to boot. */
const BOOTS_WITHIN_MS = 5 * MINUTE_MS;

export function reboot(known: Case): Verdict | undefined {
  const { life } = known;
  if (!isTerminalFirst(known) || life.terminal?.phase !== 'Failed') return undefined;
  const isLost = ({ reason, exitCode }: ContainerEnding) =>
    LOST_REASONS.has(reason) || (LOST_CODES.has(exitCode) && reason !== OUT_OF_MEMORY);
  const lost = life.endings.filter(isLost);
  const boot = boots(known).find((one) =>
    lost.some(({ at }) => isBetween(one, at - LOST_AFTER_BOOT_MS, at + BOOTS_WITHIN_MS)),
  );
  if (boot === undefined) return undefined;
  const verdict = lost.some(({ reason }) => LOST_REASONS.has(reason)) ? certain : inferred;
  return verdict('Reboot', `ended because ${life.pod.node} was rebooted.`, [boot]);
}

/** Its containers may have ended because of it, with whichever exit codes: asked to end, as nodes do without a graceful shutdown. */
export function bootAfter(known: Case): Evidence | undefined {
  const { terminal } = known.life;
  if (terminal === undefined) return undefined;
  return boots(known).find((one) => isBetween(one, terminal.at - CLOCK_SLACK_MS, terminal.at + BOOTS_WITHIN_MS));
}

function boots({ node, life }: Case): Evidence[] {
  return [...ofKind(node, 'booted'), ...events(node, 'Rebooted')].filter(
    ({ at }) => at > (life.scheduled ?? life.created),
  );
}
