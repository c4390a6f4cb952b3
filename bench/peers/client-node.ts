// @kubernetes/client-node as a peer: its informer on all pods. It lists in one piece, as JSON: with many pods it ends in
// an error, which is written to standard error.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node';
import { podCodec } from '@podtrail/machinery';
import { canonicalLine } from '../ours/canonical-pod.ts';
import { cpuSeconds, memoryBytes } from '../ours/usage.ts';

const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } });
const config = new KubeConfig();
config.loadFromFile(values.kubeconfig ?? '');
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
let added = 0;
informer.on('add', () => {
  added++;
});
informer.on('error', fail);
try {
  await informer.start();
} catch (error) {
  fail(error);
}
const pods = informer.list() as V1Pod[];
const synced = {
  pods: pods.length,
  added,
  cpuSeconds: cpuSeconds(),
  wallSeconds: performance.now() / 1000,
  peakRssBytes: memoryBytes('VmHWM'),
  rssBytes: memoryBytes('VmRSS'),
  contentType: 'application/json', // it knows no other
};
const { version } = createRequire(import.meta.url)('@kubernetes/client-node/package.json') as { version: string };
process.stdout.write(`${JSON.stringify({ ...synced, cacheHash: hashOf(pods), clientVersion: version })}\n`);
process.exit(0);

function hashOf(objects: readonly V1Pod[]): string {
  const uid = (pod: V1Pod) => pod.metadata?.uid ?? '';
  const hash = createHash('sha256');
  for (const pod of [...objects].sort((a, b) => (uid(a) < uid(b) ? -1 : 1))) {
    // Its objects hold Dates where JSON holds strings: through JSON they are what the server sent.
    hash.update(`${canonicalLine(podCodec.fromJson(JSON.parse(JSON.stringify(pod))))}\n`);
  }
  return hash.digest('hex');
}

function fail(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  process.stderr.write(`${code === undefined ? '' : `${code}: `}${message}\n`);
  process.exit(1);
}
