// A field for an instant that is a parameter of the URL. What is typed stays until it is written, also while time goes on.

import { useState } from 'preact/hooks';
import { adjust } from '../address/location.ts';
import { INSTANT_FORMS, readInstant } from '../times/read-instant.ts';
import { serverNow } from '../times/server-clock.ts';
import { instantText, parseInstant } from '../times/span.ts';
import { timeText } from '../times/zone.ts';

export interface InstantInputProps {
  readonly name: string;
  readonly label: string;
  /** As the URL has it: an instant is shown in the zone of the reader. */
  readonly value: string;
  /** What else is written with it. */
  readonly also?: Readonly<Record<string, string>>;
}

export function InstantInput({ name, label, value, also }: InstantInputProps) {
  const [typed, type] = useState<string | undefined>(undefined);
  const [isWrong, setWrong] = useState(false);
  const instant = /^\d{4}-/.test(value) ? parseInstant(value, 0) : undefined;
  const write = (text: string) => {
    const trimmed = text.trim();
    const isNow = trimmed === '' || trimmed === 'now';
    const at = readInstant(trimmed, serverNow());
    setWrong(!isNow && at === undefined);
    if (!isNow && at === undefined) return;
    type(undefined);
    // What is relative to now stays so.
    const isKept = parseInstant(trimmed, 0) !== undefined;
    adjust(isNow ? { [name]: undefined } : { ...also, [name]: isKept ? trimmed : instantText(at ?? 0) }, true);
  };
  return (
    <label>
      {label}{' '}
      <input
        class="instant"
        value={typed ?? (instant === undefined ? value : timeText(instant))}
        autoComplete="off"
        spellcheck={false}
        aria-invalid={isWrong}
        title={INSTANT_FORMS}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onChange={({ currentTarget }) => write(currentTarget.value)}
        onBlur={() => isWrong || type(undefined)}
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
