// Who had the address before and after, as a small picture and in words.

import type { TrailDocument, WhoDocument } from '@podtrail/history/wire';
import { HolderName } from '../../parts/holder-name.tsx';
import { Time } from '../../parts/time.tsx';
import { TimeBar } from '../../timeline/time-bar.tsx';
import { serverNow } from '../../times/server-clock.ts';
import { barOf, knownUntil, neighboursOf } from './bar-of.ts';

export function Neighbours({
  answer,
  around,
}: {
  readonly answer: WhoDocument;
  readonly around: TrailDocument | undefined;
}) {
  const at = Date.parse(answer.query.at);
  const bar = barOf(answer, around, serverNow());
  const { before, after } = neighboursOf(answer, around);
  // Where nobody watched, and outside of what is watched, that says nothing of the address.
  const isWatched = answer.answer !== 'unknown' && !(answer.answer === 'free' && answer.reason === 'outside');
  const until = around && isWatched && knownUntil(answer, around, serverNow());
  return (
    <>
      {bar !== undefined && <TimeBar {...bar} at={at} />}
      <p class="muted">
        {before === undefined ? (
          around && isWatched && 'Nobody is on record with it in the 12 hours before'
        ) : (
          <>
            Before: <HolderName holder={before} />
            {before.end === null ? (
              ', which had it when it was last seen'
            ) : (
              <>
                , until <Time at={before.end.at} />
              </>
            )}
          </>
        )}
        {(after ?? until) && ' · '}
        {after === undefined ? (
          until && (
            <>
              nobody after it until <Time at={until} />
            </>
          )
        ) : (
          <>
            after: <HolderName holder={after} />, from <Time at={after.start.at} />
          </>
        )}
      </p>
    </>
  );
}
