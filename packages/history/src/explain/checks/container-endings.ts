// It ended by itself: its containers did, and were not to be started again. Containers that end because the pod is being
// deleted say nothing about the cause.
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { isTerminalFirst } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

export function containerEndings(known: Case): Verdict | undefined {
  const { terminal, endings } = known.life;
  if (terminal === undefined || !isTerminalFirst(known)) return undefined;
  if (terminal.phase === 'Succeeded') return certain('Completed', 'completed: all of its containers ended well.');
  const killed = endings.findLast(({ reason }) => reason === 'OOMKilled');
  if (killed !== undefined) {
    return certain('OOMKilled', `failed: its container ${killed.container} used more memory than it may.`);
  }
  const failed = endings.findLast(({ exitCode, signal }) => exitCode !== 0 || signal !== 0);
  if (failed !== undefined) {
    const { container, exitCode, signal } = failed;
    const how = exitCode === 0 ? `signal ${signal}` : `exit code ${exitCode}`;
    return certain('Crashed', `failed: its container ${container} ended with ${how}.`);
  }
  const why = terminal.reason === '' ? '' : ` (${terminal.reason})`;
  return terminal.reason === '' ? undefined : inferred('Crashed', `failed${why}.`);
}
