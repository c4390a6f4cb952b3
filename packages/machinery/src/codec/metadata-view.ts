// What we keep of every object's metadata. Field names are those of Kubernetes' JSON; an absent string is '', an absent
// time or pointer is undefined. Views share parts with each other: never write to one.
import { StringMap } from './string-map.ts';

export class OwnerReferenceView {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;

  constructor(apiVersion: string, kind: string, name: string, uid: string, controller: boolean) {
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.name = name;
    this.uid = uid;
    this.controller = controller;
  }
}

/** Shared by every view without entries; frozen, because a write would show in all of them. */
export const NO_ITEMS: readonly never[] = Object.freeze([]);

export class MetadataView {
  readonly name: string = '';
  readonly namespace: string = '';
  readonly uid: string = '';
  readonly resourceVersion: string = '';
  readonly generation: number = 0;
  /** Epoch milliseconds, like every time in a view. */
  readonly creationTimestamp: number | undefined = undefined;
  readonly deletionTimestamp: number | undefined = undefined;
  readonly deletionGracePeriodSeconds: number | undefined = undefined;
  readonly labels: StringMap = StringMap.EMPTY;
  readonly annotations: StringMap = StringMap.EMPTY;
  readonly ownerReferences: readonly OwnerReferenceView[] = NO_ITEMS;
  readonly finalizers: readonly string[] = NO_ITEMS;
}

/** Any kind of which only the metadata matters: owners up to the workload. */
export class MetadataOnlyView {
  readonly metadata: MetadataView;

  constructor(metadata: MetadataView) {
    this.metadata = metadata;
  }
}

/** For the readers, which fill a view before anyone else sees it. */
export type Unfinished<T> = { -readonly [K in keyof T]: T[K] };
