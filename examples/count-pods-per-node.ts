// A controller: keeps the annotation example.podtrail.dev/pods of every node equal to the number of its pods.
import { Client, Controller, DONE, Informer, loadClusterConfig, Manager, NODE, POD } from '@podtrail/machinery';

const KEY = 'example.podtrail.dev/pods';
const config = await loadClusterConfig().catch(({ message, hint }) => {
  console.error([message, hint].filter(Boolean).join('\n'));
  process.exit(1);
});
const client = Client.connect(config);
const { transport } = client;
const nodes = new Informer({ ...NODE, transport });
const pods = new Informer({ ...POD, transport, indexes: { node: (p) => [p.spec.nodeName] } });

const counter = new Controller({
  name: 'count-pods-per-node',
  async reconcile(name, { signal }) {
    const node = nodes.lister.get(name);
    const count = String(pods.lister.keysByIndex('node', name).size);
    if (node === undefined || node.metadata.annotations.get(KEY) === count) return DONE;
    // The resourceVersion makes a late write a conflict, which is retried from what is true by then.
    const metadata = { resourceVersion: node.metadata.resourceVersion, annotations: { [KEY]: count } };
    await client.nodes().patch(name, { kind: 'merge', body: { metadata } }, { signal });
    return DONE;
  },
});
counter.follow(nodes, (node) => node.metadata.name);
counter.follow(pods, (pod) => pod.spec.nodeName);

const manager = new Manager();
manager.addController(counter);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const { kind } = await manager.run(stop.signal);
await client.close();
process.exitCode = kind === 'stopped' ? 0 : 1;
