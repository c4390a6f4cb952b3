// The instant that is shown: a slider over a day, steps, play, and a field for any other instant.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { adjust } from '../../address/location.ts';
import { type Key, useKeys } from '../../frame/keys.ts';
import { InstantInput } from '../../parts/instant-input.tsx';
import { Time } from '../../parts/time.tsx';
import { serverNow } from '../../times/server-clock.ts';
import { instantText } from '../../times/span.ts';
import { timeText } from '../../times/zone.ts';
import { instantOfStep, stepFrom, type TimeSteps } from './time-steps.ts';

const PLAY_MS = 600;
/** For who asked for less motion. */
const CALM_MS = 2_000;
const QUIET_MS = 80;

export function TimeSlider({
  steps,
  now,
  isBusy,
}: {
  readonly steps: TimeSteps;
  readonly now: number;
  /** The answer is still to come: play waits for it. */
  readonly isBusy: boolean;
}) {
  const [isPlaying, play] = useState(false);
  const latest = useRef(steps);
  latest.current = steps;
  const write = (at: string | undefined) => adjust({ at });
  const step = (by: 1 | -1) => write(stepFrom(latest.current, by, serverNow()));
  /** From the beginning where it is at the end. */
  const toggle = () =>
    play((wasPlaying) => {
      if (!wasPlaying && latest.current.at === undefined) write(instantOfStep(latest.current, 0));
      return !wasPlaying;
    });
  const keys = useMemo(
    (): readonly Key[] => [
      { key: '[', does: 'a quarter of an hour back', run: () => step(-1) },
      { key: ']', does: 'a quarter of an hour on', run: () => step(1) },
      { key: ' ', does: 'play or pause', run: toggle },
      {
        key: 't',
        does: 'now',
        run: () => {
          play(false);
          write(undefined);
        },
      },
    ],
    [],
  );
  useKeys(keys);

  const isEnd = steps.at === undefined;
  useEffect(() => {
    if (!isPlaying || isBusy) return;
    if (isEnd) {
      play(false);
      return;
    }
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const timer = setTimeout(() => step(1), isCalm ? CALM_MS : PLAY_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, isBusy, isEnd, steps.at]);

  return (
    <div class="card nodes-time">
      <div class="row">
        <button type="button" onClick={() => step(-1)} aria-label="A quarter of an hour back">
          ◀
        </button>
        <button type="button" aria-pressed={isPlaying} onClick={toggle}>
          {isPlaying ? '❚❚ Pause' : '▶ Play'}
        </button>
        <button type="button" onClick={() => step(1)} disabled={isEnd} aria-label="A quarter of an hour on">
          ▶
        </button>
        <button type="button" onClick={() => write(undefined)} aria-pressed={isEnd}>
          Now
        </button>
        <strong>
          <Time at={steps.at ?? now} />
        </strong>
        <InstantInput name="at" label="At" value={steps.at === undefined ? 'now' : instantText(steps.at)} />
      </div>
      <Slider steps={steps} onChoose={write} onTouch={() => play(false)} />
    </div>
  );
}

function Slider({
  steps,
  onChoose,
  onTouch,
}: {
  readonly steps: TimeSteps;
  readonly onChoose: (at: string | undefined) => void;
  readonly onTouch: () => void;
}) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const choose = (step: number) => {
    onTouch();
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChoose(instantOfStep(steps, step)), QUIET_MS);
  };
  const text = steps.at === undefined ? 'now' : timeText(steps.at);
  return (
    <label class="nodes-slider">
      <span class="visually-hidden">Time</span>
      <input
        type="range"
        min={0}
        max={steps.last}
        value={steps.step}
        aria-valuetext={text}
        onInput={({ currentTarget }) => choose(Number(currentTarget.value))}
      />
      <span class="strip-ends small muted">
        <Time at={steps.from} />
        {steps.endsNow ? <span>now</span> : <Time at={Date.parse(instantOfStep(steps, steps.last) ?? '')} />}
      </span>
    </label>
  );
}
