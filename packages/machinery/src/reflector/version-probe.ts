// Asks the server for its present resourceVersion by the smallest consistent read there is: one object's metadata.
import { PARTIAL_METADATA_LIST_TYPE } from '../client/table.ts';
import { DecodeError } from '../errors.ts';
import type { Transport } from '../transport/transport.ts';
import { type Collection, listPath } from './collection.ts';

export async function probeVersion(transport: Transport, collection: Collection, signal: AbortSignal): Promise<string> {
  const path = listPath(collection, 1, undefined);
  const request = { method: 'GET', path, headers: { accept: PARTIAL_METADATA_LIST_TYPE } } as const;
  const { body } = await transport.request(request, { signal });
  try {
    const list = JSON.parse(body.toString('utf8')) as { metadata: { resourceVersion: string } };
    return list.metadata.resourceVersion;
  } catch (cause) {
    throw new DecodeError(`GET ${path}: the answer is not a list`, { cause });
  }
}
