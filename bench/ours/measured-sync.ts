// podtrail's machinery as a peer: an informer on all pods, measured until its cache and its handler are in step, and
// with --follow while a watch delivers changes. A process of its own; peer-process.ts starts it and reads its JSON line.
import { parseArgs } from 'node:util';
import { Client, Informer, loadClusterConfig, PODS, podCodec, type Transport } from '@podtrail/machinery';
import { cacheHash } from './canonical-pod.ts';
import { followEvents } from './follow-events.ts';
import { cpuSeconds, memoryBytes } from './usage.ts';

const { values } = parseArgs({
  options: { kubeconfig: { type: 'string' }, follow: { type: 'boolean', default: false } },
});
/** Before the first request: Node's own start and the reading of our modules. */
const startCpuSeconds = cpuSeconds();

const client = Client.connect(await loadClusterConfig({ kubeconfig: values.kubeconfig }));
const informer = new Informer({ transport: withAnswerType(client.transport), resource: PODS, codec: podCodec });
let contentType = '';
let added = 0;
let updated = 0;
const registration = informer.addHandler({
  onDelta(delta) {
    if (delta.kind === 'added') added++;
    else if (delta.kind === 'updated') updated++;
  },
});
const stop = new AbortController();
const running = informer.start(stop.signal);
await informer.waitForSync();
await registration.waitForSync();

const synced = {
  pods: informer.lister.size,
  added,
  cpuSeconds: cpuSeconds(),
  startCpuSeconds,
  // performance.now() counts from the start of the process.
  wallSeconds: performance.now() / 1000,
  peakRssBytes: memoryBytes('VmHWM'),
  rssBytes: memoryBytes('VmRSS'),
  contentType,
};
const followed = values.follow ? await followEvents(() => updated) : undefined;
const result = { ...synced, followed, cacheHash: cacheHash(informer.lister), clientVersion: process.version };
process.stdout.write(`${JSON.stringify(result)}\n`);
stop.abort();
await running;
await client.close();
process.exit(0);

/** Remembers the content type of the stream that carries the pods; nothing of ours stands between its chunks. */
function withAnswerType(transport: Transport): Transport {
  return {
    request: (request, options) => transport.request(request, options),
    stream(request, sink) {
      const onOpen = sink.onOpen.bind(sink);
      sink.onOpen = (headers) => {
        contentType = String(headers['content-type'] ?? '');
        onOpen(headers);
      };
      return transport.stream(request, sink);
    },
    close: () => transport.close(),
  };
}
