// It ended by itself: its containers did, and were not to be started again. Containers that end because the pod is being
// deleted say nothing about the cause.
import type { ContainerEnding } from '../../model/pod-life.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isTerminalFirst } from '../terminal.ts';
import { certain, inferred } from '../verdict.ts';

export function containerEndings(known: Case): Verdict | undefined {
  const { terminal, endings } = known.life;
  if (terminal === undefined || !isTerminalFirst(known)) return undefined;
  if (terminal.phase === 'Succeeded') return certain('Completed', 'completed: all of its containers ended well.');
  // What was started again did not end the pod; of the others the first took the rest along.
  const failures = endings.filter(isFailure);
  const first = firstOf(failures.filter(({ restarted }) => restarted !== true));
  const failed = first ?? failures.at(-1);
  if (failed !== undefined) {
    const verdict = first === undefined ? inferred : certain;
    const { container, reason, exitCode, signal } = failed;
    if (reason === OUT_OF_MEMORY) {
      return verdict('OOMKilled', `failed: its container ${container} used more memory than it may.`);
    }
    const how = exitCode === 0 ? `signal ${signal}` : `exit code ${exitCode}`;
    return verdict('Crashed', `failed: its container ${container} ended with ${how}.`);
  }
  const why = terminal.reason === '' ? '' : ` (${terminal.reason})`;
  return terminal.reason === '' ? undefined : inferred('Crashed', `failed${why}.`);
}

const OUT_OF_MEMORY = 'OOMKilled';

function isFailure({ reason, exitCode, signal }: ContainerEnding): boolean {
  return reason === OUT_OF_MEMORY || exitCode !== 0 || signal !== 0;
}

/** Within one second nobody knows the order: then it is the one that says why. */
function firstOf(failures: readonly ContainerEnding[]): ContainerEnding | undefined {
  const then = failures.filter(({ at }) => at === failures[0]?.at);
  return then.find(({ reason }) => reason === OUT_OF_MEMORY) ?? then[0];
}
