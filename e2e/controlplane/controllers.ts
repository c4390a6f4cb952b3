// kube-controller-manager, kube-scheduler and kwok as parts: programs that are clients of an API server.
import { join } from 'node:path';
import type { Binaries } from './cache-directory.ts';
import { freePort } from './free-port.ts';
import { httpRequest } from './http-request.ts';
import { Part } from './part.ts';
import type { Pki } from './pki.ts';
import type { KwokStage } from './programs.ts';

export interface ControllerSetup {
  readonly binaries: Binaries;
  readonly directory: string;
  readonly pki: Pki;
  readonly kubeconfig: string;
  /** Added after all others. */
  readonly flags: readonly string[];
}

export async function createControllerManager(setup: ControllerSetup): Promise<Part> {
  return createServingPart('kube-controller-manager', setup, [
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${setup.pki.serviceAccountKeyFile}`,
    `--root-ca-file=${setup.pki.clusterCaFile}`,
  ]);
}

export async function createScheduler(setup: ControllerSetup): Promise<Part> {
  return createServingPart('kube-scheduler', setup, []);
}

export interface KwokSetup extends ControllerSetup {
  /** From which pods of nodes without a podCIDR get their IP; freed ones are given again at once. */
  readonly cidr: string;
  readonly stages: readonly KwokStage[];
  /** There are nodes that are not kwok's: those that are carry its annotation. */
  readonly besideOthers: boolean;
}

export async function createKwok(setup: KwokSetup): Promise<Part> {
  const port = await freePort();
  const args = [
    `--kubeconfig=${setup.kubeconfig}`,
    ...setup.stages.map((stage) => `--config=${setup.binaries.stage(stage)}`),
    ...(setup.besideOthers
      ? ['--manage-all-nodes=false', '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake']
      : ['--manage-all-nodes=true']),
    `--cidr=${setup.cidr}`,
    '--node-lease-duration-seconds=40',
    `--server-address=127.0.0.1:${port}`,
    ...setup.flags,
  ];
  return new Part({
    name: 'kwok',
    file: setup.binaries.path('kwok'),
    args: () => args,
    directory: setup.directory,
    logFile: join(setup.directory, 'kwok.log'),
    port,
    check: async () => mustBeOk(await httpRequest(`http://127.0.0.1:${port}/readyz`, { timeoutMs: 2_000 })),
  });
}

async function createServingPart(
  name: 'kube-controller-manager' | 'kube-scheduler',
  setup: ControllerSetup,
  own: readonly string[],
): Promise<Part> {
  const port = await freePort();
  const serving = await setup.pki.serving(name);
  const args = [
    `--kubeconfig=${setup.kubeconfig}`,
    `--authentication-kubeconfig=${setup.kubeconfig}`,
    `--authorization-kubeconfig=${setup.kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${serving.certificateFile}`,
    `--tls-private-key-file=${serving.keyFile}`,
    '--leader-elect=false', // there is only one, and a lease would cost seconds at every start
    ...own,
    ...setup.flags,
  ];
  const { pki } = setup;
  return new Part({
    name,
    file: setup.binaries.path(name),
    args: () => args,
    directory: setup.directory,
    logFile: join(setup.directory, `${name}.log`),
    port,
    check: async () => {
      const request = { ca: pki.clusterTrust, timeoutMs: 2_000 };
      mustBeOk(await httpRequest(`https://127.0.0.1:${port}/healthz`, request));
    },
  });
}

function mustBeOk({ status, body }: { status: number; body: string }): void {
  if (status !== 200) throw new Error(`the health check says ${status}: ${body}`);
}
