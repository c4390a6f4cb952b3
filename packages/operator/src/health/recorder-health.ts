// What a recorder's probes are answered from. Ready means: what happens now is being recorded and can be asked for.

import { LIVENESS_MS } from '@podtrail/history/wire';
import type { CheckResult, Clock, HealthChecks } from '@podtrail/machinery';
import type { StreamStatus } from '../recorder/followed-stream.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { RecorderStatus } from '../recorder/recorder-status.ts';

type Watched = Pick<Recorder, 'status' | 'beatAgeMs'>;

/** The recorder looks after itself twice a second; one that has not for this long hangs. */
const HANGS_AFTER_MS = 30_000;
/** A reader takes a recorder for gone after five seconds without a word: then it is no longer ready either. */
const COVERAGE_LIMIT_MS = LIVENESS_MS;
const OK: CheckResult = { ok: true };

export function addRecorderLiveness(checks: HealthChecks, recorder: Watched): void {
  checks.add('recorder', () => {
    const age = recorder.beatAgeMs;
    return age === undefined || age < HANGS_AFTER_MS ? OK : failed(`it has not moved for ${seconds(age)}`);
  });
}

/** One check for each thing that can keep it from recording: the caches, the store, each watch. */
export function addRecorderReadiness(checks: HealthChecks, recorder: Watched, clock: Clock): void {
  checks.add('caches', () => {
    const unsynced = claimsOf(recorder.status).filter(({ synced }) => !synced);
    const names = [...new Set(unsynced.map(({ resource }) => resource))];
    return names.length === 0 ? OK : failed(`not listed or caught up with yet: ${names.join(', ')}`);
  });
  checks.add('clock', () => problemOf(recorder.status, (what) => what === 'clock', clock) ?? OK);
  checks.add('store', () => problemOf(recorder.status, (what) => what === 'store', clock) ?? OK);
  for (const resource of new Set(claimsOf(recorder.status).map((stream) => stream.resource))) {
    const concerns = (what: string) => what === `watch ${resource}` || what.startsWith(`watch ${resource} `);
    checks.add(`watch-${resource}`, () => problemOf(recorder.status, concerns, clock) ?? OK);
  }
  checks.add('coverage', () => {
    const { synced, coverageTo, clock: ledger } = recorder.status;
    if (!synced || coverageTo === undefined) return synced ? failed('nothing has been recorded yet') : OK;
    const age = clock.now() - ledger.skewMs - coverageTo;
    return age <= COVERAGE_LIMIT_MS ? OK : failed(`the store knows nothing of the last ${seconds(age)}`);
  });
}

/** Evidence is best effort: without it the recorder is as ready as with it. */
function claimsOf({ streams }: RecorderStatus): readonly StreamStatus[] {
  return streams.filter(({ role }) => role === 'claims');
}

function problemOf(
  { problems, clock: ledger }: RecorderStatus,
  concerns: (what: string) => boolean,
  clock: Clock,
): CheckResult | undefined {
  const problem = problems.find(({ what }) => concerns(what));
  if (problem === undefined) return undefined;
  // A line for each check: what a server answered may have several.
  const sentence = problem.error.replaceAll(/\s+/g, ' ');
  return failed(`${sentence} (for ${seconds(clock.now() - ledger.skewMs - problem.since)})`);
}

function failed(reason: string): CheckResult {
  return { ok: false, reason };
}

function seconds(ms: number): string {
  return `${Math.max(0, Math.round(ms / 1000))} s`;
}
