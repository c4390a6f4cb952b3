// The three durations of an election and the rules between them, as client-go has them.
import { ConfigError } from '../errors.ts';

export interface ElectionTiming {
  /** How long the others wait after the last change they saw before they take over. */
  readonly leaseDurationMs: number;
  /** How long the leader may go on after the start of its last successful renewal. */
  readonly renewDeadlineMs: number;
  /** Time between tries; stretched at random while acquiring. */
  readonly retryPeriodMs: number;
}

export const DEFAULT_TIMING: ElectionTiming = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export const JITTER_FACTOR = 1.2;

export function validateElection(timing: ElectionTiming, identity: string): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timing;
  const refuse = (message: string, hint: string): never => {
    throw new ConfigError('election-config', message, { hint });
  };
  for (const [name, ms] of Object.entries({ leaseDurationMs, renewDeadlineMs, retryPeriodMs })) {
    if (!(ms >= 1 && Number.isFinite(ms))) refuse(`${name} must be at least one millisecond`, `Set ${name}.`);
  }
  if (leaseDurationMs <= renewDeadlineMs) {
    refuse(
      `leaseDurationMs (${leaseDurationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs})`,
      'Otherwise another replica may lead while this one still believes it does. Defaults are 15000 and 10000.',
    );
  }
  if (renewDeadlineMs <= retryPeriodMs * JITTER_FACTOR) {
    refuse(
      `renewDeadlineMs (${renewDeadlineMs}) must be greater than ${JITTER_FACTOR} × retryPeriodMs (${retryPeriodMs})`,
      'Otherwise one failed try loses the leadership. Defaults are 10000 and 2000.',
    );
  }
  if (identity === '') refuse('the identity of the candidate is empty', 'Use electionIdentity(hostname()).');
}
