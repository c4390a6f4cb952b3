// The answer to who held an address: in a word, a sentence and a picture, with what it rests on.

import type { TrailDocument, WhoDocument } from '@podtrail/history/wire';
import { useMemo, useRef } from 'preact/hooks';
import { Link } from '../../address/link.tsx';
import { address } from '../../address/location.ts';
import { useQuestion } from '../../api/use-question.ts';
import { AnswerBadge } from '../../parts/answer-badge.tsx';
import { AskedContent } from '../../parts/asked-content.tsx';
import { commandLine } from '../../parts/command-line.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { csvText } from '../../parts/csv.ts';
import { SaveButtons } from '../../parts/save-buttons.tsx';
import { Time } from '../../parts/time.tsx';
import { absoluteUrl } from '../../times/absolute-url.ts';
import { serverNow } from '../../times/server-clock.ts';
import { instantText, parseInstant } from '../../times/span.ts';
import { AnswerDetails } from './answer-details.tsx';
import { answerRows, HEADER } from './answer-rows.ts';
import { headline, unknownText } from './answer-sentence.ts';
import { AROUND_MS } from './bar-of.ts';
import { InUse } from './in-use.tsx';
import { Neighbours } from './neighbours.tsx';
import { spanAround } from './span-around.ts';

/** Who asks about now sees it go on. */
const NOW_EVERY_MS = 5_000;
const MOST_AROUND = 200;

export interface AnswerCardProps {
  readonly ip: string;
  /** Undefined: now. */
  readonly at: string | undefined;
  /** The address was seen in use then: one candidate is the holder. */
  readonly isSeen: boolean;
  readonly cluster: string | undefined;
}

export function AnswerCard({ ip, at: text, isSeen, cluster }: AnswerCardProps) {
  const card = useRef<HTMLElement>(null);
  // 6h is six hours ago, once and for all while this is shown.
  const at = useMemo(() => instantOf(text), [text]);
  const asked = useQuestion<WhoDocument>(
    'who',
    { ip, at, cluster, seen: isSeen ? true : undefined },
    { everyMs: at === undefined ? NOW_EVERY_MS : undefined },
  );
  const askedAt = asked.document?.query.at;
  // To the minute where time goes on: not another question every few seconds.
  const middle =
    askedAt === undefined ? undefined : at === undefined ? toMinute(Date.parse(askedAt)) : Date.parse(askedAt);
  const around = useQuestion<TrailDocument>(
    'trail',
    middle === undefined || middle > serverNow()
      ? undefined
      : {
          ...{ subject: ip, cluster, limit: MOST_AROUND },
          since: instantText(middle - AROUND_MS),
          // What has not come is not asked about: without an end it is now.
          until: middle + AROUND_MS < serverNow() ? instantText(middle + AROUND_MS) : undefined,
        },
  );
  return (
    <section class="card answer" aria-label="Answer" ref={card}>
      <AskedContent asked={asked}>
        {(document) => (
          <>
            <div class="row">
              <AnswerBadge answer={document} />
              {document.provisional && <span class="muted small">provisional: news may still come</span>}
            </div>
            <h2 class="headline">
              {headline(document)} <span class="at">at</span> <Time at={document.query.at} format="exact" />
            </h2>
            {document.answer === 'unknown' && (
              <p>
                <strong>{unknownText(document.reason)[0]}</strong> {unknownText(document.reason)[1]}{' '}
                <Link view="health" parameters={{ since: '30d' }}>
                  Health says when somebody watched
                </Link>
              </p>
            )}
            {document.narrowed === true && (
              <p class="muted">You see some namespaces only: there may be more in others.</p>
            )}
            <InUse answer={document} isSeen={isSeen} />
            <Neighbours answer={document} around={around.document} />
            <AnswerDetails answer={document} />
            <div class="row actions">
              <CopyButton text={() => commandOf(document, cluster, isSeen)}>Copy as command</CopyButton>
              <CopyButton text={() => absoluteUrl(linkTo(document), serverNow())}>Copy link</CopyButton>
              <SaveButtons name={ip} csv={() => csvText(HEADER, answerRows(document))} picture={() => card.current} />
              <Link view="trail" parameters={{ by: 'pod', subject: ip, ...spanAround(document.query.at) }}>
                Trail of this address
              </Link>
            </div>
          </>
        )}
      </AskedContent>
    </section>
  );
}

/** What is no time goes to the server, which says so. */
function instantOf(text = 'now'): string | undefined {
  if (text === 'now') return undefined;
  const at = parseInstant(text, serverNow());
  return at === undefined ? text : instantText(at);
}

function toMinute(at: number): number {
  return Math.floor(at / 60_000) * 60_000;
}

function commandOf({ query }: WhoDocument, cluster: string | undefined, isSeen: boolean): string {
  return commandLine('who', isSeen ? [query.ip, '--seen'] : [query.ip], { at: query.at, cluster });
}

/** The instant that was answered about, also where it was asked about now. */
function linkTo({ query }: WhoDocument) {
  const { view, parameters } = address.peek();
  return { view, parameters: { ...parameters, at: query.at } };
}
