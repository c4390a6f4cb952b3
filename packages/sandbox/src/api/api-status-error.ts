// Refusals as the real server words them: the body of a `Status` with its code, reason and details. Thrown by every
// verb; the HTTP side writes `status` as the answer. The texts were compared with a running kube-apiserver.
import type { ResourceType } from './resource-type.ts';

export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

export class ApiStatusError extends Error {
  override readonly name = 'ApiStatusError';
  readonly code: number;
  readonly reason: string;
  readonly status: StatusBody;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, metadata = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

function resourceDetails(type: ResourceType, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(type.group === '' ? {} : { group: type.group }), kind: type.plural };
}

/** `pods`, `deployments.apps`: how a resource is called in texts. */
function qualifiedName(type: { readonly plural: string; readonly group: string }): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

function qualifiedKind(type: { readonly kind: string; readonly group: string }): string {
  return type.group === '' ? type.kind : `${type.kind}.${type.group}`;
}

export function notFound(type: ResourceType, name: string): ApiStatusError {
  return new ApiStatusError(
    404,
    'NotFound',
    `${qualifiedName(type)} ${quote(name)} not found`,
    resourceDetails(type, name),
  );
}

/** For paths that name no resource of this server. */
export function noSuchResource(): ApiStatusError {
  return new ApiStatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): ApiStatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiStatusError(405, 'MethodNotAllowed', message, {});
}

export function alreadyExists(type: ResourceType, name: string, isEnding = false): ApiStatusError {
  const message = `${isEnding ? 'object is being deleted: ' : ''}${qualifiedName(type)} ${quote(name)} already exists`;
  return new ApiStatusError(409, 'AlreadyExists', message, resourceDetails(type, name));
}

export function conflict(type: ResourceType, name: string, why = MODIFIED): ApiStatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedName(type)} ${quote(name)}: ${why}`;
  return new ApiStatusError(409, 'Conflict', message, resourceDetails(type, name));
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** A precondition of a deletion; the real server names the kind here and not the resource. */
export function preconditionFailed(type: ResourceType, name: string, why: string): ApiStatusError {
  const message = `Operation cannot be fulfilled on ${qualifiedKind(type)} ${quote(name)}: ${why}`;
  const group = type.group === '' ? {} : { group: type.group };
  return new ApiStatusError(409, 'Conflict', message, { name, ...group, kind: type.kind });
}

export function badRequest(message: string): ApiStatusError {
  return new ApiStatusError(400, 'BadRequest', message);
}

export function forbidden(
  type: ResourceType,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): ApiStatusError {
  const subject = name === '' ? `${qualifiedName(type)} is` : `${qualifiedName(type)} ${quote(name)} is`;
  const details = { ...resourceDetails(type, name), ...(causes === undefined ? {} : { causes }) };
  return new ApiStatusError(403, 'Forbidden', `${subject} forbidden: ${why}`, details);
}

export function expired(message: string, metadata = {}): ApiStatusError {
  return new ApiStatusError(410, 'Expired', message, undefined, metadata);
}

export function tooLargeVersion(asked: string, current: number): ApiStatusError {
  return new ApiStatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** One thing that is wrong with a field. */
export interface FieldError {
  readonly field: string;
  readonly reason: keyof typeof CAUSES;
  /** What stands after the reason's own words; with a value for those that quote it. */
  readonly detail?: string;
  /** As JSON, where the reason quotes the value. */
  readonly value?: string;
}

const CAUSES = {
  Required: ['FieldValueRequired', 'Required value'],
  Invalid: ['FieldValueInvalid', 'Invalid value'],
  Duplicate: ['FieldValueDuplicate', 'Duplicate value'],
  NotSupported: ['FieldValueNotSupported', 'Unsupported value'],
  Forbidden: ['FieldValueForbidden', 'Forbidden'],
  TooLong: ['FieldValueTooLong', 'Too long'],
  InternalError: ['InternalError', 'Internal error'],
} as const;

export function invalid(
  subject: { readonly kind: string; readonly group: string },
  name: string,
  errors: readonly FieldError[],
): ApiStatusError {
  const causes = errors.map((error) => {
    const [reason, words] = CAUSES[error.reason];
    const parts = [words, ...(error.value === undefined ? [] : [error.value])];
    return {
      reason,
      message: [...parts, ...(error.detail === undefined ? [] : [error.detail])].join(': '),
      field: error.field,
    };
  });
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new ApiStatusError(422, 'Invalid', `${qualifiedKind(subject)} ${quote(name)} is invalid: ${list}`, {
    ...(name === '' ? {} : { name }),
    ...(subject.group === '' ? {} : { group: subject.group }),
    ...(subject.kind === '' ? {} : { kind: subject.kind }),
    causes,
  });
}

/** As Go's %q does for the plain text that names are made of. */
function quote(text: string): string {
  return JSON.stringify(text);
}
