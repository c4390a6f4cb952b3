// Below the timeline: the table, files, the command, the link, and how to use it.

import type { RefObject } from 'preact';
import { address } from '../../address/location.ts';
import type { Parameters } from '../../address/page-address.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { SaveButtons } from '../../parts/save-buttons.tsx';
import type { TimelineMove } from '../../timeline/connectors.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import type { Timeline } from '../../timeline/timeline.ts';
import type { TimelineData } from '../../timeline/timeline-data.ts';
import { absoluteUrl } from '../../times/absolute-url.ts';
import { serverNow } from '../../times/server-clock.ts';
import { trailCsv } from './trail-csv.ts';
import { trailCommand } from './trail-question.ts';

export interface TrailActionsProps {
  readonly timeline: RefObject<Timeline | undefined>;
  readonly data: TimelineData | undefined;
  readonly moves: readonly TimelineMove[];
  readonly parameters: Parameters;
  readonly view: TimeView;
  readonly isTable: boolean;
  readonly onTable: () => void;
}

export function TrailActions({ timeline, data, moves, parameters, view, isTable, onTable }: TrailActionsProps) {
  const command = trailCommand(parameters, view);
  return (
    <>
      <div class="row trail-actions">
        <button type="button" aria-pressed={isTable} onClick={onTable}>
          Table
        </button>
        <SaveButtons
          name="trail"
          csv={data && (() => trailCsv(data, view, moves))}
          {...(isTable ? {} : { picture: () => timeline.current?.picture() })}
        />
        {command !== undefined && <CopyButton text={() => command}>Copy as command</CopyButton>}
        <CopyButton text={() => absoluteUrl(address.peek(), serverNow())}>Copy link</CopyButton>
      </div>
      <p class="muted small">
        Wheel or pinch zooms, drag moves, drag on the axis chooses a time; ↑ and ↓ choose another row, Enter opens the
        evidence. Hatched grey, across all rows: nobody watched; patterns within a bar tell bars apart. Dashed: it may
        have been so.
      </p>
    </>
  );
}
