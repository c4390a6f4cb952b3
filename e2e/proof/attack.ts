// The proof `attack` for people: what the run measured, and which bars it missed.
import { type AttackRunOptions, type AttackRunResult, attackRun, missedBars } from './attack-run.ts';

export interface AttackProof extends AttackRunResult {
  readonly missed: readonly string[];
  /** How many bars were missed. */
  readonly wrong: number;
}

export async function proveAttack(options: AttackRunOptions, write: (text: string) => void): Promise<AttackProof> {
  const run = await attackRun(options);
  const missed = missedBars(run);
  write(report(run, missed));
  return { ...run, missed, wrong: missed.length };
}

function report(run: AttackRunResult, missed: readonly string[]): string {
  const { lag, lagBefore, rssMegabytes: rss, probes, conversions } = run;
  const visits = Object.entries(run.visits).sort(([, a], [, b]) => b - a);
  const lines = [
    `${run.changes} changes; lag of the ledger p50 ${lag.p50} ms, p99 ${lag.p99} ms, most ${lag.most} ms (before the attack p99 ${lagBefore.p99} ms)`,
    `the lease was ${run.leaseKept ? 'kept' : 'lost'}; ${probes.answered} of ${probes.asked} probes answered, at most ${probes.mostMissedInARow} missed in a row`,
    `memory ${rss.before} MB before, ${rss.most} MB at most: +${rss.growth} MB (the operator alone ${rss.own.before} and ${rss.own.most} MB); the conversion process was started again ${run.restarts} times`,
    `${conversions.answered} of ${conversions.asked} honest reads of v1alpha1 answered`,
    `visits: ${visits.map(([way, times]) => `${way} ${times}`).join(', ')}`,
    ...missed.map((sentence) => `missed: ${sentence}`),
  ];
  return `${lines.join('\n')}\n`;
}
