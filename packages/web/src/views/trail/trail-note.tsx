// What is to be said about a timeline before it is looked at: why it is empty, that it is cut off, that it only counts.
import { Link } from '../../address/link.tsx';
import type { Parameters } from '../../address/page-address.ts';
import { NothingListed } from '../../parts/empty-listing.tsx';
import { countWithin } from '../../timeline/table-rows.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import type { TimelineData } from '../../timeline/timeline-data.ts';
import { isAddress } from './trail-question.ts';

export interface TrailNoteProps {
  readonly data: TimelineData;
  readonly view: TimeView;
  readonly parameters: Parameters;
}

export function TrailNote({ data, view, parameters }: TrailNoteProps) {
  const { lanes, moreLanes, detail, coverage, narrowed } = data.document;
  const isEmpty = data.density === null && (data.openUntil <= view.from || countWithin(data.index, view) === 0);
  if (lanes.length === 0 || isEmpty) {
    const isFiltered = ['subject', 'namespace', 'node'].some((name) => parameters[name] !== undefined);
    const { subject } = parameters;
    return (
      <>
        <NothingListed {...{ coverage, ...view, isFiltered }} isNarrowed={narrowed === true} />
        {subject !== undefined && (
          <p>
            <Link view="ask" parameters={isAddress(subject) ? { ip: subject } : { q: subject.replace(/^.*\//, '') }}>
              Ask about {subject}
            </Link>
            : it finds parts of names, too.
          </p>
        )}
      </>
    );
  }
  return (
    <>
      {moreLanes && <p class="muted small">There are more lanes than are shown: choose a subject or a namespace.</p>}
      {narrowed && <p class="muted small">You see some namespaces only: there may be more in others.</p>}
      {detail === 'density' && (
        <p class="muted small">Too many to show each: the lanes show how many there were. Zoom in to see them.</p>
      )}
    </>
  );
}
