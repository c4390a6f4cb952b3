// Taints of devices that pods use. A taint in a ResourceSlice and one of a DeviceTaintRule are the same to the controller
// that evicts; the rule needs a feature gate that is off by default, and nothing that a pod shows tells them apart.
import { publishDevices, taintDevices } from '../devices.ts';
import type { Provocation } from '../provocation.ts';

const SAID = { cause: 'DeviceTaint', by: 'control plane', sentence: /a device that it used was tainted/ } as const;
const EVIDENCE = 'DisruptionTarget `DeletionByDeviceTaintManager`, event `DeviceTaintManagerEviction`';

export const deviceTainted: Provocation = {
  ...{ name: 'NoExecute taint of a device', evidence: EVIDENCE, ...SAID },
  async provoke(scene) {
    const devices = { node: await scene.node(), count: 2 };
    const podSpec = await publishDevices(scene, devices);
    const pods = await scene.deployment({ replicas: 2, node: devices.node, podSpec });
    await taintDevices(scene, devices);
    return await scene.ended(...pods);
  },
};

export const deviceTaintTolerated: Provocation = {
  ...{ name: 'NoExecute taint of a device that is tolerated for two seconds', evidence: EVIDENCE, ...SAID },
  async provoke(scene) {
    const devices = { node: await scene.node(), count: 1, toleratedSeconds: 2 };
    const pod = await scene.pod(await publishDevices(scene, devices), devices.node);
    await taintDevices(scene, devices);
    return await scene.ended(pod);
  },
};
