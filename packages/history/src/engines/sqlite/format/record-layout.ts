// What the bytes of a record consist of: what record-writer.ts writes and record-reader.ts reads. Head rows and week files
// use the same bytes; only the dictionary behind the numbers is another.
import type { Provenance, Source } from '../../../model/boundary.ts';
import type { Holder, Placement, Tenure } from '../../../model/records.ts';

/** What one holder did: its placement and tenures under one copy of who it was. */
export interface Life {
  readonly holder: Holder;
  readonly placement: Placement | undefined;
  readonly tenures: readonly Tenure[];
}

export const KINDS: readonly Holder['kind'][] = ['Pod', 'Node', 'Service'];

export const HOST_NETWORK = 4;
export const HAS_WORKLOAD = 8;
export const IS_UUID = 16;
export const BEGINS_WITH_WORKLOAD = 32;
export const IS_INFERRED = 64;

export const HAS_END = 1;
export const SAME_END = 2;
export const IS_IPV4 = 4;

/** Boundaries are written as differences from one before. */
export interface Reference {
  time: number;
  version: number;
}

type Origin = Pick<Provenance, 'source' | 'epoch' | 'collector'>;

/** Few and asked for at every boundary, hence remembered in both directions. */
const originTexts = new Map<string, Map<number, Map<Source, string>>>();
const origins = new Map<string, Origin>();

export function originText({ source, epoch, collector }: Origin): string {
  let byEpoch = originTexts.get(collector);
  if (byEpoch === undefined) originTexts.set(collector, (byEpoch = new Map()));
  let bySource = byEpoch.get(epoch);
  if (bySource === undefined) byEpoch.set(epoch, (bySource = new Map()));
  let text = bySource.get(source);
  if (text === undefined) bySource.set(source, (text = JSON.stringify([source, epoch, collector])));
  return text;
}

export function readOrigin(text: string): Origin {
  let origin = origins.get(text);
  if (origin === undefined) {
    const [source, epoch, collector] = JSON.parse(text) as [Source, number, string];
    origins.set(text, (origin = { source, epoch, collector }));
  }
  return origin;
}
