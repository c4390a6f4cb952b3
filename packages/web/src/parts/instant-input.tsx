// A field for an instant that is a parameter of the URL. Takes what the URL takes, and a wall time of the reader's zone.
import { useState } from 'preact/hooks';
import { adjust } from '../address/location.ts';
import { instantText, parseInstant } from '../times/span.ts';
import { instantInZone } from '../times/zone.ts';

export function InstantInput({
  name,
  label,
  value,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}) {
  const [isWrong, setWrong] = useState(false);
  const write = (text: string) => {
    const trimmed = text.trim();
    const wall = instantInZone(trimmed);
    const isKnown = trimmed === '' || parseInstant(trimmed, Date.now()) !== undefined;
    setWrong(!isKnown && wall === undefined);
    if (isKnown) adjust({ [name]: trimmed === '' || trimmed === 'now' ? undefined : trimmed }, true);
    else if (wall !== undefined) adjust({ [name]: instantText(wall) }, true);
  };
  return (
    <label>
      {label}{' '}
      <input
        class="instant"
        defaultValue={value}
        autoComplete="off"
        spellcheck={false}
        aria-invalid={isWrong}
        title="2026-11-15 10:05:00 in your zone, 2026-11-15T10:05:00Z, or 6h for six hours ago"
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
      {isWrong && (
        <span class="small" role="alert">
          {' '}
          not a time
        </span>
      )}
    </label>
  );
}
