// JSON: whole objects, or their metadata alone. Items of built-in lists leave kind and apiVersion out, as the real
// server does; those of custom resources keep them.
import type { StatusBody } from '../../api/api-status-error.ts';
import type { KubeObject } from '../../api/cluster-api.ts';
import { apiVersionOf, type ResourceType } from '../../api/resource-type.ts';
import { bookmarkMetadata, type ListMeta, type ObjectEncoder } from './object-encoder.ts';

const JSON_TYPE = 'application/json';
/** About as much text as is handed on at once. */
const CHUNK = 64 * 1024;

export interface JsonShape {
  readonly object: (object: KubeObject) => unknown;
  readonly item: (object: KubeObject) => unknown;
  readonly list: { readonly kind: string; readonly apiVersion: string };
  readonly bookmark: (metadata: object) => unknown;
  /** What an empty list holds: the real server writes null for lists of metadata. */
  readonly none: 'null' | '[]';
  /** Lists of custom resources have a continue token even where there is none. */
  readonly listMeta?: object;
}

export function wholeObjects(type: ResourceType, version: string): JsonShape {
  const apiVersion = apiVersionOf(type.group, version);
  const object = (given: KubeObject) => (given.apiVersion === apiVersion ? given : { ...given, apiVersion });
  const empty = type.kind === 'Pod' && !type.custom ? { spec: { containers: null }, status: {} } : {};
  return {
    object,
    item: type.custom ? object : ({ kind: _, apiVersion: __, ...rest }) => rest,
    list: { kind: type.listKind, apiVersion },
    bookmark: (metadata) => ({ kind: type.kind, apiVersion, metadata, ...empty }),
    none: '[]',
    ...(type.custom ? { listMeta: { continue: '' } } : {}),
  };
}

export function metadataOnly(version: string): JsonShape {
  const apiVersion = `meta.k8s.io/${version}`;
  const object = ({ metadata }: { metadata: object }) => ({ kind: 'PartialObjectMetadata', apiVersion, metadata });
  return {
    object,
    item: object,
    list: { kind: 'PartialObjectMetadataList', apiVersion },
    bookmark: (metadata) => object({ metadata }),
    none: 'null',
  };
}

export function jsonEncoder(shape: JsonShape, pretty: boolean): ObjectEncoder {
  const indent = pretty ? 2 : undefined;
  return {
    contentType: JSON_TYPE,
    watchContentType: JSON_TYPE,
    object: (object) => `${JSON.stringify(shape.object(object), undefined, indent)}\n`,
    *list(meta: ListMeta, items) {
      const metadata = { ...shape.listMeta, ...meta };
      if (pretty && items.length < 1000) {
        yield `${JSON.stringify({ ...shape.list, metadata, items: items.length === 0 && shape.none === 'null' ? null : items.map(shape.item) }, undefined, indent)}\n`;
        return;
      }
      if (items.length === 0) {
        yield `${JSON.stringify({ ...shape.list, metadata }).slice(0, -1)},"items":${shape.none}}\n`;
        return;
      }
      let text = `${JSON.stringify({ ...shape.list, metadata }).slice(0, -1)},"items":[`;
      for (let i = 0; i < items.length; i++) {
        text += (i === 0 ? '' : ',') + JSON.stringify(shape.item(items[i] as KubeObject));
        if (text.length > CHUNK) {
          yield text;
          text = '';
        }
      }
      yield `${text}]}\n`;
    },
    event: (type, object) => frame(type, shape.object(object)),
    bookmark: (version, end) => frame('BOOKMARK', shape.bookmark(bookmarkMetadata(version, end))),
    error: errorFrame,
  };
}

/** One line of a watch in JSON. */
export function frame(type: string, object: unknown): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}

export function errorFrame(status: StatusBody): Uint8Array {
  return frame('ERROR', status);
}
