// What an answer rests on: each holder with the bounds of its time, the rivals with why they are in doubt, how far the
// record goes around the instant, and the observations.
import type { WhoDocument } from '@podtrail/history/wire';
import { Link } from '../../address/link.tsx';
import { HolderName, NodeName, WorkloadName } from '../../parts/holder-name.tsx';
import { sentence } from '../../parts/sentence.ts';
import { Time } from '../../parts/time.tsx';
import { durationText } from '../../times/span.ts';
import { zonedText } from '../../times/zone.ts';
import { spanAround } from './span-around.ts';

type Holder = WhoDocument['holders'][number];
type Boundary = Holder['start'];

export function AnswerDetails({ answer }: { readonly answer: WhoDocument }) {
  const { holders, coverage, evidence } = answer;
  return (
    <>
      {holders.map((holder) => (
        <HolderDetails
          key={`${holder.kind} ${holder.uid} ${holder.start.at}`}
          holder={holder}
          isRival={answer.answer === 'ambiguous'}
        />
      ))}
      <dl class="facts">
        <dt>Watched</dt>
        <dd>
          {coverage.from === null || coverage.to === null ? (
            'nobody watched then'
          ) : (
            <>
              since <Time at={coverage.from} />,{' '}
              {coverage.to === answer.query.at ? (
                'also at that time'
              ) : (
                <>
                  until <Time at={coverage.to} />
                </>
              )}
              {coverage.scope !== null && coverage.scope !== 'cluster' && ', not all of the cluster'}
            </>
          )}
          {coverage.gaps.length > 0 && (
            <ul>
              {coverage.gaps.map(({ from, to, reason }) => (
                <li key={from}>
                  not from <Time at={from} /> to <Time at={to} /> ({reason})
                </li>
              ))}
            </ul>
          )}
        </dd>
        {answer.peers !== undefined && (
          <>
            <dt>Replicas</dt>
            <dd>
              {answer.peers.map(({ collector, answered, why }) => (
                <div key={collector}>
                  {collector} {answered ? 'was asked, too' : `did not answer${why === undefined ? '' : ` (${why})`}`}
                </div>
              ))}
            </dd>
          </>
        )}
      </dl>
      {evidence.length > 0 && (
        <details>
          <summary>Evidence ({evidence.length})</summary>
          <ul class="matches">
            {evidence.map(({ source, epoch, resourceVersion, observedAt, collector }) => (
              <li key={`${epoch} ${resourceVersion} ${observedAt}`}>
                <Time at={observedAt} format="exact" /> by {source}, resourceVersion <code>{resourceVersion}</code>
                {epoch > 1 && `, epoch ${epoch}`}
                {collector !== undefined && `, collector ${collector}`}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function HolderDetails({ holder, isRival }: { readonly holder: Holder; readonly isRival: boolean }) {
  const { kind, node, start, end, why, uid } = holder;
  return (
    <dl class={isRival ? 'facts rival' : 'facts'}>
      <dt>{isRival ? 'Candidate' : 'Holder'}</dt>
      <dd>
        <HolderName holder={holder} />
      </dd>
      {kind === 'Pod' && (
        <>
          <dt>Node</dt>
          <dd>
            <NodeName node={node} />
            {holder.hostNetwork && <span class="muted"> (on the network of the node)</span>}
          </dd>
          <dt>Workload</dt>
          <dd>
            <WorkloadName holder={holder} />
          </dd>
        </>
      )}
      <dt>From</dt>
      <dd>
        <BoundaryTime boundary={start} />
      </dd>
      <dt>To</dt>
      <dd>
        {end === null ? 'still held' : <BoundaryTime boundary={end} />}{' '}
        {end !== null && kind === 'Pod' && (
          <Link view="trail" parameters={{ subject: uid, selected: uid, ...spanAround(end.at) }}>
            Why did it end?
          </Link>
        )}
      </dd>
      {why !== undefined && (
        <>
          <dt>In doubt</dt>
          <dd>{sentence(zonedText(why.text))}</dd>
        </>
      )}
    </dl>
  );
}

/** An instant, and by how much it may be off. 9999 stands for an end that nothing bounds. */
function BoundaryTime({ boundary: { at, notBefore, notAfter, source } }: { readonly boundary: Boundary }) {
  const width = Date.parse(notAfter) - Date.parse(notBefore);
  const isOpen = notAfter.startsWith('9999');
  return (
    <>
      <Time at={at} format="exact" />{' '}
      <span class="muted small">
        {isOpen ? 'or later' : width > 0 ? `within ${durationText(width)}` : 'exactly'}, by {source}
      </span>
    </>
  );
}
