// What a listing was asked about, as its document repeats it.
import type { Cluster, Span, Subject } from '../engines/snapshot.ts';
import type { IpAddress } from '../model/ip-address.ts';
import { toText } from '../model/time.ts';

export type Asked =
  | { readonly by: 'ip'; readonly ip: IpAddress }
  | { readonly by: 'service'; readonly namespace: string; readonly name: string }
  | Subject;

/** A span of which the asker gave both ends, one or none. */
export interface AskedSpan extends Span {
  readonly hasSince: boolean;
  readonly hasUntil: boolean;
}

export function clusterDocument({ id, name }: Cluster) {
  return { cluster: name, clusterId: id };
}

/** Null where the asker gave none. */
export function spanDocument({ from, to, hasSince, hasUntil }: AskedSpan) {
  return { since: hasSince ? toText(from) : null, until: hasUntil ? toText(to) : null };
}
