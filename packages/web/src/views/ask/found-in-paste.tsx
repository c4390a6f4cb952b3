// What was found in a pasted text, to choose from: which of its addresses, at which of its times.
import type { WhoDocument } from '@podtrail/history/wire';
import { Link } from '../../address/link.tsx';
import type { Parameters } from '../../address/page-address.ts';
import { useWhoBatch } from '../../api/use-who-batch.ts';
import { AnswerBadge } from '../../parts/answer-badge.tsx';
import type { Paste } from '../../paste/read-paste.ts';
import { instantText } from '../../times/span.ts';
import { timeText, zoneText } from '../../times/zone.ts';
import { type AskedThing, dayTrail } from './asked.ts';

/** Of a whole page of log, the first ones. */
const MOST_ASKED = 20;

export function FoundInPaste({
  paste,
  asked,
  cluster,
  onAsk,
}: {
  readonly paste: Paste;
  /** With this text: nothing, while another question is shown. */
  readonly asked: AskedThing;
  readonly cluster: string | undefined;
  readonly onAsk: (question: Parameters) => void;
}) {
  const { addresses, times, day, isLine, isUnclear } = paste;
  const chosenIp = asked.kind === 'address' ? asked.ip : paste.kind === 'addresses' ? paste.ip : '';
  const chosenAt = asked.kind !== 'nothing' ? asked.at : paste.at === undefined ? undefined : instantText(paste.at);
  const ask = (ip: string, at: string | undefined) =>
    onAsk({ ...(paste.kind === 'name' ? { q: paste.text } : { ip }), ...(at === undefined ? {} : { at }) });
  // Of a day, or a time that is not understood, nobody asked about now.
  const isOpen = isUnclear && chosenAt === undefined;
  const answers = useWhoBatch(
    addresses.slice(0, isOpen ? 0 : MOST_ASKED).map(({ ip }) => ip),
    chosenAt,
    cluster,
  );
  const isZoneless = times.some(({ hasZone }) => !hasZone);
  const isDateless = times.some(({ hasDate }) => !hasDate);
  const isTimeless = paste.kind === 'addresses' && isLine && times.length === 0 && !isUnclear;
  if (addresses.length < 2 && times.length === 0 && !isUnclear && !isTimeless) return null;
  return (
    <div class="found">
      <fieldset class="row">
        <legend class="muted small">Found in it</legend>
        {addresses.map(({ ip, role }) => (
          <button
            key={ip}
            type="button"
            disabled={isOpen}
            aria-pressed={ip === chosenIp}
            onClick={() => ask(ip, chosenAt)}
          >
            {role !== null && <span class="muted small">{role} </span>}
            <span class="mono">{ip}</span>
            <ShortAnswer answer={answers.get(ip)} />
          </button>
        ))}
        {times.map(({ at, text, key }) => (
          <button
            key={at}
            type="button"
            title={text}
            aria-pressed={instantText(at) === chosenAt}
            onClick={() => ask(chosenIp, instantText(at))}
          >
            {key !== '' && <span class="muted small">{key} </span>}
            <span class="mono">{timeText(at, at % 1000 === 0 ? 'second' : 'exact')}</span>
            {times.some((other) => other.at !== at && other.text === text) && ` ${zoneText(at)}`}
          </button>
        ))}
      </fieldset>
      {paste.otherLines > 0 && (
        <p class="muted small">
          This is the first line of {paste.otherLines + 1}: <code>podtrail attribute</code> reads whole logs.
        </p>
      )}
      {isUnclear && (
        <p>
          <strong>
            {day === undefined ? 'The time in this text is not clear' : 'This text has a date and no time of day'}:
          </strong>{' '}
          write it under When
          {times.length > 0 && ', or choose one'}
          {day !== undefined && (
            <>
              , or see{' '}
              <Link view="trail" parameters={dayTrail(chosenIp, day)}>
                who had <span class="mono">{chosenIp}</span> on {day.text}
              </Link>
            </>
          )}
          .
        </p>
      )}
      {isTimeless && (
        <p>
          <strong>No time is found in this text:</strong> without one under When, this is about now.
        </p>
      )}
      {isDateless && (
        <p>
          <strong>The time in this text has no date that is clear:</strong> the last such time is taken. Write another
          under When.
        </p>
      )}
      {isZoneless && (
        <p class="muted small">
          The time in this text has no zone that is known: it is read in yours. If the log is in another, choose that
          one above.
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
