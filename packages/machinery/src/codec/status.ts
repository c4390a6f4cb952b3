// Kubernetes' Status, the body of a refusal and of a watch ERROR event, from protobuf and from JSON. Only what is set is
// present in the result.
import { DecodeError, type StatusBody, type StatusCause, type StatusDetails } from '../errors.ts';
import { readUnknown } from './envelope.ts';
import { integer, type JsonObject, list, objectOf, optionalPart, text } from './json-reader.ts';
import type { Unfinished } from './metadata-view.ts';
import { ProtoReader } from './proto-reader.ts';
import { readRun } from './repeated.ts';

/** A whole body, envelope included. */
export function readStatus(bytes: Buffer): StatusBody {
  const envelope = readUnknown(bytes, 0, bytes.length);
  if (envelope.kind !== 'Status') throw new DecodeError(`expected a Status but the server sent ${envelope.kind}`);
  return statusFromProtobuf(bytes, envelope.rawStart, envelope.rawEnd);
}

/** The object inside an envelope. */
export function statusFromProtobuf(bytes: Buffer, start: number, end: number): StatusBody {
  const r = new ProtoReader();
  r.begin(bytes, start, end);
  const body: Unfinished<StatusBody> = {};
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 3:
        set(body, 'message', r.text(tag));
        break;
      case 4:
        set(body, 'reason', r.text(tag));
        break;
      case 5:
        body.details = readDetails(r, tag);
        break;
      case 6:
        set(body, 'code', r.int32(tag));
        break;
      default:
        r.skip(tag);
    }
  }
  return body;
}

export function statusFromJson(json: unknown): StatusBody {
  const object = objectOf(json, 'Status');
  const body: Unfinished<StatusBody> = {};
  set(body, 'message', text(object, 'message'));
  set(body, 'reason', text(object, 'reason'));
  set(body, 'code', integer(object, 'code'));
  const details = optionalPart(object, 'details');
  if (details !== undefined) body.details = detailsFromJson(details);
  return body;
}

function readDetails(r: ProtoReader, outerTag: number): StatusDetails {
  const outer = r.enter(outerTag);
  const details: Unfinished<StatusDetails> = {};
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        set(details, 'name', r.text(tag));
        break;
      case 2:
        set(details, 'group', r.text(tag));
        break;
      case 3:
        set(details, 'kind', r.text(tag));
        break;
      case 4:
        details.causes = [...(details.causes ?? []), ...readRun(r, tag, readCause)];
        break;
      case 5:
        set(details, 'retryAfterSeconds', r.int32(tag));
        break;
      case 6:
        set(details, 'uid', r.text(tag));
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return details;
}

function detailsFromJson(json: JsonObject): StatusDetails {
  const details: Unfinished<StatusDetails> = {};
  for (const field of ['name', 'group', 'kind', 'uid'] as const) set(details, field, text(json, field));
  set(details, 'retryAfterSeconds', integer(json, 'retryAfterSeconds'));
  const causes = list(json, 'causes', (from) => {
    const cause: Unfinished<StatusCause> = {};
    for (const field of ['reason', 'message', 'field'] as const) set(cause, field, text(from, field));
    return cause;
  });
  if (causes.length > 0) details.causes = causes;
  return details;
}

function readCause(r: ProtoReader, outerTag: number): StatusCause {
  const outer = r.enter(outerTag);
  const cause: Unfinished<StatusCause> = {};
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        set(cause, 'reason', r.text(tag));
        break;
      case 2:
        set(cause, 'message', r.text(tag));
        break;
      case 3:
        set(cause, 'field', r.text(tag));
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return cause;
}

/** Protobuf sends empty strings and zeros where JSON sends nothing: neither is "set". */
function set<T, K extends keyof T>(target: T, field: K, value: T[K] | undefined): void {
  if (value !== undefined && value !== '' && value !== 0) target[field] = value;
}
