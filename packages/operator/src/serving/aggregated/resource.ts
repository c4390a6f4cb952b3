// A resource of the aggregated API as data: what it is called, what it is selected by, how it is drawn and described, and
// how its records are read. Discovery, OpenAPI, tables, the access matrix and the router are made from these.
import type { Cluster, EpochMillis, Snapshot, Visibility } from '@podtrail/history/wire';
import type { FieldName, FieldSelector } from './field-selector.ts';
import type { HistoryObject, HistoryRecord } from './history-object.ts';

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly description: string;
  /** 0: always; 1: with -o wide. */
  readonly priority: 0 | 1;
  readonly cell: (object: HistoryObject) => string | number;
}

/** A pod that is there now. */
export interface PresentPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface RecordsOf {
  readonly snapshot: Snapshot;
  readonly visibility: Visibility;
  readonly cluster: Cluster;
  readonly now: EpochMillis;
  /** Only of this one; undefined: of all that are visible. */
  readonly namespace: string | undefined;
  /** In the order of `keyOf`; undefined while they are not known. */
  readonly present: () => readonly PresentPod[] | undefined;
}

export interface ListQuestion extends RecordsOf {
  readonly selector: FieldSelector;
  /** Of the labels of pods, as kubectl writes it; only where the resource has them. */
  readonly labelSelector?: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** A watch asks for what it may have to report: only records that were there at this instant, or later. */
  readonly watchedFrom?: EpochMillis | undefined;
  /** A watch that goes on from a version asks once: of what was there then, what has ended since. */
  readonly endedSince?: EpochMillis | undefined;
}

export interface FoundRecords {
  readonly records: readonly HistoryRecord[];
  readonly cursor: string | undefined;
  /** Sentences for whoever reads the list: that a part of the time was not watched. */
  readonly warnings?: readonly string[];
  /** There are such times, and another replica may have watched then. */
  readonly hasGaps?: boolean | undefined;
  /** What is not among them any more has ended: a watch says DELETED. */
  readonly isPresent?: boolean;
  /** Records that are over, as was observed after `endedSince`; the first of several pages has them. */
  readonly ended?: readonly HistoryRecord[] | undefined;
}

/** What a list by metadata.name finds. */
export function onlyRecord(found: HistoryRecord | undefined): FoundRecords {
  return { records: found === undefined ? [] : [found], cursor: undefined };
}

export interface HistoryResource {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly description: string;
  readonly fields: readonly FieldName[];
  /** It can be selected by the labels that its pod had. */
  readonly hasLabels?: boolean;
  readonly columns: readonly Column[];
  /** Properties beside apiVersion, kind and metadata. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly list: (question: ListQuestion) => Promise<FoundRecords>;
  /** Undefined: not there, or not visible. */
  readonly get: (of: RecordsOf, name: string) => Promise<HistoryRecord | undefined>;
}
