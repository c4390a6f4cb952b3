// What a body holds of its kind: a field that is not what the kind has there is refused; fields that it does not have
// are dropped with a warning, as a typed server does, or refused where the client asked for strict validation (kubectl
// does).
import { badRequest } from '../../api/api-status-error.ts';
import { isObject } from '../../api/json-object.ts';
import type { ResourceType } from '../../api/resource-type.ts';
import { readTyped, readTypedMetadata, type TypedObject, UnfitValue } from '../typed/typed-object.ts';
import { DECODING } from '../typed/words.ts';

/** What to do about fields that are not known: the real server's `fieldValidation`. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export function readFieldValidation(query: URLSearchParams): FieldValidation {
  const asked = query.get('fieldValidation') || 'Warn';
  return asked === 'Strict' || asked === 'Ignore' ? asked : 'Warn';
}

export interface BodyKind {
  readonly kind: string;
  readonly version: string;
  /** The resource of that kind, where there is one. */
  readonly type: ResourceType | undefined;
}

export function bodyKind(type: ResourceType, version: string): BodyKind {
  return { kind: type.kind, version, type };
}

export function keepKnownFields(
  { kind, version, type }: BodyKind,
  given: unknown,
  validation: FieldValidation,
): TypedObject {
  if (!isObject(given)) return { object: given, unknown: [] };
  const refused = (why: string) =>
    badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
  try {
    const typed = type?.custom === true ? readTypedMetadata(given, DECODING) : readTyped(kind, given, DECODING);
    if (validation === 'Strict' && typed.unknown.length > 0) throw refused(strictWords(typed.unknown));
    return typed;
  } catch (error) {
    throw error instanceof UnfitValue ? refused(error.message) : error;
  }
}

export function strictWords(unknown: readonly string[]): string {
  return `strict decoding error: ${unknown.map(unknownField).join(', ')}`;
}

/** The headers that warn of fields which were dropped. */
export function warningHeaders(unknown: readonly string[], validation: FieldValidation): Record<string, string> {
  if (validation !== 'Warn' || unknown.length === 0) return {};
  return { warning: unknown.map((path) => `299 - ${JSON.stringify(unknownField(path))}`).join(', ') };
}

function unknownField(path: string): string {
  return `unknown field ${JSON.stringify(path)}`;
}
