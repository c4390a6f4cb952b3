// A real Kubernetes control plane for one test file: etcd, one or more kube-apiservers on it and, on request,
// kube-controller-manager, kube-scheduler and kwok nodes; on free loopback ports, in a folder that goes with it.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealNodes, type RealNodesOptions, realNodeApiserverFlags } from '../realnodes/real-nodes.ts';
import { Apiserver } from './apiserver.ts';
import { AUDIT_POLICY, type AuditEvent } from './audit-log.ts';
import { ensureBinaries } from './build.ts';
import type { Binaries } from './cache-directory.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import { createControllerManager, createKwok, createScheduler } from './controllers.ts';
import { Credentials, type KubeconfigOptions, type TokenUser } from './credentials.ts';
import { Etcd } from './etcd.ts';
import type { HttpAnswer, HttpLines, HttpRequest } from './http-request.ts';
import { type KubectlOptions, runKubectl } from './kubectl.ts';
import { type MetricSample, sumMetric } from './metrics.ts';
import type { Part } from './part.ts';
import { Pki } from './pki.ts';
import type { KwokStage } from './programs.ts';
import { createSimulatedNodes } from './simulated-nodes.ts';
import { disownDirectory, ownDirectory } from './supervisor.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

export interface ApiserverOptions {
  /** Added after the harness's own flags, for example `--goaway-chance=0.02`. */
  readonly flags?: readonly string[];
  /** A TcpProxy between this API server and etcd: see `apiserver.etcdProxy`. */
  readonly behindEtcdProxy?: boolean;
}

export interface ControllerOptions {
  readonly flags?: readonly string[];
}

export interface KwokOptions extends ControllerOptions {
  /** Nodes created at the start. */
  readonly nodes?: number;
  readonly cidr?: string;
  /** Who it is for the API server: `kwok` unless given. */
  readonly user?: string;
  readonly stages?: readonly KwokStage[];
}

export interface ControlPlaneOptions {
  /** How many, or one entry for each. One unless given. */
  readonly apiservers?: number | readonly ApiserverOptions[];
  /** For all API servers. */
  readonly apiserverFlags?: readonly string[];
  readonly etcdFlags?: readonly string[];
  readonly controllerManager?: boolean | ControllerOptions;
  readonly scheduler?: boolean | ControllerOptions;
  readonly kwok?: boolean | KwokOptions;
  /** Real nodes: kubelet and containerd (see e2e/realnodes). They need root, Linux, controllerManager and scheduler. */
  readonly realNodes?: RealNodesOptions;
  /** Users that may come with a static token; any other user comes with a certificate. */
  readonly users?: readonly TokenUser[];
  /** An audit policy of one's own (YAML), or false for no audit log, where throughput is measured. */
  readonly audit?: string | false;
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await ensureBinaries();
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-e2e-'));
  if (!keepsDirectories()) ownDirectory(directory);
  const plane = new ControlPlane(binaries, directory);
  try {
    await plane.start(options);
  } catch (error) {
    await plane.stop();
    throw error;
  }
  return plane;
}

export class ControlPlane {
  readonly directory: string;
  readonly binaries: Binaries;
  readonly #apiservers: Apiserver[] = [];
  readonly #proxies: TcpProxy[] = [];
  #etcd: Etcd | undefined;
  #controllerManager: Part | undefined;
  #scheduler: Part | undefined;
  #kwok: Part | undefined;
  #realNodes: RealNodes | undefined;
  #credentials: Credentials | undefined;
  #adminKubeconfig = '';
  #nodes = 0;
  #snapshots = 0;

  constructor(binaries: Binaries, directory: string) {
    this.binaries = binaries;
    this.directory = directory;
  }

  get etcd(): Etcd {
    return asked(this.#etcd, 'etcd');
  }

  /** The first one. */
  get apiserver(): Apiserver {
    return asked(this.#apiservers[0], 'apiservers');
  }

  get apiservers(): readonly Apiserver[] {
    return this.#apiservers;
  }

  get controllerManager(): Part {
    return asked(this.#controllerManager, 'controllerManager');
  }

  get scheduler(): Part {
    return asked(this.#scheduler, 'scheduler');
  }

  get kwok(): Part {
    return asked(this.#kwok, 'kwok');
  }

  get realNodes(): RealNodes {
    return asked(this.#realNodes, 'realNodes');
  }

  get pki(): Pki {
    return asked(this.#credentials, 'pki').pki;
  }

  /** A kubeconfig of system:masters at the first API server. */
  get adminKubeconfig(): string {
    return this.#adminKubeconfig;
  }

  get kubectlPath(): string {
    return this.binaries.path('kubectl');
  }

  /** Writes a kubeconfig for a user or a ServiceAccount (which must exist) and returns its path. */
  kubeconfig(options: KubeconfigOptions = {}): Promise<string> {
    return asked(this.#credentials, 'kubeconfig').kubeconfig(this.apiserver, options);
  }

  /** kubectl as the administrator, unless given. Returns standard output. */
  kubectl(args: readonly string[], options: Partial<KubectlOptions> = {}): Promise<string> {
    return runKubectl(this.kubectlPath, args, { kubeconfig: this.adminKubeconfig, ...options });
  }

  /** A plain HTTP request to the first API server, as the administrator unless given. */
  request(path: string, request: HttpRequest = {}): Promise<HttpAnswer> {
    return this.apiserver.request(path, request);
  }

  /** An answer of the first API server read line by line, for example a watch. */
  lines(path: string, request: HttpRequest = {}): Promise<HttpLines> {
    return this.apiserver.lines(path, request);
  }

  /** A proxy in front of a part; `proxy.url` goes into `kubeconfig({ server })`. Closed with the control plane. */
  async proxyTo(part: Part): Promise<TcpProxy> {
    const scheme = part === this.#etcd || part === this.#kwok ? 'http' : 'https';
    const proxy = await TcpProxy.create({ port: part.port, scheme });
    this.#proxies.push(proxy);
    return proxy;
  }

  /** The events of all API servers, by the time at which they were received. */
  async auditLog(): Promise<AuditEvent[]> {
    const logs = await Promise.all(this.#apiservers.map((apiserver) => apiserver.auditLog()));
    const received = (event: AuditEvent) => Date.parse(event.requestReceivedTimestamp);
    return logs.flat().sort((a, b) => received(a) - received(b));
  }

  /** Metrics of the first API server. */
  metrics(): Promise<MetricSample[]> {
    return this.apiserver.metrics();
  }

  /** Request bodies that all running API servers have received since they started; by labels such as `resource`. */
  async requestBodyBytes(labels: Record<string, string> = {}): Promise<{ requests: number; bytes: number }> {
    let [requests, bytes] = [0, 0];
    for (const apiserver of this.#apiservers.filter((part) => part.isRunning)) {
      const samples = await apiserver.metrics();
      requests += sumMetric(samples, 'apiserver_request_body_size_bytes_count', labels);
      bytes += sumMetric(samples, 'apiserver_request_body_size_bytes_sum', labels);
    }
    return { requests, bytes };
  }

  /** Forgets etcd's history up to now. The API servers' watch caches still serve it until they are restarted. */
  compact(): Promise<number> {
    return this.etcd.compact();
  }

  /** A snapshot of all data, as a file for `restore`. */
  async snapshot(): Promise<string> {
    const file = join(this.directory, `snapshot-${++this.#snapshots}.db`);
    await this.etcd.snapshot(file);
    return file;
  }

  /**
   * Goes back to a snapshot, as an administrator does after a disaster: everything is stopped, etcd's data replaced,
   * everything that ran is started again. Resource versions go backwards.
   */
  async restore(snapshot: string): Promise<void> {
    const clients = [this.#kwok, this.#scheduler, this.#controllerManager].filter((part) => part?.isRunning);
    const apiservers = this.#apiservers.filter((part) => part.isRunning);
    await Promise.all(clients.map((part) => part?.stop()));
    await Promise.all(apiservers.map((part) => part.stop()));
    await this.etcd.stop();
    await this.etcd.restore(snapshot);
    await this.etcd.start();
    await Promise.all(apiservers.map((part) => part.start()));
    await Promise.all(clients.map((part) => part?.start()));
  }

  /** More kwok nodes; resolves with their names once they are Ready and, with a controller manager, untainted. */
  async addNodes(count: number): Promise<string[]> {
    const untainted = this.#controllerManager !== undefined;
    const names = await createSimulatedNodes(this.apiserver, { count, first: this.#nodes, untainted });
    this.#nodes += count;
    return names;
  }

  /** Ends everything at once and removes the folder, unless PODTRAIL_E2E_KEEP is set. May be called again. */
  async stop(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    await this.#realNodes?.stop();
    const parts = [this.#kwok, this.#scheduler, this.#controllerManager, ...this.#apiservers, this.#etcd];
    await Promise.all(parts.map((part) => part?.kill()));
    if (keepsDirectories()) {
      process.stderr.write(`Kept the control plane's folder: ${this.directory}\n`);
      return;
    }
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
    disownDirectory(this.directory);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Called once, by startControlPlane. */
  async start(options: ControlPlaneOptions): Promise<void> {
    const { binaries, directory } = this;
    await mkdir(join(directory, 'kubeconfigs'));
    const pki = await Pki.create(join(directory, 'pki'));
    const credentials = await Credentials.create(pki, directory, options.users ?? []);
    this.#credentials = credentials;
    this.#etcd = await Etcd.create({ binaries, directory, flags: options.etcdFlags ?? [] });
    await this.#createApiservers(options, pki, credentials);
    await this.#etcd.start();
    await Promise.all(this.#apiservers.map((apiserver) => apiserver.start()));
    await this.#exists('/api/v1/namespaces/default');
    this.#adminKubeconfig = await this.kubeconfig();
    await this.#startControllers(options, pki);
    if (options.realNodes) await this.#startRealNodes(options.realNodes);
  }

  async #startRealNodes(options: RealNodesOptions): Promise<void> {
    this.#realNodes = await RealNodes.create({
      ...options,
      directory: this.directory,
      apiserverPort: this.apiserver.port,
      kubeconfig: (user) => this.kubeconfig(user),
      request: (path, request) => this.request(path, request),
    });
    await this.#realNodes.start();
  }

  async #createApiservers(options: ControlPlaneOptions, pki: Pki, credentials: Credentials): Promise<void> {
    const { apiservers = 1 } = options;
    const forNodes = options.realNodes ? await realNodeApiserverFlags(this.directory) : [];
    const wanted = typeof apiservers === 'number' ? Array.from({ length: apiservers }, () => ({})) : apiservers;
    for (const [index, own] of (wanted as readonly ApiserverOptions[]).entries()) {
      const etcdProxy = own.behindEtcdProxy ? await this.proxyTo(this.etcd) : undefined;
      this.#apiservers.push(
        await Apiserver.create({
          name: `kube-apiserver-${index}`,
          binaries: this.binaries,
          directory: this.directory,
          pki,
          admin: credentials.admin,
          etcdUrl: etcdProxy?.url ?? this.etcd.url,
          etcdProxy,
          tokenFile: credentials.tokenFile,
          auditPolicy: options.audit ?? AUDIT_POLICY,
          admitWithoutServiceAccount: !options.controllerManager,
          authorizesNodes: options.realNodes !== undefined,
          flags: [...forNodes, ...(options.apiserverFlags ?? []), ...(own.flags ?? [])],
        }),
      );
    }
  }

  async #startControllers(options: ControlPlaneOptions, pki: Pki): Promise<void> {
    const { binaries, directory } = this;
    const setup = async (user: string, own: boolean | ControllerOptions, groups: string[] = []) => {
      const kubeconfig = await this.kubeconfig({ user, groups });
      return { binaries, directory, pki, kubeconfig, flags: (own !== true && own && own.flags) || [] };
    };
    const starting: Promise<void>[] = [];
    if (options.controllerManager) {
      const common = await setup('system:kube-controller-manager', options.controllerManager);
      this.#controllerManager = await createControllerManager(common);
      starting.push(this.#controllerManager.start().then(() => this.#exists(`${DEFAULT_SERVICE_ACCOUNT}`)));
    }
    if (options.scheduler) {
      this.#scheduler = await createScheduler(await setup('system:kube-scheduler', options.scheduler));
      starting.push(this.#scheduler.start());
    }
    if (options.kwok) {
      const kwok: KwokOptions = options.kwok === true ? {} : options.kwok;
      this.#kwok = await createKwok({
        ...(await setup(kwok.user ?? 'kwok', kwok, ['system:masters'])),
        besideOthers: options.realNodes !== undefined,
        cidr: kwok.cidr ?? '10.244.0.0/16',
        stages: kwok.stages ?? ['node/fast', 'node/heartbeat-with-lease', 'pod/fast'],
      });
      starting.push(this.#kwok.start());
    }
    await Promise.all(starting);
    const nodes = typeof options.kwok === 'object' ? (options.kwok.nodes ?? 0) : 0;
    if (nodes > 0) await this.addNodes(nodes);
  }

  async #exists(path: string): Promise<void> {
    await until(`${path} exists`, async () => (await this.request(path)).status === 200);
  }
}

const DEFAULT_SERVICE_ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default';

function keepsDirectories(): boolean {
  return (process.env['PODTRAIL_E2E_KEEP'] ?? '') !== '';
}

function asked<T>(part: T | undefined, option: string): T {
  if (part === undefined) throw new ControlPlaneError(`This control plane was started without ${option}.`);
  return part;
}
