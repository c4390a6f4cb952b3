// Gaps: when nobody was watching, and why. They name nobody, and are the same for every asker.
import { askGaps, epochMillis, gapDocument, type Unwatched } from '@podtrail/history/wire';
import { spanOf } from './asked-of.ts';
import type { HistoryRecord } from './history-object.ts';
import type { FoundRecords, HistoryResource, ListQuestion, RecordsOf } from './resource.ts';
import { at, cellText, cellTime, instant, text } from './shapes.ts';

/** Of JavaScript's dates. */
const LAST_INSTANT_MS = 8_640_000_000_000_000;

export const GAPS: HistoryResource = {
  plural: 'gaps',
  singular: 'gap',
  kind: 'Gap',
  namespaced: false,
  description: 'A time at which nobody was watching the cluster, or not all of it. Select by since and until.',
  fields: ['since', 'until', 'metadata.name'],
  columns: [
    { name: 'From', type: 'string', description: 'Since when.', priority: 0, cell: (of) => cellTime(at(of, 'from')) },
    { name: 'To', type: 'string', description: 'Until when.', priority: 0, cell: (of) => cellTime(at(of, 'to')) },
    { name: 'Reason', type: 'string', description: 'Why.', priority: 0, cell: (of) => cellText(at(of, 'reason')) },
    { name: 'Name', type: 'string', description: 'Of this record.', priority: 1, cell: (of) => of.metadata.name },
  ],
  properties: {
    from: instant('The first instant that nobody watched.'),
    to: instant('From then on somebody watched again. Not there while it lasts.'),
    reason: text(
      'start, expired, rewound, clock, undecodable, before-first-record, not-watching, removed or pods-only.',
    ),
  },
  list,
  get,
};

async function list(question: ListQuestion): Promise<FoundRecords> {
  const { snapshot, visibility, cluster, now, limit, cursor, selector } = question;
  const name = selector.get('metadata.name');
  const asked = { span: spanOf(question, undefined), paging: { limit, cursor }, now };
  const { gaps } = await askGaps(snapshot, visibility, cluster, asked);
  const records = gaps.items.map(recordOf).filter((record) => name === undefined || record.name === name);
  return { records, cursor: gaps.cursor, hasGaps: records.length > 0 };
}

async function get(
  { snapshot, visibility, cluster, now }: RecordsOf,
  name: string,
): Promise<HistoryRecord | undefined> {
  const [, digits] = /-(\d{1,16})$/.exec(name) ?? [];
  const from = Number(digits);
  // Dates end there; nothing was recorded at an instant that is none.
  if (digits === undefined || from >= LAST_INSTANT_MS) return undefined;
  const span = { from: epochMillis(from), to: epochMillis(from + 1), hasSince: false, hasUntil: true };
  const { gaps } = await askGaps(snapshot, visibility, cluster, { span, paging: { limit: 100 }, now });
  return gaps.items.map(recordOf).find((record) => record.name === name);
}

function recordOf(gap: Unwatched): HistoryRecord {
  const { from, to, reason } = gap;
  return {
    ...{ name: `${reason}-${from}`, namespace: undefined, at: from, began: from, changed: to ?? from },
    fields: gapDocument(gap),
  };
}
