// What an error of a listing or a watch says about the server, for the reflector to decide what follows.
import { ApiError, ConnectionError } from '../errors.ts';

/** The server knows nothing of streaming lists, or has them switched off. */
export function refusesStreaming(error: Error): boolean {
  return error instanceof ApiError && [400, 405, 406, 422, 501].includes(error.status);
}

/** The server takes the request itself for wrong. */
export function isRefused(error: Error): boolean {
  return error instanceof ApiError && (error.status === 400 || error.status === 422);
}

/** What a load balancer says while no server stands behind it. */
export function isOutage(error: unknown): boolean {
  return error instanceof ApiError && [502, 503, 504].includes(error.status);
}

/** Nobody answers; whatever is asked next will fail as well. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionError || isOutage(error);
}

/** A server that answers at all, and knows when to come again, has not been away to restore its etcd. */
export function mayHideRestart(error: Error): boolean {
  return !(error instanceof ApiError) || (error.status >= 500 && error.retryAfterMs === undefined);
}

/** The server itself could not decode what is stored. */
export function isStoreReadError(error: Error): boolean {
  return error instanceof ApiError && error.reason === 'StorageReadError';
}
