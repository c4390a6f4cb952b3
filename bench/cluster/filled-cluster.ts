// A control plane with N pods in it: started here, or one that runs already. Pods that are missing are created.
import { kubernetesVersion, startControlPlane } from '@podtrail/e2e/controlplane';
import { type GoPrograms, runLoader } from './go-programs.ts';

export interface FilledCluster {
  readonly kubeconfig: string;
  readonly pods: number;
  readonly report: Readonly<Record<string, unknown>>;
  /** The same cluster with more pods. */
  grow(pods: number): Promise<FilledCluster>;
  close(): Promise<void>;
}

export interface FilledClusterOptions {
  readonly pods: number;
  readonly controlPlane: string | undefined;
  readonly programs: GoPrograms;
  readonly log: (text: string) => void;
}

interface Filled {
  readonly created: number;
  readonly seconds: number;
  readonly jsonBytes: number;
  readonly protobufBytes: number;
}

export async function openFilledCluster(options: FilledClusterOptions): Promise<FilledCluster> {
  const { pods, log } = options;
  if (options.controlPlane === undefined) log('Starting a control plane …');
  // No controllers: nothing may change while it is measured, and the owners of the pods exist in name only.
  const plane = options.controlPlane === undefined ? await startControlPlane({ audit: false }) : undefined;
  const close = async () => await plane?.stop();
  const kubeconfig = options.controlPlane ?? plane!.adminKubeconfig;
  const kubernetes = plane === undefined ? 'as it ran' : kubernetesVersion;
  const fill = async (wanted: number): Promise<FilledCluster> => {
    log(`Filling it with ${wanted} pods …`);
    const args = ['--kubeconfig', kubeconfig, '--pods', String(wanted)];
    const filled = await runLoader<Filled>(options.programs, 'fill', args);
    const { created, jsonBytes, protobufBytes } = filled;
    log(
      `${created} pods created in ${filled.seconds.toFixed(0)} s; one is ${jsonBytes} bytes of JSON, ${protobufBytes} of protobuf.`,
    );
    const report = { pods: wanted, jsonBytes, protobufBytes, kubernetes };
    return { kubeconfig, pods: wanted, report, grow: fill, close };
  };
  try {
    return await fill(pods);
  } catch (error) {
    await close();
    throw error;
  }
}
