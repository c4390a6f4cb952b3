// events.k8s.io/v1 as a view on the events of the core group: the same objects under other names of fields. The store
// and the rules know the core form alone; requests for the view are translated on the way in and on the way out.
import type { KubeObject } from '../api/cluster-api.ts';
import { isObject, type JsonObject } from '../api/json-object.ts';
import { ownField } from '../store/own-field.ts';
import type { ObjectEncoder } from './encoding/object-encoder.ts';

export const EVENTS_GROUP = 'events.k8s.io';
const API_VERSION = `${EVENTS_GROUP}/v1`;

/** By the name in the core group. Fields that are not named here are called the same in both. */
const NAMES: Readonly<Record<string, string>> = {
  involvedObject: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  firstTimestamp: 'deprecatedFirstTimestamp',
  lastTimestamp: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  reportingComponent: 'reportingController',
};
const CORE_NAMES = Object.fromEntries(Object.entries(NAMES).map(([core, view]) => [view, core]));

/** A body of events.k8s.io as the core group would write it. */
export function toCoreEvent(given: unknown): unknown {
  if (!isObject(given)) return given;
  const renamed = rename(given, CORE_NAMES);
  if (given['apiVersion'] === API_VERSION) renamed['apiVersion'] = 'v1';
  return renamed;
}

export function fromCoreEvent(event: KubeObject): KubeObject {
  return { ...rename(event as unknown as JsonObject, NAMES), apiVersion: API_VERSION } as unknown as KubeObject;
}

/** What a patch makes of the view, as what it makes of the stored event. */
export function patchingView(produce: (current: unknown) => unknown): (current: unknown) => unknown {
  return (current) => toCoreEvent(produce(fromCoreEvent(current as KubeObject)));
}

export function viewEncoder(encoder: ObjectEncoder): ObjectEncoder {
  return {
    ...encoder,
    object: (object) => encoder.object(fromCoreEvent(object)),
    list: (meta, items) => encoder.list(meta, items.map(fromCoreEvent)),
    event: (type, object) => encoder.event(type, fromCoreEvent(object)),
  };
}

function rename(object: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([field, value]) => [(ownField(names, field) as string | undefined) ?? field, value]),
  );
}
