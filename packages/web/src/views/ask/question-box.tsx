// The box: what is typed or pasted, the time, and what was found in it. A paste is asked about at once; typing waits for
// Enter.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Parameters } from '../../address/page-address.ts';
import { findDay } from '../../paste/days.ts';
import { type Paste, readPaste } from '../../paste/read-paste.ts';
import { readWhen } from '../../paste/read-when.ts';
import { INSTANT_FORMS } from '../../times/read-instant.ts';
import { serverNow } from '../../times/server-clock.ts';
import { instantText, parseInstant } from '../../times/span.ts';
import { instantInZone, instantsInZone, timeText, zone, zoneText } from '../../times/zone.ts';
import { type AskedThing, parametersOf } from './asked.ts';
import { FoundInPaste } from './found-in-paste.tsx';

const clock = () => ({ now: serverNow(), inZone: (wall: string, name?: string) => instantsInZone(wall, name) });

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
  /** With what the last question was asked: the time of that question is still its own. */
  const askedText = useRef('');
  const paste = readPaste(text, clock());
  const askedAt = asked.kind === 'nothing' ? undefined : asked.at;
  const shown = `${textOf(asked)} ${askedAt}`;

  // Back and forward, links: the box shows what is asked, unless what is in it says the same in more words. At once: later it
  // would replace what somebody has typed meanwhile.
  useLayoutEffect(() => {
    if (!saysTheSame(readPaste(text, clock()), asked)) setText(textOf(asked));
    setTime(askedAt === undefined ? '' : shownTime(askedAt));
    complain('');
  }, [shown, zone.value]);

  const ask = (question: Parameters, of = text) => {
    askedText.current = of;
    onAsk(question);
  };
  /** A time of day alone is one of the date in the text. */
  const readTyped = (of: Paste, typed: string) => {
    const at = of.at ?? of.times[0]?.at;
    const day = of.day?.text ?? (at === undefined ? undefined : timeText(at).slice(0, 10));
    return readWhen(typed, day, clock());
  };
  const submit = (of: Paste, typed: string, from?: string) => {
    const written = typed.trim();
    const isDay = findDay(written, clock())?.text === written;
    const at = isDay ? undefined : readTyped(of, written);
    const wrong =
      written !== '' && !isDay && at === undefined
        ? `“${written}” is not wholly understood as a time: write ${INSTANT_FORMS}.`
        : of.kind === 'nothing'
          ? 'Write or paste an address, a name, or a line of a log that has one.'
          : at === undefined && (isDay || of.day !== undefined)
            ? `${isDay ? written : of.day?.text} is a whole day: write a time of day under When.`
            : at === undefined && of.isUnclear
              ? 'The time in this text is not clear: write it under When.'
              : '';
    complain(wrong);
    if (wrong === '') ask(parametersOf(of, at), from);
  };
  return (
    <form
      class="card question"
      onSubmit={(event) => {
        event.preventDefault();
        // A time that the box itself filled in is that of the question before: another text with a time of its own has
        // that one.
        const isKept = text === askedText.current || (paste.at === undefined && !paste.isUnclear);
        submit(paste, isKept || time !== shownTime(askedAt ?? '') ? time : '');
      }}
    >
      <label for="question">
        <strong>Which pod was it?</strong>{' '}
        <span class="muted">An IP, a pod, node, workload or UID, or a whole line of a log.</span>
      </label>
      <textarea
        id="question"
        // A phone would cover half of the page with its keyboard.
        autofocus={asked.kind === 'nothing' && matchMedia('(hover: hover)').matches}
        rows={text.length > 90 || text.includes('\n') ? 3 : 1}
        spellcheck={false}
        autoComplete="off"
        placeholder="10.1.2.3 · cart-7d9 · deploy/cart"
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
          if (found === undefined || found.kind === 'nothing') return;
          event.preventDefault();
          setText(pasted.trim());
          // A date alone is no instant: there is nothing to ask yet.
          if (!found.isUnclear) submit(found, '', pasted.trim());
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
          placeholder={paste.at === undefined ? (paste.isUnclear ? '10:05:00' : 'now') : timeText(paste.at)}
          value={time}
          onInput={({ currentTarget }) => setTime(currentTarget.value)}
        />
        <span class="muted small" id="when-zone">
          {zoneText(readTyped(paste, time) ?? paste.at ?? serverNow())}
          {zone.value === 'local' && ', your time zone'}
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
      {paste.kind !== 'nothing' && (
        <FoundInPaste
          paste={paste}
          asked={text === askedText.current ? asked : { kind: 'nothing' }}
          cluster={cluster}
          onAsk={ask}
        />
      )}
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

/** In the reader's zone, as the reader may write it back; in UTC where clocks showed it twice. */
function shownTime(at: string): string {
  const ms = parseInstant(at, serverNow());
  if (ms === undefined) return at;
  const text = timeText(ms, ms % 1000 === 0 ? 'second' : 'exact');
  return instantInZone(text) === undefined ? instantText(ms) : text;
}
