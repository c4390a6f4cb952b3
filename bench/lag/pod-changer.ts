// Gives running pods new addresses at a steady rate, as a kubelet does whose sandboxes are made again: one write of a
// pod's status for each. Knows nothing of the recorder.
import { type Client, PODS } from '@podtrail/machinery';
import type { Change } from './asker.ts';

interface ChangedPod {
  readonly path: string;
  readonly uid: string;
}

export interface ChangeRun {
  readonly changes: number;
  readonly seconds: number;
}

/** Answers with the metadata only: the writer must not become the load. */
const ACCEPT = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** With a network of their own: an address of one on the host network is its node's, and never its alone. */
const RUNNING = 'status.phase=Running,spec.hostNetwork=false';

export async function runningPods(client: Client): Promise<ChangedPod[]> {
  const pods: ChangedPod[] = [];
  const pages = client.metadata(PODS).pages({ fieldSelector: RUNNING, limit: 2000 });
  for await (const { items } of pages) {
    for (const { metadata } of items) {
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/status`;
      pods.push({ path, uid: metadata.uid ?? '' });
    }
  }
  return pods;
}

const MOST_UNDER_WAY = 64;

/** Each pod once, by the clock: a tick that was missed on a busy machine is made up for. */
export async function changePods(
  client: Client,
  pods: readonly ChangedPod[],
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
  onChanged: (change: Change, n: number) => void,
): Promise<ChangeRun> {
  const begun = performance.now();
  const first = Math.floor((Date.now() / 1000) * rate) % (1 << 23);
  const underWay = new Set<Promise<void>>();
  let failure: unknown;
  for (let n = 0; n < rate * seconds && failure === undefined; n++) {
    const wait = begun + (n * 1000) / rate - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    // A server that cannot keep up lowers the rate; requests must not pile up until they time out.
    while (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay);
    const pod = pods[n % pods.length]!;
    const ip = addressOf(first + n);
    const write = changePod(client, pod, ip)
      .then((committedAt) => onChanged({ ip, uid: pod.uid, committedAt }, n))
      .catch((error) => {
        failure = error;
      });
    underWay.add(write);
    void write.finally(() => underWay.delete(write));
  }
  await Promise.all(underWay);
  if (failure !== undefined) throw failure;
  return { changes: rate * seconds, seconds: (performance.now() - begun) / 1000 };
}

async function changePod(client: Client, { path }: ChangedPod, ip: string): Promise<number> {
  const body = JSON.stringify([
    { op: 'replace', path: '/status/podIP', value: ip },
    { op: 'replace', path: '/status/podIPs', value: [{ ip }] },
  ]);
  const headers = { 'content-type': 'application/json-patch+json', accept: ACCEPT };
  await client.raw({ method: 'PATCH', path, headers, body });
  return performance.timeOrigin + performance.now();
}

/** Outside of what the pods were filled with, and not that of a run before: a write that changes nothing is no event. */
function addressOf(n: number): string {
  return `10.${128 + ((n >> 16) & 127)}.${(n >> 8) & 255}.${n & 255}`;
}
