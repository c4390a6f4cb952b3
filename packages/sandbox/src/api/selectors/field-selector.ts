// Field selectors of queries: `spec.nodeName=a,status.phase!=Running`. Which fields there are is up to the resource.
import { badRequest } from '../api-status-error.ts';
import { valueAt } from '../json-object.ts';
import type { ResourceType } from '../resource-type.ts';

export interface FieldSelector {
  matches(object: Readonly<Record<string, unknown>>): boolean;
  /** Where the selector demands one name: what the server can answer from one key. */
  readonly name: string | undefined;
}

export function parseFieldSelector(text: string, type: ResourceType): FieldSelector {
  const terms = splitTerms(text).map((term) => parseTerm(term, text));
  for (const term of terms) {
    if (!Object.hasOwn(type.selectableFields, term.path)) throw badRequest(unknownField(type, term.path));
  }
  return {
    matches: (object) => terms.every((term) => (read(object, term.path, type) === term.value) === term.equal),
    name: terms.find((term) => term.equal && term.path === 'metadata.name')?.value,
  };
}

interface Term {
  readonly path: string;
  readonly value: string;
  readonly equal: boolean;
}

/** Resources with fields of their own say it in other words than those that have only name and namespace. */
function unknownField(type: ResourceType, path: string): string {
  const plain = !type.custom && Object.keys(type.selectableFields).every((field) => field.startsWith('metadata.'));
  return plain
    ? `${JSON.stringify(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${path}`;
}

function splitTerms(text: string): string[] {
  return text.split(/(?<!\\),/).filter((term) => term !== '');
}

function parseTerm(term: string, whole: string): Term {
  const match = /^(.*?)(==|!=|=)(.*)$/.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${whole}'; can't understand '${term}'`);
  const [, path = '', operator, value = ''] = match;
  return { path, value: value.replace(/\\([\\,=])/g, '$1'), equal: operator !== '!=' };
}

function read(object: Readonly<Record<string, unknown>>, path: string, type: ResourceType): string {
  const getter = type.selectableFields[path];
  if (getter !== undefined) return getter(object);
  const value = valueAt(object, ...path.split('.'));
  return value === undefined || value === null ? '' : String(value);
}
