// Conversion as a task of the operator: on every replica that API servers can reach, and that may say so. Why it is not
// served is reported in the log.
import type { Client, Clock } from '@podtrail/machinery';
import { type ConversionAddress, ConversionEndpoint } from '../conversion/conversion-endpoint.ts';
import { checkClaim, isLoopback } from './conversion-claim.ts';
import { type Log, problemOf } from './log.ts';

export interface ConversionTaskOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  /** This replica, as its certificates have it. */
  readonly identity: string;
  readonly host: string;
  readonly port: number;
  readonly address: ConversionAddress;
}

/** Undefined where nobody could reach it. */
export function conversionTask(options: ConversionTaskOptions): ((signal: AbortSignal) => Promise<void>) | undefined {
  const { client, clock, log, identity, host, address } = options;
  if ('service' in address && isLoopback(host)) {
    const why = `no Service leads to ${host}; in a cluster give --bind ::, outside of it give --conversion-url`;
    log.info('v1alpha1 is not served from here', { why });
    return undefined;
  }
  const claim = { client, identity, now: () => clock.now() };
  let last = '';
  const endpoint = new ConversionEndpoint({
    ...options,
    mayAnnounce: (own, known, signal) => checkClaim(claim, own, known, signal),
    onError: (error) => {
      // It looks again and again: the same sentence each time says nothing.
      const problem = problemOf(error);
      const { hint } = error as { readonly hint?: string };
      if (problem !== last) log.warn('v1alpha1 is not served; trying again', { problem, hint });
      last = problem;
    },
  });
  return (signal) => endpoint.run(signal);
}
