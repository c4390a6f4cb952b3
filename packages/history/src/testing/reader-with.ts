// A reader whose snapshots have some of their reads replaced: to count them, to damage them, to commit in between.
import type { LedgerReader, Snapshot } from '../engines/snapshot.ts';

/** Everything else is as it was. */
export function readerWith<R extends LedgerReader>(reader: R, replace: (snapshot: Snapshot) => Partial<Snapshot>): R {
  const snapshot = async (cluster: string) => snapshotWith(await reader.snapshot(cluster), replace);
  return new Proxy(reader, {
    get: (target, key) => (key === 'snapshot' ? snapshot : bound(target, Reflect.get(target, key))),
  });
}

export function snapshotWith(snapshot: Snapshot, replace: (snapshot: Snapshot) => Partial<Snapshot>): Snapshot {
  const replaced = replace(snapshot);
  return new Proxy(snapshot, {
    get: (target, key: keyof Snapshot) => replaced[key] ?? bound(target, target[key]),
  });
}

/** A class with private fields cannot be stood in for otherwise. */
function bound(target: object, value: unknown): unknown {
  return typeof value === 'function' ? value.bind(target) : value;
}
