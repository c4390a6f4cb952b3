// The span of time that `--since` and `--until` name.

import type { AskedSpan } from '@podtrail/history/wire';
import { type EpochMillis, epochMillis, LONGEST_SPAN_MS } from '@podtrail/history/wire';
import type { Cli } from '../cli.ts';
import { UsageError } from '../errors.ts';
import type { SharedOptions } from './shared-flags.ts';

/** Without --since, `longest` before --until: all that may be asked for, unless a command says less. Now belongs to it. */
export async function spanOf(cli: Cli, options: SharedOptions, longest = LONGEST_SPAN_MS): Promise<AskedSpan> {
  const since = options.since === undefined ? undefined : await cli.time('--since', options.since, options);
  const until = options.until === undefined ? undefined : await cli.time('--until', options.until, options);
  const to: EpochMillis = until ?? epochMillis(cli.now + 1);
  if (since === undefined && to - longest > cli.now)
    throw new UsageError(
      '--until is so far ahead that nothing of the time before it has come',
      'leave --until out, which then is now, or give --since, too.',
    );
  const from = since ?? epochMillis(Math.max(0, to - longest));
  if (to - from > LONGEST_SPAN_MS) {
    const days = LONGEST_SPAN_MS / 86_400_000;
    throw new UsageError(`--since and --until are more than ${days} days apart`, 'ask for one part after the other.');
  }
  if (from >= to && until === undefined)
    throw new UsageError(
      '--since is yet to come, and nothing is known of that',
      'name a time that has passed: --since 1h is the last hour.',
    );
  if (from >= to)
    throw new UsageError(
      '--since is not before --until, so there is no time in between',
      'the earlier time is --since: --since 2h --until 1h is the hour before the last.',
    );
  return { from, to, hasSince: since !== undefined || longest < LONGEST_SPAN_MS, hasUntil: until !== undefined };
}
