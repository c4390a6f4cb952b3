// Which time is shown: the last minutes, hours or days, going on with time; or from and to, in the reader's zone.
import { adjust } from '../../address/location.ts';
import { Choice } from '../../parts/choice.tsx';
import { InstantInput } from '../../parts/instant-input.tsx';
import type { TimeView } from '../../timeline/time-view.ts';
import { instantText } from '../../times/span.ts';
import { timeText } from '../../times/zone.ts';
import { relativeText } from './trail-span.ts';

const PRESETS = { '15m': '15 min', '1h': '1 h', '6h': '6 h', '24h': '24 h', '7d': '7 d' };
const NO_END = { until: undefined };

export interface SpanControlsProps {
  readonly view: TimeView;
  readonly since: string | undefined;
  readonly isLive: boolean;
  /** It would follow now, but does not get there. */
  readonly isFailing: boolean;
}

export function SpanControls({ view, since, isLive, isFailing }: SpanControlsProps) {
  return (
    <div class="row trail-span">
      <Choice name="since" label="Time" options={PRESETS} value={isLive ? since : undefined} also={NO_END} />
      <InstantInput label="From" name="since" value={timeText(view.from)} />
      <InstantInput
        label="To"
        name="until"
        value={isLive ? 'now' : timeText(view.to)}
        also={{ since: instantText(view.from) }}
      />
      {isLive ? (
        !isFailing && (
          <span class="badge held">
            <span aria-hidden="true">●</span> follows now
          </span>
        )
      ) : (
        <button type="button" onClick={() => adjust({ since: relativeText(view.to - view.from), ...NO_END }, true)}>
          Follow now
        </button>
      )}
    </div>
  );
}
