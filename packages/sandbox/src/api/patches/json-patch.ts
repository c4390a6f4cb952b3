// JSON patch (RFC 6902): add, remove, replace, move, copy and test by pointers.

import { setOwnField } from '../../store/own-field.ts';
import { ApiStatusError, badRequest } from '../api-status-error.ts';
import { deepEqual, isObject, type JsonObject } from '../json-object.ts';

/** Never changes `target`. */
export function applyJsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) {
    throw badRequest(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  }
  let document = structuredClone(target);
  for (const operation of patch) {
    if (!isObject(operation)) throw rejected();
    document = applyOperation(document, operation);
  }
  return document;
}

function applyOperation(document: unknown, operation: JsonObject): unknown {
  const path = pointer(operation['path']);
  switch (operation['op']) {
    case 'add':
      return place(document, path, structuredClone(operation['value']), true);
    case 'replace':
      // A key that is not there is added: the real server's library takes that for a replacement.
      return place(document, path, structuredClone(operation['value']), false);
    case 'remove':
      return remove(document, path);
    case 'copy':
      return place(document, path, structuredClone(read(document, pointer(operation['from']))), true);
    case 'move': {
      const from = pointer(operation['from']);
      const value = read(document, from);
      return place(remove(document, from), path, value, true);
    }
    case 'test':
      if (!deepEqual(read(document, path), operation['value'])) throw rejected();
      return document;
    default:
      throw rejected();
  }
}

function pointer(text: unknown): string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/'))) throw rejected();
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
}

function read(document: unknown, path: readonly string[]): unknown {
  let here = document;
  for (const step of path) {
    if (Array.isArray(here)) here = here[index(step, here.length - 1)];
    else if (isObject(here) && Object.hasOwn(here, step)) here = here[step];
    else throw rejected();
  }
  return here;
}

function place(document: unknown, path: readonly string[], value: unknown, insert: boolean): unknown {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = read(document, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const at = last === '-' ? parent.length : index(last, insert ? parent.length : parent.length - 1);
    parent.splice(at, insert ? 0 : 1, value);
  } else if (isObject(parent)) setOwnField(parent, last, value);
  else throw rejected();
  return document;
}

function remove(document: unknown, path: readonly string[]): unknown {
  const last = path.at(-1);
  const parent = read(document, path.slice(0, -1));
  if (last === undefined) return undefined;
  read(parent, [last]);
  if (Array.isArray(parent)) parent.splice(index(last, parent.length - 1), 1);
  else delete (parent as JsonObject)[last];
  return document;
}

function index(step: string, most: number): number {
  if (!/^(0|[1-9]\d*)$/.test(step) || Number(step) > most) throw rejected();
  return Number(step);
}

function rejected(): ApiStatusError {
  return new ApiStatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
