// Which time is shown: the last minutes, hours or days, going on with time; or from and to, in the reader's zone.
import { useState } from 'preact/hooks';
import { adjust } from '../../address/location.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import { instantText, parseInstant } from '../../times/span.ts';
import { instantInZone, timeText } from '../../times/zone.ts';

const PRESETS: Readonly<Record<string, string>> = {
  '15m': '15 min',
  '1h': '1 h',
  '6h': '6 h',
  '24h': '24 h',
  '7d': '7 d',
};

export interface SpanControlsProps {
  readonly view: TimeView;
  readonly since: string | undefined;
  readonly isLive: boolean;
}

export function SpanControls({ view, since, isLive }: SpanControlsProps) {
  return (
    <fieldset class="row trail-span">
      <legend class="visually-hidden">Time</legend>
      {Object.entries(PRESETS).map(([text, shown]) => (
        <button
          key={text}
          type="button"
          aria-pressed={isLive && since === text}
          onClick={() => adjust({ since: text, until: undefined }, true)}
        >
          {shown}
        </button>
      ))}
      <InstantInput label="From" name="since" at={view.from} />
      <InstantInput label="To" name="until" at={view.to} isNow={isLive} other={{ since: instantText(view.from) }} />
      {isLive ? (
        <span class="badge answer-held">
          <span aria-hidden="true">●</span> follows now
        </span>
      ) : (
        <button type="button" onClick={() => adjust({ since: lengthText(view), until: undefined }, true)}>
          Follow now
        </button>
      )}
    </fieldset>
  );
}

function lengthText({ from, to }: TimeView): string {
  return `${Math.max(1, Math.round((to - from) / 1000))}s`;
}

/** Takes a wall time of the reader's zone, and whatever the URL takes. */
function InstantInput({
  label,
  name,
  at,
  isNow = false,
  other = {},
}: {
  readonly label: string;
  readonly name: 'since' | 'until';
  readonly at: number;
  readonly isNow?: boolean;
  readonly other?: Readonly<Record<string, string>>;
}) {
  const [isWrong, setWrong] = useState(false);
  const write = (text: string) => {
    const trimmed = text.trim();
    const isEmpty = trimmed === '' || trimmed === 'now';
    const found = isEmpty ? undefined : (instantInZone(trimmed) ?? parseInstant(trimmed, Date.now()));
    setWrong(!isEmpty && found === undefined);
    if (isEmpty) adjust({ [name]: undefined }, true);
    else if (found !== undefined) adjust({ ...other, [name]: instantText(found) }, true);
  };
  return (
    <label>
      {label}{' '}
      <input
        class="mono trail-instant"
        value={isNow ? 'now' : timeText(at)}
        autoComplete="off"
        spellcheck={false}
        aria-invalid={isWrong}
        title="2026-11-15 10:05:00 in your zone, or 6h for six hours ago"
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
      {isWrong && <span role="alert"> not a time</span>}
    </label>
  );
}
