// What a person writes who has installed @podtrail/machinery and nothing else: prints the pods, then ends.
import { Client, Informer, type Lister, loadClusterConfig, PODS, type PodView, podCodec } from '@podtrail/machinery';

const client = Client.connect(await loadClusterConfig());
const stop = new AbortController();
const pods = new Informer({ transport: client.transport, resource: PODS, codec: podCodec });
const lister: Lister<PodView> = pods.lister;
const running = pods.start(stop.signal);
await pods.waitForSync();
for (const { metadata, status } of lister.list()) console.log(metadata.name, status.podIPs.join(','));
stop.abort();
await running;
await client.close();
