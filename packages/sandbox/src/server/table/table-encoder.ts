// The Table form: rows of cells with their objects beside, for clients that print.
import type { KubeObject } from '../../api/cluster-api.ts';
import { textAt } from '../../api/json-object.ts';
import { apiVersionOf, type ResourceType, typeKey } from '../../api/resource-type.ts';
import { errorFrame, frame } from '../encoding/json-encoder.ts';
import { bookmarkMetadata, type ListMeta, type ObjectEncoder } from '../encoding/object-encoder.ts';
import { type Column, tableColumns } from './table-columns.ts';

export interface TableOptions {
  readonly type: ResourceType;
  readonly version: string;
  /** Of the Table itself: v1 or v1beta1. */
  readonly tableVersion: string;
  readonly includeObject: string;
  readonly clock: { now(): number };
}

/** For one request: a watch sends its columns with the first event only. */
export function tableEncoder(options: TableOptions): ObjectEncoder {
  const columns = tableColumns(options.type, options.version);
  const definitions = columns.map(({ name, type, format, priority }) => {
    return { name, type, format, description: '', priority };
  });
  const apiVersion = `meta.k8s.io/${options.tableVersion}`;
  let hasColumns = false;
  const table = (metadata: object, rows: readonly unknown[], withColumns: boolean) => ({
    kind: 'Table',
    apiVersion,
    metadata,
    columnDefinitions: withColumns ? definitions : null,
    rows,
  });
  const one = (object: KubeObject, withColumns: boolean) =>
    table({ resourceVersion: object.metadata.resourceVersion }, [row(object, columns, options)], withColumns);
  const next = () => {
    const first = !hasColumns;
    hasColumns = true;
    return first;
  };
  return {
    contentType: 'application/json',
    watchContentType: 'application/json',
    object: (object) => `${JSON.stringify(one(object, true))}\n`,
    *list(meta: ListMeta, items) {
      const rows = items.map((object) => row(object, columns, options));
      yield `${JSON.stringify(table(meta, rows, true))}\n`;
    },
    event: (type, object) => frame(type, one(object, next())),
    bookmark(version, end) {
      const kind = options.type.kind;
      const object = { kind, apiVersion: apiVersionOf(options.type.group, options.version) };
      const metadata = bookmarkMetadata(version, end);
      const rows = [{ cells: columns.map(() => null), object: { ...object, metadata } }];
      return frame('BOOKMARK', table({ resourceVersion: version }, rows, next()));
    },
    error: errorFrame,
  };
}

function row(object: KubeObject, columns: readonly Column[], options: TableOptions): unknown {
  const now = options.clock.now();
  const cells = columns.map((column) => column.cell(object, now));
  const conditions = typeKey(options.type) === 'pods' ? COMPLETED[textAt(object, 'status', 'phase')] : undefined;
  return { cells, ...(conditions === undefined ? {} : { conditions }), object: beside(object, options) };
}

const completed = (reason: string, message: string) => [{ type: 'Completed', status: 'True', reason, message }];

/** Pods that have ended, which some printers leave out. */
const COMPLETED: Readonly<Record<string, unknown>> = {
  Succeeded: completed('Succeeded', 'The pod has completed successfully.'),
  Failed: completed('Failed', 'The pod failed.'),
};

function beside(object: KubeObject, { includeObject, type, version }: TableOptions): unknown {
  if (includeObject === 'None') return null;
  if (includeObject === 'Object') return { ...object, apiVersion: apiVersionOf(type.group, version) };
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
