// Events (events.k8s.io/v1) from protobuf and from JSON.
import type { ObjectCodec } from './codec.ts';
import { EventSeriesView, EventSourceView, EventView, ObjectReferenceView } from './event-view.ts';
import { integer, type JsonObject, objectOf, optionalPart, part, sharedText, text, time } from './json-reader.ts';
import { metadataFromJson, readMetadata } from './metadata-codec.ts';
import { MetadataView, type Unfinished } from './metadata-view.ts';
import { ProtoReader } from './proto-reader.ts';
import { settleJoins } from './repeated.ts';

const reader = new ProtoReader();

export const eventCodec: ObjectCodec<EventView> = {
  kind: 'Event',
  apiVersion: 'events.k8s.io/v1',
  fromProtobuf(bytes, start, end) {
    const r = reader;
    r.begin(bytes, start, end);
    try {
      return readEvent(r);
    } finally {
      settleJoins();
      r.finish();
    }
  },
  fromJson(json) {
    const object = objectOf(json, 'Event');
    const event: Unfinished<EventView> = new EventView(metadataFromJson(object));
    event.eventTime = time(object, 'eventTime');
    event.reason = sharedText(object, 'reason');
    event.note = sharedText(object, 'note');
    event.type = sharedText(object, 'type');
    event.action = sharedText(object, 'action');
    event.regarding = referenceFromJson(part(object, 'regarding'));
    const related = optionalPart(object, 'related');
    event.related = related === undefined ? undefined : referenceFromJson(related);
    event.reportingController = sharedText(object, 'reportingController');
    event.reportingInstance = sharedText(object, 'reportingInstance');
    const series = optionalPart(object, 'series');
    event.series =
      series === undefined
        ? undefined
        : new EventSeriesView(integer(series, 'count') ?? 0, time(series, 'lastObservedTime'));
    const source = part(object, 'deprecatedSource');
    event.deprecatedSource = new EventSourceView(sharedText(source, 'component'), sharedText(source, 'host'));
    event.deprecatedCount = integer(object, 'deprecatedCount') ?? 0;
    event.deprecatedFirstTimestamp = time(object, 'deprecatedFirstTimestamp');
    event.deprecatedLastTimestamp = time(object, 'deprecatedLastTimestamp');
    return event;
  },
};

function readEvent(r: ProtoReader): EventView {
  const metadata = new MetadataView();
  const event: Unfinished<EventView> = new EventView(metadata);
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        readMetadata(r, tag, metadata);
        break;
      case 2:
        event.eventTime = r.microTime(tag);
        break;
      case 3:
        event.series = readSeries(r, tag);
        break;
      case 4:
        event.reportingController = r.interned(tag);
        break;
      case 5:
        event.reportingInstance = r.interned(tag);
        break;
      case 6:
        event.action = r.interned(tag);
        break;
      case 7:
        event.reason = r.interned(tag);
        break;
      case 8:
        event.regarding = readReference(r, tag);
        break;
      case 9:
        event.related = readReference(r, tag);
        break;
      case 10:
        event.note = r.recurring(tag);
        break;
      case 11:
        event.type = r.interned(tag);
        break;
      case 12:
        event.deprecatedSource = readSource(r, tag);
        break;
      case 13:
        event.deprecatedFirstTimestamp = r.time(tag);
        break;
      case 14:
        event.deprecatedLastTimestamp = r.time(tag);
        break;
      case 15:
        event.deprecatedCount = r.int32(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  return event;
}

function readReference(r: ProtoReader, outerTag: number): ObjectReferenceView {
  const outer = r.enter(outerTag);
  let apiVersion = '';
  let kind = '';
  let namespace = '';
  let name = '';
  let uid = '';
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        kind = r.interned(tag);
        break;
      case 2:
        namespace = r.interned(tag);
        break;
      case 3:
        name = r.recurring(tag);
        break;
      case 4:
        uid = r.recurring(tag);
        break;
      case 5:
        apiVersion = r.interned(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return new ObjectReferenceView(apiVersion, kind, namespace, name, uid);
}

function referenceFromJson(json: JsonObject): ObjectReferenceView {
  return new ObjectReferenceView(
    sharedText(json, 'apiVersion'),
    sharedText(json, 'kind'),
    sharedText(json, 'namespace'),
    text(json, 'name'),
    text(json, 'uid'),
  );
}

function readSeries(r: ProtoReader, outerTag: number): EventSeriesView {
  const outer = r.enter(outerTag);
  let count = 0;
  let lastObservedTime: number | undefined;
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) count = r.int32(tag);
    else if (tag >>> 3 === 2) lastObservedTime = r.microTime(tag);
    else r.skip(tag);
  }
  r.leave(outer);
  return new EventSeriesView(count, lastObservedTime);
}

function readSource(r: ProtoReader, outerTag: number): EventSourceView {
  const outer = r.enter(outerTag);
  let component = '';
  let host = '';
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) component = r.interned(tag);
    else if (tag >>> 3 === 2) host = r.interned(tag);
    else r.skip(tag);
  }
  r.leave(outer);
  return new EventSourceView(component, host);
}
