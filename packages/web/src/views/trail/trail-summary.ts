// What a timeline shows, in a sentence: for those who do not see it. Pure.
import { counted } from '../../parts/counted.ts';
import { countWithin } from '../../timeline/table-rows.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import type { TimelineData } from '../../timeline/timeline-data.ts';
import { timeText, zoneText } from '../../times/zone.ts';

export function trailSummary(data: TimelineData, view: TimeView): string {
  const { lanes, moreLanes, detail } = data.document;
  const when = `from ${timeText(view.from)} to ${timeText(view.to)} ${zoneText(view.from)}`;
  const rows = `${moreLanes ? 'the first ' : ''}${counted(lanes.length, 'lane')}`;
  const what = detail === 'density' ? 'how many at a time' : counted(countWithin(data.index, view), 'interval');
  const gaps = data.gaps.filter(({ from, to }) => from < view.to && to > view.from).length;
  const unwatched = gaps === 0 ? '' : ` Nobody watched ${gaps === 1 ? 'once' : `${gaps} times`}.`;
  return `Timeline ${when}: ${what} in ${rows}.${unwatched} The button Table shows the same as a table.`;
}
