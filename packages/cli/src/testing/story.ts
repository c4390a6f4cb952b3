// A small story written to a ledger, for the tests of commands: a web pod that completes, a job that gets its address, a
// node with an agent on its network, a service, a gap, and a pod with hostile annotations. Seconds after 10:00 UTC.
import {
  type Engine,
  type EpochMillis,
  epochMillis,
  type Observation,
  type Observed,
  Observer,
  type ObserverOptions,
  openStore,
} from '@podtrail/history';

export const CLUSTER = { id: '831833a6-f708-4b7d-9948-721ee3d16550', name: 'prod-eu' };
const START = Date.UTC(2026, 10, 15, 10);

export function at(second: number): EpochMillis {
  return epochMillis(START + second * 1000);
}

/** A hostile annotation: a terminal title, colours, an overwritten line, turned text. */
export const HOSTILE = '\u001b]0;owned\u0007\u001b[31m\r\nroot# \u202egnp';

/** `half` ends before the gap. */
export async function aStory(part: 'whole' | 'half' = 'whole'): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const writer = new StoryWriter(engine);
  const web = { name: 'web-1', ip: '10.0.0.7', ready: -100, owner: ['ReplicaSet', 'web-abc'] as const, hash: 'abc' };
  const steady = { name: 'db-0', ip: '10.0.0.5', ready: -100, owner: ['StatefulSet', 'db'] as const, node: 'node-b' };
  await writer.list(0, 'start', web, steady);
  await writer.listOthers(0);
  await writer.see(2, { name: 'agent', ip: '192.168.0.1', hostNetwork: true, created: 1 });
  await writer.see(20, { ...steady, annotations: { note: '=cmd()' } });
  await writer.see(21, { ...steady, annotations: { note: HOSTILE } });
  await writer.see(60, { ...web, finished: 59 });
  await writer.see(70, { name: 'job-2', ip: '10.0.0.7', ready: 69, created: 65, owner: ['Job', 'job'] });
  await writer.alive(100);
  if (part === 'half') return engine;
  await writer.list(
    160,
    'expired',
    { ...steady, annotations: { note: HOSTILE } },
    { name: 'web-9', ip: '10.0.0.9', created: 158, ready: 159 },
  );
  await writer.alive(200);
  return engine;
}

/** A pod whose annotation changes every second from the tenth on, with a budget for three changes. */
export async function aLedgerWithFlood(): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const writer = new StoryWriter(engine, { pod: 2000, namespace: 1e9 });
  await writer.list(0, 'start');
  await writer.listOthers(0);
  for (let i = 10; i < 20; i++) await writer.see(i, { name: 'web-1', ip: '10.0.0.7', annotations: { note: `${i}` } });
  await writer.alive(90);
  return engine;
}

/** A pod is shown on another node than before, and one with a text that is no address. */
export async function aLedgerWithAnomalies(): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const writer = new StoryWriter(engine);
  await writer.list(0, 'start');
  await writer.listOthers(0);
  await writer.see(10, { name: 'web-1', ip: '10.0.0.7', node: 'node-a' });
  await writer.see(20, { name: 'web-1', ip: '10.0.0.7', node: 'node-b' });
  await writer.see(30, { name: 'odd-1', ip: 'pending', node: 'node-a' });
  await writer.alive(90);
  return engine;
}

/** A pod is starting when the watch is lost at 100 s; it comes back at 160 s and finds the pod with an address. */
export async function aLedgerThatLostAStart(): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  const writer = new StoryWriter(engine);
  await writer.list(0, 'start');
  await writer.listOthers(0);
  await writer.alive(90);
  await writer.see(99, { name: 'late', ip: '', created: 98 });
  await writer.alive(100);
  await writer.list(160, 'expired', { name: 'late', ip: '10.0.0.7', created: 98, ready: 130 });
  await writer.alive(200);
  return engine;
}

interface Pod {
  readonly name: string;
  readonly ip: string;
  readonly node?: string;
  readonly ready?: number;
  readonly created?: number;
  readonly finished?: number;
  readonly hostNetwork?: boolean;
  readonly owner?: readonly [kind: string, name: string];
  readonly hash?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

class StoryWriter {
  readonly #observer: Observer;
  readonly #engine: Engine;
  #writer: Awaited<ReturnType<Engine['takeOver']>> | undefined;
  #version = 10;

  constructor(engine: Engine, changeBudgets?: ObserverOptions['changeBudgets']) {
    this.#observer = new Observer({ collector: 'test', scope: { kind: 'cluster' }, changeBudgets });
    this.#engine = engine;
  }

  async write(observation: Observation): Promise<void> {
    const facts = this.#observer.observe(observation);
    this.#writer ??= await this.#engine.takeOver(CLUSTER);
    const checkpoint = { epoch: 1, resourceVersion: String(this.#version), at: observation.at };
    await this.#writer.append({ facts, checkpoint });
  }

  async list(second: number, reason: 'start' | 'expired', ...pods: Pod[]): Promise<void> {
    const present = pods.map((pod) => this.#seen(pod));
    const resourceVersion = String(++this.#version);
    await this.write({
      kind: 'listed',
      resource: 'Pod',
      reason,
      resourceVersion,
      whole: true,
      present,
      goneUids: [],
      at: at(second),
    });
  }

  /** The node and the service of the story. */
  async listOthers(second: number): Promise<void> {
    await this.write({
      kind: 'listed',
      resource: 'Node',
      reason: 'start',
      resourceVersion: '4',
      whole: true,
      goneUids: [],
      at: at(second),
      present: [node('node-a', '192.168.0.1')],
    });
    await this.write({
      kind: 'listed',
      resource: 'Service',
      reason: 'start',
      resourceVersion: '5',
      whole: true,
      goneUids: [],
      at: at(second),
      present: [service('cart', '10.96.0.10')],
    });
  }

  async see(second: number, pod: Pod): Promise<void> {
    await this.write({ kind: 'event', type: 'present', seen: this.#seen(pod), at: at(second) });
  }

  async alive(second: number): Promise<void> {
    await this.write({ kind: 'probed', resourceVersion: String(this.#version), at: at(second) });
    await this.write({ kind: 'alive', at: at(second) });
  }

  #seen({
    name,
    ip,
    node: nodeName = 'node-a',
    ready,
    created,
    finished,
    hostNetwork = false,
    owner,
    hash,
    annotations = {},
  }: Pod): Observed {
    // A kubelet ends a pod with its network.
    const since = finished ?? ready;
    const condition = {
      type: 'PodReadyToStartContainers',
      status: finished === undefined ? 'True' : 'False',
      lastTransitionTime: since === undefined ? undefined : at(since),
    };
    return {
      kind: 'Pod',
      object: {
        metadata: {
          ...meta(name, 'shop', String(++this.#version)),
          creationTimestamp: created === undefined ? undefined : at(created),
          labels: new Map(hash === undefined ? [] : [['pod-template-hash', hash]]),
          annotations: new Map(Object.entries(annotations)),
          ownerReferences: owner === undefined ? [] : [{ kind: owner[0], name: owner[1], controller: true }],
        },
        spec: { nodeName, hostNetwork },
        status: {
          phase: finished === undefined ? 'Running' : 'Succeeded',
          podIP: ip,
          podIPs: ip === '' ? [] : [ip],
          startTime: undefined,
          conditions: ready === undefined ? [] : [condition],
          terminations: finished === undefined ? [] : [{ current: true, finishedAt: at(finished) }],
        },
      },
    };
  }
}

function meta(name: string, namespace: string, resourceVersion: string) {
  return {
    ...{ name, namespace, uid: `uid-${name}`, resourceVersion },
    ...{ creationTimestamp: undefined, deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined },
    ...{ labels: new Map<string, string>(), annotations: new Map<string, string>(), ownerReferences: [] },
  };
}

function node(name: string, address: string): Observed {
  return {
    kind: 'Node',
    object: { metadata: meta(name, '', '3'), status: { addresses: [{ type: 'InternalIP', address }] } },
  };
}

function service(name: string, ip: string): Observed {
  return { kind: 'Service', object: { metadata: meta(name, 'shop', '4'), spec: { clusterIPs: [ip] } } };
}
