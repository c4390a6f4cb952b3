// One row of the feed: a move or a change of an annotation, with a key by which the same record is known again. Pure.
import type { ChangeDocument, MoveDocument } from '@podtrail/history/wire';

interface Item {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface MoveItem extends Item {
  readonly kind: 'move';
  readonly move: MoveDocument;
}

export interface ChangeItem extends Item {
  readonly kind: 'change';
  readonly change: ChangeDocument;
}

export type FeedItem = MoveItem | ChangeItem;

export function moveItem(move: MoveDocument): MoveItem {
  return { kind: 'move', key: `move ${move.uid} ${move.at}`, at: Date.parse(move.at), move };
}

/** Of changes that are only counted the record grows: it stays the same row. */
export function changeItem(change: ChangeDocument): ChangeItem {
  const { epoch, resourceVersion, observedAt } = change.evidence;
  const key = `change ${change.uid} ${epoch} ${resourceVersion} ${observedAt} ${change.key}`;
  return { kind: 'change', key, at: Date.parse(observedAt), change };
}

/** Newest first, each key once: what is in `newer` is the later word about it. */
export function mergeItems(older: readonly FeedItem[], newer: readonly FeedItem[]): readonly FeedItem[] {
  const byKey = new Map<string, FeedItem>();
  for (const item of older) byKey.set(item.key, item);
  for (const item of newer) byKey.set(item.key, item);
  return [...byKey.values()].sort((a, b) => b.at - a.at || (a.key < b.key ? -1 : 1));
}

/** What the filter by text looks into, in small letters. */
export function itemText(item: FeedItem): string {
  const words =
    item.kind === 'move'
      ? [
          ...[item.move.namespace, item.move.name, item.move.uid, item.move.from, item.move.to, item.move.cause],
          ...[item.move.sentence, item.move.actor, item.move.successor?.name, item.move.workload?.name],
          ...[...item.move.fromIps, ...item.move.toIps],
        ]
      : [
          ...[item.change.namespace, item.change.name, item.change.uid, item.change.key],
          ...[item.change.before?.text, item.change.after?.text],
        ];
  return words.join('\n').toLowerCase();
}
