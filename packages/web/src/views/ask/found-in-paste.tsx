// What was found in a pasted text, to choose from: which of its addresses, at which of its times.
import type { WhoDocument } from '@podtrail/history/wire';
import { Link } from '../../address/link.tsx';
import type { Parameters } from '../../address/page-address.ts';
import { useWhoBatch } from '../../api/use-who-batch.ts';
import { AnswerBadge } from '../../parts/answer-badge.tsx';
import type { Paste } from '../../paste/read-paste.ts';
import { instantText } from '../../times/span.ts';
import { timeText } from '../../times/zone.ts';
import { type AskedThing, dayTrail } from './asked.ts';

/** Of a whole page of log, the first ones. */
const MOST_ASKED = 20;

type Addresses = Extract<Paste, { readonly kind: 'addresses' }>;

export function FoundInPaste({
  paste,
  asked,
  cluster,
  onAsk,
}: {
  readonly paste: Addresses;
  readonly asked: AskedThing;
  readonly cluster: string | undefined;
  readonly onAsk: (question: Parameters) => void;
}) {
  const { addresses, times, day } = paste;
  const chosenIp = asked.kind === 'address' ? asked.ip : paste.ip;
  const chosenAt = asked.kind === 'address' ? asked.at : paste.at === undefined ? undefined : instantText(paste.at);
  const ask = (ip: string, at: string | undefined) => onAsk(at === undefined ? { ip } : { ip, at });
  // Of a day nobody asked about now.
  const most = day !== undefined && chosenAt === undefined ? 0 : MOST_ASKED;
  const answers = useWhoBatch(
    addresses.slice(0, most).map(({ ip }) => ip),
    chosenAt,
    cluster,
  );
  const isZoneless = times.some(({ hasZone }) => !hasZone);
  const isDateless = times.some(({ hasDate }) => !hasDate);
  if (addresses.length < 2 && times.length === 0 && day === undefined) return null;
  return (
    <div class="found">
      <fieldset class="row">
        <legend class="muted small">Found in it</legend>
        {addresses.map(({ ip, role }) => (
          <button key={ip} type="button" aria-pressed={ip === chosenIp} onClick={() => ask(ip, chosenAt)}>
            {role !== null && <span class="muted small">{role} </span>}
            <span class="mono">{ip}</span>
            <ShortAnswer answer={answers.get(ip)} />
          </button>
        ))}
        {times.map(({ at, text }) => (
          <button
            key={text}
            type="button"
            title={text}
            aria-pressed={instantText(at) === chosenAt}
            onClick={() => ask(chosenIp, instantText(at))}
          >
            <span class="mono">{timeText(at, at % 1000 === 0 ? 'second' : 'exact')}</span>
          </button>
        ))}
      </fieldset>
      {paste.otherLines > 0 && (
        <p class="muted small">
          This is the first line of {paste.otherLines + 1}: <code>podtrail attribute</code> reads whole logs.
        </p>
      )}
      {day !== undefined && (
        <p>
          <strong>This text has a date and no time of day:</strong> write a time under When, or see{' '}
          <Link view="trail" parameters={dayTrail(chosenIp, day)}>
            who had <span class="mono">{chosenIp}</span> on {day.text}
          </Link>
          .
        </p>
      )}
      {isDateless && (
        <p>
          <strong>The time in this text has no date:</strong> the last such time is taken. Write another under When.
        </p>
      )}
      {isZoneless && (
        <p class="muted small">
          The time in this text has no zone: it is read in yours. If the log is in another, choose that one above.
        </p>
      )}
    </div>
  );
}

/** So that both ends of a flow are seen at once. */
function ShortAnswer({ answer }: { readonly answer: WhoDocument | undefined }) {
  if (answer === undefined) return null;
  const [holder] = answer.holders;
  return (
    <>
      {' '}
      <AnswerBadge answer={answer} />
      {answer.answer === 'held' && holder !== undefined && <span class="mono small"> {holder.name}</span>}
    </>
  );
}
