// Services from protobuf and from JSON.
import type { ObjectCodec } from './codec.ts';
import { type JsonObject, list, objectOf, part, sharedText, stringMap, text, texts } from './json-reader.ts';
import { metadataFromJson, readMetadata } from './metadata-codec.ts';
import { MetadataView, NO_ITEMS, type Unfinished } from './metadata-view.ts';
import { ProtoReader } from './proto-reader.ts';
import { joinLists, joinMaps, readInterned, readMapRun, readRun, settleJoins } from './repeated.ts';
import {
  LoadBalancerIngressView,
  LoadBalancerView,
  ServiceSpecView,
  ServiceStatusView,
  ServiceView,
} from './service-view.ts';

const reader = new ProtoReader();

export const serviceCodec: ObjectCodec<ServiceView> = {
  kind: 'Service',
  apiVersion: 'v1',
  fromProtobuf(bytes, start, end) {
    const r = reader;
    r.begin(bytes, start, end);
    try {
      const metadata = new MetadataView();
      const spec = new ServiceSpecView();
      let ingress: readonly LoadBalancerIngressView[] = NO_ITEMS;
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
            ingress = readField1(r, tag, readLoadBalancer) ?? ingress;
            break;
          default:
            r.skip(tag);
        }
      }
      return new ServiceView(metadata, spec, new ServiceStatusView(new LoadBalancerView(ingress)));
    } finally {
      settleJoins();
      r.finish();
    }
  },
  fromJson(json) {
    const object = objectOf(json, 'Service');
    const loadBalancer = part(part(object, 'status'), 'loadBalancer');
    const ingress = list(
      loadBalancer,
      'ingress',
      (from) => new LoadBalancerIngressView(text(from, 'ip'), text(from, 'hostname')),
    );
    return new ServiceView(
      metadataFromJson(object),
      specFromJson(part(object, 'spec')),
      new ServiceStatusView(new LoadBalancerView(ingress)),
    );
  },
};

function readSpec(r: ProtoReader, outerTag: number, spec: Unfinished<ServiceSpecView>): void {
  const outer = r.enter(outerTag);
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 2:
        spec.selector = joinMaps(spec.selector, readMapRun(r, tag, readInterned));
        break;
      case 3:
        spec.clusterIP = r.text(tag);
        break;
      case 4:
        spec.type = r.interned(tag);
        break;
      case 5:
        spec.externalIPs = joinLists(spec.externalIPs, readRun(r, tag, readInterned));
        break;
      case 10:
        spec.externalName = r.text(tag);
        break;
      case 18:
        spec.clusterIPs = joinLists(spec.clusterIPs, readRun(r, tag, readInterned));
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
}

function specFromJson(json: JsonObject): ServiceSpecView {
  const spec: Unfinished<ServiceSpecView> = new ServiceSpecView();
  spec.type = sharedText(json, 'type');
  spec.clusterIP = text(json, 'clusterIP');
  spec.clusterIPs = texts(json, 'clusterIPs');
  spec.externalIPs = texts(json, 'externalIPs');
  spec.externalName = text(json, 'externalName');
  spec.selector = stringMap(json, 'selector');
  return spec;
}

/** ServiceStatus and LoadBalancerStatus have one field of interest each, their first. */
function readField1<T>(r: ProtoReader, outerTag: number, read: (r: ProtoReader, tag: number) => T): T | undefined {
  const outer = r.enter(outerTag);
  let found: T | undefined;
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) found = read(r, tag);
    else r.skip(tag);
  }
  r.leave(outer);
  return found;
}

function readLoadBalancer(r: ProtoReader, outerTag: number): readonly LoadBalancerIngressView[] {
  return readField1(r, outerTag, (inner, tag) => readRun(inner, tag, readIngress)) ?? NO_ITEMS;
}

function readIngress(r: ProtoReader, outerTag: number): LoadBalancerIngressView {
  const outer = r.enter(outerTag);
  let ip = '';
  let hostname = '';
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) ip = r.text(tag);
    else if (tag >>> 3 === 2) hostname = r.text(tag);
    else r.skip(tag);
  }
  r.leave(outer);
  return new LoadBalancerIngressView(ip, hostname);
}
