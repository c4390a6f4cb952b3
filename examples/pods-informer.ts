// Follows every pod of the cluster in the current context: node examples/pods-informer.ts
import { Client, Informer, isObjectDelta, loadClusterConfig, POD } from '@podtrail/machinery';

const config = await loadClusterConfig().catch(({ message, hint }) => {
  console.error([message, hint].filter(Boolean).join('\n'));
  process.exit(1);
});
const client = Client.connect(config);
const onState = (now: { kind: string; error?: Error }) => now.error && console.error(now.error.message);
const pods = new Informer({ ...POD, transport: client.transport, onState });
pods.addHandler({
  onDelta(delta) {
    if (!isObjectDelta(delta)) return;
    const { metadata, spec, status } = delta.object;
    console.log(delta.kind, `${metadata.namespace}/${metadata.name}`, status.podIPs.join(','), spec.nodeName);
  },
});
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
await pods.start(stop.signal);
await client.close();
