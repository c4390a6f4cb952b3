// The box: what is typed or pasted, the time, and what was found in it. A paste is asked about at once; typing waits for
// Enter.

import { useEffect, useState } from 'preact/hooks';
import type { Parameters } from '../../address/page-address.ts';
import { type Paste, readPaste } from '../../paste/read-paste.ts';
import { INSTANT_FORMS, readInstant } from '../../times/read-instant.ts';
import { serverNow } from '../../times/server-clock.ts';
import { parseInstant } from '../../times/span.ts';
import { instantInZone, timeText, zone, zoneText } from '../../times/zone.ts';
import { type AskedThing, parametersOf } from './asked.ts';
import { FoundInPaste } from './found-in-paste.tsx';

const clock = () => ({ now: serverNow(), inZone: (wall: string) => instantInZone(wall) });

export function QuestionBox({
  asked,
  cluster,
  onAsk,
}: {
  readonly asked: AskedThing;
  readonly cluster: string | undefined;
  readonly onAsk: (question: Parameters) => void;
}) {
  const [text, setText] = useState(textOf(asked));
  const [time, setTime] = useState('');
  const [complaint, complain] = useState('');
  const paste = readPaste(text, clock());
  const isDay = paste.kind === 'addresses' && paste.day !== undefined;
  const shown = asked.kind === 'address' ? `${asked.ip} ${asked.at}` : textOf(asked);

  // Back and forward, links: the box shows what is asked, unless what is in it says the same in more words.
  useEffect(() => {
    if (!saysTheSame(readPaste(text, clock()), asked)) setText(textOf(asked));
    setTime(asked.kind === 'address' && asked.at !== undefined ? shownTime(asked.at) : '');
    complain('');
  }, [shown, zone.value]);

  const submit = (of: Paste, typed: string) => {
    const now = serverNow();
    const isTyped = typed.trim() !== '';
    const day = of.kind === 'addresses' ? of.day?.text : undefined;
    // A time of day alone is one of the date in the text.
    const at = isTyped ? (readInstant(typed, now) ?? readInstant(`${day} ${typed}`, now)) : undefined;
    if (isTyped && at === undefined) {
      complain(`This is no time that is understood: write ${INSTANT_FORMS}.`);
      return;
    }
    if (of.kind === 'nothing') {
      complain('Write or paste an address, a name, or a line of a log first.');
      return;
    }
    if (day !== undefined && at === undefined) {
      complain(`${day} is a whole day: write a time of day under When.`);
      return;
    }
    complain('');
    onAsk(parametersOf(of, at));
  };
  return (
    <form
      class="card question"
      onSubmit={(event) => {
        event.preventDefault();
        // A time that the box itself filled in is that of the question before.
        submit(
          paste,
          asked.kind === 'address' && time === shownTime(asked.at ?? '') ? keptTime(paste, asked, time) : time,
        );
      }}
    >
      <label for="question">
        <strong>Which pod was it?</strong>{' '}
        <span class="muted">An IP, a pod, node, workload or UID, or a whole line of a log.</span>
      </label>
      <textarea
        id="question"
        rows={text.length > 90 || text.includes('\n') ? 3 : 1}
        spellcheck={false}
        autoComplete="off"
        placeholder="10.244.3.7 · cart-7d9-x2k · deploy/cart"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData('text') ?? '';
          const { selectionStart, selectionEnd, value } = event.currentTarget;
          const isWhole = value === '' || (selectionStart === 0 && selectionEnd === value.length);
          const found = isWhole ? readPaste(pasted, clock()) : undefined;
          if (found?.kind !== 'addresses') return;
          event.preventDefault();
          setText(pasted.trim());
          // A date alone is no instant: there is nothing to ask yet.
          if (found.day === undefined) submit(found, '');
        }}
      />
      <div class="row">
        <label for="when">When</label>
        <input
          id="when"
          type="text"
          class="when"
          autoComplete="off"
          aria-describedby="when-zone"
          placeholder={
            paste.kind === 'addresses' && paste.at !== undefined ? timeText(paste.at) : isDay ? '10:05:00' : 'now'
          }
          value={time}
          onInput={({ currentTarget }) => setTime(currentTarget.value)}
        />
        <span class="muted small" id="when-zone">
          {zone.value === 'local' ? `${zoneText(serverNow())}, your time zone` : zoneText(serverNow())}
        </span>
        <button type="submit" class="primary">
          Ask
        </button>
      </div>
      {complaint !== '' && (
        <p class="complaint" role="alert">
          {complaint}
        </p>
      )}
      {paste.kind === 'addresses' && <FoundInPaste paste={paste} asked={asked} cluster={cluster} onAsk={onAsk} />}
    </form>
  );
}

function textOf(asked: AskedThing): string {
  return asked.kind === 'address' ? asked.ip : asked.kind === 'name' ? asked.text : '';
}

function saysTheSame(paste: Paste, asked: AskedThing): boolean {
  if (asked.kind === 'address') {
    return paste.kind === 'addresses' && paste.addresses.some(({ ip }) => ip === asked.ip);
  }
  return asked.kind === 'name' && paste.kind === 'name' && paste.text === asked.text;
}

/** In the reader's zone, as the reader may write it back. */
function shownTime(at: string): string {
  const ms = parseInstant(at, serverNow());
  return ms === undefined ? at : timeText(ms, ms % 1000 === 0 ? 'second' : 'exact');
}

/** Another address at the same time keeps the time; a text with a time or a date of its own does not. */
function keptTime(paste: Paste, asked: AskedThing, time: string): string {
  if (paste.kind !== 'addresses') return time;
  const { day } = paste;
  if (day !== undefined) {
    const at = (asked.kind === 'address' && parseInstant(asked.at ?? '', serverNow())) || 0;
    return at >= day.from && at < day.to ? time : '';
  }
  if (paste.at === undefined) return time;
  return asked.kind === 'address' && paste.addresses.some(({ ip }) => ip === asked.ip) ? time : '';
}
