// A kind as one value: where its objects are and how to read them. To be spread into the options of an informer.
import type { GroupVersionResource } from '../objects/group-version-resource.ts';
import { EVENTS, NODES, PODS, SERVICES } from '../objects/group-version-resource.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { eventCodec, jsonCodec, metadataCodec, nodeCodec, type ObjectCodec, podCodec, serviceCodec } from './codec.ts';
import type { EventView } from './event-view.ts';
import type { MetadataOnlyView } from './metadata-view.ts';
import type { NodeView } from './node-view.ts';
import type { PodView } from './pod-view.ts';
import type { ServiceView } from './service-view.ts';

export interface Kind<T> {
  readonly resource: GroupVersionResource;
  readonly codec: ObjectCodec<T>;
}

export const POD: Kind<PodView> = { resource: PODS, codec: podCodec };
export const NODE: Kind<NodeView> = { resource: NODES, codec: nodeCodec };
export const SERVICE: Kind<ServiceView> = { resource: SERVICES, codec: serviceCodec };
export const EVENT: Kind<EventView> = { resource: EVENTS, codec: eventCodec };

/** A custom resource, as its JSON is; the caller vouches for `T`. For a smaller view write an `ObjectCodec`. */
export function customKind<T extends { metadata: object } = KubeObject>(
  resource: GroupVersionResource,
  kind: string,
): Kind<T> {
  const { group, version } = resource;
  return { resource, codec: jsonCodec<T>(group === '' ? version : `${group}/${version}`, kind) };
}

/** Any kind of which only the metadata matters: the smallest cache there is. */
export function metadataOf(resource: GroupVersionResource): Kind<MetadataOnlyView> {
  return { resource, codec: metadataCodec };
}
