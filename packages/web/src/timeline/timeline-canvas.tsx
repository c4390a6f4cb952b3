// The timeline in the page: its canvases with what they show in words, the card beside the pointer, and what is announced
// when a key selects an interval. The keys that only make sense on it work while it has the focus.
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isDark } from '../frame/theme.ts';
import { zone } from '../times/zone.ts';
import type { TimelineMove } from './connectors.ts';
import { intervalSentence, intervalWords } from './interval-text.ts';
import { PointCard, type PointedAt } from './point-card.tsx';
import type { Colouring } from './scene.ts';
import type { TimeView } from './time-view.ts';
import { Timeline } from './timeline.ts';
import type { TimelineData } from './timeline-data.ts';

export interface TimelineCanvasProps {
  /** For keys of the page, for pictures, and to set what is shown. */
  readonly timeline: RefObject<Timeline | undefined>;
  readonly data: TimelineData | undefined;
  readonly moves: readonly TimelineMove[];
  readonly causesFrom: number;
  readonly firstView: TimeView;
  readonly selectedUid: string | undefined;
  readonly colouring: Colouring;
  /** It is not of what is asked: shown dimmed until that is there. */
  readonly isStale: boolean;
  /** What is shown, in words. */
  readonly label: string;
  readonly onView: (view: TimeView, isJump: boolean) => void;
  /** Undefined: nothing. */
  readonly onOpen: (uid: string | undefined) => void;
}

const OWN_KEYS = ['ArrowUp', 'ArrowDown', 'Enter'];

export function TimelineCanvas(props: TimelineCanvasProps) {
  const { timeline, data, moves, causesFrom, firstView, selectedUid, colouring, isStale, label } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const ground = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<PointedAt | undefined>(undefined);
  const [said, say] = useState('');
  // The listener is made once, and calls what the last render brought.
  const latest = useRef(props);
  latest.current = props;

  // Before the browser paints, so that new data are in the very next frame.
  useLayoutEffect(() => {
    const uidOf = (place: number) => {
      const { data } = latest.current;
      return data?.document.holders.uid[data.index.holder[place]!];
    };
    const made = new Timeline(
      {
        ...{ scroller: scroller.current!, stage: stage.current!, spacer: spacer.current! },
        ...{ ground: ground.current!, overlay: overlay.current! },
      },
      {
        onView: (view, isJump) => latest.current.onView(view, isJump),
        onPoint: (target, x, y) => setPointed(target === undefined ? undefined : { target, x, y }),
        onSelect: (place) => {
          const { data } = latest.current;
          const words = data === undefined ? undefined : intervalWords(data, place);
          say(words === undefined ? '' : intervalSentence(words, made.connectorOf.get(place)?.move.cause));
          if (place === -1) latest.current.onOpen(undefined);
        },
        onOpen: (place) => latest.current.onOpen(uidOf(place)),
      },
      firstView,
      zone.peek(),
    );
    timeline.current = made;
    return () => {
      timeline.current = undefined;
      made.close();
    };
  }, []);
  const inZone = zone.value;
  const dark = isDark.value;
  useLayoutEffect(() => timeline.current?.readTheme(), [dark]);
  useLayoutEffect(() => timeline.current?.setZone(inZone), [inZone]);
  useLayoutEffect(() => timeline.current?.setColouring(colouring), [colouring]);
  useLayoutEffect(() => timeline.current?.setData(data, latest.current.selectedUid), [data, selectedUid]);
  useLayoutEffect(() => timeline.current?.setMoves(moves, causesFrom), [moves, causesFrom]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !OWN_KEYS.includes(event.key)) return;
    if (timeline.current?.pressKey(event.key)) event.preventDefault();
  };
  return (
    <div class="timeline-box">
      <section
        class={isStale ? 'timeline stale' : 'timeline'}
        ref={scroller}
        aria-label="Timeline"
        aria-busy={isStale}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has keys of its own
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div class="timeline-stage" ref={stage}>
          <canvas ref={ground} role="img" aria-label={label} />
          <canvas ref={overlay} />
        </div>
        <div ref={spacer} />
      </section>
      {pointed !== undefined && data !== undefined && (
        <PointCard
          pointed={pointed}
          data={data}
          connectorOf={timeline.current?.connectorOf}
          within={scroller.current}
        />
      )}
      <div class="visually-hidden" role="status">
        {said}
      </div>
    </div>
  );
}
