// In which form an answer is wanted: as objects, as a table that kubectl prints, or as metadata only; chosen from the
// Accept header as API servers do. Without one of them that we have the answer is 406.
import { Problem } from '../problem.ts';
import { GROUP_VERSION, type HistoryObject } from './history-object.ts';
import type { HistoryResource } from './resource.ts';

export type Form = 'object' | 'table' | 'metadata';

/** What a row of a table carries besides its cells. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

const FORMS: Readonly<Record<string, Form>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

export function formOf(accept: string | undefined): Form {
  for (const wanted of (accept ?? '*/*').split(',')) {
    const [type = '', ...parameters] = wanted.split(';').map((part) => part.trim());
    if (!['application/json', 'application/*', '*/*', ''].includes(type)) continue;
    const given = new Map(parameters.map((text) => text.split('=', 2) as [string, string]));
    const as = given.get('as');
    if (as === undefined) return 'object';
    const form = Object.hasOwn(FORMS, as) ? FORMS[as] : undefined;
    if (form !== undefined && given.get('g') === 'meta.k8s.io' && given.get('v') === 'v1') return form;
  }
  throw new Problem(406, 'not-acceptable', 'only application/json can be sent, as objects, as a Table or as metadata', {
    hint: 'Accept: application/json.',
  });
}

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
}

export function listBody(
  resource: HistoryResource,
  form: Form,
  objects: readonly HistoryObject[],
  metadata: ListMeta,
  include: IncludeObject,
): object {
  switch (form) {
    case 'table':
      return { ...tableOf(resource, objects, include), metadata };
    case 'metadata':
      return {
        ...{ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata },
        items: objects.map(metadataOnly),
      };
    case 'object':
      return { kind: `${resource.kind}List`, apiVersion: GROUP_VERSION, metadata, items: objects };
  }
}

export function objectBody(
  resource: HistoryResource,
  form: Form,
  object: HistoryObject,
  include: IncludeObject,
): object {
  switch (form) {
    case 'table':
      return {
        ...tableOf(resource, [object], include),
        metadata: { resourceVersion: object.metadata.resourceVersion },
      };
    case 'metadata':
      return metadataOnly(object);
    case 'object':
      return object;
  }
}

/** `hasColumns`: clients read them from the first event of a watch only. */
export function tableOf(
  { columns }: HistoryResource,
  objects: readonly HistoryObject[],
  include: IncludeObject,
  hasColumns = true,
): object {
  const definitions = columns.map(({ name, type, description, priority }) => ({
    ...{ name, type, format: name === 'Name' ? 'name' : '', description, priority },
  }));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    columnDefinitions: hasColumns ? definitions : null,
    rows: objects.map((object) => ({
      cells: columns.map(({ cell }) => cell(object)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : metadataOnly(object) }),
    })),
  };
}

export function metadataOnly({ metadata }: HistoryObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
