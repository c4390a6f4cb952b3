// Nodes from protobuf and from JSON.
import type { ObjectCodec } from './codec.ts';
import {
  flag,
  type JsonObject,
  list,
  objectOf,
  part,
  quantityMap,
  sharedText,
  text,
  texts,
  time,
} from './json-reader.ts';
import { metadataFromJson, readMetadata } from './metadata-codec.ts';
import { MetadataView, type Unfinished } from './metadata-view.ts';
import { digestName } from './name-digest.ts';
import { contentsFromJson, digestImage } from './node-contents.ts';
import {
  NodeAddressView,
  NodeConditionView,
  NodeInfoView,
  NodeSpecView,
  NodeStatusView,
  NodeView,
  TaintView,
} from './node-view.ts';
import { ProtoReader } from './proto-reader.ts';
import { joinLists, joinMaps, readInterned, readMapRun, readRun, settleJoins } from './repeated.ts';

const reader = new ProtoReader();

export const nodeCodec: ObjectCodec<NodeView> = {
  kind: 'Node',
  apiVersion: 'v1',
  fromProtobuf(bytes, start, end) {
    const r = reader;
    r.begin(bytes, start, end);
    try {
      const metadata = new MetadataView();
      const spec = new NodeSpecView();
      const status = new NodeStatusView();
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
      return new NodeView(metadata, spec, status);
    } finally {
      settleJoins();
      r.finish();
    }
  },
  fromJson(json) {
    const object = objectOf(json, 'Node');
    return new NodeView(
      metadataFromJson(object),
      specFromJson(part(object, 'spec')),
      statusFromJson(part(object, 'status')),
    );
  },
};

function readSpec(r: ProtoReader, outerTag: number, spec: Unfinished<NodeSpecView>): void {
  const outer = r.enter(outerTag);
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 3:
        spec.providerID = r.text(tag);
        break;
      case 4:
        spec.unschedulable = r.bool(tag);
        break;
      case 5:
        spec.taints = joinLists(spec.taints, readRun(r, tag, readTaint));
        break;
      case 7:
        spec.podCIDRs = joinLists(spec.podCIDRs, readRun(r, tag, readInterned));
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
}

function specFromJson(json: JsonObject): NodeSpecView {
  const spec: Unfinished<NodeSpecView> = new NodeSpecView();
  spec.podCIDRs = texts(json, 'podCIDRs');
  spec.unschedulable = flag(json, 'unschedulable');
  spec.taints = list(json, 'taints', taintFromJson);
  spec.providerID = text(json, 'providerID');
  return spec;
}

function readStatus(r: ProtoReader, outerTag: number, status: Unfinished<NodeStatusView>): void {
  const outer = r.enter(outerTag);
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        status.capacity = joinMaps(status.capacity, readMapRun(r, tag, readQuantity));
        break;
      case 2:
        status.allocatable = joinMaps(status.allocatable, readMapRun(r, tag, readQuantity));
        break;
      case 4:
        status.conditions = joinLists(status.conditions, readRun(r, tag, readCondition));
        break;
      case 5:
        status.addresses = joinLists(status.addresses, readRun(r, tag, readAddress));
        break;
      case 7:
        status.nodeInfo = readNodeInfo(r, tag);
        break;
      case 8:
        status.contents = digestImage(r, tag, status.contents);
        break;
      case 9:
        status.contents = digestName(r, tag, status.contents);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
}

function statusFromJson(json: JsonObject): NodeStatusView {
  const status: Unfinished<NodeStatusView> = new NodeStatusView();
  status.addresses = list(
    json,
    'addresses',
    (from) => new NodeAddressView(sharedText(from, 'type'), sharedText(from, 'address')),
  );
  status.capacity = quantityMap(json, 'capacity');
  status.allocatable = quantityMap(json, 'allocatable');
  status.conditions = list(json, 'conditions', conditionFromJson);
  status.contents = contentsFromJson(json);
  const info = part(json, 'nodeInfo');
  status.nodeInfo = new NodeInfoView(text(info, 'machineID'), text(info, 'bootID'), sharedText(info, 'kubeletVersion'));
  return status;
}

/** A resource.Quantity, of which the wire carries its text. */
function readQuantity(r: ProtoReader, outerTag: number): string {
  const outer = r.enter(outerTag);
  let quantity = '';
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) quantity = r.interned(tag);
    else r.skip(tag);
  }
  r.leave(outer);
  return quantity;
}

function readTaint(r: ProtoReader, outerTag: number): TaintView {
  const outer = r.enter(outerTag);
  const taint: Unfinished<TaintView> = new TaintView();
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        taint.key = r.interned(tag);
        break;
      case 2:
        taint.value = r.interned(tag);
        break;
      case 3:
        taint.effect = r.interned(tag);
        break;
      case 4:
        taint.timeAdded = r.time(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return taint;
}

function taintFromJson(json: JsonObject): TaintView {
  const taint: Unfinished<TaintView> = new TaintView();
  taint.key = sharedText(json, 'key');
  taint.value = sharedText(json, 'value');
  taint.effect = sharedText(json, 'effect');
  taint.timeAdded = time(json, 'timeAdded');
  return taint;
}

function readCondition(r: ProtoReader, outerTag: number): NodeConditionView {
  const outer = r.enter(outerTag);
  const condition: Unfinished<NodeConditionView> = new NodeConditionView();
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        condition.type = r.interned(tag);
        break;
      case 2:
        condition.status = r.interned(tag);
        break;
      case 3:
        condition.lastHeartbeatTime = r.time(tag);
        break;
      case 4:
        condition.lastTransitionTime = r.time(tag);
        break;
      case 5:
        condition.reason = r.interned(tag);
        break;
      case 6:
        condition.message = r.recurring(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return condition;
}

function conditionFromJson(json: JsonObject): NodeConditionView {
  const condition: Unfinished<NodeConditionView> = new NodeConditionView();
  condition.type = sharedText(json, 'type');
  condition.status = sharedText(json, 'status');
  condition.lastHeartbeatTime = time(json, 'lastHeartbeatTime');
  condition.lastTransitionTime = time(json, 'lastTransitionTime');
  condition.reason = sharedText(json, 'reason');
  condition.message = sharedText(json, 'message');
  return condition;
}

function readAddress(r: ProtoReader, outerTag: number): NodeAddressView {
  const outer = r.enter(outerTag);
  let type = '';
  let address = '';
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) type = r.interned(tag);
    else if (tag >>> 3 === 2) address = r.interned(tag);
    else r.skip(tag);
  }
  r.leave(outer);
  return new NodeAddressView(type, address);
}

function readNodeInfo(r: ProtoReader, outerTag: number): NodeInfoView {
  const outer = r.enter(outerTag);
  let machineID = '';
  let bootID = '';
  let kubeletVersion = '';
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        machineID = r.text(tag);
        break;
      case 3:
        bootID = r.text(tag);
        break;
      case 7:
        kubeletVersion = r.interned(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return new NodeInfoView(machineID, bootID, kubeletVersion);
}
