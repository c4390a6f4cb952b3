// Which time the timeline shows, kept together with the URL: panning writes the URL a moment later, links and the history
// move the timeline, and a span without an end goes on with time.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { address, adjust } from '../../address/location.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import { serverNow } from '../../times/server-clock.ts';
import { isLive, resolveSpan } from '../../times/span.ts';
import { USUAL_SPAN } from '../../times/usual-span.ts';
import { type SpanOfTrail, spanTexts } from './trail-span.ts';

const QUIET_MS = 250;
const TICK_MS = 1_000;
const CALM_TICK_MS = 5_000;

export interface TrailSpan extends SpanOfTrail {
  readonly onView: (view: TimeView, isJump: boolean) => void;
}

/** `show`: puts what the URL says on the timeline; false while somebody is dragging it. */
export function useTrailSpan(show: (view: TimeView, now: number) => boolean): TrailSpan {
  const { since, until } = address.value.parameters;
  const [now, setNow] = useState(serverNow);
  const [view, setView] = useState(() => resolveSpan({ since, until }, now, USUAL_SPAN.trail));
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const written = useRef('');
  const isFollowing = isLive({ until });

  const onView = useCallback((moved: TimeView, isJump: boolean) => {
    clearTimeout(pending.current);
    const write = () => {
      pending.current = undefined;
      const now = serverNow();
      const texts = spanTexts(moved, now);
      written.current = `${texts.since} ${texts.until}`;
      adjust({ ...texts }, isJump);
      setNow(now);
      setView(moved);
    };
    if (isJump) write();
    else pending.current = setTimeout(write, QUIET_MS);
  }, []);

  // What somebody else wrote into the URL.
  useEffect(() => {
    if (written.current === `${since} ${until}`) return;
    written.current = '';
    clearTimeout(pending.current);
    pending.current = undefined;
    const at = serverNow();
    const span = resolveSpan({ since, until }, at, USUAL_SPAN.trail);
    setNow(at);
    setView(span);
    show(span, at);
  }, [since, until]);

  useEffect(() => {
    if (!isFollowing) return;
    const tick = () => {
      if (pending.current !== undefined || document.hidden) return;
      const at = serverNow();
      const span = resolveSpan({ since, until }, at, USUAL_SPAN.trail);
      if (!show(span, at)) return;
      setNow(at);
      setView(span);
    };
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const timer = setInterval(tick, isCalm ? CALM_TICK_MS : TICK_MS);
    return () => clearInterval(timer);
  }, [isFollowing, since, until]);

  useEffect(() => () => clearTimeout(pending.current), []);
  return { view, now, isLive: isFollowing, onView };
}
