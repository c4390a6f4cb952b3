// One real node under the hands of a test: kubelet and containerd on a machine of its own, started, stopped, restarted,
// switched off like by a power cut and booted again.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { ControlPlaneError } from '../controlplane/control-plane-error.ts';
import { until } from '../controlplane/until.ts';
import type { NodeBinaries } from './build.ts';
import { makeCgroup, removeCgroup } from './cgroups.ts';
import { Machine, type Service, type StopSignal } from './machine.ts';
import {
  type AddressRange,
  APP_IMAGE,
  CONTAINERD_SOCKET,
  cniConfig,
  cniDirectory,
  containerdConfig,
  type KubeletFields,
  kubeletConfig,
  type NodePlace,
  PRESSED_EVICTION,
  staticDirectory,
} from './node-config.ts';

export interface RealNodeSetup extends NodePlace {
  readonly binaries: NodeBinaries;
  /** Of the kubelet, in which the server's address is the one inside the nodes' network. */
  readonly kubeconfig: string;
  /** Read at every start of the machine. */
  readonly netns: () => string;
  /** Pods' addresses; undefined until the cluster has given the node a range of its own. */
  readonly range: AddressRange | undefined;
  /** host-local's folder. */
  readonly book: string;
  /** Where cnilog writes. */
  readonly cniLog: string;
  /** An OCI archive of the images that every pod may use. */
  readonly images: string;
  /** An older minor version, for example `1.34`. */
  readonly kubelet: string | undefined;
  readonly kubeletConfig: KubeletFields;
}

export interface KubeletStart {
  /** It believes that the machine is out of memory and evicts, one pod after the other. */
  readonly pressed?: boolean;
  /** Fields of its configuration, until it is started again. */
  readonly config?: KubeletFields;
}

export class RealNode {
  readonly name: string;
  readonly ip: string;
  readonly home: string;
  readonly #setup: RealNodeSetup;
  readonly #machine: Machine;
  #run = 0;

  constructor(setup: RealNodeSetup) {
    this.name = setup.name;
    this.ip = setup.ip;
    this.home = setup.home;
    this.#setup = setup;
    this.#machine = new Machine({
      name: `machine of ${setup.name}`,
      program: setup.binaries.program('machine'),
      netns: setup.netns,
      home: setup.home,
      log: this.#log('machine'),
    });
  }

  /** Boots the machine and starts containerd and the kubelet. The node is Ready some time later. */
  async start(): Promise<void> {
    const { home, cgroup, binaries, range } = this.#setup;
    for (const folder of ['log', 'containerd', 'cni', 'static', 'volume-plugins']) {
      await mkdir(join(home, folder), { recursive: true });
    }
    const programs = { runc: binaries.program('runc'), cni: binaries.cni };
    await writeFile(join(home, 'containerd.toml'), containerdConfig(home, programs));
    await writeFile(join(home, 'resolv.conf'), 'search cluster.local\n');
    if (range !== undefined) await this.setRange(range);
    // As after a real boot: none of the old ones is left.
    await removeCgroup(cgroup);
    makeCgroup(cgroup);
    await this.#machine.start();
    await this.#startLogind();
    await this.startContainerd();
    await this.startKubelet();
  }

  /** A kubelet whose configuration has a `shutdownGracePeriod` asks it whether the machine is to be shut down. */
  async #startLogind(): Promise<void> {
    const { home, binaries } = this.#setup;
    await this.#machine.startService({
      ...this.#service('logind', binaries.program('logind')),
      args: ['-bus', join(home, 'bus.sock'), '-control', this.#control],
      restart: true,
    });
  }

  get #control(): string {
    return join(this.home, 'logind.sock');
  }

  /**
   * As `systemctl poweroff` announces it, once a kubelet is there that delays the shutdown: one that has just started is
   * Ready before. The machine stays on: `crash` is what comes after.
   */
  async announceShutdown(): Promise<void> {
    await until(`a kubelet with a shutdownGracePeriod delays the shutdown of ${this.name}`, async () => {
      const inhibitors = await order(this.#control, 'shutdown');
      if (inhibitors === 'sent 1') return true;
      throw new ControlPlaneError(`logind says: ${inhibitors}`);
    });
  }

  /** Pods get addresses of this range from now on. */
  async setRange(range: AddressRange): Promise<void> {
    const { name, home, book, cniLog } = this.#setup;
    await writeFile(join(cniDirectory(home), '10-pods.conflist'), cniConfig(name, range, book, cniLog));
  }

  async startContainerd(): Promise<void> {
    const { home, binaries, images } = this.#setup;
    await this.#machine.startService({
      ...this.#service('containerd', binaries.program('containerd')),
      args: ['-c', join(home, 'containerd.toml'), '-l', 'warn'],
      restart: true,
    });
    await until(`containerd of ${this.name} answers`, async () => (await this.ctr('version')) !== '');
    if (!(await this.ctr('images', 'ls', '-q')).includes(APP_IMAGE))
      await this.ctr('images', 'import', '--local', images);
  }

  async stopContainerd(signal: StopSignal = 'SIGTERM'): Promise<void> {
    await this.#machine.stopService('containerd', signal);
  }

  async startKubelet({ pressed = false, config: own = {} }: KubeletStart = {}): Promise<void> {
    const { home, binaries, kubeconfig, kubelet } = this.#setup;
    const config = join(home, 'kubelet.json');
    const fields = {
      ...this.#setup.kubeletConfig,
      ...(pressed ? { evictionHard: PRESSED_EVICTION } : {}),
      ...own,
    };
    await writeFile(config, kubeletConfig(this.#setup, fields));
    const service = this.#service('kubelet', binaries.kubelet(kubelet));
    await this.#machine.startService({
      ...service,
      env: { ...service.env, DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${join(home, 'bus.sock')}` },
      args: [
        `--config=${config}`,
        `--kubeconfig=${kubeconfig}`,
        `--hostname-override=${this.name}`,
        `--node-ip=${this.ip}`,
        '--v=2',
      ],
      // It gives up when containerd is not ready yet; systemd would start it again.
      restart: true,
    });
  }

  async stopKubelet(signal: StopSignal = 'SIGTERM'): Promise<void> {
    await this.#machine.stopService('kubelet', signal);
  }

  /** A power cut: every process and every mount of the node is gone at once. Its disk stays. */
  async crash(): Promise<void> {
    await this.#machine.kill();
  }

  get isOn(): boolean {
    return this.#machine.isRunning;
  }

  /** containerd's own command, in the namespace of Kubernetes. Returns its output. */
  async ctr(...args: string[]): Promise<string> {
    const log = join(this.home, 'log', `ctr-${++this.#run}.log`);
    const all = ['-a', CONTAINERD_SOCKET, '-n', 'k8s.io', ...args];
    const service = { ...this.#service(`ctr-${this.#run}`, this.#setup.binaries.program('ctr')), args: all, log };
    const code = await this.#machine.runToEnd(service);
    const output = await readFile(log, 'utf8');
    await rm(log, { force: true });
    if (code !== 0) throw new ControlPlaneError(`ctr ${args.join(' ')} on ${this.name} ended with ${code}: ${output}`);
    return output;
  }

  /** Kills the process that holds a sandbox together, as the kernel does when memory is short. */
  async killSandbox(sandbox: string): Promise<void> {
    await this.ctr('tasks', 'kill', '-s', 'SIGKILL', sandbox);
  }

  /** A pod that the kubelet runs without the API server's order. The same name again changes it. */
  async writeStaticPod(name: string, manifest: object): Promise<void> {
    // Written elsewhere and moved: a kubelet reads whatever is there, also half a file.
    const written = join(this.home, `${name}.new`);
    await writeFile(written, JSON.stringify(manifest));
    await rename(written, join(staticDirectory(this.home), `${name}.json`));
  }

  async removeStaticPod(name: string): Promise<void> {
    await rm(join(staticDirectory(this.home), `${name}.json`), { force: true });
  }

  /** For good: also its cgroups are gone. */
  async stop(): Promise<void> {
    await this.#machine.kill();
    await removeCgroup(this.#setup.cgroup);
  }

  #service(name: string, file: string): Omit<Service, 'args'> {
    const path = [...this.#setup.binaries.path, process.env['PATH'] ?? ''].join(':');
    return { name, file, env: { PATH: path, HOME: this.home }, log: this.#log(name) };
  }

  #log(name: string): string {
    return join(this.#setup.home, 'log', `${name}.log`);
  }
}

/** One line to a socket, and the line that answers it. */
function order(socket: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const connection = createConnection(socket, () => connection.write(`${line}\n`));
    connection.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
      if (!answer.endsWith('\n')) return;
      connection.destroy();
      resolve(answer.trim());
    });
    connection.on('error', reject);
  });
}
