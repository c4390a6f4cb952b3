// The feed as CSV: one table for moves and changes. Pure.
import { csvText } from '../../parts/csv.ts';
import { instantText } from '../../times/span.ts';
import type { FeedItem } from './feed-item.ts';

const HEADER = [
  ...['time', 'what', 'namespace', 'pod', 'uid', 'from', 'to', 'successor', 'cause', 'certainty', 'downtime_ms'],
  ...['why', 'annotation', 'before', 'after'],
];

export function feedCsv(items: readonly FeedItem[]): string {
  return csvText(HEADER, items.map(row));
}

function row(item: FeedItem): readonly (string | number | null)[] {
  const time = instantText(item.at);
  if (item.kind === 'move') {
    const { namespace, name, uid, from, to, successor, cause, certainty, downtimeMs, sentence } = item.move;
    const end = [cause, certainty, downtimeMs, sentence, null, null, null];
    return [time, 'move', namespace, name, uid, from, to, successor?.name ?? null, ...end];
  }
  const { change, namespace, name, uid, key, before, after } = item.change;
  const nothing = Array.from({ length: 7 }, () => null);
  return [time, change, namespace, name, uid, ...nothing, key, before?.text ?? null, after?.text ?? null];
}
