// The card beside the pointer: what is under it. For those who see it only; the table and the announcements have the same.
import { CauseLabel } from '../parts/cause-label.tsx';
import { gapWhy } from '../parts/gap-words.ts';
import { sentence } from '../parts/sentence.ts';
import { durationText } from '../times/span.ts';
import { timeText, zoneText } from '../times/zone.ts';
import type { Connector } from './connectors.ts';
import { intervalWords, laneName } from './interval-text.ts';
import type { PointTarget } from './point-target.ts';
import type { TimelineData } from './timeline-data.ts';

export interface PointedAt {
  readonly target: PointTarget;
  readonly x: number;
  readonly y: number;
}

interface CardProps {
  readonly pointed: PointedAt;
  readonly data: TimelineData;
  readonly connectorOf: ReadonlyMap<number, Connector> | undefined;
  readonly within: HTMLElement | null;
}

const CARD = 300;
const AWAY = 14;

export function PointCard({ pointed, data, connectorOf, within }: CardProps) {
  const { target, x, y } = pointed;
  const width = within?.clientWidth ?? 0;
  const height = within?.clientHeight ?? 0;
  const left = x + AWAY + CARD > width ? Math.max(0, x - AWAY - CARD) : x + AWAY;
  const place = y > height / 2 ? { bottom: `${height - y + AWAY}px` } : { top: `${y + AWAY}px` };
  return (
    <div class="point-card" aria-hidden="true" style={{ left: `${left}px`, ...place }}>
      {target.kind === 'interval' ? (
        <IntervalCard data={data} place={target.place} connector={connectorOf?.get(target.place)} />
      ) : (
        <p>{words(target, data)}</p>
      )}
    </div>
  );
}

function IntervalCard({
  data,
  place,
  connector,
}: {
  readonly data: TimelineData;
  readonly place: number;
  readonly connector: Connector | undefined;
}) {
  const found = intervalWords(data, place);
  if (found === undefined) return null;
  const { name, holder, workload, ip, start, end, startBounds, endBounds } = found;
  return (
    <>
      <strong class="name">{name}</strong>
      <p class="muted">{[workload, holder.node, ip].filter((text) => text !== '').join(' · ')}</p>
      <p class="mono">
        {timeText(start, 'exact')} {zoneText(start)}
        <br />
        {end === null ? 'still there' : `${timeText(end, 'exact')} (${durationText(end - start)})`}
      </p>
      {startBounds !== '' && <p class="muted">began {startBounds}</p>}
      {endBounds !== '' && <p class="muted">ended {endBounds}</p>}
      {connector !== undefined && (
        <p>
          <CauseLabel cause={connector.move.cause} certainty={connector.move.certainty} />
        </p>
      )}
    </>
  );
}

function words(target: Exclude<PointTarget, { kind: 'interval' }>, { document }: TimelineData): string {
  if (target.kind === 'gap') {
    const { from, to, reason } = target.gap;
    const until = to === Number.POSITIVE_INFINITY ? 'until now' : `until ${timeText(to)}`;
    return `Nobody watched from ${timeText(from)} ${until}. ${sentence(gapWhy(reason))}`;
  }
  const when = `${timeText(target.from)}, ${durationText(target.to - target.from)}`;
  if (target.kind === 'moves') return `${target.came} came, ${target.left} left. ${when}`;
  const lane = document.lanes[target.lane];
  return `${target.count} at ${lane === undefined ? '' : laneName(lane)}. ${when}. Zoom in to see each.`;
}
