// Lists a collection page by page and hands over each object as it is decoded. The fallback where streaming lists are
// not served, and the reader behind the consistency check.
import type { ObjectCodec } from '../codec/codec.ts';
import { bodyFormat } from '../codec/content-type.ts';
import { parseJson } from '../codec/json-codec.ts';
import { listFromJson, readList } from '../codec/list.ts';
import { isExpired } from '../errors.ts';
import type { Transport } from '../transport/transport.ts';
import { type Collection, listPath } from './collection.ts';

export interface ListingOptions<T> {
  readonly transport: Transport;
  readonly collection: Collection;
  readonly codec: ObjectCodec<T>;
  /** Media types in order of preference. */
  readonly accept: string;
  /** Undefined asks for everything at once. */
  readonly pageSize: number | undefined;
  readonly signal: AbortSignal;
  /** A promise holds the listing back: the next object, and the next page, have to wait. */
  readonly onObject: (object: T) => void | Promise<void>;
}

/** Resolves with the listing's version, which is the same for all its pages. */
async function listPages<T>(options: ListingOptions<T>): Promise<string> {
  let next: string | undefined;
  let version = '';
  do {
    const path = listPath(options.collection, options.pageSize, next);
    const request = { method: 'GET', path, headers: { accept: options.accept } } as const;
    const { headers, body } = await options.transport.request(request, { signal: options.signal });
    const isProtobuf = bodyFormat(String(headers['content-type'] ?? '')) === 'protobuf';
    const page = isProtobuf
      ? readList(body, options.codec)
      : listFromJson(parseJson(body, 0, body.length), options.codec);
    for (const object of page.items) {
      const taken = options.onObject(object);
      if (taken !== undefined) await taken;
    }
    version = page.metadata.resourceVersion;
    next = page.metadata.continue;
  } while (next !== undefined);
  return version;
}

const RESTARTS_BEFORE_WHOLE_LIST = 2;

/**
 * As `listPages`, but a token that expires between two pages starts the listing again, at last without pages, so that
 * a cluster that changes faster than it can be paged through is still listed. `restart` must forget what it was given.
 */
export async function listAll<T>(options: ListingOptions<T>, restart: () => void): Promise<string> {
  for (let restarts = 0; ; restarts++) {
    const pageSize = restarts < RESTARTS_BEFORE_WHOLE_LIST ? options.pageSize : undefined;
    try {
      return await listPages({ ...options, pageSize });
    } catch (error) {
      if (!isExpired(error) || pageSize === undefined) throw error;
      restart();
    }
  }
}
