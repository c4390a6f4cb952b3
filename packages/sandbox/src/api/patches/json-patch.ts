// JSON patch (RFC 6902): add, remove, replace, move, copy and test by pointers; with the leniencies of the library that
// the real server uses, because clients may have come to rely on them.

import { setOwnField } from '../../store/own-field.ts';
import { ApiStatusError, badRequest } from '../api-status-error.ts';
import { deepEqual, isObject, type JsonObject } from '../json-object.ts';

const MOST_OPERATIONS = 10_000;

/** Never changes `target`. */
export function applyJsonPatch(target: unknown, patch: unknown): unknown {
  const operations = readOperations(patch);
  let document = structuredClone(target);
  for (const operation of operations) document = applyOperation(document, operation);
  return document;
}

function readOperations(patch: unknown): readonly JsonObject[] {
  // Nothing at all is no operation.
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(patch, 'Go value of type []handlers.jsonPatchOp');
  const operations = patch.map((operation: unknown): JsonObject => {
    if (operation === null) return {};
    if (!isObject(operation)) throw undecodable(operation, 'Go value of type handlers.jsonPatchOp');
    for (const field of ['op', 'path', 'from']) {
      const given = operation[field];
      if (given === undefined || given === null || typeof given === 'string') continue;
      throw undecodable(given, `Go struct field jsonPatchOp.${field} of type string`);
    }
    return operation;
  });
  if (operations.length > MOST_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${operations.length}`;
    throw new ApiStatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
  }
  return operations;
}

function applyOperation(document: unknown, operation: JsonObject): unknown {
  const { op, path, from } = operation;
  const value = structuredClone(operation['value'] ?? null);
  switch (op) {
    case 'add':
      return add(document, pointer(path), value);
    case 'replace':
      return replace(document, path, value);
    case 'remove':
      return remove(document, pointer(path));
    case 'copy':
      return add(document, pointer(path), structuredClone(read(document, pointer(from)) ?? null));
    case 'move': {
      const moved = read(document, pointer(from));
      return add(remove(document, pointer(from)), pointer(path), moved);
    }
    case 'test':
      if (!deepEqual((path === '' ? document : read(document, pointer(path))) ?? null, value)) throw rejected();
      return document;
    default:
      throw rejected();
  }
}

/** What stands before the first slash is not looked at; without a slash it points nowhere. */
function pointer(text: unknown): string[] {
  if (typeof text !== 'string' || !text.includes('/')) throw rejected();
  return text
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
}

/** What is not there in an object reads as undefined, but leads nowhere. */
function read(document: unknown, path: readonly string[]): unknown {
  let here = document;
  for (const step of path) {
    if (Array.isArray(here)) here = here[index(step, here.length, here.length - 1)];
    else if (isObject(here)) here = Object.hasOwn(here, step) ? here[step] : undefined;
    else throw rejected();
  }
  return here;
}

function parentOf(document: unknown, path: readonly string[]): { readonly parent: unknown; readonly key: string } {
  return { parent: read(document, path.slice(0, -1)), key: path.at(-1) as string };
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  const { parent, key } = parentOf(document, path);
  if (Array.isArray(parent)) {
    parent.splice(key === '-' ? parent.length : index(key, parent.length + 1, parent.length), 0, value);
  } else if (isObject(parent)) setOwnField(parent, key, value);
  else throw rejected();
  return document;
}

/** A key that is not there is added: the library takes that for a replacement. */
function replace(document: unknown, path: unknown, value: unknown): unknown {
  if (path === '') {
    if (typeof value === 'object' && value !== null) return value;
    throw rejected();
  }
  const { parent, key } = parentOf(document, pointer(path));
  if (Array.isArray(parent)) parent[index(key, parent.length, parent.length - 1)] = value;
  else if (isObject(parent)) setOwnField(parent, key, value);
  else throw rejected();
  return document;
}

function remove(document: unknown, path: readonly string[]): unknown {
  const { parent, key } = parentOf(document, path);
  if (Array.isArray(parent)) parent.splice(index(key, parent.length, parent.length - 1), 1);
  else if (isObject(parent) && Object.hasOwn(parent, key)) delete parent[key];
  else throw rejected();
  return document;
}

/** Below zero it counts from the end of `length`. */
function index(step: string, length: number, most: number): number {
  if (!/^[+-]?\d+$/.test(step)) throw rejected();
  const given = Number(step);
  const found = given < 0 ? given + length : given;
  if (found < 0 || found > most) throw rejected();
  return found;
}

function undecodable(found: unknown, into: string): ApiStatusError {
  const word = Array.isArray(found) ? 'array' : typeof found === 'boolean' ? 'bool' : typeof found;
  return badRequest(`error decoding patch: json: cannot unmarshal ${word} into ${into}`);
}

function rejected(): ApiStatusError {
  return new ApiStatusError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}
