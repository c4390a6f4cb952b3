// Pods as somebody saved them: a PodList, a List, single pods, in JSON or YAML; a file, or the directory of a support
// bundle or a must-gather, whose other files are passed over. Gives each pod as a footprint line of one instant.
import { workloadOf } from '@podtrail/history';
import { parseAllDocuments } from 'yaml';
import type { Input } from '../attribute/input.ts';
import { CliError } from '../errors.ts';

type Json = Readonly<Record<string, unknown>>;

export interface SavedPods {
  readonly pods: readonly Json[];
  /** The newest time that the pods themselves show: then they all were as they are here. Undefined without any. */
  readonly newest: number | undefined;
  /** Files of a directory that could not be read. */
  readonly left: readonly string[];
}

const NAMES = /\.(?:json|ya?ml)(?:\.gz|\.zst)?$/i;
const LARGEST_FILE = 512 << 20;

export async function readPods(inputs: AsyncIterable<Input>): Promise<SavedPods> {
  const pods: Json[] = [];
  const left: string[] = [];
  for await (const { name = 'the input', isFound, bytes } of inputs) {
    if (isFound && !NAMES.test(name)) continue;
    const text = await textOf(bytes, name);
    // Most files of a bundle are about something else.
    if (isFound && !/\bPod(?:List)?\b/.test(text)) continue;
    try {
      for (const document of documentsOf(text)) pods.push(...podsIn(document));
    } catch (cause) {
      if (!isFound) throw unreadable(name, cause);
      left.push(name);
    }
  }
  const times = pods.flatMap(timesOf).filter((time) => Number.isFinite(time));
  return { pods, newest: times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b)), left };
}

/** A pod as import-footprints.ts takes it. */
export function footprintOf(pod: Json, at: number): string {
  const metadata = objectOf(pod['metadata']);
  const spec = objectOf(pod['spec']);
  const status = objectOf(pod['status']);
  const ips = listOf(status['podIPs']).map((entry) => text(objectOf(entry)['ip']));
  const workload = workloadOf({
    ...{ name: '', namespace: '', uid: '', resourceVersion: '', annotations: new Map() },
    ...{ creationTimestamp: undefined, deletionTimestamp: undefined, deletionGracePeriodSeconds: undefined },
    labels: new Map(Object.entries(objectOf(metadata['labels'])).map(([key, value]) => [key, String(value)])),
    ownerReferences: listOf(metadata['ownerReferences']).map((owner) => {
      const { kind, name, controller } = objectOf(owner);
      return { kind: text(kind), name: text(name), controller: controller === true };
    }),
  });
  return JSON.stringify({
    namespace: text(metadata['namespace']),
    pod_name: text(metadata['name']),
    node_name: text(spec['nodeName']),
    pod_ip: text(status['podIP']),
    pod_ips: ips,
    phase: text(status['phase']),
    timestamp: new Date(at).toISOString(),
    uid: text(metadata['uid']),
    workload: workload === undefined ? undefined : { kind: workload.kind, name: workload.name },
    host_network: spec['hostNetwork'] === true,
  });
}

async function textOf(bytes: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LARGEST_FILE) throw new CliError('file-too-large', `${name} is larger than 512 MiB`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function documentsOf(content: string): readonly unknown[] {
  if (/^\s*[{[]/.test(content)) {
    try {
      return [JSON.parse(content)];
    } catch {
      // One on each line.
      return content
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line));
    }
  }
  return parseAllDocuments(content, { logLevel: 'error' }).map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: 100 });
  });
}

/** The pods of a document, however they are wrapped; those of a PodList need not say their kind. */
function podsIn(document: unknown, kindOfItems = ''): Json[] {
  if (Array.isArray(document)) return document.flatMap((item) => podsIn(item, kindOfItems));
  const object = objectOf(document);
  const kind = text(object['kind']) || kindOfItems;
  if (kind === 'Pod') return [object];
  if (!kind.endsWith('List')) return [];
  return listOf(object['items']).flatMap((item) => podsIn(item, kind.slice(0, -'List'.length)));
}

/** Everything that was so when the pod was read. A deletionTimestamp may lie ahead of it. */
function timesOf(pod: Json): number[] {
  const metadata = objectOf(pod['metadata']);
  const status = objectOf(pod['status']);
  const containers = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];
  const states = containers
    .flatMap((name) => listOf(status[name]).map(objectOf))
    .flatMap(({ state, lastState }) => [objectOf(state), objectOf(lastState)])
    .flatMap((state) => Object.values(state).map(objectOf));
  return [
    metadata['creationTimestamp'],
    ...listOf(metadata['managedFields']).map((entry) => objectOf(entry)['time']),
    status['startTime'],
    ...listOf(status['conditions']).map((condition) => objectOf(condition)['lastTransitionTime']),
    ...states.flatMap(({ startedAt, finishedAt }) => [startedAt, finishedAt]),
  ].map((time) => Date.parse(text(time)));
}

function unreadable(name: string, cause: unknown): CliError {
  const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
  return new CliError('bad-pods', `${name} is neither JSON nor YAML that can be read: ${why}`, {
    hint: 'save pods with: kubectl get pods -A -o json > pods.json',
    cause,
  });
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : '';
}
