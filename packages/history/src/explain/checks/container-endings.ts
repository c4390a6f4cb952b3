// It ended by itself: its containers did, and were not to be started again. Containers that end because the pod is being
// deleted say nothing about the cause.
import type { ContainerEnding } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isClearlyFirst, isTerminalFirst } from '../terminal.ts';
import { certain, doubted, inferred } from '../verdict.ts';
import { bootAfter, LOST_REASONS } from './reboot.ts';

export function containerEndings(known: Case): Verdict | undefined {
  const { terminal, endings } = known.life;
  if (terminal === undefined || !isTerminalFirst(known)) return undefined;
  const isSure = isClearlyFirst(known, [terminal.at]);
  if (terminal.phase === 'Succeeded') {
    const verdict = isSure ? certain : inferred;
    return unlessRebooted(known, verdict('Completed', 'completed: all of its containers ended well.'));
  }
  // What was started again did not end the pod; of the others the first took the rest along.
  const failures = endings.filter((one) => isFailure(one) && !LOST_REASONS.has(one.reason));
  const first = firstOf(failures.filter(({ restarted }) => restarted !== true));
  const lost = endings.find(({ reason, restarted }) => LOST_REASONS.has(reason) && restarted !== true);
  const failed = first ?? (lost === undefined ? failures.at(-1) : undefined);
  if (failed !== undefined) {
    const verdict = first === undefined || !isSure ? inferred : certain;
    const { container, reason, exitCode, signal } = failed;
    const how = exitCode === 0 ? `signal ${signal}` : `exit code ${exitCode}`;
    if (reason === OUT_OF_MEMORY && exitCode !== KILLED && signal !== KILL) {
      const sentence = `failed: its container ${container} ended with ${how}, and a process in it had been killed for want of memory.`;
      return inferred('OOMKilled', sentence);
    }
    if (reason === OUT_OF_MEMORY) {
      // Its own limit, that of its pod, or what its node has: the status does not say which.
      return verdict('OOMKilled', `failed: its container ${container} ran out of memory.`);
    }
    return unlessRebooted(known, verdict('Crashed', `failed: its container ${container} ended with ${how}.`));
  }
  if (lost !== undefined) {
    return inferred('Crashed', `failed: its container ${lost.container} was lost, and how it ended is not known.`);
  }
  const why = terminal.reason === '' ? '' : ` (${terminal.reason})`;
  return terminal.reason === '' ? undefined : inferred('Crashed', `failed${why}.`);
}

function unlessRebooted(known: Case, verdict: Verdict): Verdict {
  const boot = bootAfter(known);
  if (boot === undefined) return verdict;
  const unless = `unless that was because ${known.life.pod.node} was rebooted`;
  return doubted({ ...verdict, evidence: [...verdict.evidence, boot.id] }, unless);
}

/** A process of it was killed for want of memory at some time; it need not be the first one, whose exit code counts. */
const OUT_OF_MEMORY = 'OOMKilled';
const KILL = 9;
const KILLED = 128 + KILL;

/** As kubelets count the phase: whatever the reason, who ended with 0 ended well. */
function isFailure({ exitCode, signal }: ContainerEnding): boolean {
  return exitCode !== 0 || signal !== 0;
}

/** Within one second nobody knows the order: then it is the one that says why. */
function firstOf(failures: readonly ContainerEnding[]): ContainerEnding | undefined {
  const then = failures.filter(({ at }) => at === failures[0]?.at);
  return then.find(({ reason }) => reason === OUT_OF_MEMORY) ?? then[0];
}
