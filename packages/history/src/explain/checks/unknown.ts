// Nothing says why: with the reason why nothing does.
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { missingStreams } from '../streams.ts';
import { isTerminalFirst } from '../terminal.ts';
import { isSeenToEnd } from '../traces.ts';
import { inferred } from '../verdict.ts';

export function unknown(known: Case): Verdict {
  return inferred('Unknown', `ended, and why is not known: ${why(known)}.`);
}

function why(known: Case): string {
  if (known.isLifeMissing === true && isSeenToEnd(known.life))
    return 'the record of its life has expired, or was never made';
  const missing = missingStreams(known);
  const unwatched = missing.length === 0 ? '' : `${listed(missing)} were not watched then`;
  if (isTerminalFirst(known)) return 'it failed, and no container says why';
  if (isSeenToEnd(known.life) && unwatched !== '') return unwatched;
  const gone = 'it was gone when the watch came back';
  return unwatched === '' ? gone : `${gone}, and ${unwatched}`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
