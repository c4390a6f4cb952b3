// Pods from protobuf and from JSON. The hottest reader of all: a cluster's pods pass through it at every start.
import type { ObjectCodec } from './codec.ts';
import { flag, integer, type JsonObject, list, objectOf, part, sharedText, text, time } from './json-reader.ts';
import { metadataFromJson, readMetadata } from './metadata-codec.ts';
import { MetadataView, type Unfinished } from './metadata-view.ts';
import { PodConditionView, PodSpecView, PodStatusView, PodView } from './pod-view.ts';
import { ProtoReader } from './proto-reader.ts';
import { joinLists, readRun, settleJoins } from './repeated.ts';
import { SharedParts } from './shared-parts.ts';
import { containersFromJson, readContainerStatus } from './terminations.ts';

const reader = new ProtoReader();
/** Pods that became ready in the same second have equal conditions, as has the next version of the same pod. */
const sharedConditions = new SharedParts<PodConditionView>(13);

export const podCodec: ObjectCodec<PodView> = {
  kind: 'Pod',
  apiVersion: 'v1',
  fromProtobuf(bytes, start, end) {
    const r = reader;
    r.begin(bytes, start, end);
    try {
      const metadata = new MetadataView();
      const spec = new PodSpecView();
      const status = new PodStatusView();
      while (r.pos < r.limit) {
        const tag = r.tag();
        switch (tag >>> 3) {
          case 1:
            readMetadata(r, tag, metadata);
            break;
          case 2:
            readSpec(r, tag, spec);
            break;
          case 3:
            readStatus(r, tag, status);
            break;
          default:
            r.skip(tag);
        }
      }
      return new PodView(metadata, spec, status);
    } finally {
      settleJoins();
      r.finish();
    }
  },
  fromJson(json) {
    const object = objectOf(json, 'Pod');
    return new PodView(
      metadataFromJson(object),
      specFromJson(part(object, 'spec')),
      statusFromJson(part(object, 'status')),
    );
  },
};

function readSpec(r: ProtoReader, outerTag: number, spec: Unfinished<PodSpecView>): void {
  const outer = r.enter(outerTag);
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 4:
        spec.terminationGracePeriodSeconds = r.int64(tag);
        break;
      case 10:
        spec.nodeName = r.interned(tag);
        break;
      case 11:
        spec.hostNetwork = r.bool(tag);
        break;
      case 24:
        spec.priorityClassName = r.interned(tag);
        break;
      case 25:
        spec.priority = r.int32(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
}

function specFromJson(json: JsonObject): PodSpecView {
  const spec: Unfinished<PodSpecView> = new PodSpecView();
  spec.nodeName = sharedText(json, 'nodeName');
  spec.hostNetwork = flag(json, 'hostNetwork');
  spec.priority = integer(json, 'priority');
  spec.priorityClassName = sharedText(json, 'priorityClassName');
  spec.terminationGracePeriodSeconds = integer(json, 'terminationGracePeriodSeconds');
  return spec;
}

function readStatus(r: ProtoReader, outerTag: number, status: Unfinished<PodStatusView>): void {
  const outer = r.enter(outerTag);
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        status.phase = r.interned(tag);
        break;
      case 2:
        status.conditions = joinLists(status.conditions, readRun(r, tag, readCondition));
        break;
      case 3:
        status.message = r.recurring(tag);
        break;
      case 4:
        status.reason = r.interned(tag);
        break;
      case 5:
        status.hostIP = r.interned(tag);
        break;
      case 6:
        status.podIP = r.text(tag);
        break;
      case 7:
        status.startTime = r.time(tag);
        break;
      case 8:
        readContainerStatus(r, tag, 'regular', status);
        break;
      case 9:
        status.qosClass = r.interned(tag);
        break;
      case 10:
        readContainerStatus(r, tag, 'init', status);
        break;
      case 12:
        status.podIPs = joinLists(status.podIPs, readRun(r, tag, readIp));
        break;
      case 13:
        readContainerStatus(r, tag, 'ephemeral', status);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  // The two are one address: let them be one string.
  if (status.podIPs.length > 0 && status.podIPs[0] === status.podIP) status.podIP = status.podIPs[0];
}

function statusFromJson(json: JsonObject): PodStatusView {
  const status: Unfinished<PodStatusView> = new PodStatusView();
  status.phase = sharedText(json, 'phase');
  status.reason = sharedText(json, 'reason');
  status.message = sharedText(json, 'message');
  status.qosClass = sharedText(json, 'qosClass');
  status.hostIP = sharedText(json, 'hostIP');
  status.podIP = text(json, 'podIP');
  status.podIPs = list(json, 'podIPs', (ip) => text(ip, 'ip'));
  status.startTime = time(json, 'startTime');
  status.conditions = list(json, 'conditions', conditionFromJson);
  containersFromJson(json, status);
  return status;
}

function readIp(r: ProtoReader, outerTag: number): string {
  const outer = r.enter(outerTag);
  let ip = '';
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) ip = r.text(tag);
    else r.skip(tag);
  }
  r.leave(outer);
  return ip;
}

function readCondition(r: ProtoReader, outerTag: number): PodConditionView {
  const outer = r.enter(outerTag);
  const start = r.pos;
  const known = sharedConditions.find(r.bytes, start, r.limit);
  if (known !== undefined) {
    r.pos = r.limit;
    r.leave(outer);
    return known;
  }
  let type = '';
  let status = '';
  let lastTransitionTime: number | undefined;
  let reason = '';
  let message = '';
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        type = r.interned(tag);
        break;
      case 2:
        status = r.interned(tag);
        break;
      case 4:
        lastTransitionTime = r.time(tag);
        break;
      case 5:
        reason = r.interned(tag);
        break;
      case 6:
        message = r.recurring(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  const condition = new PodConditionView(type, status, lastTransitionTime, reason, message);
  sharedConditions.remember(r.bytes, start, r.limit, condition);
  r.leave(outer);
  return condition;
}

function conditionFromJson(json: JsonObject): PodConditionView {
  return new PodConditionView(
    sharedText(json, 'type'),
    sharedText(json, 'status'),
    time(json, 'lastTransitionTime'),
    sharedText(json, 'reason'),
    sharedText(json, 'message'),
  );
}
