// A sandbox server whose switchboard misbehaves, with our own client, informer and recorder in front of it over HTTPS:
// the stage on which the scripted faults play. Server and client share one clock, which runs only while a test waits,
// as fast as the event loop turns: a pause of half a minute costs nothing, and nothing times out because a machine is busy.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import {
  type ApiServer,
  FaultSwitchboard,
  type SandboxServer,
  type SandboxServerOptions,
  type SeamRequest,
  startSandboxServer,
  type Timers,
} from '@podtrail/sandbox';

export interface SeenRequest extends SeamRequest {
  /** By the stage's clock. */
  readonly at: number;
}

export interface PodOptions {
  readonly ip?: string;
  readonly node?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export type StageOptions = Pick<SandboxServerOptions, 'bookmarkMillis' | 'server'>;

/** Of the machine's time; nothing here takes a tenth of it. */
const PATIENCE_MS = 60_000;
const STEP_MS = 5;
const NO_RETRY = { connectionRetries: 0, refusalRetries: 0, firstDelayMs: 1, longestDelayMs: 1 };

export class FaultStage {
  readonly clock: ManualClock;
  readonly switchboard: FaultSwitchboard;
  readonly server: SandboxServer;
  readonly tokenFile: string;
  readonly requests: SeenRequest[] = [];
  /** Called for each request before anything else happens to it. */
  onRequest: (request: SeenRequest) => void = () => {};
  readonly #kubeconfig: string;
  readonly #t: TestContext;

  static async start(t: TestContext, options: StageOptions = {}): Promise<FaultStage> {
    const directory = await mkdtemp(join(tmpdir(), 'podtrail-fault-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const clock = new ManualClock();
    const timers = timersOf(clock);
    const switchboard = new FaultSwitchboard({ timers });
    const server = await startSandboxServer({
      ...{ ...options, server: { clock, seed: 7, ...options.server } },
      ...{ access: { tokens: { first: 'recorder' } }, timers },
    });
    t.after(() => server.close());
    const tokenFile = join(directory, 'token');
    await writeFile(tokenFile, 'first');
    const config = JSON.parse(server.kubeconfig('recorder'));
    config.users[0].user = { tokenFile };
    const kubeconfig = join(directory, 'kubeconfig');
    await writeFile(kubeconfig, JSON.stringify(config));
    return new FaultStage(t, { clock, switchboard, server, tokenFile, kubeconfig });
  }

  private constructor(
    t: TestContext,
    parts: Pick<FaultStage, 'clock' | 'switchboard' | 'server' | 'tokenFile'> & { readonly kubeconfig: string },
  ) {
    this.#t = t;
    this.clock = parts.clock;
    this.switchboard = parts.switchboard;
    this.server = parts.server;
    this.tokenFile = parts.tokenFile;
    this.#kubeconfig = parts.kubeconfig;
    this.server.setFaults({
      request: (request) => {
        const seen = { ...request, at: this.clock.monotonic() };
        this.requests.push(seen);
        this.onRequest(seen);
        return this.switchboard.request(request);
      },
      frames: this.switchboard.frames,
    });
  }

  get api(): ApiServer {
    return this.server.api;
  }

  /** Closed after everything that the test began later. `retries`: as in production, instead of showing each failure. */
  async connect({ retries = false } = {}): Promise<Client> {
    const config = await loadClusterConfig({ kubeconfig: this.#kubeconfig });
    const client = Client.connect(config, { clock: this.clock, ...(retries ? {} : { retry: NO_RETRY }) });
    this.atEnd(() => client.close());
    return client;
  }

  /** Hooks of a test run in the order in which they were registered; what was begun last has to end first. */
  readonly #endings: (() => Promise<void>)[] = [];
  atEnd(end: () => Promise<void>): void {
    if (this.#endings.push(end) > 1) return;
    this.#t.after(async () => {
      for (const ending of this.#endings.reverse()) await ending();
    });
  }

  /** Lets time pass until the condition holds. */
  async until(what: string, condition: () => boolean): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`it never came to this: ${what}`);
      await this.clock.advance(STEP_MS);
    }
  }

  /** Lets so much time pass, slowly enough that answers come in between. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.monotonic() + ms;
    await this.until(`${ms} ms later`, () => this.clock.monotonic() >= end);
  }

  /** The same for much time, in steps that are large and still leave the answers time to come. */
  async leap(ms: number): Promise<void> {
    for (const end = this.clock.monotonic() + ms; this.clock.monotonic() < end; ) {
      await this.clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Nothing can be reached while `meanwhile` happens: no watch hears of it. */
  away(meanwhile: () => void): void {
    this.server.cutConnections();
    meanwhile();
  }

  /** Watches of pods that were asked for, listings by stream included. */
  get podWatches(): readonly SeenRequest[] {
    return this.requests.filter(({ verb, resource }) => verb === 'watch' && resource === 'pods');
  }

  /** Of whole pods, by stream or by pages. */
  get podListings(): readonly SeenRequest[] {
    return this.requests.filter((request) => {
      const isListing = request.query.has('sendInitialEvents') || (isWholeList(request) && !isOfMetadata(request));
      return request.resource === 'pods' && isListing;
    });
  }

  /** Listings of metadata, with which what is known is compared. */
  get podComparisons(): readonly SeenRequest[] {
    return this.requests.filter((r) => r.resource === 'pods' && isWholeList(r) && isOfMetadata(r));
  }

  /** Ready, with a kubelet of 1.36, for as long as the test lasts. */
  #node(name: string): void {
    if (this.api.list('nodes').some(({ metadata }) => metadata.name === name)) return;
    const time = this.#second();
    const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: time, lastTransitionTime: time };
    const status = { conditions: [ready], nodeInfo: { kubeletVersion: 'v1.36.3', bootID: `boot-of-${name}` } };
    this.api.create('nodes', { metadata: { name }, status });
  }

  /** Two events where it has an address: it is created, then it runs. Its node is there before it. */
  pod(name: string, { ip, node = 'node-a', annotations = {} }: PodOptions = {}): string {
    this.#node(node);
    const created = this.api.create('pods', {
      metadata: { name, namespace: 'default', annotations },
      spec: { nodeName: node, containers: [{ name: 'main', image: 'registry.example/main:1' }] },
    });
    if (ip !== undefined) this.run(name, ip);
    return created.metadata.uid ?? '';
  }

  run(name: string, ip: string): void {
    const time = this.#second();
    const ready = { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: time };
    const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], startTime: time, conditions: [ready] };
    this.api.mergePatch('pods', 'default', name, { status }, 'status');
  }

  annotate(name: string, annotations: Readonly<Record<string, string | null>>): string {
    const changed = this.api.mergePatch('pods', 'default', name, { metadata: { annotations } });
    return changed.metadata.resourceVersion ?? '';
  }

  /** Two events, as of a kubelet: it says that the pod is over, for its network is down, and then deletes it. */
  remove(name: string): void {
    const down = { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: this.#second() };
    this.api.mergePatch('pods', 'default', name, { status: { phase: 'Succeeded', conditions: [down] } }, 'status');
    this.api.delete('pods', 'default', name, { gracePeriodSeconds: 0 });
  }

  /** Kubelets write whole seconds. */
  #second(): string {
    return new Date(this.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  /** A version that no pod has. */
  move(): string {
    const name = `moved-${this.api.resourceVersion}`;
    return this.api.create('configmaps', { metadata: { name, namespace: 'default' } }).metadata.resourceVersion ?? '';
  }
}

function timersOf(clock: ManualClock): Timers {
  return {
    after(ms, run) {
      const timer = clock.setTimer(ms, run);
      return () => void timer.cancel();
    },
    every(ms, run) {
      let timer = clock.setTimer(ms, again);
      function again(): void {
        timer = clock.setTimer(ms, again);
        run();
      }
      return () => void timer.cancel();
    },
  };
}

function isWholeList({ verb, query }: SeenRequest): boolean {
  return verb === 'list' && query.get('limit') !== '1';
}

function isOfMetadata({ headers }: SeenRequest): boolean {
  return String(headers.accept).includes('PartialObjectMetadata');
}
