// Writes Events that a recorder has to look at, by the clock: about many pods of one namespace, with long texts.
import type { Client } from '@podtrail/machinery';

const NAMESPACE = 'default';
const MOST_UNDER_WAY = 96;
/** As many objects as a namespace may have pods. */
const SUBJECTS = 20_000;
/** Answers with the metadata only: the writer must not become the load. */
const ACCEPT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

export async function writeEvents(
  client: Client,
  { events, seconds }: { readonly events: number; readonly seconds: number },
): Promise<void> {
  const begun = performance.now();
  const run = Date.now().toString(36);
  const underWay = new Set<Promise<void>>();
  let failure: unknown;
  for (let n = 0; n < events && failure === undefined; n++) {
    const wait = begun + (n * 1000 * seconds) / events - performance.now();
    if (wait > 5) await new Promise((resolve) => setTimeout(resolve, wait));
    // A server that cannot keep up takes longer; requests must not pile up until they time out.
    while (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay);
    const write = writeEvent(client, `flood-${run}-${n}`, n).catch((error) => {
      failure = error;
    });
    underWay.add(write);
    void write.finally(() => underWay.delete(write));
  }
  await Promise.all(underWay);
  if (failure !== undefined) throw failure;
}

async function writeEvent(client: Client, name: string, n: number): Promise<void> {
  const body = JSON.stringify({
    ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name, namespace: NAMESPACE } },
    ...{ eventTime: new Date().toISOString().replace('Z', '000Z'), type: 'Normal' },
    ...{ reason: 'Preempted', action: 'Preempting', note: `flood ${n} `.padEnd(900, 'x') },
    regarding: { kind: 'Pod', apiVersion: 'v1', namespace: NAMESPACE, name: `pod-${n % SUBJECTS}` },
    ...{ reportingController: 'example.com/flood', reportingInstance: 'flood-1' },
  });
  const path = `/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`;
  await client.raw({ method: 'POST', path, headers: { 'content-type': 'application/json', accept: ACCEPT }, body });
}
