// The server's own rendering of a list (what `kubectl get` prints), and lists of metadata only.
import type { KubeObject, ListMeta } from '../objects/kube-object.ts';

export const TABLE_TYPE = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json';
export const PARTIAL_METADATA_TYPE = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';
export const PARTIAL_METADATA_LIST_TYPE =
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is shown always, more only in wide output. */
  readonly priority: number;
}

export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object?: Pick<KubeObject, 'metadata'>;
}

export interface Table {
  readonly kind: 'Table';
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}
