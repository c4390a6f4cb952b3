// What /api/v1/timeline answers, as the page names its parts. Holders are columns there; one is made an object of when it
// is shown.
import type { HolderDocument, LaneDocument, TimelineDocument } from '@podtrail/history/wire';

export type { TimelineDocument };
export type TimelineLane = LaneDocument;
export type TimelineHolder = Pick<HolderDocument, 'kind' | 'namespace' | 'name' | 'uid' | 'node' | 'workload'>;

export function holderOf({ texts, holders }: TimelineDocument, place: number): TimelineHolder {
  const text = (column: readonly number[]) => texts[column[place]!] ?? '';
  const [name, uid] = [holders.name[place] ?? '', holders.uid[place] ?? ''];
  const workload =
    holders.workload[place]! < 0 ? null : { kind: text(holders.workloadKind), name: text(holders.workload) };
  const kind = text(holders.kind) as TimelineHolder['kind'];
  return { kind, namespace: text(holders.namespace), name, uid, node: text(holders.node), workload };
}
