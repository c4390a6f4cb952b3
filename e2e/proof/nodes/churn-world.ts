// What the churn has its hands on: the API as an administrator, the real nodes, chance, and a log of what it did.
import { createWriteStream, type WriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, type HttpAnswer, type HttpRequest, until } from '../../controlplane/index.ts';
import { APP_IMAGE } from '../../realnodes/index.ts';
import type { Chance } from '../random.ts';
import type { ActionLine, CniLine } from './run-folder.ts';

export const NAMESPACE = 'churn';
/** On every pod of the churn: by which mechanism it lives and ends. */
export const MECHANISM_LABEL = 'podtrail.dev/mechanism';

export interface ContainerRequest {
  /** Arguments of `app serve`. */
  readonly args?: readonly string[];
  readonly image?: string;
  readonly lifecycle?: object;
  readonly mounts?: readonly object[];
}

export interface PodRequest {
  readonly containers?: readonly ContainerRequest[];
  readonly init?: readonly ContainerRequest[];
  readonly spec?: Readonly<Record<string, unknown>>;
}

export interface CreatedPod {
  readonly name: string;
  readonly uid: string;
}

export class ChurnWorld {
  readonly plane: ControlPlane;
  readonly chance: Chance;
  readonly #actions: WriteStream;
  #names = 0;
  #stopped = false;

  constructor(plane: ControlPlane, chance: Chance, actionsFile: string) {
    this.plane = plane;
    this.chance = chance;
    this.#actions = createWriteStream(actionsFile);
  }

  /** No new life begins and no wait is long any more. */
  get stopped(): boolean {
    return this.#stopped;
  }

  stop(): void {
    this.#stopped = true;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#actions.end(() => resolve()));
  }

  log(line: Omit<ActionLine, 'at'> & { at?: number }): void {
    this.#actions.write(`${JSON.stringify({ at: Date.now(), ...line })}\n`);
  }

  /** Seconds, drawn between the two. */
  async pause(least: number, most = least): Promise<void> {
    const end = Date.now() + this.chance.between(least, most) * 1000;
    while (!this.#stopped && Date.now() < end) await sleep(Math.min(200, end - Date.now()));
  }

  nextName(mechanism: string): string {
    return `${mechanism}-${++this.#names}`;
  }

  pod(mechanism: string, name: string, request: PodRequest = {}): Manifest {
    const { containers = [{}], init = [], spec = {} } = request;
    const built = (list: readonly ContainerRequest[], kind: string) =>
      list.map((container, index) => this.#container(`${kind}-${index}`, container));
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE, labels: { [MECHANISM_LABEL]: mechanism } },
      spec: {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        terminationGracePeriodSeconds: 4,
        containers: built(containers, 'main'),
        ...(init.length === 0 ? {} : { initContainers: built(init, 'init') }),
        ...spec,
      },
    };
  }

  #container(name: string, { args = [], image = APP_IMAGE, lifecycle, mounts }: ContainerRequest): object {
    return {
      name,
      image,
      imagePullPolicy: image === APP_IMAGE ? 'Never' : 'Always',
      args: ['serve', ...args, '-listen', name === 'main-0' ? ':8080' : '127.0.0.1:0'],
      env: [{ name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }],
      ...(lifecycle === undefined ? {} : { lifecycle }),
      ...(mounts === undefined ? {} : { volumeMounts: mounts }),
    };
  }

  async create(manifest: Manifest): Promise<CreatedPod> {
    const { name } = manifest.metadata;
    const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
    // The same name may still be taken by a pod that is going; anything else that is refused stays refused.
    const answer = await until(`pod ${name} is created`, async () => {
      const asked = await this.request(path, { body: manifest });
      return asked.status === 409 || asked.status >= 500 ? undefined : asked;
    });
    if (answer.status !== 201) throw new Error(`pod ${name} was not created: ${answer.body.slice(0, 300)}`);
    const made = answer.json() as { metadata: { uid: string } };
    return { name, uid: made.metadata.uid };
  }

  async delete({ name, uid }: CreatedPod, gracePeriodSeconds: number): Promise<void> {
    const body = { gracePeriodSeconds, preconditions: { uid } };
    this.log({
      what: gracePeriodSeconds === 0 ? 'deleted by force' : `deleted with ${gracePeriodSeconds} s`,
      pod: name,
    });
    await this.request(`/api/v1/namespaces/${NAMESPACE}/pods/${name}`, { method: 'DELETE', body });
  }

  async evict({ name }: CreatedPod): Promise<void> {
    this.log({ what: 'evicted by the API', pod: name });
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } };
    await this.request(`/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`, { body });
  }

  async read(name: string): Promise<ReadPod | undefined> {
    const answer = await this.request(`/api/v1/namespaces/${NAMESPACE}/pods/${name}`, {});
    return answer.status === 200 ? (answer.json() as ReadPod) : undefined;
  }

  /** Resolves when the pod has its address, is gone or has ended; not later than `withinMs`. */
  async started({ name, uid }: CreatedPod, withinMs = 25_000): Promise<void> {
    const end = Date.now() + withinMs;
    while (!this.#stopped && Date.now() < end) {
      const pod = await this.read(name).catch(() => undefined);
      if (pod?.metadata.uid !== uid || (pod.status?.podIP ?? '') !== '') return;
      if (['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')) return;
      await sleep(250);
    }
  }

  async gone({ name, uid }: CreatedPod, withinMs = 30_000): Promise<void> {
    const end = Date.now() + withinMs;
    while (!this.#stopped && Date.now() < end) {
      const pod = await this.read(name).catch(() => undefined);
      if (pod?.metadata.uid !== uid) return;
      await sleep(250);
    }
  }

  /** The sandbox that a pod has now, by CNI's log. */
  async sandboxOf(uid: string): Promise<CniLine | undefined> {
    const text = await readFile(this.plane.realNodes.cniLog, 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line.includes(uid));
    const last = lines.at(-1);
    if (last === undefined) return undefined;
    const line = JSON.parse(last) as CniLine;
    return line.command === 'ADD' ? line : undefined;
  }

  /** May fail while a control plane is restarted; a refusal is an answer. */
  request(path: string, request: HttpRequest): Promise<HttpAnswer> {
    return this.plane.request(path, request);
  }
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly spec: Readonly<Record<string, unknown>>;
}

interface ReadPod {
  readonly metadata: { readonly uid: string };
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly podIP?: string; readonly phase?: string };
}
