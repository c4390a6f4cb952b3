// The configuration files of one real node: containerd's, CNI's and the kubelet's. Pure text.
import { join } from 'node:path';

export interface NodePlace {
  readonly name: string;
  readonly ip: string;
  /** What stays when the node is switched off. */
  readonly home: string;
  /** Below the root of every hierarchy. */
  readonly cgroup: string;
}

/** Addresses that a node gives to its pods. Several nodes may share a range, and then the book (`dataDir`) as well. */
export interface AddressRange {
  readonly subnet: string;
  readonly first?: string;
  readonly last?: string;
}

export const PAUSE_IMAGE = 'localhost/pause:1';
export const APP_IMAGE = 'localhost/app:1';
/** The same program for the nodes' registry: a kubelet treats what it pulled otherwise than what was imported. */
export const PULLED_IMAGE = 'localhost/pulled:1';
/** Where containerd listens, inside the node. */
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
/** The one network of the CNI configuration: host-local names its folder after it. */
export const POD_NETWORK = 'pods';

export function containerdConfig(home: string, programs: { runc: string; cni: readonly string[] }): string {
  const runtime = "plugins.'io.containerd.cri.v1.runtime'";
  return `version = 3
root = "${join(home, 'containerd')}"
state = "/run/containerd"
disabled_plugins = [
  "io.containerd.snapshotter.v1.erofs", "io.containerd.snapshotter.v1.blockfile", "io.containerd.nri.v1.nri",
  "io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp",
]
[grpc]
  address = "${CONTAINERD_SOCKET}"
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "${PAUSE_IMAGE}"
[${runtime}]
  netns_mounts_under_state_dir = true
  restrict_oom_score_adj = true
  [${runtime}.containerd]
    default_runtime_name = "runc"
    [${runtime}.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [${runtime}.containerd.runtimes.runc.options]
        BinaryName = "${programs.runc}"
        SystemdCgroup = false
  [${runtime}.cni]
    bin_dirs = [${programs.cni.map((folder) => JSON.stringify(folder)).join(', ')}]
    conf_dir = "${cniDirectory(home)}"
[plugins.'io.containerd.grpc.v1.cri']
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
`;
}

export function cniDirectory(home: string): string {
  return join(home, 'cni');
}

export function cniConfig(node: string, range: AddressRange, book: string, log: string): string {
  const { subnet, first, last } = range;
  const bounds = {
    ...(first === undefined ? {} : { rangeStart: first }),
    ...(last === undefined ? {} : { rangeEnd: last }),
  };
  const ipam = {
    type: 'host-local',
    dataDir: book,
    ranges: [[{ subnet, ...bounds }]],
    routes: [{ dst: '0.0.0.0/0' }],
  };
  const plugins = [
    // One bridge for each range, since the gateway's address is the bridge's.
    { type: 'bridge', bridge: bridgeOf(subnet), isGateway: true, ipMasq: false, hairpinMode: true, ipam },
    { type: 'cnilog', log, node },
  ];
  return JSON.stringify({ cniVersion: '1.0.0', name: POD_NETWORK, plugins }, null, 2);
}

function bridgeOf(subnet: string): string {
  return `p${(subnet.split('/')[0] as string).replaceAll('.', '-')}`;
}

/** Of a KubeletConfiguration. */
export type KubeletFields = Readonly<Record<string, unknown>>;

/** As YAML, which JSON is. `extra` replaces fields, for a kubelet that is to evict. */
export function kubeletConfig({ ip, home, cgroup }: NodePlace, extra: KubeletFields = {}): string {
  return JSON.stringify(
    {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      address: ip,
      port: 10250,
      readOnlyPort: 0,
      healthzBindAddress: ip,
      healthzPort: 10248,
      // Only what is in the nodes' network namespace reaches it.
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
      failCgroupV1: false,
      failSwapOn: false,
      cgroupDriver: 'cgroupfs',
      cgroupRoot: `/${cgroup}`,
      cgroupsPerQOS: true,
      enforceNodeAllocatable: [],
      makeIPTablesUtilChains: false,
      localStorageCapacityIsolation: true,
      evictionHard: CALM_EVICTION,
      imageGCHighThresholdPercent: 100,
      imageGCLowThresholdPercent: 99,
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
      resolvConf: join(home, 'resolv.conf'),
      staticPodPath: staticDirectory(home),
      volumePluginDir: join(home, 'volume-plugins'),
      maxPods: 110,
      ...extra,
    },
    null,
    2,
  );
}

/** Nothing is evicted because of what else runs on the machine. */
const CALM_EVICTION = {
  'memory.available': '1Mi',
  'nodefs.available': '0%',
  'imagefs.available': '0%',
  'nodefs.inodesFree': '0%',
  'imagefs.inodesFree': '0%',
};

/** More than any machine has free: as long as a kubelet runs with this it is under memory pressure, and evicts. */
export const PRESSED_EVICTION = { ...CALM_EVICTION, 'memory.available': '99.9%' };

export function staticDirectory(home: string): string {
  return join(home, 'static');
}
