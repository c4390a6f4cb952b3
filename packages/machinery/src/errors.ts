// Every error that machinery throws on purpose. Each says which step failed, keeps its cause, and carries a `code`
// that callers may branch on and a `hint` that a person may act on. Loops never match on messages.

export interface ErrorContext {
  /** What a person can do about it, as one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export class MachineryError extends Error {
  /** Stable, kebab-case; part of the public surface. */
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = context.hint;
  }
}

/** The configuration (kubeconfig, in-cluster files, exec plugin) cannot be used; trying again will not help. */
export class ConfigError extends MachineryError {}

/** Credentials could not be had just now (an exec plugin failed or hung); trying again may help. */
export class CredentialError extends MachineryError {}

/** What went wrong below HTTP. The reflector chooses its backoff by this. */
export type ConnectionFault =
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'proxy'
  | 'aborted'
  | 'protocol'
  | 'other';

/** No (complete) HTTP response arrived. */
export class ConnectionError extends MachineryError {
  readonly fault: ConnectionFault;
  /** Not one byte of the request had left, so that any method may be repeated. False when that is not certain. */
  readonly neverSent: boolean;

  constructor(fault: ConnectionFault, message: string, context: ErrorContext & { readonly neverSent?: boolean } = {}) {
    super(`connection-${fault}`, message, context);
    this.fault = fault;
    this.neverSent = context.neverSent ?? false;
  }
}

/** The bytes of a response or of a watch frame cannot be understood. Never skipped: the stream ends here. */
export class DecodeError extends MachineryError {
  constructor(message: string, context: ErrorContext = {}) {
    super('decode', message, context);
  }
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
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

/** A Kubernetes `Status` object as it arrives in an error response or in a watch ERROR event. */
export interface StatusBody {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
}

/**
 * The longest that a Retry-After is obeyed. An API server asks for 32 s at most; whatever else answers in its place (a
 * proxy, a load balancer, a man in the middle) must not silence a watch for longer than a person takes to notice.
 */
const LONGEST_RETRY_AFTER_MS = 60_000;

/** The server answered, and the answer is a refusal. */
export class ApiError extends MachineryError {
  /** The HTTP status code, or the `Status.code` of a watch ERROR event. */
  readonly status: number;
  /** Kubernetes' own reason ("NotFound", "Conflict", "Expired" …); empty if the body had none. */
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** From the Retry-After header, else from `details.retryAfterSeconds`; milliseconds, a minute at most. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: StatusBody, retryAfterMs: number | undefined, context: ErrorContext = {}) {
    const reason = body.reason ?? '';
    super(`api-${reason === '' ? status : kebab(reason)}`, body.message || `the server answered ${status}`, context);
    this.status = status;
    this.reason = reason;
    this.details = body.details;
    const fromDetails = body.details?.retryAfterSeconds;
    const asked = retryAfterMs ?? (fromDetails === undefined || fromDetails <= 0 ? undefined : fromDetails * 1000);
    this.retryAfterMs = asked === undefined ? undefined : Math.min(asked, LONGEST_RETRY_AFTER_MS);
  }
}

export const isNotFound = (e: unknown): e is ApiError => e instanceof ApiError && e.status === 404;
export const isConflict = (e: unknown): e is ApiError =>
  e instanceof ApiError && e.status === 409 && e.reason !== 'AlreadyExists';
export const isAlreadyExists = (e: unknown): e is ApiError =>
  e instanceof ApiError && e.status === 409 && e.reason === 'AlreadyExists';
export const isForbidden = (e: unknown): e is ApiError => e instanceof ApiError && e.status === 403;
export const isUnauthorized = (e: unknown): e is ApiError => e instanceof ApiError && e.status === 401;
export const isTooManyRequests = (e: unknown): e is ApiError => e instanceof ApiError && e.status === 429;
/** 410 with either of its two reasons: the asked-for resourceVersion is no longer there. */
export const isExpired = (e: unknown): e is ApiError =>
  e instanceof ApiError && (e.status === 410 || e.reason === 'Expired' || e.reason === 'Gone');

/** 504 for a resourceVersion that this server has not reached yet (it lags, or etcd was restored from a snapshot). */
export function isTooLargeResourceVersion(e: unknown): e is ApiError {
  if (!(e instanceof ApiError) || e.status !== 504) return false;
  const causes = e.details?.causes ?? [];
  return causes.some((c) => c.reason === 'ResourceVersionTooLarge') || /too large resource version/i.test(e.message);
}

function kebab(reason: string): string {
  return reason.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}
