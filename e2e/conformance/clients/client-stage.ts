// One server with the scene on it, and kubectl for it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries } from '../../controlplane/index.ts';
import { writeKubeconfig } from '../../controlplane/kubeconfig.ts';
import { runKubectl } from '../../controlplane/kubectl.ts';
import { core } from '../objects.ts';
import { RawClient } from '../raw-client.ts';
import type { ServerUnderTest } from '../servers/server.ts';
import { makeScene, SHOP } from './scene.ts';

export interface ClientStage {
  readonly name: string;
  readonly client: RawClient;
  readonly kubeconfig: string;
  readonly kubectlPath: string;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  close(): Promise<void>;
}

export async function openStage(start: () => Promise<ServerUnderTest>): Promise<ClientStage> {
  const kubectlPath = (await ensureBinaries()).path('kubectl');
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-clients-'));
  const server = await start();
  const client = new RawClient(server.admin);
  const kubeconfig = join(directory, 'kubeconfig');
  const { url, ca, token = '' } = server.admin;
  await writeKubeconfig(kubeconfig, {
    server: url,
    user: 'admin',
    ca: { pem: ca },
    credential: { kind: 'token', token },
    namespace: SHOP,
  });
  await makeScene(client);
  return {
    name: server.name,
    client,
    kubeconfig,
    kubectlPath,
    kubectl: (args, input = '') => runKubectl(kubectlPath, args, { kubeconfig, input }),
    async close() {
      client.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Plays the kubelet for pods that are being deleted: each is deleted for good as soon as it is marked. */
export async function endMarkedPods(client: RawClient): Promise<() => Promise<void>> {
  const stream = await client.watch('/api/v1/pods');
  const work = (async () => {
    for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
      const { metadata } = event.object;
      if (event.type !== 'DELETED' && metadata.deletionTimestamp !== undefined) {
        await client.delete(`${core(metadata.namespace, 'pods')}/${metadata.name}`, { gracePeriodSeconds: 0 });
      }
    }
  })();
  return async () => {
    stream.close();
    await work.catch(() => {}); // closing it is how it ends
  };
}
