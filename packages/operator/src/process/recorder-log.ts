// What the recorder has to report, as lines of the operator's log. Never decides anything.
import { toText } from '@podtrail/history';
import { anomalyReport } from '../recorder/anomaly-report.ts';
import type { RecorderListener } from '../recorder/recorder-listener.ts';
import { type Log, problemOf } from './log.ts';
import type { WatchLog } from './watch-log.ts';

export function recorderLog(log: Log, watches: WatchLog): RecorderListener {
  return {
    // What becomes of a stream of evidence is logged once, below.
    watchChanged: (resource, state, role) => {
      if (role === 'claims') watches.watchChanged(resource, state);
    },
    handlerFailed: (resource, failure) => watches.handlerFailed(resource, failure),
    lost: (resource, reason) => log.warn('events were lost; there is a gap', { resource, reason }),
    stored: anomalyReport((fields) => log.warn('something in the cluster cannot be right', { ...fields })),
    clockDiffers: (warning) => {
      if (warning !== undefined) log.warn('the clock of this machine is wrong', { problem: warning });
      else log.info("the clock of this machine agrees with the server's again");
    },
    clockCorrected: ({ since, at, records }) =>
      log.warn('the ledger was by a wrong clock; what it claimed was taken back', {
        ...{ since: toText(since), now: toText(at), records },
      }),
    leasesForbidden: (refusal) => {
      if (refusal !== undefined) log.warn('Leases of nodes may not be read; recording goes on', { ...refusal });
      else log.info('Leases of nodes may be read again');
    },
    evidenceChanged: (change) => {
      if (change.problem !== undefined) log.warn('causes may lack evidence; recording goes on', { ...change });
      else log.info('evidence for causes is complete again', { resource: change.resource });
    },
    storeFailed: (error, attempt) => {
      // Every try would be a flood; the first is reported, and then each time the number doubles.
      if ((attempt & (attempt - 1)) === 0)
        log.error('the store did not take facts; trying again', {
          attempt,
          problem: problemOf(error),
          hint: hintOf(error),
        });
    },
    patrolled: ({ damages }) => {
      for (const { where, what } of damages)
        log.error('a part of the store is damaged', { where, problem: what, hint: 'run podtrail store verify' });
    },
    housekept: ({ what, error, removed }) => {
      if (error !== undefined) log.warn('the housekeeping of the store failed', { what, problem: problemOf(error) });
      else if (removed > 0) log.info('forgot what is older than the retention', { removed });
    },
  };
}

/** What a person can do about it. */
function hintOf(error: unknown): string | undefined {
  const { hint } = (error ?? {}) as { hint?: unknown };
  return typeof hint === 'string' ? hint : undefined;
}
