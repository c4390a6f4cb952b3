// Whether API servers get an answer where they are to ask for conversion: asked through them, the way everybody comes,
// because a firewall in between lets nobody know. Reads one tracker; never writes.
import { ApiError, type Client } from '@podtrail/machinery';
import { PODTRACKERS } from '../crds/manifests.ts';

/** An API server waits 10 s for a handshake and 30 s for an answer; a conversion takes milliseconds. */
const PATIENCE_MS = 4_000;
const TRIES = 2;

/**
 * True if nobody answered within seconds, again and again, while v1 was answered. With no tracker there is nothing to
 * convert, and nobody who would wait: then it is false.
 */
export async function isConversionSilent(client: Pick<Client, 'resource'>, signal: AbortSignal): Promise<boolean> {
  for (let i = 0; i < TRIES; i++) {
    const name = await anyTracker(client, signal);
    if (name === undefined || (await answers(client, 'v1alpha1', name, signal))) return false;
    // A server that is slow itself says nothing about conversion.
    if (!(await answers(client, PODTRACKERS.version, name, signal))) return false;
  }
  return true;
}

async function anyTracker(client: Pick<Client, 'resource'>, signal: AbortSignal): Promise<string | undefined> {
  const { items } = await client.resource(PODTRACKERS).list({ limit: 1, timeoutMs: PATIENCE_MS, signal });
  return items[0]?.metadata.name;
}

/** By name: lists are served from a cache of what was converted before. */
async function answers(
  client: Pick<Client, 'resource'>,
  version: string,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.resource({ ...PODTRACKERS, version }).get(name, { timeoutMs: PATIENCE_MS, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // A refusal is an answer too: nobody is kept waiting by it. 504: the server gave up in the same seconds.
    return error instanceof ApiError && error.status !== 504;
  }
}
