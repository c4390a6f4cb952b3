// Devices of one node, published as a driver of dynamic resource allocation does it: simulated nodes have no driver, and
// none is asked for. The scheduler allocates them, and a taint on one ends the pod that uses it.
import type { Scene } from './scene.ts';

export interface Devices {
  readonly node: string;
  readonly count: number;
  /** For how long their users go on beside the taint. */
  readonly toleratedSeconds?: number;
}

const GROUP = '/apis/resource.k8s.io/v1';
const API_VERSION = 'resource.k8s.io/v1';
const TAINT = { key: 'podtrail.dev/broken', value: 'yes', effect: 'NoExecute' };

/** Resolves with what the spec of a pod needs to use one of them. */
export async function publishDevices(scene: Scene, devices: Devices): Promise<object> {
  const driver = `${scene.name}.podtrail.dev`;
  await scene.post(`${GROUP}/deviceclasses`, {
    ...{ apiVersion: API_VERSION, kind: 'DeviceClass', metadata: { name: scene.name } },
    spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
  });
  const first = names(devices, 1).map((name) => ({ name }));
  await scene.post(`${GROUP}/resourceslices`, {
    ...{ apiVersion: API_VERSION, kind: 'ResourceSlice', metadata: { name: scene.name } },
    spec: { driver, nodeName: devices.node, pool: poolOf(devices, 1), devices: first },
  });
  const request = { name: 'device', exactly: { deviceClassName: scene.name, ...tolerations(devices) } };
  await scene.post(scene.pathOf('resourceclaimtemplates', '', GROUP), {
    ...{ apiVersion: API_VERSION, kind: 'ResourceClaimTemplate', metadata: { name: scene.name } },
    spec: { spec: { devices: { requests: [request] } } },
  });
  return {
    resourceClaims: [{ name: 'device', resourceClaimTemplateName: scene.name }],
    containers: scene.pool.spec.containers.map((one) => ({ ...one, resources: { claims: [{ name: 'device' }] } })),
  };
}

/** All of them; as many others appear, so that a pod that is replaced gets one. */
export async function taintDevices(scene: Scene, devices: Devices): Promise<void> {
  const tainted = names(devices, 1).map((name) => ({ name, taints: [TAINT] }));
  const fresh = names(devices, 2).map((name) => ({ name }));
  await scene.patch(`${GROUP}/resourceslices/${scene.name}`, {
    spec: { pool: poolOf(devices, 2), devices: [...tainted, ...fresh] },
  });
}

function names({ count }: Devices, generation: number): string[] {
  return Array.from({ length: count }, (_, index) => `device-${generation}-${index}`);
}

/** A driver counts its pool up with each change. */
function poolOf({ node }: Devices, generation: number): object {
  return { name: node, generation, resourceSliceCount: 1 };
}

function tolerations({ toleratedSeconds }: Devices): object {
  if (toleratedSeconds === undefined) return {};
  const { key, effect } = TAINT;
  return { tolerations: [{ key, effect, operator: 'Exists', tolerationSeconds: toleratedSeconds }] };
}
