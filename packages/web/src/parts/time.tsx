// An instant in the reader's zone, with its exact time in UTC at hand.
import { instantText } from '../times/span.ts';
import { type TimeFormat, timeText, zoneText } from '../times/zone.ts';

export function Time({ at, format = 'second' }: { readonly at: string | number; readonly format?: TimeFormat }) {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const iso = instantText(ms);
  const text = timeText(ms, format);
  return (
    <time dateTime={iso} title={iso} class="time">
      {text}
      {format === 'second' || format === 'exact' ? <span class="muted"> {zoneText(ms)}</span> : null}
    </time>
  );
}
