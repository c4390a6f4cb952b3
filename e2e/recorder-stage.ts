// `podtrail record` as a process of its own on a real control plane, and its pages. Used by the recorder tests.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { PodtrailProcess } from './cli/podtrail-process.ts';

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
