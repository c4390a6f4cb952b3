// Health: whether answers can be relied on. When somebody watched, how late the ledger is, how large, what is odd, who
// else records. Asks again by itself while the page is seen.

import type { AnomaliesDocument, GapsDocument } from '@podtrail/history/wire';
import { useMemo } from 'preact/hooks';
import { address } from '../../address/location.ts';
import { token } from '../../api/session.ts';
import { useQuestion } from '../../api/use-question.ts';
import { SaveButtons } from '../../parts/save-buttons.tsx';
import { useNow, useVisible } from '../../parts/use-visible.ts';
import { ahead, serverNow } from '../../times/server-clock.ts';
import { durationText, instantText, isLive, resolveSpan } from '../../times/span.ts';
import { USUAL_SPAN } from '../../times/usual-span.ts';
import { AnomaliesCard } from './anomalies-card.tsx';
import { CoverageCard, spanWords } from './coverage-card.tsx';
import { healthCsv } from './health-csv.ts';
import { type Stats, StoreCard } from './store-card.tsx';
import { type Trackers, TrackersCard } from './trackers-card.tsx';

const FAST_MS = 5_000;
const SLOW_MS = 30_000;
const MINUTE = 60_000;

export function HealthView() {
  const { since = '24h', until, cluster } = address.value.parameters;
  const isVisible = useVisible();
  const now = useNow(1_000);
  // Of whole minutes, so that the question stays the same while it is asked again.
  const minute = Math.ceil(now / MINUTE) * MINUTE;
  const { from, to } = resolveSpan({ since, until }, minute, USUAL_SPAN.health);
  const isNow = isLive({ until });
  const often = isVisible ? FAST_MS : undefined;
  const seldom = isVisible ? SLOW_MS : undefined;
  const span = { since: instantText(from), until: isNow ? undefined : instantText(Math.min(to, minute)), cluster };
  const gaps = useQuestion<GapsDocument>('gaps', { ...span, limit: 1_000 }, { everyMs: often });
  const anomalies = useQuestion<AnomaliesDocument>('anomalies', { ...span, limit: 100 }, { everyMs: seldom });
  const stats = useQuestion<Stats>('stats', {}, { everyMs: seldom });
  // Only operators have them, and an operator is asked with a token: a cookie is that of somebody's own machine.
  const trackers = useQuestion<Trackers>('trackers', token.value === undefined ? undefined : {}, { everyMs: seldom });
  // When this document came.
  const answered = useMemo(serverNow, [gaps.document]);
  const peers = gaps.document?.peers;
  return (
    <>
      <div class="row bar">
        <SaveButtons
          name="health"
          csv={gaps.document && (() => healthCsv(gaps.document!, anomalies.document?.anomalies ?? []))}
        />
        {Math.abs(ahead.value) > MINUTE && (
          <span>
            The clock of this browser is {durationText(Math.round(ahead.value / MINUTE) * MINUTE)}{' '}
            {ahead.value > 0 ? 'behind' : 'ahead of'} that of the server. Times here are the server's.
          </span>
        )}
      </div>
      <CoverageCard
        {...{ asked: gaps, answered, now, isNow }}
        span={{ from, to: isNow ? now : to }}
        chosen={isNow ? since : undefined}
      />
      <div class="health-cards">
        <StoreCard asked={stats} />
        {peers !== undefined && (
          <section class="card" aria-labelledby="replicas">
            <h2 id="replicas">Replicas</h2>
            <p>This one was not watching all of the time, so others were asked.</p>
            <ul>
              {peers.map(({ collector, answered, why }) => (
                <li key={collector}>
                  <span class="name">{collector}</span> {answered ? '✔ answered' : '✖ did not answer'}
                  {why !== undefined && `: ${why}`}
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <AnomaliesCard asked={anomalies} words={spanWords(isNow ? since : undefined)} />
      <TrackersCard asked={trackers} />
      {gaps.document?.narrowed && (
        <p class="muted">You see the namespaces in which you may list pods. Coverage is that of the whole cluster.</p>
      )}
    </>
  );
}
