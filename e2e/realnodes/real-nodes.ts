// All real nodes of one control plane, and the network they share: a network namespace in which the kubelets reach the
// API server through a forwarder and the API server reaches kubelets and pods through a socket. Outside of that
// namespace, of the nodes' mount namespaces and of cgroups below one name nothing of the machine is changed.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ControlPlaneError } from '../controlplane/control-plane-error.ts';
import { freePort } from '../controlplane/free-port.ts';
import type { HttpAnswer, HttpRequest } from '../controlplane/http-request.ts';
import { Part } from '../controlplane/part.ts';
import { disownCgroup, ownCgroup } from '../controlplane/supervisor.ts';
import { until } from '../controlplane/until.ts';
import { ensureNodeBinaries, type NodeBinaries } from './build.ts';
import { cgroupName, removeAbandonedCgroups, removeCgroup } from './cgroups.ts';
import {
  type AddressRange,
  APP_IMAGE,
  type KubeletFields,
  PAUSE_IMAGE,
  POD_NETWORK,
  PULLED_IMAGE,
} from './node-config.ts';
import { ociLayout, writeLayout } from './oci-layout.ts';
import { RealNode } from './real-node.ts';
import { missingForRealNodes } from './requirements.ts';
import { tar } from './tar.ts';

export interface RealNodesOptions {
  /** One entry for each node. */
  readonly nodes: readonly { readonly name: string; readonly kubelet?: string | undefined }[];
  /** Pods' addresses, of all nodes together; or `podCIDR`: each node has the range that its Node object names. */
  readonly range?: AddressRange | 'podCIDR';
  /** Fields of every kubelet's configuration that replace ours. */
  readonly kubeletConfig?: KubeletFields;
}

export interface RealNodesSetup extends RealNodesOptions {
  readonly directory: string;
  readonly apiserverPort: number;
  /** Writes the kubeconfig of a user and returns its path. */
  readonly kubeconfig: (user: { user: string; groups: string[] }) => Promise<string>;
  readonly request: (path: string, request?: HttpRequest) => Promise<HttpAnswer>;
}

/** Of addresses that are used by nobody's cluster by default, and that simulated nodes do not use. */
const NODE_NETWORK = '10.99.0.';
const DEFAULT_RANGE: AddressRange = { subnet: '10.99.1.0/24', first: '10.99.1.10', last: '10.99.1.250' };

export class RealNodes {
  readonly directory: string;
  readonly nodes: readonly RealNode[];
  readonly #setup: RealNodesSetup;
  readonly #binaries: NodeBinaries;
  readonly #cgroup: string;
  readonly #network: Part;
  readonly #registryPort: number;
  #observer: Part | undefined;

  static async create(setup: RealNodesSetup): Promise<RealNodes> {
    const missing = missingForRealNodes();
    if (missing !== undefined) throw new ControlPlaneError(missing);
    removeAbandonedCgroups();
    const binaries = await ensureNodeBinaries(setup.nodes.map(({ kubelet }) => kubelet));
    const directory = join(setup.directory, 'nodes');
    for (const folder of ['images', 'book', 'truth']) await mkdir(join(directory, folder), { recursive: true });
    await writeImages(directory, await readFile(binaries.program('app')));
    const kubeconfigs = await Promise.all(
      setup.nodes.map(({ name }) => setup.kubeconfig({ user: `system:node:${name}`, groups: ['system:nodes'] })),
    );
    return new RealNodes(setup, binaries, directory, kubeconfigs, await freePort());
  }

  private constructor(
    setup: RealNodesSetup,
    binaries: NodeBinaries,
    directory: string,
    kubeconfigs: readonly string[],
    registryPort: number,
  ) {
    this.#setup = setup;
    this.#binaries = binaries;
    this.directory = directory;
    this.#cgroup = cgroupName();
    this.#registryPort = registryPort;
    const { range = DEFAULT_RANGE } = setup;
    this.nodes = setup.nodes.map(
      ({ name, kubelet }, index) =>
        new RealNode({
          name,
          ip: NODE_NETWORK + (index + 1),
          home: join(directory, name),
          cgroup: `${this.#cgroup}/${name}`,
          binaries,
          kubeconfig: kubeconfigs[index] as string,
          netns: () => this.netns,
          range: range === 'podCIDR' ? undefined : range,
          book: join(directory, 'book'),
          cniLog: this.cniLog,
          images: imagesArchive(directory),
          kubelet,
          kubeletConfig: setup.kubeletConfig ?? {},
        }),
    );
    this.#network = this.#createNetwork(this.nodes.map(({ ip }) => ip));
  }

  /** The path of the network namespace, for example for `nsenter --net=PATH`. */
  get netns(): string {
    return (JSON.parse(readFileSync(this.#stateFile, 'utf8')) as { netns: string }).netns;
  }

  /** ADD and DEL of every sandbox, one JSON line each. */
  get cniLog(): string {
    return join(this.directory, 'truth', 'cni.jsonl');
  }

  /** An image that is there after `seconds`, each time it is asked for. */
  slowImage(seconds: number): string {
    return `127.0.0.1:${this.#registryPort}/pulled:after-${seconds}s-${Math.random().toString(36).slice(2, 10)}`;
  }

  /** An image that never is there. */
  get absentImage(): string {
    return `127.0.0.1:${this.#registryPort}/pulled:absent-1`;
  }

  node(name: string): RealNode {
    const found = this.nodes.find((node) => node.name === name);
    if (found === undefined) throw new ControlPlaneError(`There is no real node ${name}.`);
    return found;
  }

  /** Resolves when every node is Ready and may be given pods. */
  async start(): Promise<void> {
    ownCgroup(this.#cgroup);
    await this.#network.start();
    await Promise.all(this.nodes.map((node) => this.#startNode(node)));
    await Promise.all(this.nodes.map(({ name }) => this.ready(name)));
  }

  async #startNode(node: RealNode): Promise<void> {
    await mkdir(join(node.home, 'log'), { recursive: true });
    await node.start();
    if (this.#setup.range !== 'podCIDR') return;
    const subnet = await until(`the cluster gave ${node.name} a range`, async () => {
      return ((await this.#node(node.name)) as { spec?: { podCIDR?: string } }).spec?.podCIDR;
    });
    await node.setRange({ subnet });
  }

  async ready(name: string, withinMs = 120_000): Promise<void> {
    const usable = async (): Promise<boolean> => {
      const { status, spec } = (await this.#node(name)) as NodeObject;
      const ready = status?.conditions?.some((it) => it.type === 'Ready' && it.status === 'True') ?? false;
      return ready && (spec?.taints ?? []).length === 0;
    };
    await until(`the real node ${name} is Ready`, usable, { withinMs });
  }

  async #node(name: string): Promise<unknown> {
    return (await this.#setup.request(`/api/v1/nodes/${name}`)).json();
  }

  /** From now on the physical truth is written down in `directory`/truth. Resolves when nothing can be missed. */
  async observe(): Promise<string> {
    const out = join(this.directory, 'truth');
    const ready = join(out, 'observing');
    await rm(ready, { force: true });
    this.#observer = new Part({
      name: 'observers of real nodes',
      file: this.#binaries.program('observe'),
      args: () => ['-netns', this.netns, '-ipam', join(this.directory, 'book', POD_NETWORK), '-out', out],
      directory: this.directory,
      logFile: join(this.directory, 'observe.log'),
      port: 0,
      check: async () => {
        if (!existsSync(ready)) throw new Error('not yet');
      },
      readyWithinMs: 30_000,
    });
    await this.#observer.start();
    return out;
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
    await this.#observer?.kill();
    await this.#network.kill();
    await removeCgroup(this.#cgroup);
    disownCgroup(this.#cgroup);
  }

  get #stateFile(): string {
    return join(this.directory, 'network.json');
  }

  #createNetwork(addresses: readonly string[]): Part {
    const { directory } = this;
    return new Part({
      name: 'network of real nodes',
      file: this.#binaries.program('network'),
      args: () => [
        ...['-state', this.#stateFile, '-addresses', addresses.join(',')],
        ...['-forward', String(this.#setup.apiserverPort), '-egress', egressSocket(this.#setup.directory)],
        ...['-images', join(directory, 'images'), '-registry', String(this.#registryPort)],
      ],
      directory,
      logFile: join(directory, 'network.log'),
      port: 0,
      check: async () => {
        if (!existsSync(this.#stateFile)) throw new Error('not yet');
      },
      readyWithinMs: 30_000,
    });
  }
}

interface NodeObject {
  readonly spec?: { readonly taints?: unknown[] };
  readonly status?: { readonly conditions?: { readonly type: string; readonly status: string }[] };
}

/** For the API server of a control plane with real nodes: how it knows kubelets, and how it reaches them. */
export async function realNodeApiserverFlags(directory: string): Promise<string[]> {
  const file = join(directory, 'egress.json');
  const connection = { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: egressSocket(directory) } } };
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [{ name: 'cluster', connection }],
    }),
  );
  return [
    `--egress-selector-config-file=${file}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
  ];
}

function egressSocket(directory: string): string {
  return join(directory, 'egress.sock');
}

function imagesArchive(directory: string): string {
  return join(directory, 'images.tar');
}

async function writeImages(directory: string, app: Buffer): Promise<void> {
  const imported = [
    { name: PAUSE_IMAGE, args: ['pause'] },
    { name: APP_IMAGE, args: ['serve'] },
  ];
  await writeFile(imagesArchive(directory), tar(ociLayout(app, imported)));
  await writeLayout(join(directory, 'images'), ociLayout(app, [{ name: PULLED_IMAGE, args: ['serve'] }]));
}
