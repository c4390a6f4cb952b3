// `podtrail record` as a process of its own on a real control plane, its pages, its ledger, and a pod to record. Used by the
// recorder tests.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Engine, openStore } from '@podtrail/history';
import { PodtrailProcess } from './cli/podtrail-process.ts';
import { type TestCluster, until } from './controlplane/index.ts';

/** A store of its own for one test. */
export async function aStore(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-recorder-e2e-'));
  t.after(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return `sqlite:${join(directory, 'ledger.db')}`;
}

/** `podtrail record` in a process of its own, with both ports; its pages by name. */
export async function monitored(t: TestContext, kubeconfig: string, ...more: string[]) {
  const store = await aStore(t);
  const ports = ['--metrics-port', '0', '--health-port', '0'];
  const recorder = new PodtrailProcess(['record', '--kubeconfig', kubeconfig, '--store', store, ...ports, ...more]);
  t.after(() => recorder.end('SIGKILL'));
  await recorder.untilSaid('"msg":"recording"');
  const begun = JSON.parse(recorder.err.split('\n').find((line) => line.includes('"msg":"recording"'))!);
  const health = new URL(begun.health as string);
  const get = async (url: URL) => {
    const answer = await fetch(url);
    return { status: answer.status, text: await answer.text() };
  };
  return {
    ...{ recorder, store },
    readyz: () => get(health),
    livez: () => get(new URL('/livez', health)),
    metrics: async () => (await get(new URL(begun.metrics as string))).text,
  };
}

export interface Ledger {
  readonly engine: Engine;
  readonly id: string;
}

/** What the recorder has written, for a reader of its own. */
export async function ledgerOf(t: TestContext, store: string): Promise<Ledger> {
  const engine = await openStore(store, { access: 'read' });
  t.after(() => engine.close());
  const [recorded] = await engine.clusters();
  return { engine, id: recorded?.id ?? '' };
}

/** Runs on the first node, which is kwok's; resolves with its address. */
export async function aRunningPod(cluster: TestCluster, namespace: string, name: string): Promise<string> {
  const [node] = (await cluster.kubectlJson(['get', 'nodes'])).items;
  const spec = { nodeName: node.metadata.name, containers: [{ name: 'main', image: 'registry.example/main:1' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  await cluster.kubectl(['-n', namespace, 'create', '-f', '-'], { input: JSON.stringify(pod) });
  return await until(`${name} has an address`, async () => {
    const { status } = await cluster.kubectlJson(['-n', namespace, 'get', 'pod', name]);
    if (status.phase !== 'Running' || !status.podIP) throw new Error(JSON.stringify(status));
    return status.podIP as string;
  });
}
