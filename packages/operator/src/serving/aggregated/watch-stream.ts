// A watch as it is sent: one JSON line for each event, in the form that was asked for. What goes wrong before the first
// look has succeeded is a refusal; after it, an event ERROR with a Status.

import type { EpochMillis } from '@podtrail/history/wire';
import type { ReplyStream } from '../http/reply.ts';
import { GROUP_VERSION, type HistoryObject, type HistoryRecord } from './history-object.ts';
import type { ListRequest } from './list-request.ts';
import { metadataOnly, tableOf } from './representation.ts';
import type { HistoryResource } from './resource.ts';
import type { ResourceVersions } from './resource-versions.ts';
import { problemFrom, statusOf } from './status.ts';
import type { WatchEvent } from './watch.ts';

export interface WatchStreamOptions {
  readonly resource: HistoryResource;
  readonly request: Pick<ListRequest, 'form' | 'include'>;
  readonly versions: ResourceVersions;
  readonly objectOf: (record: HistoryRecord, version: EpochMillis) => HistoryObject;
  readonly events: AsyncIterable<WatchEvent>;
  /** The first look has succeeded. */
  readonly hasBegun: () => boolean;
}

export async function sendWatch(out: ReplyStream, options: WatchStreamOptions): Promise<void> {
  const bodyOf = bodies(options);
  const line = (type: string, object: object) => out.write(`${JSON.stringify({ type, object })}\n`);
  try {
    for await (const event of options.events) await line(event.type, bodyOf(event));
  } catch (error) {
    const problem = problemFrom(error);
    // Nobody reads it, or nothing has been sent yet.
    if (problem === undefined || problem.code === 'client-gone' || !options.hasBegun()) throw error;
    await line('ERROR', statusOf(problem));
  }
}

function bodies({ resource, request: { form, include }, versions, objectOf }: WatchStreamOptions) {
  let hasColumns = true;
  return (event: WatchEvent): object => {
    if (event.type === 'BOOKMARK') return bookmark(resource, form, versions, event);
    const object = objectOf(event.record, event.at);
    if (form === 'metadata') return metadataOnly(object);
    if (form === 'object') return object;
    const table = tableOf(resource, [object], include, hasColumns);
    hasColumns = false;
    return table;
  };
}

function bookmark(
  { kind, columns }: HistoryResource,
  form: string,
  versions: ResourceVersions,
  { at, isInitialEnd }: WatchEvent & { type: 'BOOKMARK' },
): object {
  const annotations = isInitialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const metadata = { resourceVersion: versions.of(at), creationTimestamp: null, ...annotations };
  if (form === 'object') return { apiVersion: GROUP_VERSION, kind, metadata };
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  if (form === 'metadata') return partial;
  return {
    ...{ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: metadata.resourceVersion } },
    ...{ columnDefinitions: null, rows: [{ cells: columns.map(() => ''), object: partial }] },
  };
}
