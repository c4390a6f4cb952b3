// Metadata, as every kind embeds it, and the codec of PartialObjectMetadata (owners, of which nothing else matters).
import type { ObjectCodec } from './codec.ts';
import {
  flag,
  integer,
  type JsonObject,
  list,
  objectOf,
  part,
  sharedText,
  stringMap,
  text,
  texts,
  time,
} from './json-reader.ts';
import { MetadataOnlyView, MetadataView, OwnerReferenceView, type Unfinished } from './metadata-view.ts';
import { ProtoReader } from './proto-reader.ts';
import {
  joinLists,
  joinMaps,
  readInterned,
  readMapRun,
  readRecurring,
  readRun,
  runEnd,
  settleJoins,
} from './repeated.ts';
import { SharedParts } from './shared-parts.ts';
import type { StringMap } from './string-map.ts';

const reader = new ProtoReader();
/** The pods of one ReplicaSet have the same labels and owner. */
const sharedLabels = new SharedParts<StringMap>();
const sharedOwners = new SharedParts<readonly OwnerReferenceView[]>();

export const metadataCodec: ObjectCodec<MetadataOnlyView> = {
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  fromProtobuf(bytes, start, end) {
    const r = reader;
    r.begin(bytes, start, end);
    try {
      const metadata = new MetadataView();
      while (r.pos < r.limit) {
        const tag = r.tag();
        if (tag >>> 3 === 1) readMetadata(r, tag, metadata);
        else r.skip(tag);
      }
      return new MetadataOnlyView(metadata);
    } finally {
      settleJoins();
      r.finish();
    }
  },
  fromJson: (json) => new MetadataOnlyView(metadataFromJson(objectOf(json, 'object'))),
};

/** Reads an embedded ObjectMeta into `view`. */
export function readMetadata(r: ProtoReader, outerTag: number, view: Unfinished<MetadataView>): void {
  const outer = r.enter(outerTag);
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        view.name = r.text(tag);
        break;
      case 3:
        view.namespace = r.interned(tag);
        break;
      case 5:
        view.uid = r.text(tag);
        break;
      case 6:
        view.resourceVersion = r.text(tag);
        break;
      case 7:
        view.generation = r.int64(tag);
        break;
      case 8:
        view.creationTimestamp = r.time(tag);
        break;
      case 9:
        view.deletionTimestamp = r.time(tag);
        break;
      case 10:
        view.deletionGracePeriodSeconds = r.int64(tag);
        break;
      case 11:
        view.labels = joinMaps(view.labels, readLabels(r, tag));
        break;
      case 12:
        view.annotations = joinMaps(view.annotations, readMapRun(r, tag, readRecurring));
        break;
      case 13:
        view.ownerReferences = joinLists(view.ownerReferences, readOwners(r, tag));
        break;
      case 14:
        view.finalizers = joinLists(view.finalizers, readRun(r, tag, readInterned));
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
}

export function metadataFromJson(object: JsonObject): MetadataView {
  const json = part(object, 'metadata');
  const view: Unfinished<MetadataView> = new MetadataView();
  view.name = text(json, 'name');
  view.namespace = sharedText(json, 'namespace');
  view.uid = text(json, 'uid');
  view.resourceVersion = text(json, 'resourceVersion');
  view.generation = integer(json, 'generation') ?? 0;
  view.creationTimestamp = time(json, 'creationTimestamp');
  view.deletionTimestamp = time(json, 'deletionTimestamp');
  view.deletionGracePeriodSeconds = integer(json, 'deletionGracePeriodSeconds');
  view.labels = stringMap(json, 'labels');
  view.annotations = stringMap(json, 'annotations');
  view.ownerReferences = list(json, 'ownerReferences', ownerFromJson);
  view.finalizers = texts(json, 'finalizers');
  return view;
}

function readLabels(r: ProtoReader, tag: number): StringMap {
  const start = r.pos;
  const end = runEnd(r, tag);
  const known = sharedLabels.find(r.bytes, start, end);
  if (known !== undefined) {
    r.pos = end;
    return known;
  }
  const labels = readMapRun(r, tag, readInterned);
  sharedLabels.remember(r.bytes, start, end, labels);
  return labels;
}

function readOwners(r: ProtoReader, tag: number): readonly OwnerReferenceView[] {
  const start = r.pos;
  const end = runEnd(r, tag);
  const known = sharedOwners.find(r.bytes, start, end);
  if (known !== undefined) {
    r.pos = end;
    return known;
  }
  const owners = readRun(r, tag, readOwner);
  sharedOwners.remember(r.bytes, start, end, owners);
  return owners;
}

function readOwner(r: ProtoReader, outerTag: number): OwnerReferenceView {
  const outer = r.enter(outerTag);
  let apiVersion = '';
  let kind = '';
  let name = '';
  let uid = '';
  let controller = false;
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        kind = r.interned(tag);
        break;
      case 3:
        name = r.interned(tag);
        break;
      case 4:
        uid = r.interned(tag);
        break;
      case 5:
        apiVersion = r.interned(tag);
        break;
      case 6:
        controller = r.bool(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return new OwnerReferenceView(apiVersion, kind, name, uid, controller);
}

function ownerFromJson(json: JsonObject): OwnerReferenceView {
  return new OwnerReferenceView(
    sharedText(json, 'apiVersion'),
    sharedText(json, 'kind'),
    sharedText(json, 'name'),
    sharedText(json, 'uid'),
    flag(json, 'controller'),
  );
}
