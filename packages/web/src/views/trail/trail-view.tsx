// Trail: who was where from when to when, as lanes on a time axis. Puts together controls, timeline, table and evidence.
import { useMemo, useRef } from 'preact/hooks';
import { address, adjust } from '../../address/location.ts';
import { type Key, useKeys } from '../../frame/keys.ts';
import { isDark } from '../../frame/theme.ts';
import { ProblemNote, Skeleton, Waiting } from '../../parts/states.tsx';
import { Legend } from '../../timeline/legend.tsx';
import type { Colouring } from '../../timeline/scene.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import type { Timeline } from '../../timeline/timeline.ts';
import { TimelineCanvas } from '../../timeline/timeline-canvas.tsx';
import { TimelineTable } from '../../timeline/timeline-table.tsx';
import { EvidencePanel } from './evidence-panel.tsx';
import { SpanControls } from './span-controls.tsx';
import { TrailActions } from './trail-actions.tsx';
import { TrailControls } from './trail-controls.tsx';
import { TrailNote } from './trail-note.tsx';
import { trailParameters } from './trail-question.ts';
import { trailSummary } from './trail-summary.ts';
import { useTimeline } from './use-timeline.ts';
import { useTrailSpan } from './use-trail-span.ts';

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['ArrowLeft', 'show earlier'],
  ['ArrowRight', 'show later'],
  ['+', 'zoom in'],
  ['=', 'zoom in'],
  ['-', 'zoom out'],
  ['[', 'select the interval before, of the same lane'],
  [']', 'select the interval after, of the same lane'],
  ['t', 'go to now'],
];

export function TrailView() {
  const parameters = trailParameters(address.value.parameters);
  const timeline = useRef<Timeline | undefined>(undefined);
  const colouring: Colouring = parameters['colour'] === 'cause' ? 'cause' : 'workload';
  const isTable = parameters['as'] === 'table';
  const show = (view: TimeView, now: number) => {
    const shown = timeline.current;
    if (shown === undefined) return true;
    if (shown.isBusy) return false;
    shown.setNow(now);
    shown.setView(view);
    return true;
  };
  const span = useTrailSpan(show);
  const { asked, data, moves, causesFrom, causesNote, isStale } = useTimeline(parameters, span);
  const keys = useMemo(
    (): readonly Key[] => KEYS.map(([key, does]) => ({ key, does, run: () => void timeline.current?.pressKey(key) })),
    [],
  );
  useKeys(keys);
  const selected = parameters['selected'];
  const open = (uid: string | undefined) => {
    if (uid !== selected) adjust({ selected: uid }, uid !== undefined && selected === undefined);
  };
  const { problem } = asked;
  const label = data === undefined ? 'Timeline, loading' : trailSummary(data, span.view);
  return (
    <>
      <TrailControls parameters={parameters} colouring={colouring} />
      <SpanControls
        {...{ view: span.view, since: parameters['since'] ?? '6h' }}
        {...{ isLive: span.isLive, isFailing: problem !== undefined }}
      />
      {problem !== undefined && problem.status !== 401 && <ProblemNote problem={problem} onRetry={asked.reload} />}
      {data === undefined && asked.isSlow && problem === undefined && <Skeleton lines={6} />}
      {isStale && asked.isSlow && problem === undefined && <Waiting />}
      {causesNote !== undefined && !isStale && <Waiting>{causesNote}</Waiting>}
      {data !== undefined && <TrailNote data={data} view={span.view} parameters={parameters} />}
      <div class={selected === undefined ? 'trail' : 'trail with-evidence'}>
        <div class="trail-main">
          <div class={isTable ? 'visually-gone' : undefined}>
            <TimelineCanvas
              {...{ timeline, data, moves, causesFrom, colouring, isStale, label }}
              firstView={span.view}
              selectedUid={selected}
              onView={span.onView}
              onOpen={open}
            />
          </div>
          {/* Drawn again with the other colours of another theme. */}
          {data?.density === null && !isTable && (
            <Legend key={String(isDark.value)} data={data} colouring={colouring} />
          )}
          {isTable && data !== undefined && <TimelineTable data={data} view={span.view} moves={moves} onOpen={open} />}
          <TrailActions
            {...{ timeline, data, moves, parameters, isTable }}
            view={span.view}
            onTable={() => adjust({ as: isTable ? undefined : 'table' }, true)}
          />
        </div>
        {selected !== undefined && <EvidencePanel uid={selected} onOpen={open} />}
      </div>
    </>
  );
}
